#include "render/top_parts.h"

#include "model/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int pf_top_form_parse(const char *text, enum pf_sheet_form *form, bool *flame, struct pf_error *error)
{
    *flame = strcmp(text, "json:flame") == 0;
    *form = PF_SHEET_JSON;
    if (*flame || pf_sheet_form_find(pf_bytes_of(text), form))
        return PF_OK;
    return pf_error_set(error, PF_USAGE, "unknown form '%s'; tables are text, json, ndjson, csv, tsv, trees also json:flame", text);
}

int pf_top_block(const struct pf_top *top, uint32_t measure, enum pf_unit unit, struct pf_top_block *block, struct pf_error *error)
{
    struct pf_subject *subject = &block->subject;
    pf_int128 removed;
    uint64_t records;
    int status = pf_subject_choose(subject, top->accumulator, measure, unit, error);

    if (status != PF_OK)
        return status;
    block->whole = subject->total;
    /* removed amounts do not tell their period */
    if (!subject->whole->quantity.events &&
        pf_before_find(&top->facts->before, top->dict, &subject->whole->quantity.measure, &removed, &records)) {
        removed = pf_scale_total(&subject->whole_scale, removed);
        if (subject->whole->quantity.measure.aggregation == PF_SUM)
            block->whole += removed;
        else if (removed > block->whole)
            block->whole = removed;
    }
    return PF_OK;
}

/* --- one block as text ------------------------------------------------------------------------------------ */

static const struct pf_sheet_column text_columns[] = {
    {"flat", PF_CELL_TEXT, 10}, {"flat%", PF_CELL_TEXT, 7}, {"sum%", PF_CELL_TEXT, 7},
    {"cum", PF_CELL_TEXT, 11},  {"cum%", PF_CELL_TEXT, 7},  {"", PF_CELL_TEXT, 0},
};

static const struct pf_sheet_column text_columns_calls[] = {
    {"flat", PF_CELL_TEXT, 10}, {"flat%", PF_CELL_TEXT, 7},  {"sum%", PF_CELL_TEXT, 7}, {"cum", PF_CELL_TEXT, 11},
    {"cum%", PF_CELL_TEXT, 7},  {"calls", PF_CELL_TEXT, 11}, {"", PF_CELL_TEXT, 0},
};

static bool shows_calls(const struct pf_top_block *block)
{
    return block->subject.calls != NULL && block->subject.calls != block->subject.shown;
}

static int64_t calls_of(const struct pf_top_block *block, const struct pf_row *row)
{
    return block->subject.calls == block->subject.shown ? row->flat : row->calls;
}

/* "... 212 functions below 0.1% (4.2%) not shown; -n 0 for all" */
static void write_hidden(const struct pf_top *top, const struct pf_top_block *block, const struct pf_hidden *hidden)
{
    size_t count = hidden->small + hidden->behind;
    double bound = floor(hidden->share * 10 + 1) / 10;
    char below[PF_PERCENT_TEXT], sum[PF_PERCENT_TEXT];

    if (count == 0)
        return;
    if (hidden->behind == 0)
        bound = top->min_percent;
    snprintf(below, sizeof below, "%.1f%%", bound);
    pf_top_percent(pf_percent(hidden->flat, block->whole), sum);
    pf_sink_printf(top->sink, "... %zu %s", count, pf_top_noun(top, count != 1));
    if (top->sort <= PF_SORT_CUM || hidden->behind == 0)
        pf_sink_printf(top->sink, " below %s", below);
    pf_sink_printf(top->sink, " (%s) not shown;%s%s for all\n", sum, hidden->behind > 0 ? " -n 0" : "",
                   hidden->small > 0 ? " --min-percent=0" : "");
}

/* "44ms (16.06%) outside of all sections" */
static void write_without(const struct pf_top *top, const struct pf_top_block *block, const struct pf_rank *rank)
{
    char amount[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];

    if (rank->without == 0)
        return;
    pf_top_percent(pf_percent(rank->without, block->whole), share);
    pf_sink_printf(top->sink, "... %s (%s) %s\n", pf_scale_print(&block->subject.scale, rank->without, amount), share,
                   top->label == top->dict->section_key ? "outside of all sections" : "without this label");
}

/* What is needed while rows are written. */
struct writing {
    const struct pf_top *top;
    const struct pf_top_block *block;
    struct pf_keys *keys;
    struct pf_sheet *sheet;
    struct pf_buffer label, scratch;
    pf_int128 sum;       /* of flat so far */
    size_t rank;
};

static void write_text_row(struct writing *writing, const struct pf_row *row)
{
    const struct pf_top_block *block = writing->block;
    const struct pf_scale *scale = &block->subject.scale;
    char flat[PF_AMOUNT_TEXT], cum[PF_AMOUNT_TEXT], calls[PF_INT128_TEXT];
    char percents[3][PF_PERCENT_TEXT];
    double flat_percent = pf_percent(row->flat, block->whole), cum_percent = pf_percent(row->cum, block->whole);
    struct pf_cell cells[7] = {{.text = pf_bytes_of(pf_scale_print(scale, row->flat, flat))}};
    size_t n = 1;

    writing->sum += row->flat;
    pf_print_int128(calls_of(block, row), calls);
    cells[0].color = pf_top_color(writing->top, flat_percent);
    cells[n++].text = pf_top_percent(flat_percent, percents[0]);
    cells[n++].text = pf_top_percent(pf_percent(writing->sum, block->whole), percents[1]);
    cells[n].color = pf_top_color(writing->top, row->cum < 0 ? cum_percent : 0);
    cells[n++].text = pf_bytes_of(pf_scale_print(scale, row->cum, cum));
    cells[n++].text = pf_top_percent(cum_percent, percents[2]);
    if (shows_calls(block))
        cells[n++].text = pf_bytes_of(calls);
    cells[n].flags = PF_UTF8;
    cells[n].text = pf_top_label(writing->top, writing->keys, row->key, &writing->label);
    pf_sheet_row(writing->sheet, cells);
}

/* --- rows for machines ------------------------------------------------------------------------------------ */

enum { TOP_COLUMNS = 13 };

static const struct pf_sheet_column columns[TOP_COLUMNS + 1] = {
    {"rank", PF_CELL_INT, 0},  {"function", PF_CELL_TEXT, 0}, {"file", PF_CELL_TEXT, 0},     {"line", PF_CELL_INT, 0},
    {"image", PF_CELL_TEXT, 0}, {"section", PF_CELL_TEXT, 0},  {"measure", PF_CELL_TEXT, 0},  {"unit", PF_CELL_TEXT, 0},
    {"flat", PF_CELL_INT, 0},  {"flat_pct", PF_CELL_REAL, 0}, {"cum", PF_CELL_INT, 0},       {"cum_pct", PF_CELL_REAL, 0},
    {"calls", PF_CELL_INT, 0},
};

/* The column --by adds at the end, or NULL. */
static const char *added_column(const struct pf_top *top)
{
    if (top->by == PF_BY_LABEL)
        return top->label == top->dict->section_key ? NULL : "label";
    return top->by == PF_BY_ADDRESS ? "address" : top->by == PF_BY_PACKAGE ? "package" : NULL;
}

static void write_row(struct writing *writing, const struct pf_row *row)
{
    const struct pf_top *top = writing->top;
    struct pf_cell cells[TOP_COLUMNS + 1] = {{.integer = (pf_int128)++writing->rank}}, name = {0};
    char address[32];

    pf_top_place_cells(writing->keys, row->key, &cells[1], &writing->scratch);
    if (top->by == PF_BY_LABEL || top->by == PF_BY_PACKAGE)
        name.text = pf_keys_name(writing->keys, row->key, &writing->scratch, &name.flags);
    if (top->by == PF_BY_LABEL && top->label == top->dict->section_key)
        cells[5] = name;
    pf_top_measure_cells(top, writing->block, &cells[6]);
    cells[8].integer = row->flat;
    cells[9].real = pf_percent(row->flat, writing->block->whole);
    cells[10].integer = row->cum;
    cells[11].real = pf_percent(row->cum, writing->block->whole);
    cells[12].integer = calls_of(writing->block, row);
    if (top->by == PF_BY_ADDRESS) {
        uint64_t number = pf_keys_row(writing->keys, row->key)->address;
        snprintf(address, sizeof address, "0x%" PRIx64, number);
        name.text = pf_bytes_of(pf_keys_has_address(writing->keys, row->key) ? address : "");
    }
    cells[13] = name;
    pf_sheet_row(writing->sheet, cells);
}

/* --- the table -------------------------------------------------------------------------------------------- */

/* --list: functions that were asked for only. */
static bool select_rows(const struct pf_top *top, const struct pf_keys *keys, struct pf_rank *rank)
{
    struct pf_buffer scratch = {0};
    size_t kept = 0;
    bool good;

    for (size_t i = 0; i < rank->count; i++)
        if (top->list == NULL || pf_pattern_match(top->list, pf_keys_name(keys, rank->rows[i].key, &scratch, NULL)))
            rank->rows[kept++] = rank->rows[i];
    rank->count = kept;
    good = !scratch.failed;
    pf_buffer_free(&scratch);
    return good;
}

static int rank_block(const struct pf_top *top, const struct pf_top_block *block, struct pf_keys *keys, struct pf_rank *rank,
                      struct pf_hidden *hidden, struct pf_error *error)
{
    int status = pf_rank_make(rank, top->accumulator, &block->subject, keys, error);

    if (status == PF_OK && !select_rows(top, keys, rank))
        status = pf_error_nomem(error);
    if (status == PF_OK && pf_rank_sort(rank, keys, top->sort) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        pf_rank_limit(rank, top->limit, top->min_percent, block->whole, top->sort, hidden);
    return status;
}

static void write_rows(struct writing *writing, const struct pf_rank *rank)
{
    for (size_t i = 0; i < rank->count; i++)
        if (writing->sheet->form == PF_SHEET_TEXT)
            write_text_row(writing, &rank->rows[i]);
        else
            write_row(writing, &rank->rows[i]);
}

static int write_text_block(struct writing *writing, const struct pf_rank *rank, const struct pf_hidden *hidden)
{
    const struct pf_top *top = writing->top;
    bool calls = shows_calls(writing->block);
    struct pf_sheet sheet = pf_top_sheet(top);
    int status = pf_top_head_line(top, writing->block);

    if (rank->count == 0 && hidden->small + hidden->behind == 0) {
        pf_sink_text(top->sink, rank->without == 0 ? "no record has a value\n" : "");
        write_without(top, writing->block, rank);
        return status;
    }
    writing->sheet = &sheet;
    pf_sheet_begin(&sheet, top->sink, PF_SHEET_TEXT, calls ? text_columns_calls : text_columns, calls ? 7 : 6,
                   (struct pf_sheet_head){0});
    write_rows(writing, rank);
    write_hidden(top, writing->block, hidden);
    write_without(top, writing->block, rank);
    return pf_sheet_end(&sheet) == PF_OK ? status : PF_NOMEM;
}

static int write_block(const struct pf_top *top, const struct pf_top_block *block, struct pf_sheet *sheet, bool *matched,
                       struct pf_error *error)
{
    struct pf_keys keys;
    struct pf_rank rank = {0};
    struct pf_hidden hidden;
    struct writing writing = {.top = top, .block = block, .keys = &keys, .sheet = sheet};
    int status = pf_keys_init(&keys, top->dict, top->by, top->label) == PF_OK ? PF_OK : pf_error_nomem(error);

    if (status == PF_OK)
        status = rank_block(top, block, &keys, &rank, &hidden, error);
    if (status == PF_OK && top->form == PF_SHEET_TEXT && write_text_block(&writing, &rank, &hidden) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK && top->form != PF_SHEET_TEXT)
        write_rows(&writing, &rank);
    *matched = *matched || rank.count > 0;
    if (status == PF_OK && (writing.label.failed || writing.scratch.failed))
        status = pf_error_nomem(error);
    pf_buffer_free(&writing.label);
    pf_buffer_free(&writing.scratch);
    pf_rank_free(&rank);
    pf_keys_free(&keys);
    return status;
}

int pf_top_table(const struct pf_top *top, bool *matched, struct pf_error *error)
{
    struct pf_sheet sheet = pf_top_sheet(top);
    struct pf_sheet_column all[TOP_COLUMNS + 1];
    const char *added = added_column(top);
    int status = PF_OK;

    *matched = top->list == NULL;
    memcpy(all, columns, sizeof all);
    all[TOP_COLUMNS] = (struct pf_sheet_column){added, PF_CELL_TEXT, 0};
    if (top->form != PF_SHEET_TEXT)
        pf_sheet_begin(&sheet, top->sink, top->form, all, added != NULL ? TOP_COLUMNS + 1 : TOP_COLUMNS,
                       top->form == PF_SHEET_JSON ? pf_top_document(top, "profutils.top/1") : (struct pf_sheet_head){0});
    for (size_t i = 0; i < top->block_count && status == PF_OK; i++) {
        if (i > 0 && top->form == PF_SHEET_TEXT)
            pf_sink_text(top->sink, "\n");
        status = write_block(top, &top->blocks[i], &sheet, matched, error);
    }
    if (top->form != PF_SHEET_TEXT && pf_sheet_end(&sheet) != PF_OK && status == PF_OK)
        status = pf_error_nomem(error);
    return status;
}
