#include "render/table/view.h"

#include "analysis/table/edges.h"
#include "model/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The block that is being written. */
struct writing {
    const struct pf_top *top;
    bool *matched;
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_rank rank;
    struct pf_calls calls;
    /* by key: true if the callers or callees of the function are requested */
    bool *callers, *callees;
    struct pf_buffer label, scratch, second;
    size_t functions_left, neighbours_left, pairs_left; /* text: how many are not shown */
    /* why they are not shown: too small; after the limit */
    bool some_small, some_behind;
};

static bool *match_keys(struct writing *writing, struct pf_pattern *pattern)
{
    uint32_t count = writing->keys.table.count;
    bool *matches = calloc(count, sizeof *matches);

    for (uint32_t key = 1; matches && pattern && key < count; key++) {
        matches[key] =
            pf_pattern_match(pattern, pf_keys_name(&writing->keys, key, &writing->scratch, NULL));
        *writing->matched = *writing->matched || matches[key];
    }
    if (pattern && pattern->status != PF_OK) {
        free(matches);
        return NULL;
    }
    return matches;
}

static bool asked(const struct writing *writing, const struct pf_call *call)
{
    return (!writing->top->callers && !writing->top->callees) || writing->callers[call->callee] ||
           writing->callees[call->caller];
}

/* --- rows for machines ------------------------------------------------------------------------ */

static const struct pf_sheet_column columns[] = {
    {"caller", PF_CELL_TEXT},       {"caller_file", PF_CELL_TEXT},  {"caller_line", PF_CELL_INT},
    {"caller_image", PF_CELL_TEXT}, {"callee", PF_CELL_TEXT},       {"callee_file", PF_CELL_TEXT},
    {"callee_line", PF_CELL_INT},   {"callee_image", PF_CELL_TEXT}, {"measure", PF_CELL_TEXT},
    {"unit", PF_CELL_TEXT},         {"value", PF_CELL_INT},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void write_call(struct writing *writing, struct pf_sheet *sheet, const struct pf_call *call)
{
    struct pf_cell cells[COLUMNS];

    pf_look_place_cells(&writing->keys, call->caller, &cells[0], &writing->scratch);
    pf_look_place_cells(&writing->keys, call->callee, &cells[4], &writing->second);
    pf_top_measure_cells(writing->top, writing->block,
                         writing->block->subject.shown->quantity.measure.name, &cells[8]);
    cells[10] =
        (struct pf_cell){.integer = call->value, .parts = writing->block->subject.scale.parts};
    pf_sheet_row(sheet, cells);
}

/* --- all pairs as text ------------------------------------------------------------------------ */

static const struct pf_text_column pair_columns[] = {
    {"value", 10, 0},
    {"value%", 8, 4},
    {"caller -> callee", 0, 0},
};

static void write_pair(struct writing *writing, struct pf_text_table *table,
                       const struct pf_call *call)
{
    char amount[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    double share = pf_percent(call->value, writing->block->whole);
    struct pf_text_cell cells[2] = {{.color = pf_look_color(&writing->top->look, share)}};
    struct pf_place places[2];

    cells[0].text =
        pf_bytes_of(pf_scale_print(&writing->block->subject.scale, call->value, amount));
    cells[1].text = pf_look_percent(share, percent);
    pf_look_place(&writing->top->look, &writing->keys, call->caller, &writing->label, &places[0]);
    pf_look_place(&writing->top->look, &writing->keys, call->callee, &writing->second, &places[1]);
    pf_text_table_row(table, cells, places, 2);
}

/* --- around functions, as text ---------------------------------------------------------------- */

enum { FLAT, FLAT_SHARE, CUM, CUM_SHARE, EDGE, EDGE_SHARE, AROUND_COLUMNS };

static const struct pf_text_column around_columns[AROUND_COLUMNS + 1] = {
    {"flat", 10, 6}, {"flat%", 7, 4}, {"cum", 11, 8},      {"cum%", 7, 7},
    {"edge", 11, 0}, {"edge%", 8, 5}, {"| context", 0, 0},
};

static void add_row(struct writing *writing, struct pf_text_table *table,
                    const struct pf_text_cell *cells, const char *lead, uint32_t key)
{
    struct pf_place place;

    pf_look_place(&writing->top->look, &writing->keys, key, &writing->label, &place);
    writing->second.size = 0;
    pf_buffer_printf(&writing->second, "%s", lead);
    pf_buffer_append(&writing->second, place.lead.data, place.lead.size);
    if (!writing->second.failed)
        place.lead = (struct pf_bytes){writing->second.data, writing->second.size};
    pf_text_table_row(table, cells, &place, 1);
}

static void add_neighbour(struct writing *writing, struct pf_text_table *table,
                          const struct pf_call *call, uint32_t key, int64_t cum)
{
    char amount[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    struct pf_text_cell cells[AROUND_COLUMNS] = {{.color = NULL}};

    cells[EDGE].text =
        pf_bytes_of(pf_scale_print(&writing->block->subject.scale, call->value, amount));
    cells[EDGE_SHARE].text = pf_look_percent(pf_percent(call->value, cum), percent);
    add_row(writing, table, cells, "|   ", key);
}

static void add_function(struct writing *writing, struct pf_text_table *table,
                         const struct pf_row *row)
{
    const struct pf_scale *scale = &writing->block->subject.scale;
    char flat[PF_AMOUNT_TEXT], cum[PF_AMOUNT_TEXT], percents[2][PF_PERCENT_TEXT];
    double share = pf_percent(row->flat, writing->block->whole);
    struct pf_text_cell cells[AROUND_COLUMNS] = {
        {.color = pf_look_color(&writing->top->look, share)}};

    cells[FLAT].text = pf_bytes_of(pf_scale_print(scale, row->flat, flat));
    cells[FLAT_SHARE].text = pf_look_percent(share, percents[0]);
    cells[CUM].text = pf_bytes_of(pf_scale_print(scale, row->cum, cum));
    cells[CUM_SHARE].text =
        pf_look_percent(pf_percent(row->cum, writing->block->whole), percents[1]);
    add_row(writing, table, cells, "| ", row->key);
}

static bool is_small(const struct writing *writing, int64_t value)
{
    return fabs(pf_percent(value, writing->block->whole)) < writing->top->min_percent;
}

/* True if a row is not shown, because it is too small or because `shown` rows reach the limit;
 * counts it in *left. */
static bool leave_out(struct writing *writing, bool small, size_t shown, size_t *left)
{
    bool behind = !small && writing->top->limit > 0 && shown == writing->top->limit;

    writing->some_small = writing->some_small || small;
    writing->some_behind = writing->some_behind || behind;
    *left += small || behind;
    return small || behind;
}

/* Adds the heaviest callers or callees of a function, up to the limit. */
static void add_neighbours(struct writing *writing, struct pf_text_table *table,
                           const struct pf_row *row, bool callers)
{
    size_t shown = 0;

    for (size_t i = 0; i < writing->calls.count; i++) {
        const struct pf_call *call = &writing->calls.rows[i];

        if ((callers ? call->callee : call->caller) != row->key)
            continue;
        if (leave_out(writing, is_small(writing, call->value), shown, &writing->neighbours_left))
            continue;
        add_neighbour(writing, table, call, callers ? call->caller : call->callee, row->cum);
        shown++;
    }
}

static void add_around(struct writing *writing, struct pf_text_table *table,
                       const struct pf_row *row)
{
    if (writing->callers[row->key])
        add_neighbours(writing, table, row, true);
    add_function(writing, table, row);
    if (writing->callees[row->key])
        add_neighbours(writing, table, row, false);
    pf_text_table_rule(table);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Computes the functions, then the calls: pf_calls_make turns the sums of stacks into sums of
 * subtrees. For edges, the amounts of functions limit the amount of a call. */
static int make_sums(struct writing *writing, struct pf_error *error)
{
    const struct pf_top *top = writing->top;
    bool around = top->callers || top->callees;
    int status = PF_OK;

    if ((top->form == PF_SHEET_TEXT && around) || writing->block->subject.kind == PF_EDGE)
        status = pf_rank_make(&writing->rank, top->accumulator, &writing->block->subject,
                              &writing->keys, error);
    if (status == PF_OK && pf_rank_sort(&writing->rank, &writing->keys, top->sort) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        status = pf_calls_make(&writing->calls, top->accumulator, &writing->block->subject,
                               &writing->keys, error);
    if (status == PF_OK)
        status = pf_calls_cap(&writing->calls, &writing->block->subject, &writing->rank,
                              &writing->keys, error);
    return status;
}

static int make(void *state, const struct pf_top_block *block, struct pf_error *error)
{
    struct writing *writing = state;
    const struct pf_top *top = writing->top;
    int status = pf_top_keys(top, top->look.by, top->look.label, &writing->keys, error);

    writing->block = block;
    if (status == PF_OK)
        status = make_sums(writing, error);
    if (status != PF_OK)
        return status;
    writing->callers = match_keys(writing, top->callers);
    writing->callees = match_keys(writing, top->callees);
    return writing->callers && writing->callees ? PF_OK : pf_error_nomem(error);
}

static int drop(void *state, int status, struct pf_error *error)
{
    struct writing *writing = state;

    if (status == PF_OK &&
        (writing->label.failed || writing->scratch.failed || writing->second.failed))
        status = pf_error_nomem(error);
    free(writing->callers);
    free(writing->callees);
    pf_buffer_free(&writing->label);
    pf_buffer_free(&writing->scratch);
    pf_buffer_free(&writing->second);
    pf_calls_free(&writing->calls);
    pf_rank_free(&writing->rank);
    pf_keys_free(&writing->keys);
    *writing = (struct writing){.top = writing->top, .matched = writing->matched};
    return status;
}

static void add_all_around(struct writing *writing, struct pf_text_table *table)
{
    size_t shown = 0;

    pf_text_table_rule(table);
    for (size_t i = 0; i < writing->rank.count; i++) {
        const struct pf_row *row = &writing->rank.rows[i];

        if (!writing->callers[row->key] && !writing->callees[row->key])
            continue;
        if (leave_out(writing, is_small(writing, row->flat) && is_small(writing, row->cum), shown,
                      &writing->functions_left))
            continue;
        add_around(writing, table, row);
        shown++;
    }
}

static void add_pairs(struct writing *writing, struct pf_text_table *table)
{
    size_t shown = 0;

    for (size_t i = 0; i < writing->calls.count; i++) {
        const struct pf_call *call = &writing->calls.rows[i];

        if (leave_out(writing, is_small(writing, call->value), shown, &writing->pairs_left))
            continue;
        write_pair(writing, table, call);
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
static int write_left(struct writing *writing)
{
    const struct pf_top *top = writing->top;
    struct pf_buffer line = {0};
    bool one = !top->callers || !top->callees;
    int status = PF_OK;

    append_left(top, &line, writing->functions_left, pf_look_noun(&top->look, false));
    append_left(top, &line, writing->neighbours_left,
                !top->callees ? "caller"
                : one         ? "callee"
                              : "neighbour");
    append_left(top, &line, writing->pairs_left, "pair");
    if (line.failed)
        status = PF_NOMEM;
    else if (line.size > 0)
        status = pf_look_note(&top->look, "... %.*s not shown;%s%s for all", (int)line.size,
                              line.data, writing->some_behind ? " -n 0" : "",
                              writing->some_small ? " --min-percent=0" : "");
    pf_buffer_free(&line);
    return status;
}

static void write_text(struct writing *writing)
{
    const struct pf_top *top = writing->top;
    bool around = top->callers || top->callees;
    struct pf_text_table table = {0};
    int status;

    pf_text_table_begin(&table, around ? around_columns : pair_columns,
                        around ? AROUND_COLUMNS + 1 : 3);
    if (around)
        add_all_around(writing, &table);
    else
        add_pairs(writing, &table);
    status = pf_look_end(&top->look, &table);
    if (status == PF_OK)
        status = write_left(writing);
    writing->label.failed = writing->label.failed || status != PF_OK;
}

static void write_calls(struct writing *writing, struct pf_sheet *sheet)
{
    const struct pf_top *top = writing->top;
    size_t shown = 0;

    for (size_t i = 0; i < writing->calls.count && (top->limit == 0 || shown < top->limit); i++)
        if (asked(writing, &writing->calls.rows[i]) &&
            fabs(pf_percent(writing->calls.rows[i].value, writing->block->whole)) >=
                top->min_percent) {
            write_call(writing, sheet, &writing->calls.rows[i]);
            shown++;
        }
}

static void write_block(void *state, struct pf_sheet *sheet)
{
    struct writing *writing = state;

    if (writing->top->form == PF_SHEET_TEXT)
        write_text(writing);
    else
        write_calls(writing, sheet);
}

int pf_top_calls(const struct pf_top *top, bool *matched, struct pf_error *error)
{
    static const struct pf_top_view calls_view = {
        .schema = "profutils.edges/1",
        .columns = columns,
        .column_count = COLUMNS,
        .make = make,
        .write = write_block,
        .drop = drop,
    };
    struct pf_top_view view = calls_view;
    struct writing writing = {.top = top, .matched = matched};

    view.of_calls = top->form != PF_SHEET_TEXT || (!top->callers && !top->callees);
    *matched = top->callers == NULL && top->callees == NULL;
    return pf_top_show(top, &view, &writing, error);
}
