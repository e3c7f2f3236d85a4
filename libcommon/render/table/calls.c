#include "render/table/view.h"

#include "analysis/table/edges.h"
#include "model/utf8.h"

#include <math.h>
#include <stdlib.h>

/* The calls of a block. */
struct own {
    struct pf_calls calls;
    /* by key: true if the callers or callees of the function are requested */
    bool *callers, *callees;
    size_t functions_left, neighbours_left, pairs_left; /* text: how many are not shown */
    /* why rows are not shown: too small; after the limit */
    bool some_small, some_behind;
};

static bool *match_keys(struct pf_top_page *page, struct pf_pattern *pattern)
{
    uint32_t count = page->keys.table.count;
    bool *matches = calloc(count, sizeof *matches);

    for (uint32_t key = 1; matches && pattern && key < count; key++) {
        matches[key] =
            pf_pattern_match(pattern, pf_keys_name(&page->keys, key, &page->scratch, NULL));
        *page->matched = *page->matched || matches[key];
    }
    if (pattern && pattern->status != PF_OK) {
        free(matches);
        return NULL;
    }
    return matches;
}

/* True if functions are asked for, and not all pairs. */
static bool asks_functions(const struct pf_top *top)
{
    return top->callers || top->callees;
}

static bool is_small(const struct pf_top_page *page, int64_t value)
{
    return fabs(pf_percent(value, page->block->whole)) < page->top->min_percent;
}

/* --- rows for machines ------------------------------------------------------------------------ */

static const struct pf_sheet_column columns[] = {
    {"caller", PF_CELL_TEXT},       {"caller_file", PF_CELL_TEXT},  {"caller_line", PF_CELL_INT},
    {"caller_image", PF_CELL_TEXT}, {"callee", PF_CELL_TEXT},       {"callee_file", PF_CELL_TEXT},
    {"callee_line", PF_CELL_INT},   {"callee_image", PF_CELL_TEXT}, {"measure", PF_CELL_TEXT},
    {"unit", PF_CELL_TEXT},         {"value", PF_CELL_INT},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void write_call(struct pf_top_page *page, struct pf_sheet *sheet, const struct pf_call *call)
{
    const struct pf_subject *subject = &page->block->subject;
    struct pf_cell cells[COLUMNS];

    pf_look_place_cells(&page->keys, call->caller, &cells[0], &page->scratch);
    pf_look_place_cells(&page->keys, call->callee, &cells[4], &page->second);
    pf_top_measure_cells(page, subject->shown->quantity.measure.name, &cells[8]);
    cells[10] = (struct pf_cell){.integer = call->value, .parts = subject->scale.parts};
    pf_sheet_row(sheet, cells);
}

static int write_rows(struct pf_top_page *page, struct pf_sheet *sheet)
{
    const struct own *own = page->own;
    const struct pf_top *top = page->top;
    size_t shown = 0;

    for (size_t i = 0; i < own->calls.count && (top->limit == 0 || shown < top->limit); i++) {
        const struct pf_call *call = &own->calls.rows[i];
        bool asked = !asks_functions(top) || own->callers[call->callee] ||
                     own->callees[call->caller];

        if (!asked || is_small(page, call->value))
            continue;
        write_call(page, sheet, call);
        shown++;
    }
    return PF_OK;
}

/* --- all pairs as text ------------------------------------------------------------------------ */

static const struct pf_text_column pair_columns[] = {
    {"value", 10, 0},
    {"value%", 8, 4},
    {"caller -> callee", 0, 0},
};

static void write_pair(struct pf_top_page *page, struct pf_text_table *table,
                       const struct pf_call *call)
{
    const struct pf_look *look = &page->top->look;
    char amount[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    double share = pf_percent(call->value, page->block->whole);
    struct pf_text_cell cells[2] = {{.color = pf_look_color(look, share)}};
    struct pf_place places[2];

    cells[0].text = pf_bytes_of(pf_scale_print(&page->block->subject.scale, call->value, amount));
    cells[1].text = pf_look_percent(share, percent);
    pf_look_place(look, &page->keys, call->caller, &page->label, &places[0]);
    pf_look_place(look, &page->keys, call->callee, &page->second, &places[1]);
    pf_text_table_row(table, cells, places, 2);
}

/* --- around functions, as text ---------------------------------------------------------------- */

enum { FLAT, FLAT_SHARE, CUM, CUM_SHARE, EDGE, EDGE_SHARE, AROUND_COLUMNS };

static const struct pf_text_column around_columns[AROUND_COLUMNS + 1] = {
    {"flat", 10, 6}, {"flat%", 7, 4}, {"cum", 11, 8},      {"cum%", 7, 7},
    {"edge", 11, 0}, {"edge%", 8, 5}, {"| context", 0, 0},
};

static void add_row(struct pf_top_page *page, struct pf_text_table *table,
                    const struct pf_text_cell *cells, const char *lead, uint32_t key)
{
    struct pf_buffer *text = &page->second;
    struct pf_place place;

    pf_look_place(&page->top->look, &page->keys, key, &page->label, &place);
    text->size = 0;
    pf_buffer_printf(text, "%s", lead);
    pf_buffer_append(text, place.lead.data, place.lead.size);
    if (!text->failed)
        place.lead = pf_buffer_bytes(text);
    pf_text_table_row(table, cells, &place, 1);
}

static void add_neighbour(struct pf_top_page *page, struct pf_text_table *table,
                          const struct pf_call *call, uint32_t key, int64_t cum)
{
    char amount[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    struct pf_text_cell cells[AROUND_COLUMNS] = {{.color = NULL}};

    cells[EDGE].text =
        pf_bytes_of(pf_scale_print(&page->block->subject.scale, call->value, amount));
    cells[EDGE_SHARE].text = pf_look_percent(pf_percent(call->value, cum), percent);
    add_row(page, table, cells, "|   ", key);
}

static void add_function(struct pf_top_page *page, struct pf_text_table *table,
                         const struct pf_row *row)
{
    const struct pf_scale *scale = &page->block->subject.scale;
    char flat[PF_AMOUNT_TEXT], cum[PF_AMOUNT_TEXT], percents[2][PF_PERCENT_TEXT];
    double share = pf_percent(row->flat, page->block->whole);
    struct pf_text_cell cells[AROUND_COLUMNS] = {{.color = pf_look_color(&page->top->look, share)}};

    cells[FLAT].text = pf_bytes_of(pf_scale_print(scale, row->flat, flat));
    cells[FLAT_SHARE].text = pf_look_percent(share, percents[0]);
    cells[CUM].text = pf_bytes_of(pf_scale_print(scale, row->cum, cum));
    cells[CUM_SHARE].text = pf_look_percent(pf_percent(row->cum, page->block->whole), percents[1]);
    add_row(page, table, cells, "| ", row->key);
}

/* True if a row is not shown, because it is too small or because `shown` rows reach the limit;
 * counts the row in *left. */
static bool leave_out(const struct pf_top_page *page, bool small, size_t shown, size_t *left)
{
    struct own *own = page->own;
    bool behind = !small && page->top->limit > 0 && shown == page->top->limit;

    own->some_small = own->some_small || small;
    own->some_behind = own->some_behind || behind;
    *left += small || behind;
    return small || behind;
}

/* Adds the heaviest callers or callees of a function, up to the limit. */
static void add_neighbours(struct pf_top_page *page, struct pf_text_table *table,
                           const struct pf_row *row, bool callers)
{
    struct own *own = page->own;
    size_t shown = 0;

    for (size_t i = 0; i < own->calls.count; i++) {
        const struct pf_call *call = &own->calls.rows[i];

        if ((callers ? call->callee : call->caller) != row->key ||
            leave_out(page, is_small(page, call->value), shown, &own->neighbours_left))
            continue;
        add_neighbour(page, table, call, callers ? call->caller : call->callee, row->cum);
        shown++;
    }
}

static void add_all_around(struct pf_top_page *page, struct pf_text_table *table)
{
    struct own *own = page->own;
    size_t shown = 0;

    pf_text_table_rule(table);
    for (size_t i = 0; i < page->rank.count; i++) {
        const struct pf_row *row = &page->rank.rows[i];
        bool small = is_small(page, row->flat) && is_small(page, row->cum);

        if ((!own->callers[row->key] && !own->callees[row->key]) ||
            leave_out(page, small, shown, &own->functions_left))
            continue;
        if (own->callers[row->key])
            add_neighbours(page, table, row, true);
        add_function(page, table, row);
        if (own->callees[row->key])
            add_neighbours(page, table, row, false);
        pf_text_table_rule(table);
        shown++;
    }
}

static void add_pairs(struct pf_top_page *page, struct pf_text_table *table)
{
    struct own *own = page->own;
    size_t shown = 0;

    for (size_t i = 0; i < own->calls.count; i++) {
        const struct pf_call *call = &own->calls.rows[i];

        if (leave_out(page, is_small(page, call->value), shown, &own->pairs_left))
            continue;
        write_pair(page, table, call);
        shown++;
    }
}

/* Appends "3 functions", with a separator if something comes before. */
static void append_left(const struct pf_top *top, struct pf_buffer *line, size_t count,
                        const char *noun)
{
    char number[PF_AMOUNT_TEXT];

    if (count > 0)
        pf_buffer_printf(line, "%s%s %s%s", line->size > 0 ? " and " : "",
                         pf_look_count(&top->look, count, number), noun, count == 1 ? "" : "s");
}

/* Writes "... 2 functions and 14 callers and callees not shown; -n 0 for all". */
static int write_left(const struct pf_top_page *page)
{
    const struct own *own = page->own;
    const struct pf_top *top = page->top;
    struct pf_buffer line = {0};
    int status = PF_OK;

    append_left(top, &line, own->functions_left, pf_look_noun(&top->look, false));
    append_left(top, &line, own->neighbours_left,
                !top->callees   ? "caller"
                : !top->callers ? "callee"
                                : "neighbour");
    append_left(top, &line, own->pairs_left, "pair");
    if (line.failed)
        status = PF_NOMEM;
    else if (line.size > 0)
        status = pf_look_not_shown(&top->look, own->some_behind, own->some_small, "%.*s",
                                   (int)line.size, line.data);
    pf_buffer_free(&line);
    return status;
}

static int write_text(struct pf_top_page *page)
{
    struct pf_text_table table = {0};
    int status;

    if (asks_functions(page->top)) {
        pf_text_table_begin(&table, around_columns, AROUND_COLUMNS + 1);
        add_all_around(page, &table);
    } else {
        pf_text_table_begin(&table, pair_columns, 3);
        add_pairs(page, &table);
    }
    status = pf_look_end(&page->top->look, &table);
    return status == PF_OK ? write_left(page) : status;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Computes the functions, then the calls: pf_calls_make turns the sums of stacks into sums of
 * subtrees. For edges, the amounts of functions limit the amount of a call. */
static int make(struct pf_top_page *page)
{
    const struct pf_top *top = page->top;
    const struct pf_subject *subject = &page->block->subject;
    struct own *own = page->own;
    int status = PF_OK;

    if ((top->form == PF_SHEET_TEXT && asks_functions(top)) || subject->kind == PF_EDGE)
        status = pf_top_rank(page);
    if (status == PF_OK)
        status = pf_rank_sort(&page->rank, &page->keys, top->sort);
    if (status == PF_OK)
        status = pf_calls_make(&own->calls, top->accumulator, subject, &page->keys, page->error);
    if (status == PF_OK)
        status = pf_calls_cap(&own->calls, subject, &page->rank, &page->keys, page->error);
    if (status != PF_OK)
        return status;
    own->callers = match_keys(page, top->callers);
    own->callees = match_keys(page, top->callees);
    return own->callers && own->callees ? PF_OK : PF_NOMEM;
}

static void free_own(void *state)
{
    struct own *own = state;

    free(own->callers);
    free(own->callees);
    pf_calls_free(&own->calls);
}

const struct pf_top_view pf_top_calls = {
    .schema = "profutils.edges/1",
    .columns = columns,
    .column_count = COLUMNS,
    .of_calls = true,
    .own_size = sizeof(struct own),
    .make = make,
    .write_text = write_text,
    .write_rows = write_rows,
    .free_own = free_own,
};
