#include "render/diff/parts.h"

#include "analysis/diff/judge.h"
#include "model/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* --- rows for machines ------------------------------------------------------------------------ */

static const struct pf_sheet_column columns[] = {
    {"flat_before", PF_CELL_INT},
    {"flat_after", PF_CELL_INT},
    {"flat_delta", PF_CELL_INT},
    {"cum_before", PF_CELL_INT},
    {"cum_after", PF_CELL_INT},
    {"cum_delta", PF_CELL_INT},
    {"ratio", PF_CELL_NUMBER},
    {"ratio_low", PF_CELL_NUMBER},
    {"ratio_high", PF_CELL_NUMBER},
    {"ratio_q_low", PF_CELL_NUMBER},
    {"ratio_q_high", PF_CELL_NUMBER},
    {"points", PF_CELL_NUMBER},
    {"runs_before", PF_CELL_INT},
    {"runs_after", PF_CELL_INT},
    {"ci_low", PF_CELL_NUMBER},
    {"ci_high", PF_CELL_NUMBER},
    {"tested", PF_CELL_BOOL},
    {"p", PF_CELL_NUMBER},
    {"q", PF_CELL_NUMBER},
    {"verdict", PF_CELL_TEXT},
    {"hint", PF_CELL_TEXT},
    {"status", PF_CELL_TEXT},
};

enum { COLUMNS = sizeof columns / sizeof *columns };
static_assert((size_t)COLUMNS <= PF_DIFF_COLUMNS, "room for the columns");

struct writing {
    const struct pf_diff_view *view;
    struct pf_diff_table *tables; /* by block */
};

static void number_cells(const struct pf_diff_table *table, const struct pf_diff_means *means,
                         struct pf_cell cells[3])
{
    const struct pf_diff_means shown = pf_diff_shown_means(table, means);

    cells[0] = (struct pf_cell){.integer = shown.before, .parts = table->shown_parts};
    cells[1] = (struct pf_cell){.integer = shown.after, .parts = table->shown_parts};
    cells[2] = (struct pf_cell){.integer = shown.delta, .parts = table->shown_parts};
}

/* The total comes before the rows. */
static const struct pf_diff_row *row_at(const struct pf_diff_table *table, size_t at)
{
    if (table->hides_total)
        return &table->rows[at];
    return at == 0 ? &table->total_row : &table->rows[at - 1];
}

static uint32_t fill(void *state, size_t block, size_t at, struct pf_cell *cells)
{
    const struct writing *writing = state;
    const struct pf_diff *diff = writing->view->diff;
    const struct pf_diff_table *table = &writing->tables[block];
    const struct pf_diff_row *row = row_at(table, at);
    const struct pf_diff_means *means = pf_diff_compared(table, row);
    double parts = diff->normalize ? 1 : (double)diff->blocks[block].scale.parts;
    bool untested = !row->tested, no_ratio = means->before == 0 || means->after == 0;
    bool no_interval = untested || no_ratio || isinf(row->ratio_95.high),
         no_interval_q = untested || no_ratio || isinf(row->ratio_q.high);

    number_cells(table, &row->flat, &cells[0]);
    number_cells(table, &row->cum, &cells[3]);
    cells[6] = (struct pf_cell){.real = row->ratio, .missing = no_ratio};
    cells[7] = (struct pf_cell){.real = row->ratio_95.low, .missing = no_interval};
    cells[8] = (struct pf_cell){.real = row->ratio_95.high, .missing = no_interval};
    cells[9] = (struct pf_cell){.real = row->ratio_q.low, .missing = no_interval_q};
    cells[10] = (struct pf_cell){.real = row->ratio_q.high, .missing = no_interval_q};
    cells[11] = (struct pf_cell){.real = row->points};
    cells[12].integer = (pf_int128)pf_diff_block_runs(diff, &diff->blocks[block], 0);
    cells[13].integer = (pf_int128)pf_diff_block_runs(diff, &diff->blocks[block], 1);
    cells[14] = (struct pf_cell){.real = row->delta.low / parts, .missing = untested};
    cells[15] = (struct pf_cell){.real = row->delta.high / parts, .missing = untested};
    cells[16].integer = row->tested;
    cells[17] = (struct pf_cell){.real = row->p, .missing = untested};
    cells[18] = (struct pf_cell){.real = row->q, .missing = untested};
    cells[19].text = (struct pf_bytes){&row->verdict, 1};
    cells[20].text = (struct pf_bytes){&row->hint, row->hint != 0};
    cells[21].text = pf_bytes_of(pf_diff_status_name(row->status));
    return row->key;
}

static size_t rows(const void *state, size_t block)
{
    const struct writing *writing = state;
    const struct pf_diff_table *table = &writing->tables[block];

    return table->all == 0 ? 0 : pf_diff_shown(writing->view, table->count) + !table->hides_total;
}

/* Writes a member that is null if the value is not known. */
static void write_known(struct pf_sink *sink, const char *name, double value)
{
    pf_sink_printf(sink, ",\"%s\":", name);
    if (value > 0)
        pf_json_number(sink, value);
    else
        pf_sink_text(sink, "null");
}

static void write_advice(const struct pf_diff_advice *advice, struct pf_sink *sink)
{
    write_known(sink, "spread_total", advice->total);
    write_known(sink, "spread_rows", advice->rows);
    write_known(sink, "spread_shares", advice->shares);
    write_known(sink, "found_ratio", advice->rise);
    pf_sink_printf(
        sink, advice->runs > 0 ? ",\"runs_for_10_percent\":%zu" : ",\"runs_for_10_percent\":null",
        advice->runs);
    write_known(sink, "gate_found_total", advice->gate_total);
    write_known(sink, "gate_found_ratio", advice->gate_row);
}

/* The number of runs of a side that lack the measure of the block. */
static size_t lacking(const struct pf_diff *diff, size_t block, unsigned side)
{
    return pf_diff_runs(diff, side) - pf_diff_block_runs(diff, &diff->blocks[block], side);
}

static void write_members(const void *state, struct pf_sink *sink, size_t block)
{
    static const char *const methods[] = {"none", "welch", "moderated"};
    const struct writing *writing = state;
    const struct pf_diff_table *table = &writing->tables[block];
    const struct pf_diff_means total = pf_diff_shown_means(table, &table->total);
    const struct pf_diff *diff = writing->view->diff;

    pf_sink_text(sink, ",\"total_before\":");
    pf_json_parts(sink, total.before, table->shown_parts);
    pf_sink_text(sink, ",\"total_after\":");
    pf_json_parts(sink, total.after, table->shown_parts);
    pf_sink_text(sink, ",\"total_delta\":");
    pf_json_parts(sink, total.delta, table->shown_parts);
    pf_sink_printf(sink, ",\"test\":\"%s\",\"compared\":\"%s\",\"tests\":%zu,\"min_delta\":",
                   methods[table->method], table->cum ? "cum" : "flat", table->tests);
    pf_json_number(sink, writing->view->terms.margin);
    write_advice(&table->advice, sink);
    pf_sink_printf(sink, ",\"lacking_before\":%zu,\"lacking_after\":%zu", lacking(diff, block, 0),
                   lacking(diff, block, 1));
}

static int write_text(void *state, size_t block)
{
    const struct writing *writing = state;
    const struct pf_diff_view *view = writing->view;

    return pf_diff_text(view, &view->diff->blocks[block], &writing->tables[block]);
}

/* --- all -------------------------------------------------------------------------------------- */

static int make_table(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      struct pf_diff_table *table, bool *rose, struct pf_error *error)
{
    int status;

    if (block->measure.kind == PF_RECORD_KINDS)
        return PF_OK;
    status = pf_diff_table_make(table, view->diff, block, &view->terms, error);
    if (status == PF_OK)
        status = pf_diff_judge(table, view->diff, block, &view->terms, error);
    if (status == PF_OK && view->terms.gate && !pf_diff_table_gate(table, block, &view->terms))
        status =
            pf_error_set(error, PF_USAGE,
                         "--fail-above needs two runs a side, better five: one run does not show "
                         "how much runs vary%s",
                         table->hinted ? " (--force judges as if they did not)" : "");
    *rose = *rose || (view->terms.gate && (table->count > 0 || !table->hides_total));
    pf_diff_table_only(table, view->only, view->drop_negative);
    if (status == PF_OK && pf_diff_table_sort(table, &view->diff->keys, view->sort) != PF_OK)
        status = pf_error_nomem(error);
    return status;
}

int pf_diff_write(const struct pf_diff_view *view, bool *rose, struct pf_error *error)
{
    static const struct pf_diff_layout layout = {
        .schema = "profutils.diff/2",
        .columns = columns,
        .column_count = COLUMNS,
        .has_total = true,
        .rows = rows,
        .fill = fill,
        .write_members = write_members,
        .write_text = write_text,
    };
    size_t count = view->diff->block_count;
    struct writing writing = {.view = view, .tables = calloc(count + 1, sizeof *writing.tables)};
    int status = !writing.tables ? pf_error_nomem(error) : PF_OK;

    *rose = false;
    for (size_t i = 0; i < count && status == PF_OK; i++)
        status = make_table(view, &view->diff->blocks[i], &writing.tables[i], rose, error);
    if (status == PF_OK && view->look.sink && pf_diff_show(view, &layout, &writing) != PF_OK)
        status = pf_error_nomem(error);
    for (size_t i = 0; i < count && writing.tables; i++)
        pf_diff_table_free(&writing.tables[i]);
    free(writing.tables);
    return status;
}
