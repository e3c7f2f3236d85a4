/* The sums of the reader as rows of a profile: lines with their statements, stacks, and callers. */
#include "base/memory.h"
#include "base/number.h"
#include "format/nytprof/sums.h"
#include "model/units.h"

#include <stdlib.h>

/* --- measures --------------------------------------------------------------------------------- */

/* Adds a measure of time to the dictionary; `ticks`: in ticks, else in the fine unit. Returns its
 * id; UINT32_MAX: out of memory. */
static uint32_t time_measure(struct pf_dict *dict, const char *name, enum pf_kind kind,
                             enum pf_role role, bool main, struct pf_nyt_clock clock, bool ticks)
{
    struct pf_measure measure = pf_measure_make(
        dict, name, clock.ticks_per_sec ? "nanoseconds" : "ticks", kind, role, PF_TIMED);

    measure.main = main;
    if (ticks && clock.ticks_per_sec) {
        pf_measure_set_scale(&measure, PF_SECOND, clock.ticks_per_sec);
        measure.raw_unit = pf_dict_intern_word(dict, "tick");
    } else if (!ticks) {
        measure.den = clock.ticks_per_sec ? 1000 : 1000000;
        measure.raw_unit =
            pf_dict_intern_word(dict, clock.ticks_per_sec ? "picosecond" : "1e-6 tick");
    }
    return pf_dict_add_measure(dict, measure);
}

/* Adds a measure that counts. Returns its id; UINT32_MAX: out of memory. */
static uint32_t count_measure(struct pf_dict *dict, const char *name, enum pf_kind kind,
                              enum pf_aggregation aggregation)
{
    struct pf_measure measure = pf_measure_make(dict, name, "count", kind, PF_COUNT, PF_EXACT);

    measure.aggregation = (uint8_t)aggregation;
    return pf_dict_add_measure(dict, measure);
}

static uint32_t self_time(const struct pf_nyt_rows *out, const char *name, enum pf_kind kind,
                          bool main, struct pf_nyt_clock clock, bool ticks)
{
    return time_measure(out->rows->dict, name, kind, PF_SELF, main, clock, ticks);
}

/* --- opening, errors -------------------------------------------------------------------------- */

int pf_nyt_rows_open(struct pf_nyt_rows *out)
{
    struct pf_dict *dict = out->rows->dict;

    out->block_key = pf_dict_intern_word(dict, "block");
    out->sub_key = pf_dict_intern_word(dict, "sub");
    out->stmts = count_measure(dict, "stmts", PF_FLAT, PF_SUM);
    return out->stmts == UINT32_MAX ? PF_NOMEM : PF_OK;
}

static int too_big(const struct pf_nyt_rows *out, const char *measure)
{
    return pf_error_set(out->error, PF_OVERFLOW, "a sum of '%s' overflows 64 bits", measure);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Begins FLAT records with two measures. */
static void begin_lines(struct pf_rows *rows, uint32_t first, uint32_t second)
{
    pf_rows_begin(rows, PF_FLAT);
    pf_rows_measure(rows, first);
    pf_rows_measure(rows, second);
}

static void begin_statements(const struct pf_nyt_rows *out, struct pf_nyt_clock clock)
{
    begin_lines(out->rows, out->stmts, self_time(out, "time", PF_FLAT, true, clock, true));
}

void pf_nyt_rows_declare(const struct pf_nyt_rows *out, struct pf_nyt_clock clock)
{
    begin_statements(out, clock);
    pf_rows_declare_ahead(out->rows);
}

/* The label set of a line: the file number, if the file needs a label; for statements with blocks
 * the first lines of block and sub. */
static uint32_t line_labels(const struct pf_nyt_rows *out, const struct pf_nyt_line *line,
                            const struct pf_nyt_block *block)
{
    uint32_t labels = pf_nyt_places_label(out->places, line->fid);
    if (!block)
        return labels;
    labels = pf_dict_add_number(out->rows->dict, labels, out->block_key, block->block, 0);
    return pf_dict_add_number(out->rows->dict, labels, out->sub_key, block->sub, 0);
}

/* Adds the lines from row 1 on as records. `blocks`: NULL, or the block of each row. */
static int add_lines(const struct pf_nyt_rows *out, const struct pf_nyt_line *rows, size_t count,
                     const struct pf_table *blocks)
{
    uint32_t *locations = malloc(count * sizeof *locations);
    int status = locations ? pf_nyt_places_lines(out->places, rows + 1, count - 1, locations + 1)
                           : PF_NOMEM;
    for (uint32_t k = 1; status == PF_OK && k < count; k++) {
        const struct pf_nyt_block *block = blocks ? pf_table_row(blocks, k) : NULL;
        pf_rows_flat(out->rows, locations[k], line_labels(out, &rows[k], block));
        pf_rows_set_values(out->rows, 0, (const int64_t[]){rows[k].count, rows[k].ticks}, 2);
    }
    free(locations);
    return status == PF_OK ? PF_OK : pf_error_nomem(out->error);
}

static int add_statements(const struct pf_nyt_rows *out, struct pf_nyt_lines *lines,
                          struct pf_nyt_clock clock)
{
    int status = PF_OK;
    if (lines->left)
        return too_big(out, "time");
    if (lines->count > 1) {
        begin_statements(out, clock);
        status = add_lines(out, lines->rows, lines->count, NULL);
    }
    if (status != PF_OK || lines->blocks.count <= 1)
        return status;
    for (uint32_t id = 1; id < lines->blocks.count; id++) {
        const struct pf_nyt_block *block = pf_table_row(&lines->blocks, id);
        lines->sums[id].fid = block->fid;
        lines->sums[id].line = block->line;
    }
    begin_statements(out, clock);
    return add_lines(out, lines->sums, lines->blocks.count, &lines->blocks);
}

/* Sums the times of blocks and of subs, by their first lines. In a row of `sums`, `count` is the
 * time of the block that begins at the line, and `ticks` the time of the sub that begins there. */
static int sum_blocks(const struct pf_nyt_rows *out, const struct pf_nyt_lines *lines,
                      struct pf_nyt_lines *sums)
{
    for (uint32_t id = 1; id < lines->blocks.count; id++) {
        const struct pf_nyt_block *block = pf_table_row(&lines->blocks, id);
        struct pf_nyt_line *row = pf_nyt_lines_find(sums, block->fid, block->block);
        bool good = pf_add64(row->count, lines->sums[id].ticks, &row->count);
        row = pf_nyt_lines_find(sums, block->fid, block->sub);
        if (!pf_add64(row->ticks, lines->sums[id].ticks, &row->ticks) || !good)
            return too_big(out, good ? "sub_time" : "block_time");
    }
    return sums->failed ? pf_error_nomem(out->error) : PF_OK;
}

/* Removes rows without a time, but not row 0. Returns how many rows remain. */
static size_t without_empty(struct pf_nyt_line *rows, size_t count)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (rows[i].count != 0 || rows[i].ticks != 0)
            rows[kept++] = rows[i];
    return kept;
}

static int add_block_times(const struct pf_nyt_rows *out, const struct pf_nyt_lines *lines,
                           struct pf_nyt_clock clock)
{
    struct pf_nyt_lines sums;
    if (lines->blocks.count <= 1)
        return PF_OK;
    int status = pf_nyt_lines_init(&sums) == PF_OK ? sum_blocks(out, lines, &sums)
                                                   : pf_error_nomem(out->error);
    size_t count = status == PF_OK ? without_empty(sums.rows, sums.count) : 0;
    if (count > 1) {
        uint32_t block = self_time(out, "block_time", PF_FLAT, false, clock, true);
        uint32_t sub = self_time(out, "sub_time", PF_FLAT, false, clock, true);
        begin_lines(out->rows, block, sub);
        status = add_lines(out, sums.rows, count, NULL);
    }
    pf_nyt_lines_free(&sums);
    return status;
}

int pf_nyt_rows_lines(const struct pf_nyt_rows *out, struct pf_nyt_lines *lines,
                      struct pf_nyt_clock clock)
{
    int status = add_statements(out, lines, clock);
    return status == PF_OK ? add_block_times(out, lines, clock) : status;
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* The nodes that are still to visit; the next node is the last row. */
struct steps {
    struct step {
        uint32_t node, stack; /* the node to visit, and the stack of its caller */
        bool alone;           /* the node's siblings were visited before: do not go on to `next` */
    } * rows;
    size_t count, capacity;
};

static bool push_step(struct steps *steps, uint32_t node, uint32_t stack, bool alone)
{
    if (!pf_grow(&steps->rows, &steps->capacity, steps->count + 1, sizeof *steps->rows))
        return false;
    steps->rows[steps->count++] = (struct step){node, stack, alone};
    return true;
}

/* Pushes the first child of a node. */
static bool push_first_child(struct steps *steps, const struct pf_nyt_tree *tree, uint32_t node,
                             uint32_t stack)
{
    uint32_t last = tree->nodes[node].last_child;
    return !last || push_step(steps, tree->nodes[last].next, stack, false);
}

/* Visits all nodes and adds their stacks. A caller comes before the subs that it called; among
 * siblings, subs that never returned come last. False: out of memory. */
static bool walk(const struct pf_nyt_rows *out, const struct pf_nyt_tree *tree, struct steps *steps)
{
    while (steps->count > 0) {
        struct step step = steps->rows[--steps->count];
        const struct pf_nyt_node *node = &tree->nodes[step.node];
        if (!step.alone && step.node != tree->nodes[node->parent].last_child) {
            if ((node->calls == 0 && !push_step(steps, step.node, step.stack, true)) ||
                !push_step(steps, node->next, step.stack, false))
                return false;
            if (node->calls == 0)
                continue;
        }
        uint32_t stack = pf_dict_add_frame(out->rows->dict, step.stack,
                                           pf_nyt_places_callee(out->places, node->name));
        if (node->calls != 0) {
            int64_t values[] = {pf_nyt_amount_value(node->self, &tree->unit), node->calls};
            pf_rows_stack(out->rows, stack, 0);
            pf_rows_set_values(out->rows, 0, values, 2);
        }
        if (!push_first_child(steps, tree, step.node, stack))
            return false;
    }
    return true;
}

int pf_nyt_rows_stacks(const struct pf_nyt_rows *out, const struct pf_nyt_tree *tree,
                       struct pf_nyt_clock clock)
{
    bool ticks = pf_nyt_unit_ticks(&tree->unit);
    struct steps steps = {0};
    if (!ticks && tree->unit.fine_left)
        return too_big(out, "excl");
    if (tree->failed)
        return pf_error_nomem(out->error);
    if (tree->nodes[0].last_child == 0)
        return PF_OK;
    pf_rows_begin(out->rows, PF_SAMPLE);
    pf_rows_measure(out->rows, self_time(out, "excl", PF_SAMPLE, true, clock, ticks));
    pf_rows_measure(out->rows, count_measure(out->rows->dict, "calls", PF_SAMPLE, PF_SUM));
    bool good = push_first_child(&steps, tree, 0, 0) && walk(out, tree, &steps);
    free(steps.rows);
    if (good && tree->shortened)
        pf_report_send(out->report, PF_WARNING,
                       "more callers never returned than are kept: some stacks are shortened");
    return good ? PF_OK : pf_error_nomem(out->error);
}

/* --- callers ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum pf_role role;
} TIMES[PF_NYT_EDGE_TIMES] = {{"incl", PF_INCLUSIVE}, {"excl", PF_SELF}, {"reci", PF_INCLUSIVE}};

static void begin_edges(const struct pf_nyt_rows *out, const struct pf_nyt_unit *units,
                        struct pf_nyt_clock clock)
{
    struct pf_dict *dict = out->rows->dict;
    pf_rows_begin(out->rows, PF_EDGE);
    pf_rows_measure(out->rows, count_measure(dict, "calls", PF_EDGE, PF_SUM));
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        pf_rows_measure(out->rows,
                        time_measure(dict, TIMES[k].name, PF_EDGE, TIMES[k].role, k == PF_NYT_INCL,
                                     clock, pf_nyt_unit_ticks(&units[k])));
    pf_rows_measure(out->rows, count_measure(dict, "depth", PF_EDGE, PF_MAX));
}

static void add_edge(const struct pf_nyt_rows *out, const struct pf_nyt_edge *edge,
                     const struct pf_nyt_edge_sums *sums, const struct pf_nyt_unit *units)
{
    uint32_t caller = pf_nyt_places_caller(out->places, edge->caller, edge->fid, edge->line);
    uint32_t callee = pf_nyt_places_callee(out->places, edge->callee);
    int64_t values[PF_NYT_EDGE_TIMES + 2] = {sums->calls};
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        values[1 + k] = pf_nyt_amount_value(sums->times[k], &units[k]);
    values[1 + PF_NYT_EDGE_TIMES] = sums->depth;
    pf_rows_edge(out->rows, caller, callee, pf_nyt_places_label(out->places, edge->fid));
    pf_rows_set_values(out->rows, 0, values, PF_NYT_EDGE_TIMES + 2);
}

int pf_nyt_rows_edges(const struct pf_nyt_rows *out, const struct pf_nyt_edges *edges,
                      struct pf_nyt_clock clock)
{
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        if (!pf_nyt_unit_ticks(&edges->units[k]) && edges->units[k].fine_left)
            return too_big(out, TIMES[k].name);
    /* row 0, the edge whose fields are all 0, may have no calls */
    uint32_t first = !edges->sums || edges->sums[0].calls == 0;
    if (first < edges->rows.count)
        begin_edges(out, edges->units, clock);
    for (uint32_t k = first; k < edges->rows.count; k++)
        add_edge(out, pf_table_row(&edges->rows, k), &edges->sums[k], edges->units);
    return PF_OK;
}
