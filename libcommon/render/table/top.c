#include "render/table/view.h"

#include "model/json.h"
#include "model/utf8.h"
#include "render/table/meta.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int pf_top_form_parse(const char *text, enum pf_sheet_form *form, bool *flame,
                      struct pf_error *error)
{
    *flame = strcmp(text, "json:flame") == 0;
    *form = PF_SHEET_JSON;
    if (*flame || pf_sheet_form_find(pf_bytes_of(text), form))
        return PF_OK;
    return pf_error_set(
        error, PF_USAGE,
        "unknown form '%s'; tables are text, json, ndjson, csv, tsv, trees also json:flame", text);
}

static int too_much(const struct pf_top *top, const struct pf_top_block *block,
                    struct pf_error *error)
{
    struct pf_bytes name =
        pf_dict_string(top->look.dict, block->subject.whole->quantity.measure.name);

    return pf_error_set(error, PF_OVERFLOW,
                        "with the values that filters removed measure '%s' overflows 128 bits",
                        pf_clip(name).text);
}

int pf_top_block(const struct pf_top *top, uint32_t measure, enum pf_unit unit,
                 struct pf_top_block *block, struct pf_error *error)
{
    struct pf_subject *subject = &block->subject;
    pf_int128 removed;
    uint64_t records;
    int status = pf_subject_choose(subject, top->accumulator, measure, unit, error);

    if (status != PF_OK)
        return status;
    subject->scale.group = subject->self_scale.group = subject->inclusive_scale.group =
        top->look.group;
    subject->whole_scale.group = subject->calls_scale.group = top->look.group;
    block->whole = subject->total;
    /* the periods of removed amounts are unknown, and removed calls contain each other */
    if (!subject->whole->quantity.events && !subject->derived &&
        pf_before_find(&top->facts->before, top->look.dict, &subject->whole->quantity.measure,
                       &removed, &records)) {
        removed = pf_scale_total(&subject->whole_scale, removed);
        if (subject->whole->quantity.measure.aggregation == PF_SUM)
            status = __builtin_add_overflow(block->whole, removed, &block->whole) ? PF_OVERFLOW
                                                                                  : PF_OK;
        else if (removed > block->whole)
            block->whole = removed;
        if (status != PF_OK || removed >= PF_INT128_MAX || removed <= -PF_INT128_MAX)
            return too_much(top, block, error);
    }
    return PF_OK;
}

/* --- documents -------------------------------------------------------------------------------- */

/* Writes the measures. Without jansson, because totals may have more than 64 bits. */
static void write_measures(const struct pf_top *top, struct pf_sink *sink, bool of_calls)
{
    struct pf_buffer scratch = {0};

    for (size_t i = 0; i < top->block_count; i++) {
        const struct pf_subject *subject = &top->blocks[i].subject;
        pf_sink_text(sink, i == 0 ? "[{\"name\":" : ",{\"name\":");
        pf_json_name(sink, top->look.dict,
                     of_calls ? subject->shown->quantity.measure.name
                              : pf_top_measure(&top->blocks[i]),
                     &scratch);
        pf_sink_text(sink, ",\"unit\":");
        pf_json_string(sink, subject->scale.name, PF_UTF8, &scratch);
        pf_sink_printf(sink, ",\"kind\":\"%s\",\"total\":", pf_kind_name(subject->kind));
        pf_json_parts(sink, subject->total, subject->scale.parts);
        pf_sink_text(sink, ",\"before\":");
        pf_json_parts(sink, top->blocks[i].whole, subject->scale.parts);
        pf_sink_text(sink, "}");
    }
    pf_sink_text(sink, top->block_count == 0 ? "[]" : "]");
    pf_buffer_free(&scratch);
}

static void write_measures_of_columns(const void *top, struct pf_sink *sink)
{
    write_measures(top, sink, false);
}

static void write_measures_of_calls(const void *top, struct pf_sink *sink)
{
    write_measures(top, sink, true);
}

static struct pf_sheet_head document(const struct pf_top *top, const struct pf_top_view *view)
{
    return (struct pf_sheet_head){
        .schema = view->schema,
        .meta =
            pf_meta_json(top->look.dict, top->facts, top->tool, top->operands, !top->incomplete),
        .measures = view->of_calls ? write_measures_of_calls : write_measures_of_columns,
        .arg = top,
    };
}

uint32_t pf_top_measure(const struct pf_top_block *block)
{
    return block->named ? block->subject.shown->quantity.measure.name
                        : pf_subject_flat(&block->subject)->name;
}

void pf_top_measure_cells(const struct pf_top *top, const struct pf_top_block *block, uint32_t name,
                          struct pf_cell cells[2])
{
    cells[0] = pf_look_cell(top->look.dict, name);
    cells[1] = (struct pf_cell){.text = block->subject.scale.name, .flags = PF_UTF8};
}

/* --- what is left out ------------------------------------------------------------------------- */

/* True if shares of several rows can be added. Sections lie inside each other, so their shares
 * cannot. */
static bool sums(const struct pf_top *top)
{
    return top->look.by != PF_BY_LABEL || top->look.label != top->look.dict->section_key;
}

/* Writes "... 212 functions below 0.1% (4.2%) not shown; -n 0 for all". */
int pf_top_hidden(const struct pf_top *top, const struct pf_top_block *block,
                  const struct pf_hidden *hidden)
{
    size_t count = hidden->small + hidden->behind;
    double bound = hidden->behind == 0 ? top->min_percent : floor(hidden->share * 10 + 1) / 10;
    char below[48] = "", sum[PF_PERCENT_TEXT], share[PF_PERCENT_TEXT + 4] = "",
         number[PF_AMOUNT_TEXT];

    if (count == 0)
        return PF_OK;
    if (top->sort <= PF_SORT_CUM || hidden->behind == 0)
        snprintf(below, sizeof below, bound < 0.1 ? " below %g%%" : " below %.1f%%", bound);
    pf_look_percent(pf_percent(hidden->flat, block->whole), sum);
    if (sums(top))
        snprintf(share, sizeof share, " (%s)", sum);
    return pf_look_note(
        &top->look, "... %s %s%s%s not shown;%s%s for all",
        pf_look_count(&top->look, count, number), pf_look_noun(&top->look, count != 1), below,
        share, hidden->behind > 0 ? " -n 0" : "", hidden->small > 0 ? " --min-percent=0" : "");
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Makes all blocks except the first, to find failures before anything is written. They are made
 * again later, so that only one block is in memory at a time. */
static int check_others(const struct pf_top *top, const struct pf_top_view *view, void *state,
                        struct pf_error *error)
{
    int status = PF_OK;

    for (size_t i = 1; i < top->block_count && status == PF_OK; i++)
        status = view->drop(state, view->make(state, &top->blocks[i], error), error);
    return status;
}

static void begin_sheet(const struct pf_top *top, const struct pf_top_view *view,
                        struct pf_sheet *sheet)
{
    struct pf_sheet_head head = {0};

    if (top->form == PF_SHEET_JSON)
        head = document(top, view);
    if (top->form != PF_SHEET_TEXT)
        pf_sheet_begin(sheet, top->look.sink, top->form, view->columns, view->column_count, head);
}

/* Writes a block, in text form with its head. */
static int show_block(const struct pf_top *top, const struct pf_top_view *view, void *state,
                      size_t i, struct pf_sheet *sheet)
{
    if (top->form == PF_SHEET_TEXT) {
        pf_sink_text(top->look.sink, i > 0 ? "\n" : "");
        if (pf_top_head(top, view, &top->blocks[i]) != PF_OK)
            return PF_NOMEM;
    }
    view->write(state, sheet);
    return PF_OK;
}

int pf_top_show(const struct pf_top *top, const struct pf_top_view *view, void *state,
                struct pf_error *error)
{
    struct pf_sheet sheet = {0};
    int status = check_others(top, view, state, error);

    if (top->block_count == 0)
        begin_sheet(top, view, &sheet);
    for (size_t i = 0; i < top->block_count && status == PF_OK; i++) {
        status = view->make(state, &top->blocks[i], error);
        if (status == PF_OK && i == 0)
            begin_sheet(top, view, &sheet);
        if (status == PF_OK && show_block(top, view, state, i, &sheet) != PF_OK)
            status = pf_error_nomem(error);
        status = view->drop(state, status, error);
    }
    if (sheet.sink && pf_sheet_end(&sheet) != PF_OK && status == PF_OK)
        status = pf_error_nomem(error);
    return status;
}

int pf_top_keys(const struct pf_top *top, enum pf_by by, uint32_t label, struct pf_keys *keys,
                struct pf_error *error)
{
    return pf_keys_init(keys, top->look.dict, by, label) == PF_OK ? PF_OK : pf_error_nomem(error);
}

bool pf_top_list_has(const struct pf_top *top, const struct pf_keys *keys, uint32_t key,
                     struct pf_buffer *scratch)
{
    struct pf_bytes file = pf_dict_string(top->look.dict, pf_keys_row(keys, key)->file);

    return pf_pattern_match(top->list, pf_keys_name(keys, key, scratch, NULL)) ||
           (file.size > 0 && pf_pattern_match(top->list, file));
}

/* --- one block as text ------------------------------------------------------------------------ */

enum { FLAT, FLAT_SHARE, SUM_SHARE, CUM, CUM_SHARE, CALLS, NAME, TEXT_COLUMNS };

static const struct pf_text_column text_columns[TEXT_COLUMNS] = {
    {"flat", 10, 0}, {"flat%", 7, 6},  {"sum%", 7, 4}, {"cum", 11, 8},
    {"cum%", 7, 5},  {"calls", 11, 7}, {"", 0, 0},
};

static bool shows_calls(const struct pf_top_block *block)
{
    return block->subject.calls && block->subject.calls != block->subject.shown;
}

static const struct pf_scale *calls_scale(const struct pf_top_block *block)
{
    return block->subject.calls == block->subject.shown ? &block->subject.scale
                                                        : &block->subject.calls_scale;
}

/* Writes "... 44ms (16.06%) outside of all sections". */
static int write_without(const struct pf_top *top, const struct pf_top_block *block,
                         const struct pf_rank *rank)
{
    char amount[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];

    if (rank->without == 0)
        return PF_OK;
    pf_look_percent(pf_percent(rank->without, block->whole), share);
    return pf_look_note(&top->look, "... %s (%s) %s",
                        pf_scale_print(&block->subject.scale, rank->without, amount), share,
                        top->look.label == top->look.dict->section_key ? "outside of all sections"
                                                                       : "without this label");
}

/* The state of writing rows. */
struct writing {
    const struct pf_top *top;
    bool *matched;
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_rank rank;
    struct pf_hidden hidden;
    struct pf_buffer label, scratch;
    pf_int128 sum;  /* sum of the flat amounts so far */
    size_t written; /* rows */
};

/* Chooses the columns of the block. Returns their number. */
static size_t choose_columns(const struct writing *writing,
                             struct pf_text_column columns[TEXT_COLUMNS])
{
    size_t count = 0;

    for (size_t i = 0; i < TEXT_COLUMNS; i++)
        if ((i != CALLS || shows_calls(writing->block)) && (i != SUM_SHARE || sums(writing->top)))
            columns[count++] = text_columns[i];
    return count;
}

static void write_text_row(struct writing *writing, const struct pf_row *row,
                           struct pf_text_table *table)
{
    const struct pf_top_block *block = writing->block;
    const struct pf_scale *scale = &block->subject.scale;
    char flat[PF_AMOUNT_TEXT], cum[PF_AMOUNT_TEXT], calls[PF_AMOUNT_TEXT];
    char percents[3][PF_PERCENT_TEXT];
    double flat_percent = pf_percent(row->flat, block->whole),
           cum_percent = pf_percent(row->cum, block->whole);
    struct pf_text_cell cells[TEXT_COLUMNS] = {
        {.text = pf_bytes_of(pf_scale_print(scale, row->flat, flat))}};
    struct pf_place place;
    size_t n = 1;

    writing->sum += row->flat;
    pf_scale_print(calls_scale(block), row->calls, calls);
    cells[0].color = pf_look_color(&writing->top->look, flat_percent);
    cells[n++].text = pf_look_percent(flat_percent, percents[0]);
    if (sums(writing->top))
        cells[n++].text = pf_look_percent(pf_percent(writing->sum, block->whole), percents[1]);
    cells[n].color = pf_look_color(&writing->top->look, row->cum < 0 ? cum_percent : 0);
    cells[n++].text = pf_bytes_of(pf_scale_print(scale, row->cum, cum));
    cells[n++].text = pf_look_percent(cum_percent, percents[2]);
    if (shows_calls(block))
        cells[n++].text = pf_bytes_of(calls);
    pf_look_place(&writing->top->look, &writing->keys, row->key, &writing->label, &place);
    pf_text_table_row(table, cells, &place, 1);
}

/* --- rows for machines ------------------------------------------------------------------------ */

enum { TOP_COLUMNS = 13 };

static const struct pf_sheet_column columns[TOP_COLUMNS + 1] = {
    {"rank", PF_CELL_INT},      {"function", PF_CELL_TEXT}, {"file", PF_CELL_TEXT},
    {"line", PF_CELL_INT},      {"image", PF_CELL_TEXT},    {"section", PF_CELL_TEXT},
    {"measure", PF_CELL_TEXT},  {"unit", PF_CELL_TEXT},     {"flat", PF_CELL_INT},
    {"flat_pct", PF_CELL_REAL}, {"cum", PF_CELL_INT},       {"cum_pct", PF_CELL_REAL},
    {"calls", PF_CELL_INT},
};

static bool by_section(const struct pf_top *top)
{
    return top->look.by == PF_BY_LABEL && top->look.label == top->look.dict->section_key;
}

/* The column that --by adds at the end, or NULL. Sections have a column in any case. */
static const char *added_column(const struct pf_top *top)
{
    return by_section(top) ? NULL : pf_look_added_column(&top->look);
}

static void write_row(struct writing *writing, const struct pf_row *row, struct pf_sheet *sheet)
{
    const struct pf_top *top = writing->top;
    struct pf_cell cells[TOP_COLUMNS + 1] = {{.integer = (pf_int128)++writing->written}};
    char address[PF_ADDRESS_TEXT];

    pf_look_place_cells(&writing->keys, row->key, &cells[1], &writing->scratch);
    if (pf_look_added_column(&top->look))
        cells[by_section(top) ? 5 : TOP_COLUMNS] =
            pf_look_added_cell(&top->look, &writing->keys, row->key, &writing->scratch, address);
    pf_top_measure_cells(top, writing->block, pf_top_measure(writing->block), &cells[6]);
    cells[8].integer = row->flat;
    cells[8].parts = cells[10].parts = writing->block->subject.scale.parts;
    cells[9].real = pf_percent(row->flat, writing->block->whole);
    cells[10].integer = row->cum;
    cells[11].real = pf_percent(row->cum, writing->block->whole);
    cells[12].integer = row->calls;
    cells[12].parts = calls_scale(writing->block)->parts;
    pf_sheet_row(sheet, cells);
}

/* --- the table -------------------------------------------------------------------------------- */

/* Keeps the rows of --list's functions. False: out of memory. */
static bool select_rows(const struct pf_top *top, const struct pf_keys *keys, struct pf_rank *rank)
{
    struct pf_buffer scratch = {0};
    size_t kept = 0;
    bool good;

    for (size_t i = 0; i < rank->count; i++)
        if (!top->list || pf_top_list_has(top, keys, rank->rows[i].key, &scratch))
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
    int status = pf_top_keys(top, top->look.by, top->look.label, &writing->keys, error);

    writing->block = block;
    if (status == PF_OK)
        status =
            pf_rank_make(&writing->rank, top->accumulator, &block->subject, &writing->keys, error);
    if (status == PF_OK && !select_rows(top, &writing->keys, &writing->rank))
        status = pf_error_nomem(error);
    if (status == PF_OK && pf_rank_sort(&writing->rank, &writing->keys, top->sort) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        pf_rank_limit(&writing->rank, top->limit, top->min_percent, block->whole, top->sort,
                      &writing->hidden);
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

static int write_rows(struct writing *writing)
{
    struct pf_text_column shown[TEXT_COLUMNS];
    struct pf_text_table table = {0};

    pf_text_table_begin(&table, shown, choose_columns(writing, shown));
    writing->sum = 0;
    for (size_t i = 0; i < writing->rank.count; i++)
        write_text_row(writing, &writing->rank.rows[i], &table);
    return pf_look_end(&writing->top->look, &table);
}

static void write_text(struct writing *writing)
{
    const struct pf_top *top = writing->top;
    const struct pf_hidden *hidden = &writing->hidden;
    bool any = writing->rank.count > 0 || hidden->small + hidden->behind > 0;
    int status = PF_OK;

    if (any)
        status = write_rows(writing);
    else if (writing->rank.without == 0)
        pf_sink_text(top->look.sink, "no record has a value\n");
    if (status == PF_OK)
        status = pf_top_hidden(top, writing->block, hidden);
    if (status == PF_OK)
        status = write_without(top, writing->block, &writing->rank);
    writing->label.failed = writing->label.failed || status != PF_OK;
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
        .schema = "profutils.top/1",
        .columns = all,
        .column_count = added ? TOP_COLUMNS + 1 : TOP_COLUMNS,
        .make = make,
        .write = write_block,
        .drop = drop,
    };

    *matched = top->list == NULL;
    memcpy(all, columns, sizeof all);
    all[TOP_COLUMNS] = (struct pf_sheet_column){added, PF_CELL_TEXT};
    return pf_top_show(top, &view, &writing, error);
}
