/* From sums to batches. */
#include "format/nytprof/reader.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int nomem(struct pf_reader *reader)
{
    return pf_error_nomem(&reader->error);
}

static int too_big(struct pf_reader *reader, const char *measure)
{
    return pf_error_set(&reader->error, PF_OVERFLOW, "a sum of '%s' leaves 64 bits", measure);
}

static void columns(struct pf_nyt_giver *giver, struct pf_batch *batch, enum pf_kind kind, uint32_t rows, uint32_t values)
{
    for (uint32_t k = 0; k < values; k++)
        giver->values[k].data = giver->numbers[k];
    batch->kind = kind;
    batch->rows = rows;
    batch->labels = giver->labels;
    batch->values = giver->values;
    batch->value_count = values;
}

static uint32_t self_time(struct pf_reader *reader, const char *name, enum pf_kind kind, bool main, struct pf_nyt_clock clock,
                          bool ticks)
{
    return pf_nyt_time_measure(reader->dict, name, kind, PF_SELF, main, clock, ticks);
}

/* ---- Lines ---- */

/* The first batch: so that a profile without records has measures. */
static int declare(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    struct pf_nyt_giver *giver = &r->giver;
    giver->values[0].measure = r->stmts;
    giver->values[1].measure = self_time(reader, "time", PF_FLAT, true, r->clock, true);
    columns(giver, batch, PF_FLAT, 0, 2);
    return PF_OK;
}

static void drop_rows(struct pf_nyt_giver *giver)
{
    free(giver->owned);
    free(giver->locations);
    giver->owned = NULL;
    giver->locations = NULL;
    giver->rows = NULL;
    giver->row_count = giver->next = 0;
}

static int set_rows(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_nyt_line *rows, size_t count)
{
    struct pf_nyt_giver *giver = &r->giver;
    giver->rows = rows;
    giver->row_count = count;
    giver->next = 0;
    giver->locations = malloc((count + 1) * sizeof *giver->locations);
    if (!giver->locations || pf_nyt_places_lines(&r->places, rows, count, giver->locations) != PF_OK)
        return nomem(reader);
    return PF_OK;
}

/* The rows that come next, with their locations and the labels of their files. */
static uint32_t take_rows(struct pf_nyt_reader *r)
{
    struct pf_nyt_giver *giver = &r->giver;
    size_t left = giver->row_count - giver->next;
    uint32_t rows = left < PF_BATCH_ROWS ? (uint32_t)left : PF_BATCH_ROWS;
    for (uint32_t i = 0; i < rows; i++) {
        const struct pf_nyt_line *line = &giver->rows[giver->next + i];
        giver->first[i] = giver->locations[giver->next + i];
        giver->labels[i] = pf_nyt_places_label(&r->places, line->fid);
        giver->numbers[0][i] = line->count;
        giver->numbers[1][i] = line->ticks;
    }
    return rows;
}

static int give_statements(struct pf_reader *reader, struct pf_nyt_reader *r, const struct pf_nyt_epoch *at, struct pf_batch *batch)
{
    struct pf_nyt_giver *giver = &r->giver;
    const struct pf_nyt_lines *lines = &at->lines;
    bool blocks = giver->phase == PF_NYT_GIVE_BLOCKS;
    if (lines->left)
        return too_big(reader, "time");
    if (!giver->locations) {
        size_t count = blocks ? lines->sum_count : lines->count;
        struct pf_nyt_line *rows = blocks ? lines->sums : lines->rows;
        if (count <= 1)
            return PF_EOF;
        for (uint32_t id = 1; blocks && id < count; id++) {
            const struct pf_nyt_block *block = pf_table_row(&lines->blocks, id);
            rows[id].fid = block->fid;
            rows[id].line = block->line;
        }
        int status = set_rows(reader, r, rows + 1, count - 1);
        if (status != PF_OK)
            return status;
    }
    uint32_t rows = take_rows(r);
    for (uint32_t i = 0; blocks && i < rows; i++) {
        const struct pf_nyt_block *block = pf_table_row(&lines->blocks, (uint32_t)(giver->next + i + 1));
        giver->labels[i] = pf_dict_add_number(reader->dict, giver->labels[i], r->block_key, block->block, 0);
        giver->labels[i] = pf_dict_add_number(reader->dict, giver->labels[i], r->sub_key, block->sub, 0);
    }
    giver->next += rows;
    if (rows == 0) {
        drop_rows(giver);
        return PF_EOF;
    }
    giver->values[0].measure = r->stmts;
    giver->values[1].measure = self_time(reader, "time", PF_FLAT, true, at->clock, true);
    columns(giver, batch, PF_FLAT, rows, 2);
    batch->location = giver->first;
    return PF_OK;
}

/* Sums over blocks and subs, placed on their first lines: `count` of a row is the time of the block that begins there, `ticks` that
 * of the sub. */
static int sum_blocks(struct pf_reader *reader, const struct pf_nyt_lines *lines, struct pf_nyt_lines *sums)
{
    for (uint32_t id = 1; id < lines->sum_count; id++) {
        const struct pf_nyt_block *block = pf_table_row(&lines->blocks, id);
        struct pf_nyt_line *row = pf_nyt_lines_find(sums, block->fid, block->block);
        bool good = pf_add64(row->count, lines->sums[id].ticks, &row->count);
        row = pf_nyt_lines_find(sums, block->fid, block->sub);
        if (!pf_add64(row->ticks, lines->sums[id].ticks, &row->ticks) || !good)
            return too_big(reader, good ? "sub_time" : "block_time");
    }
    return sums->failed ? nomem(reader) : PF_OK;
}

/* Drops rows, but for row 0, that have no time. */
static size_t without_empty(struct pf_nyt_line *rows, size_t count)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (rows[i].count != 0 || rows[i].ticks != 0)
            rows[kept++] = rows[i];
    return kept;
}

static int give_block_times(struct pf_reader *reader, struct pf_nyt_reader *r, const struct pf_nyt_epoch *at, struct pf_batch *batch)
{
    struct pf_nyt_giver *giver = &r->giver;
    if (!giver->locations) {
        struct pf_nyt_lines sums;
        if (at->lines.sum_count <= 1)
            return PF_EOF;
        int status = pf_nyt_lines_init(&sums) == PF_OK ? sum_blocks(reader, &at->lines, &sums) : nomem(reader);
        giver->owned = sums.rows;
        size_t count = without_empty(sums.rows, sums.count);
        sums.rows = NULL;
        pf_nyt_lines_free(&sums);
        if (status == PF_OK)
            status = set_rows(reader, r, giver->owned + 1, count - 1);
        if (status != PF_OK)
            return status;
    }
    uint32_t rows = take_rows(r);
    giver->next += rows;
    if (rows == 0) {
        drop_rows(giver);
        return PF_EOF;
    }
    giver->values[0].measure = self_time(reader, "block_time", PF_FLAT, false, at->clock, true);
    giver->values[1].measure = self_time(reader, "sub_time", PF_FLAT, false, at->clock, true);
    columns(giver, batch, PF_FLAT, rows, 2);
    batch->location = giver->first;
    return PF_OK;
}

/* ---- Stacks ---- */

static bool push_step(struct pf_nyt_giver *giver, uint32_t node, uint32_t stack, bool alone)
{
    if (!pf_grow(&giver->steps, &giver->step_capacity, giver->step_count + 1, sizeof *giver->steps))
        return false;
    giver->steps[giver->step_count++] = (struct pf_nyt_step){node, stack, alone};
    return true;
}

/* Pushes the first child of a node. */
static bool enter(struct pf_nyt_giver *giver, const struct pf_nyt_tree *tree, uint32_t node, uint32_t stack)
{
    uint32_t last = tree->nodes[node].last_child;
    return !last || push_step(giver, tree->nodes[last].next, stack, false);
}

/* Visits nodes, callers first and what never returned last, until there are rows for a batch. */
static bool walk(struct pf_nyt_reader *r, const struct pf_nyt_tree *tree, uint32_t *rows)
{
    struct pf_nyt_giver *giver = &r->giver;
    while (giver->step_count > 0 && *rows < PF_BATCH_ROWS) {
        struct pf_nyt_step step = giver->steps[--giver->step_count];
        const struct pf_nyt_node *node = &tree->nodes[step.node];
        if (!step.alone && step.node != tree->nodes[node->parent].last_child) {
            if ((node->calls == 0 && !push_step(giver, step.node, step.stack, true)) ||
                !push_step(giver, node->next, step.stack, false))
                return false;
            if (node->calls == 0)
                continue;
        }
        uint32_t stack = pf_dict_add_frame(r->places.dict, step.stack, pf_nyt_places_callee(&r->places, node->name));
        if (node->calls != 0) {
            giver->first[*rows] = stack;
            giver->labels[*rows] = 0;
            giver->numbers[0][*rows] = pf_nyt_amount_value(node->self, &tree->unit);
            giver->numbers[1][(*rows)++] = node->calls;
        }
        if (!enter(giver, tree, step.node, stack))
            return false;
    }
    return true;
}

static int give_stacks(struct pf_reader *reader, struct pf_nyt_reader *r, const struct pf_nyt_epoch *at, struct pf_batch *batch)
{
    struct pf_nyt_giver *giver = &r->giver;
    const struct pf_nyt_tree *tree = &at->tree;
    bool ticks = pf_nyt_unit_ticks(&tree->unit);
    uint32_t rows = 0;
    if (!ticks && tree->unit.fine_left)
        return too_big(reader, "excl");
    if (tree->failed || (giver->next++ == 0 && !enter(giver, tree, 0, 0)) || !walk(r, tree, &rows))
        return nomem(reader);
    if (rows == 0) {
        giver->next = 0;
        return PF_EOF;
    }
    if (tree->shortened && giver->next == 1)
        pf_report_send(&reader->report, PF_WARNING, "calls whose callers never returned are deeper than is told: their stacks are "
                                                    "shortened");
    giver->values[0].measure = self_time(reader, "excl", PF_SAMPLE, true, at->clock, ticks);
    giver->values[1].measure = pf_nyt_count_measure(reader->dict, "calls", PF_SAMPLE, PF_SUM);
    columns(giver, batch, PF_SAMPLE, rows, 2);
    batch->stack = giver->first;
    return PF_OK;
}

/* ---- Callers ---- */

static const struct {
    const char *name;
    enum pf_role role;
} TIMES[PF_NYT_EDGE_TIMES] = {{"incl", PF_INCLUSIVE}, {"excl", PF_SELF}, {"reci", PF_INCLUSIVE}};

static uint32_t take_edges(struct pf_nyt_reader *r)
{
    struct pf_nyt_giver *giver = &r->giver;
    struct pf_nyt_edges *edges = &r->edges;
    uint32_t rows = 0;
    for (; rows < PF_BATCH_ROWS && giver->next < edges->count; giver->next++) {
        const struct pf_nyt_edge *edge = pf_table_row(&edges->rows, (uint32_t)giver->next);
        const struct pf_nyt_edge_sums *sums = &edges->sums[giver->next];
        if (giver->next == 0 && sums->calls == 0)
            continue;
        giver->first[rows] = pf_nyt_places_caller(&r->places, edge->caller, edge->fid, edge->line);
        giver->second[rows] = pf_nyt_places_callee(&r->places, edge->callee);
        giver->labels[rows] = pf_nyt_places_label(&r->places, edge->fid);
        giver->numbers[0][rows] = sums->calls;
        for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
            giver->numbers[1 + k][rows] = pf_nyt_amount_value(sums->times[k], &edges->units[k]);
        giver->numbers[1 + PF_NYT_EDGE_TIMES][rows++] = sums->depth;
    }
    return rows;
}

static int give_edges(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    struct pf_nyt_giver *giver = &r->giver;
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        if (!pf_nyt_unit_ticks(&r->edges.units[k]) && r->edges.units[k].fine_left)
            return too_big(reader, TIMES[k].name);
    uint32_t rows = take_edges(r);
    if (rows == 0)
        return PF_EOF;
    giver->values[0].measure = pf_nyt_count_measure(reader->dict, "calls", PF_EDGE, PF_SUM);
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        giver->values[1 + k].measure = pf_nyt_time_measure(reader->dict, TIMES[k].name, PF_EDGE, TIMES[k].role, k == PF_NYT_INCL,
                                                           r->clock, pf_nyt_unit_ticks(&r->edges.units[k]));
    giver->values[1 + PF_NYT_EDGE_TIMES].measure = pf_nyt_count_measure(reader->dict, "depth", PF_EDGE, PF_MAX);
    columns(giver, batch, PF_EDGE, rows, PF_NYT_COLUMNS);
    batch->location = giver->first;
    batch->callee = giver->second;
    return PF_OK;
}

/* ---- The order ---- */

static int give_phase(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    struct pf_nyt_giver *giver = &r->giver;
    const struct pf_nyt_epoch *at = giver->epoch < r->epoch_count ? &r->epochs[giver->epoch] : NULL;
    switch (giver->phase) {
    case PF_NYT_GIVE_LINES:
    case PF_NYT_GIVE_BLOCKS:
        return at ? give_statements(reader, r, at, batch) : PF_EOF;
    case PF_NYT_GIVE_BLOCK_TIMES:
        return at ? give_block_times(reader, r, at, batch) : PF_EOF;
    case PF_NYT_GIVE_STACKS:
        return at ? give_stacks(reader, r, at, batch) : PF_EOF;
    case PF_NYT_GIVE_BEFORE_EDGES:
        return pf_nyt_metas_next(&r->held, r->before_edges, batch) ? PF_OK : PF_EOF;
    case PF_NYT_GIVE_EDGES:
        return give_edges(reader, r, batch);
    case PF_NYT_GIVE_REST:
    default:
        return pf_nyt_metas_next(&r->held, r->held.count, batch) ? PF_OK : PF_EOF;
    }
}

static void next_phase(struct pf_nyt_reader *r)
{
    struct pf_nyt_giver *giver = &r->giver;
    struct pf_nyt_epoch *at = giver->epoch < r->epoch_count ? &r->epochs[giver->epoch] : NULL;
    giver->next = 0;
    /* What was given is not needed any more, but the memory may be. */
    if (at && giver->phase == PF_NYT_GIVE_BLOCK_TIMES)
        pf_nyt_lines_free(&at->lines);
    if (at && giver->phase == PF_NYT_GIVE_STACKS)
        pf_nyt_tree_free(&at->tree);
    if (giver->phase == PF_NYT_GIVE_STACKS && giver->epoch + 1 < r->epoch_count) {
        giver->epoch++;
        giver->phase = PF_NYT_GIVE_LINES;
    } else {
        giver->phase++;
    }
}

static bool give_found(struct pf_nyt_reader *r, struct pf_batch *batch)
{
    if (pf_nyt_metas_next(&r->ready, r->ready.count, batch))
        return true;
    if (r->text_count == 0)
        return false;
    batch->kind = PF_TEXT;
    batch->rows = (uint32_t)r->text_count;
    batch->texts = r->texts;
    r->text_count = 0;
    return true;
}

/* What the parser found, then the sums: PF_OK and a batch, or the result of the whole. */
static int give(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    if (r->ready.failed || r->held.failed || r->places.failed || r->places.files.failed || r->edges.failed)
        return nomem(reader);
    if (give_found(r, batch))
        return PF_OK;
    while (r->giver.phase > PF_NYT_PARSE && r->giver.phase < PF_NYT_DONE) {
        int status = give_phase(reader, r, batch);
        if (status != PF_EOF)
            return status;
        next_phase(r);
    }
    if (r->giver.phase == PF_NYT_DONE && r->result < 0)
        reader->error = r->error;
    return r->giver.phase == PF_NYT_DONE ? r->result : PF_EOF;
}

int pf_nyt_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_nyt_reader *r = reader->state;
    if (r->giver.phase == PF_NYT_DECLARE) {
        r->giver.phase = PF_NYT_PARSE;
        int status = pf_nyt_parse(reader, r);
        return status == PF_OK ? declare(reader, r, batch) : status;
    }
    int status = give(reader, r, batch);
    while (status == PF_EOF && r->giver.phase == PF_NYT_PARSE) {
        status = pf_nyt_parse(reader, r);
        if (status == PF_OK)
            status = give(reader, r, batch);
    }
    return status;
}
