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
                        "measure '%s' overflows 128 bits with the values that filters removed",
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
static void write_measures(const void *arg, struct pf_sink *sink)
{
    const struct pf_top_page *page = arg;
    const struct pf_top *top = page->top;
    struct pf_buffer scratch = {0};

    for (size_t i = 0; i < top->block_count; i++) {
        const struct pf_subject *subject = &top->blocks[i].subject;
        pf_sink_text(sink, i == 0 ? "[{\"name\":" : ",{\"name\":");
        pf_json_name(sink, top->look.dict,
                     page->view->of_calls ? subject->shown->quantity.measure.name
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

uint32_t pf_top_measure(const struct pf_top_block *block)
{
    return block->named ? block->subject.shown->quantity.measure.name
                        : pf_subject_flat(&block->subject)->name;
}

void pf_top_measure_cells(const struct pf_top_page *page, uint32_t name, struct pf_cell cells[2])
{
    cells[0] = pf_look_cell(page->top->look.dict, name);
    cells[1] = (struct pf_cell){.text = page->block->subject.scale.name, .flags = PF_UTF8};
}

static bool by_section(const struct pf_top *top)
{
    return top->look.by == PF_BY_LABEL && top->look.label == top->look.dict->section_key;
}

/* Writes "... 212 functions below 0.1% (4.2%) not shown; -n 0 for all". Sections lie inside each
 * other, so their shares cannot be added. */
int pf_top_hidden(const struct pf_top_page *page, const struct pf_look *look)
{
    const struct pf_top *top = page->top;
    const struct pf_hidden *hidden = &page->hidden;
    size_t count = hidden->small + hidden->behind;
    double bound = hidden->behind == 0 ? top->min_percent : floor(hidden->share * 10 + 1) / 10;
    char below[48] = "", share[PF_PERCENT_TEXT], number[PF_AMOUNT_TEXT];
    bool adds = !by_section(top);

    if (count == 0)
        return PF_OK;
    if (top->sort <= PF_SORT_CUM || hidden->behind == 0)
        snprintf(below, sizeof below, bound < 0.1 ? " below %g%%" : " below %.1f%%", bound);
    pf_look_percent(pf_percent(hidden->flat, page->block->whole), share);
    return pf_look_not_shown(look, hidden->behind > 0, hidden->small > 0, "%s %s%s%s%s%s",
                             pf_look_count(look, count, number), pf_look_noun(look, count != 1),
                             below, adds ? " (" : "", adds ? share : "", adds ? ")" : "");
}

/* --- blocks ----------------------------------------------------------------------------------- */

int pf_top_make(struct pf_top_page *page, const struct pf_top_block *block)
{
    const struct pf_look *look = &page->top->look;

    page->block = block;
    return pf_keys_init(&page->keys, look->dict, look->by, look->label) == PF_OK
               ? page->view->make(page)
               : PF_NOMEM;
}

int pf_top_drop(struct pf_top_page *page, int status)
{
    if (status == PF_NOMEM || page->label.failed || page->scratch.failed || page->second.failed)
        status = pf_error_nomem(page->error);
    if (page->view->free_own)
        page->view->free_own(page->own);
    memset(page->own, 0, page->view->own_size);
    pf_buffer_free(&page->label);
    pf_buffer_free(&page->scratch);
    pf_buffer_free(&page->second);
    pf_rank_free(&page->rank);
    pf_keys_free(&page->keys);
    return status;
}

/* Makes all blocks except the first, to find failures before anything is written. They are made
 * again later, so that only one block is in memory at a time. */
static int check_others(struct pf_top_page *page)
{
    int status = PF_OK;

    for (size_t i = 1; i < page->top->block_count && status == PF_OK; i++)
        status = pf_top_drop(page, pf_top_make(page, &page->top->blocks[i]));
    return status;
}

enum { MOST_COLUMNS = 14 };

static void begin_sheet(const struct pf_top_page *page, struct pf_sheet *sheet,
                        struct pf_sheet_column columns[MOST_COLUMNS])
{
    const struct pf_top *top = page->top;
    size_t count = page->view->column_count;
    struct pf_sheet_head head = {0};

    if (top->form == PF_SHEET_TEXT)
        return;
    memcpy(columns, page->view->columns, count * sizeof *columns);
    /* sections have a column in any case */
    if (page->view->adds_column && pf_look_added_column(&top->look) && !by_section(top))
        columns[count++] = (struct pf_sheet_column){pf_look_added_column(&top->look), PF_CELL_TEXT};
    if (top->form == PF_SHEET_JSON)
        head = (struct pf_sheet_head){.schema = page->view->schema,
                                      .meta = pf_meta_json(top->look.dict, top->facts, top->tool,
                                                           top->operands, !top->incomplete),
                                      .measures = write_measures,
                                      .arg = page};
    pf_sheet_begin(sheet, top->look.sink, top->form, columns, count, head);
}

/* Writes a block, in text form with its head. */
static int show_block(struct pf_top_page *page, struct pf_sheet *sheet)
{
    const struct pf_top *top = page->top;

    if (top->form != PF_SHEET_TEXT)
        return page->view->write_rows(page, sheet);
    pf_sink_text(top->look.sink, page->block > top->blocks ? "\n" : "");
    return pf_top_head(page) == PF_OK ? page->view->write_text(page) : PF_NOMEM;
}

int pf_top_show(struct pf_top_page *page)
{
    const struct pf_top *top = page->top;
    struct pf_sheet_column columns[MOST_COLUMNS];
    struct pf_sheet sheet = {0};
    int status = check_others(page);

    if (top->block_count == 0)
        begin_sheet(page, &sheet, columns);
    for (size_t i = 0; i < top->block_count && status == PF_OK; i++) {
        status = pf_top_make(page, &top->blocks[i]);
        if (status == PF_OK && i == 0)
            begin_sheet(page, &sheet, columns);
        if (status == PF_OK)
            status = show_block(page, &sheet);
        status = pf_top_drop(page, status);
    }
    if (sheet.sink && pf_sheet_end(&sheet) != PF_OK && status == PF_OK)
        status = pf_error_nomem(page->error);
    return status;
}

static bool is_listed(struct pf_top_page *page, uint32_t key)
{
    struct pf_pattern *list = page->top->list;
    struct pf_bytes file = pf_dict_string(page->keys.dict, pf_keys_row(&page->keys, key)->file);

    return pf_pattern_match(list, pf_keys_name(&page->keys, key, &page->scratch, NULL)) ||
           (file.size > 0 && pf_pattern_match(list, file));
}

int pf_top_rank(struct pf_top_page *page)
{
    const struct pf_top *top = page->top;
    struct pf_rank *rank = &page->rank;
    size_t kept = 0;
    int status =
        pf_rank_make(rank, top->accumulator, &page->block->subject, &page->keys, page->error);

    if (status != PF_OK || !top->list)
        return status;
    for (size_t i = 0; i < rank->count; i++)
        if (is_listed(page, rank->rows[i].key))
            rank->rows[kept++] = rank->rows[i];
    rank->count = kept;
    return top->list->status;
}

/* --- the table, as text ----------------------------------------------------------------------- */

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
static int write_without(const struct pf_top_page *page)
{
    pf_int128 without = page->rank.without;
    char amount[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];

    if (without == 0)
        return PF_OK;
    pf_look_percent(pf_percent(without, page->block->whole), share);
    return pf_look_note(&page->top->look, "... %s (%s) %s",
                        pf_scale_print(&page->block->subject.scale, without, amount), share,
                        by_section(page->top) ? "outside of all sections" : "without this label");
}

/* Chooses the columns of the block. Returns their number. */
static size_t choose_columns(const struct pf_top_page *page,
                             struct pf_text_column columns[TEXT_COLUMNS])
{
    size_t count = 0;

    for (size_t i = 0; i < TEXT_COLUMNS; i++)
        if ((i != CALLS || shows_calls(page->block)) && (i != SUM_SHARE || !by_section(page->top)))
            columns[count++] = text_columns[i];
    return count;
}

/* `sum`: the flat amounts of the rows up to this row. */
static void write_text_row(struct pf_top_page *page, const struct pf_row *row, pf_int128 sum,
                           struct pf_text_table *table)
{
    const struct pf_top_block *block = page->block;
    const struct pf_look *look = &page->top->look;
    const struct pf_scale *scale = &block->subject.scale;
    char flat[PF_AMOUNT_TEXT], cum[PF_AMOUNT_TEXT], calls[PF_AMOUNT_TEXT];
    char percents[3][PF_PERCENT_TEXT];
    double flat_percent = pf_percent(row->flat, block->whole),
           cum_percent = pf_percent(row->cum, block->whole);
    struct pf_text_cell cells[TEXT_COLUMNS] = {
        {.text = pf_bytes_of(pf_scale_print(scale, row->flat, flat))}};
    struct pf_place place;
    size_t n = 1;

    pf_scale_print(calls_scale(block), row->calls, calls);
    cells[0].color = pf_look_color(look, flat_percent);
    cells[n++].text = pf_look_percent(flat_percent, percents[0]);
    if (!by_section(page->top))
        cells[n++].text = pf_look_percent(pf_percent(sum, block->whole), percents[1]);
    cells[n].color = pf_look_color(look, row->cum < 0 ? cum_percent : 0);
    cells[n++].text = pf_bytes_of(pf_scale_print(scale, row->cum, cum));
    cells[n++].text = pf_look_percent(cum_percent, percents[2]);
    if (shows_calls(block))
        cells[n++].text = pf_bytes_of(calls);
    pf_look_place(look, &page->keys, row->key, &page->label, &place);
    pf_text_table_row(table, cells, &place, 1);
}

static int write_table(struct pf_top_page *page)
{
    struct pf_text_column shown[TEXT_COLUMNS];
    struct pf_text_table table = {0};
    pf_int128 sum = 0;

    pf_text_table_begin(&table, shown, choose_columns(page, shown));
    for (size_t i = 0; i < page->rank.count; i++) {
        sum += page->rank.rows[i].flat;
        write_text_row(page, &page->rank.rows[i], sum, &table);
    }
    return pf_look_end(&page->top->look, &table);
}

static int write_text(struct pf_top_page *page)
{
    bool any = page->rank.count > 0 || page->hidden.small + page->hidden.behind > 0;
    int status = PF_OK;

    if (any)
        status = write_table(page);
    else if (page->rank.without == 0)
        pf_sink_text(page->top->look.sink, "no record has a value\n");
    if (status == PF_OK)
        status = pf_top_hidden(page, &page->top->look);
    return status == PF_OK ? write_without(page) : status;
}

/* --- rows for machines ------------------------------------------------------------------------ */

enum { TOP_COLUMNS = MOST_COLUMNS - 1 };

static const struct pf_sheet_column top_columns[TOP_COLUMNS] = {
    {"rank", PF_CELL_INT},      {"function", PF_CELL_TEXT}, {"file", PF_CELL_TEXT},
    {"line", PF_CELL_INT},      {"image", PF_CELL_TEXT},    {"section", PF_CELL_TEXT},
    {"measure", PF_CELL_TEXT},  {"unit", PF_CELL_TEXT},     {"flat", PF_CELL_INT},
    {"flat_pct", PF_CELL_REAL}, {"cum", PF_CELL_INT},       {"cum_pct", PF_CELL_REAL},
    {"calls", PF_CELL_INT},
};

static int write_rows(struct pf_top_page *page, struct pf_sheet *sheet)
{
    const struct pf_top *top = page->top;
    const struct pf_top_block *block = page->block;

    for (size_t i = 0; i < page->rank.count; i++) {
        const struct pf_row *row = &page->rank.rows[i];
        struct pf_cell cells[TOP_COLUMNS + 1] = {{.integer = (pf_int128)i + 1}};
        char address[PF_ADDRESS_TEXT];

        pf_look_place_cells(&page->keys, row->key, &cells[1], &page->scratch);
        if (pf_look_added_column(&top->look))
            cells[by_section(top) ? 5 : TOP_COLUMNS] =
                pf_look_added_cell(&top->look, &page->keys, row->key, &page->scratch, address);
        pf_top_measure_cells(page, pf_top_measure(block), &cells[6]);
        cells[8].integer = row->flat;
        cells[8].parts = cells[10].parts = block->subject.scale.parts;
        cells[9].real = pf_percent(row->flat, block->whole);
        cells[10].integer = row->cum;
        cells[11].real = pf_percent(row->cum, block->whole);
        cells[12].integer = row->calls;
        cells[12].parts = calls_scale(block)->parts;
        pf_sheet_row(sheet, cells);
    }
    return PF_OK;
}

static int make(struct pf_top_page *page)
{
    const struct pf_top *top = page->top;
    int status = pf_top_rank(page);

    *page->matched = *page->matched || page->rank.count > 0;
    if (status == PF_OK)
        status = pf_rank_sort(&page->rank, &page->keys, top->sort);
    if (status == PF_OK)
        pf_rank_limit(&page->rank, top->limit, top->min_percent, page->block->whole, top->sort,
                      &page->hidden);
    return status;
}

const struct pf_top_view pf_top_table = {
    .schema = "profutils.top/1",
    .columns = top_columns,
    .column_count = TOP_COLUMNS,
    .adds_column = true,
    .make = make,
    .write_text = write_text,
    .write_rows = write_rows,
};
