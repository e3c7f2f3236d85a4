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

static int too_much(const struct pf_top *top, const struct pf_top_block *block, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(top->dict, block->subject.whole->quantity.measure.name);

    return pf_error_set(error, PF_OVERFLOW, "with what filters removed measure '%.*s' leaves 128 bits", (int)name.size, name.data);
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
            status = __builtin_add_overflow(block->whole, removed, &block->whole) ? PF_OVERFLOW : PF_OK;
        else if (removed > block->whole)
            block->whole = removed;
        if (status != PF_OK || removed >= PF_INT128_MAX || removed <= -PF_INT128_MAX)
            return too_much(top, block, error);
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

static const struct pf_scale *calls_scale(const struct pf_top_block *block)
{
    return block->subject.calls == block->subject.shown ? &block->subject.scale : &block->subject.calls_scale;
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
    bool *matched;
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_rank rank;
    struct pf_hidden hidden;
    struct pf_buffer label, scratch;
    pf_int128 sum;       /* of flat so far */
    size_t written;      /* rows */
};

static void write_text_row(struct writing *writing, const struct pf_row *row, struct pf_sheet *sheet)
{
    const struct pf_top_block *block = writing->block;
    const struct pf_scale *scale = &block->subject.scale;
    char flat[PF_AMOUNT_TEXT], cum[PF_AMOUNT_TEXT], calls[PF_AMOUNT_TEXT];
    char percents[3][PF_PERCENT_TEXT];
    double flat_percent = pf_percent(row->flat, block->whole), cum_percent = pf_percent(row->cum, block->whole);
    struct pf_cell cells[7] = {{.text = pf_bytes_of(pf_scale_print(scale, row->flat, flat))}};
    size_t n = 1;

    writing->sum += row->flat;
    pf_scale_print(calls_scale(block), row->calls, calls);
    cells[0].color = pf_top_color(writing->top, flat_percent);
    cells[n++].text = pf_top_percent(flat_percent, percents[0]);
    cells[n++].text = pf_top_percent(pf_percent(writing->sum, block->whole), percents[1]);
    cells[n].color = pf_top_color(writing->top, row->cum < 0 ? cum_percent : 0);
    cells[n++].text = pf_bytes_of(pf_scale_print(scale, row->cum, cum));
    cells[n++].text = pf_top_percent(cum_percent, percents[2]);
    if (shows_calls(block))
        cells[n++].text = pf_bytes_of(calls);
    cells[n].flags = PF_UTF8;
    cells[n].text = pf_top_label(writing->top, &writing->keys, row->key, &writing->label);
    pf_sheet_row(sheet, cells);
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

static void write_row(struct writing *writing, const struct pf_row *row, struct pf_sheet *sheet)
{
    const struct pf_top *top = writing->top;
    struct pf_cell cells[TOP_COLUMNS + 1] = {{.integer = (pf_int128)++writing->written}}, name = {0};
    char address[32];

    pf_top_place_cells(&writing->keys, row->key, &cells[1], &writing->scratch);
    if (top->by == PF_BY_LABEL || top->by == PF_BY_PACKAGE)
        name.text = pf_keys_name(&writing->keys, row->key, &writing->scratch, &name.flags);
    if (top->by == PF_BY_LABEL && top->label == top->dict->section_key)
        cells[5] = name;
    pf_top_measure_cells(top, writing->block, pf_top_measure(writing->block), &cells[6]);
    cells[8].integer = row->flat;
    cells[8].parts = cells[10].parts = writing->block->subject.scale.parts;
    cells[9].real = pf_percent(row->flat, writing->block->whole);
    cells[10].integer = row->cum;
    cells[11].real = pf_percent(row->cum, writing->block->whole);
    cells[12].integer = row->calls;
    cells[12].parts = calls_scale(writing->block)->parts;
    if (top->by == PF_BY_ADDRESS) {
        uint64_t number = pf_keys_row(&writing->keys, row->key)->address;
        snprintf(address, sizeof address, "0x%" PRIx64, number);
        name.text = pf_bytes_of(pf_keys_has_address(&writing->keys, row->key) ? address : "");
    }
    cells[13] = name;
    pf_sheet_row(sheet, cells);
}

/* --- the table -------------------------------------------------------------------------------------------- */

/* --list: functions that were asked for only. */
static bool select_rows(const struct pf_top *top, const struct pf_keys *keys, struct pf_rank *rank)
{
    struct pf_buffer scratch = {0};
    size_t kept = 0;
    bool good;

    for (size_t i = 0; i < rank->count; i++)
        if (top->list == NULL || pf_top_list_has(top, keys, rank->rows[i].key, &scratch))
            rank->rows[kept++] = rank->rows[i];
    rank->count = kept;
    good = !scratch.failed;
    pf_buffer_free(&scratch);
    return good;
}

static int make(void *state, const struct pf_top_block *block, struct pf_error *error)
{
    struct writing *writing = state;
    const struct pf_top *top = writing->top;
    int status = pf_keys_init(&writing->keys, top->dict, top->by, top->label) == PF_OK ? PF_OK : pf_error_nomem(error);

    writing->block = block;
    if (status == PF_OK)
        status = pf_rank_make(&writing->rank, top->accumulator, &block->subject, &writing->keys, error);
    if (status == PF_OK && !select_rows(top, &writing->keys, &writing->rank))
        status = pf_error_nomem(error);
    if (status == PF_OK && pf_rank_sort(&writing->rank, &writing->keys, top->sort) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        pf_rank_limit(&writing->rank, top->limit, top->min_percent, block->whole, top->sort, &writing->hidden);
    *writing->matched = *writing->matched || writing->rank.count > 0;
    return status;
}

static int drop(void *state, int status, struct pf_error *error)
{
    struct writing *writing = state;

    if (status == PF_OK && (writing->label.failed || writing->scratch.failed))
        status = pf_error_nomem(error);
    pf_buffer_free(&writing->label);
    pf_buffer_free(&writing->scratch);
    pf_rank_free(&writing->rank);
    pf_keys_free(&writing->keys);
    return status;
}

static void write_text(struct writing *writing)
{
    const struct pf_top *top = writing->top;
    const struct pf_hidden *hidden = &writing->hidden;
    bool calls = shows_calls(writing->block);
    struct pf_sheet sheet = pf_top_sheet(top);

    if (writing->rank.count == 0 && hidden->small + hidden->behind == 0) {
        pf_sink_text(top->sink, writing->rank.without == 0 ? "no record has a value\n" : "");
        write_without(top, writing->block, &writing->rank);
        return;
    }
    pf_sheet_begin(&sheet, top->sink, PF_SHEET_TEXT, calls ? text_columns_calls : text_columns, calls ? 7 : 6,
                   (struct pf_sheet_head){0});
    writing->sum = 0;
    for (size_t i = 0; i < writing->rank.count; i++)
        write_text_row(writing, &writing->rank.rows[i], &sheet);
    write_hidden(top, writing->block, hidden);
    write_without(top, writing->block, &writing->rank);
    writing->label.failed = pf_sheet_end(&sheet) != PF_OK || writing->label.failed;
}

static void write_block(void *state, struct pf_sheet *sheet)
{
    struct writing *writing = state;

    writing->written = 0;
    if (writing->top->form == PF_SHEET_TEXT)
        write_text(writing);
    else
        for (size_t i = 0; i < writing->rank.count; i++)
            write_row(writing, &writing->rank.rows[i], sheet);
}

int pf_top_table(const struct pf_top *top, bool *matched, struct pf_error *error)
{
    struct writing writing = {.top = top, .matched = matched};
    struct pf_sheet_column all[TOP_COLUMNS + 1];
    const char *added = added_column(top);
    const struct pf_top_view view = {
        .schema = "profutils.top/1", .columns = all, .column_count = added != NULL ? TOP_COLUMNS + 1 : TOP_COLUMNS,
        .make = make, .write = write_block, .drop = drop,
    };

    *matched = top->list == NULL;
    memcpy(all, columns, sizeof all);
    all[TOP_COLUMNS] = (struct pf_sheet_column){added, PF_CELL_TEXT, 0};
    return pf_top_show(top, &view, &writing, error);
}
