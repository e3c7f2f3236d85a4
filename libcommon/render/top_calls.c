#include "render/top_parts.h"

#include "analysis/edges.h"
#include "model/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One block being written. */
struct writing {
    const struct pf_top *top;
    bool *matched;
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_rank rank;
    struct pf_calls calls;
    bool *callers, *callees; /* by key: whose callers or callees are asked for */
    struct pf_buffer label, scratch, second;
};

static bool *match_keys(struct writing *writing, struct pf_pattern *pattern)
{
    uint32_t count = writing->keys.table.count;
    bool *matches = calloc(count, sizeof *matches);

    for (uint32_t key = 1; matches != NULL && pattern != NULL && key < count; key++) {
        matches[key] = pf_pattern_match(pattern, pf_keys_name(&writing->keys, key, &writing->scratch, NULL));
        *writing->matched = *writing->matched || matches[key];
    }
    if (pattern != NULL && pattern->status != PF_OK) {
        free(matches);
        return NULL;
    }
    return matches;
}

static bool asked(const struct writing *writing, const struct pf_call *call)
{
    return (writing->top->callers == NULL && writing->top->callees == NULL) || writing->callers[call->callee] ||
           writing->callees[call->caller];
}

/* --- rows for machines ------------------------------------------------------------------------------------ */

static const struct pf_sheet_column columns[] = {
    {"caller", PF_CELL_TEXT, 0},      {"caller_file", PF_CELL_TEXT, 0}, {"caller_line", PF_CELL_INT, 0},
    {"caller_image", PF_CELL_TEXT, 0}, {"callee", PF_CELL_TEXT, 0},      {"callee_file", PF_CELL_TEXT, 0},
    {"callee_line", PF_CELL_INT, 0},  {"callee_image", PF_CELL_TEXT, 0}, {"measure", PF_CELL_TEXT, 0},
    {"unit", PF_CELL_TEXT, 0},        {"value", PF_CELL_INT, 0},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void write_call(struct writing *writing, struct pf_sheet *sheet, const struct pf_call *call)
{
    struct pf_cell cells[COLUMNS];

    pf_top_place_cells(&writing->keys, call->caller, &cells[0], &writing->scratch);
    pf_top_place_cells(&writing->keys, call->callee, &cells[4], &writing->second);
    pf_top_measure_cells(writing->top, writing->block, writing->block->subject.shown->quantity.measure.name, &cells[8]);
    cells[10] = (struct pf_cell){.integer = call->value, .parts = writing->block->subject.scale.parts};
    pf_sheet_row(sheet, cells);
}

/* --- all pairs as text ------------------------------------------------------------------------------------ */

static const struct pf_sheet_column pair_columns[] = {
    {"value", PF_CELL_TEXT, 10}, {"value%", PF_CELL_TEXT, 8}, {"caller -> callee", PF_CELL_TEXT, 0},
};

static void write_pair(struct writing *writing, struct pf_sheet *sheet, const struct pf_call *call)
{
    char amount[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    double share = pf_percent(call->value, writing->block->whole);
    struct pf_cell cells[3] = {{.color = pf_top_color(writing->top, share)}};
    struct pf_buffer *line = &writing->second;
    struct pf_bytes label;

    cells[0].text = pf_bytes_of(pf_scale_print(&writing->block->subject.scale, call->value, amount));
    cells[1].text = pf_top_percent(share, percent);
    line->size = 0;
    label = pf_top_label(writing->top, &writing->keys, call->caller, &writing->label);
    pf_buffer_append(line, label.data, label.size);
    pf_buffer_append(line, " -> ", 4);
    label = pf_top_label(writing->top, &writing->keys, call->callee, &writing->label);
    pf_buffer_append(line, label.data, label.size);
    if (!line->failed)
        cells[2] = (struct pf_cell){.text = {line->data, line->size}, .flags = PF_UTF8};
    pf_sheet_row(sheet, cells);
}

/* --- around functions, as text ---------------------------------------------------------------------------- */

static const struct pf_sheet_column around_columns[] = {
    {"flat", PF_CELL_TEXT, 10}, {"flat%", PF_CELL_TEXT, 7}, {"cum", PF_CELL_TEXT, 11},    {"cum%", PF_CELL_TEXT, 7},
    {"edge", PF_CELL_TEXT, 11}, {"edge%", PF_CELL_TEXT, 8}, {"| context", PF_CELL_TEXT, 0},
};

static void write_rule(const struct pf_top *top)
{
    pf_sink_text(top->sink, "--------------------------------------------------------+------------------------\n");
}

static struct pf_bytes context(struct writing *writing, const char *indent, uint32_t key)
{
    struct pf_buffer *line = &writing->second;
    struct pf_bytes label = pf_top_label(writing->top, &writing->keys, key, &writing->label);

    line->size = 0;
    pf_buffer_append(line, indent, strlen(indent));
    pf_buffer_append(line, label.data, label.size);
    return line->failed ? PF_BYTES("") : (struct pf_bytes){line->data, line->size};
}

static void write_neighbour(struct writing *writing, struct pf_sheet *sheet, const struct pf_call *call, uint32_t key, int64_t cum)
{
    char amount[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    struct pf_cell cells[7] = {{.text = {NULL, 0}}};

    cells[4].text = pf_bytes_of(pf_scale_print(&writing->block->subject.scale, call->value, amount));
    cells[5].text = pf_top_percent(pf_percent(call->value, cum), percent);
    cells[6] = (struct pf_cell){.text = context(writing, "|   ", key), .flags = PF_UTF8};
    pf_sheet_row(sheet, cells);
}

static void write_function(struct writing *writing, struct pf_sheet *sheet, const struct pf_row *row)
{
    const struct pf_scale *scale = &writing->block->subject.scale;
    char flat[PF_AMOUNT_TEXT], cum[PF_AMOUNT_TEXT], percents[2][PF_PERCENT_TEXT];
    double share = pf_percent(row->flat, writing->block->whole);
    struct pf_cell cells[7] = {{.color = pf_top_color(writing->top, share)}};

    cells[0].text = pf_bytes_of(pf_scale_print(scale, row->flat, flat));
    cells[1].text = pf_top_percent(share, percents[0]);
    cells[2].text = pf_bytes_of(pf_scale_print(scale, row->cum, cum));
    cells[3].text = pf_top_percent(pf_percent(row->cum, writing->block->whole), percents[1]);
    cells[6] = (struct pf_cell){.text = context(writing, "| ", row->key), .flags = PF_UTF8};
    pf_sheet_row(sheet, cells);
}

static void write_around(struct writing *writing, struct pf_sheet *sheet, const struct pf_row *row)
{
    for (size_t i = 0; writing->callers[row->key] && i < writing->calls.count; i++)
        if (writing->calls.rows[i].callee == row->key)
            write_neighbour(writing, sheet, &writing->calls.rows[i], writing->calls.rows[i].caller, row->cum);
    write_function(writing, sheet, row);
    for (size_t i = 0; writing->callees[row->key] && i < writing->calls.count; i++)
        if (writing->calls.rows[i].caller == row->key)
            write_neighbour(writing, sheet, &writing->calls.rows[i], writing->calls.rows[i].callee, row->cum);
    write_rule(writing->top);
}

/* --- blocks ----------------------------------------------------------------------------------------------- */

/* Functions first: their sums must be those of single stacks. Of edges they say how much one can be. */
static int make_sums(struct writing *writing, struct pf_error *error)
{
    const struct pf_top *top = writing->top;
    bool around = top->callers != NULL || top->callees != NULL;
    int status = PF_OK;

    if ((top->form == PF_SHEET_TEXT && around) || writing->block->subject.kind == PF_EDGE)
        status = pf_rank_make(&writing->rank, top->accumulator, &writing->block->subject, &writing->keys, error);
    if (status == PF_OK && pf_rank_sort(&writing->rank, &writing->keys, top->sort) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        status = pf_calls_make(&writing->calls, top->accumulator, &writing->block->subject, &writing->keys, error);
    if (status == PF_OK)
        status = pf_calls_cap(&writing->calls, &writing->block->subject, &writing->rank, &writing->keys, error);
    return status;
}

static int make(void *state, const struct pf_top_block *block, struct pf_error *error)
{
    struct writing *writing = state;
    const struct pf_top *top = writing->top;
    int status = pf_keys_init(&writing->keys, top->dict, top->by, top->label) == PF_OK ? PF_OK : pf_error_nomem(error);

    writing->block = block;
    if (status == PF_OK)
        status = make_sums(writing, error);
    if (status != PF_OK)
        return status;
    writing->callers = match_keys(writing, top->callers);
    writing->callees = match_keys(writing, top->callees);
    return writing->callers != NULL && writing->callees != NULL ? PF_OK : pf_error_nomem(error);
}

static int drop(void *state, int status, struct pf_error *error)
{
    struct writing *writing = state;

    if (status == PF_OK && (writing->label.failed || writing->scratch.failed || writing->second.failed))
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

static void write_text(struct writing *writing)
{
    const struct pf_top *top = writing->top;
    bool around = top->callers != NULL || top->callees != NULL;
    struct pf_sheet text = pf_top_sheet(top), *sheet = &text;
    size_t shown = 0, left = 0;

    pf_sheet_begin(sheet, top->sink, PF_SHEET_TEXT, around ? around_columns : pair_columns, around ? 7 : 3,
                   (struct pf_sheet_head){0});
    if (around)
        write_rule(top);
    for (size_t i = 0; around && i < writing->rank.count; i++) {
        const struct pf_row *row = &writing->rank.rows[i];
        if (!writing->callers[row->key] && !writing->callees[row->key])
            continue;
        if (top->limit == 0 || shown++ < top->limit)
            write_around(writing, sheet, row);
        else
            left++;
    }
    for (size_t i = 0; !around && i < writing->calls.count; i++) {
        bool small = fabs(pf_percent(writing->calls.rows[i].value, writing->block->whole)) < top->min_percent;
        if (!small && (top->limit == 0 || shown++ < top->limit))
            write_pair(writing, sheet, &writing->calls.rows[i]);
        else
            left++;
    }
    if (left > 0)
        pf_sink_printf(top->sink, "... %zu more not shown; -n 0 for all\n", left);
    writing->label.failed = pf_sheet_end(sheet) != PF_OK || writing->label.failed;
}

static void write_calls(struct writing *writing, struct pf_sheet *sheet)
{
    const struct pf_top *top = writing->top;
    size_t shown = 0;

    for (size_t i = 0; i < writing->calls.count && (top->limit == 0 || shown < top->limit); i++)
        if (asked(writing, &writing->calls.rows[i]) &&
            fabs(pf_percent(writing->calls.rows[i].value, writing->block->whole)) >= top->min_percent) {
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
        .schema = "profutils.edges/1", .columns = columns, .column_count = COLUMNS, .make = make, .write = write_block, .drop = drop,
    };
    struct pf_top_view view = calls_view;
    struct writing writing = {.top = top, .matched = matched};

    view.of_calls = top->form != PF_SHEET_TEXT || (top->callers == NULL && top->callees == NULL);
    *matched = top->callers == NULL && top->callees == NULL;
    return pf_top_show(top, &view, &writing, error);
}
