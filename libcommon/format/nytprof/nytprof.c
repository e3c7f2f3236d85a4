/* Devel::NYTProf, the genuine format: every file that releases since 4.00 write. Which files are of
 * the format, batches from what the reader found, and metadata in a merge (formats page, section
 * 1.15). */
#include "base/memory.h"
#include "codec/format.h"
#include "format/nytprof/reader.h"
#include "format/nytprof/wire.h"
#include "format/nytprof/writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Evidence ---- */

enum { WINDOW = 16 * 1024 };

/* Whether another program wrote the file under the same first line: chunks with lengths follow the
 * text. */
static bool foreign(const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && (at == 0 || memchr("#:!", bytes[at], 3))) {
        const char *feed = memchr(bytes + at, '\n', size - at);
        if (!feed)
            return false;
        at = (size_t)(feed - bytes) + 1;
    }
    return at < size && (memchr("\nFDCEAHBTS", bytes[at], 10) ||
                         (size - at > 4 && memcmp(bytes + at, "P\x10\0\0\0", 5) == 0));
}

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const char *bytes = (const char *)pf_source_peek(source, 64, &have);
    (void)path;
    if (have < 8 || memcmp(bytes, "NYTProf ", 8) != 0)
        return have >= 4 && have < 8 && memcmp(bytes, "NYTProf ", have) == 0 ? (int)(8 * have) : 0;
    return foreign(bytes, have < WINDOW ? have : WINDOW) ? 48 : 64;
}

/* ---- Columns ---- */

static int nomem(struct pf_reader *reader)
{
    return pf_error_nomem(&reader->error);
}

static int too_big(struct pf_reader *reader, const char *measure)
{
    return pf_error_set(&reader->error, PF_OVERFLOW, "a sum of '%s' leaves 64 bits", measure);
}

static void set_columns(struct pf_nyt_batches *batches, struct pf_batch *batch, enum pf_kind kind,
                        uint32_t rows, uint32_t values)
{
    for (uint32_t k = 0; k < values; k++)
        batches->values[k].data = batches->numbers[k];
    batch->kind = kind;
    batch->rows = rows;
    batch->labels = batches->labels;
    batch->values = batches->values;
    batch->value_count = values;
}

static uint32_t self_time(struct pf_reader *reader, const char *name, enum pf_kind kind, bool main,
                          struct pf_nyt_clock clock, bool ticks)
{
    return pf_nyt_time_measure(reader->dict, name, kind, PF_SELF, main, clock, ticks);
}

/* ---- Lines ---- */

/* The first batch, so that a profile without records has measures. */
static int declare_lines(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    struct pf_nyt_batches *batches = &r->batches;
    batches->values[0].measure = r->stmts;
    batches->values[1].measure = self_time(reader, "time", PF_FLAT, true, r->clock, true);
    set_columns(batches, batch, PF_FLAT, 0, 2);
    return PF_OK;
}

static void drop_rows(struct pf_nyt_batches *batches)
{
    free(batches->owned);
    free(batches->locations);
    batches->owned = NULL;
    batches->locations = NULL;
    batches->rows = NULL;
    batches->row_count = batches->next = 0;
}

static int set_rows(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_nyt_line *rows,
                    size_t count)
{
    struct pf_nyt_batches *batches = &r->batches;
    batches->rows = rows;
    batches->row_count = count;
    batches->next = 0;
    batches->locations = malloc((count + 1) * sizeof *batches->locations);
    if (!batches->locations ||
        pf_nyt_places_lines(&r->places, rows, count, batches->locations) != PF_OK)
        return nomem(reader);
    return PF_OK;
}

/* Copies the next rows, with their locations and the labels of their files. */
static uint32_t copy_rows(struct pf_nyt_reader *r)
{
    struct pf_nyt_batches *batches = &r->batches;
    size_t left = batches->row_count - batches->next;
    uint32_t rows = left < PF_BATCH_ROWS ? (uint32_t)left : PF_BATCH_ROWS;
    for (uint32_t i = 0; i < rows; i++) {
        const struct pf_nyt_line *line = &batches->rows[batches->next + i];
        batches->first[i] = batches->locations[batches->next + i];
        batches->labels[i] = pf_nyt_places_label(&r->places, line->fid);
        batches->numbers[0][i] = line->count;
        batches->numbers[1][i] = line->ticks;
    }
    return rows;
}

static int fill_statements(struct pf_reader *reader, struct pf_nyt_reader *r,
                           const struct pf_nyt_epoch *at, struct pf_batch *batch)
{
    struct pf_nyt_batches *batches = &r->batches;
    const struct pf_nyt_lines *lines = &at->lines;
    bool blocks = batches->phase == PF_NYT_FILL_BLOCKS;
    if (lines->left)
        return too_big(reader, "time");
    if (!batches->locations) {
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
    uint32_t rows = copy_rows(r);
    for (uint32_t i = 0; blocks && i < rows; i++) {
        const struct pf_nyt_block *block =
            pf_table_row(&lines->blocks, (uint32_t)(batches->next + i + 1));
        batches->labels[i] =
            pf_dict_add_number(reader->dict, batches->labels[i], r->block_key, block->block, 0);
        batches->labels[i] =
            pf_dict_add_number(reader->dict, batches->labels[i], r->sub_key, block->sub, 0);
    }
    batches->next += rows;
    if (rows == 0) {
        drop_rows(batches);
        return PF_EOF;
    }
    batches->values[0].measure = r->stmts;
    batches->values[1].measure = self_time(reader, "time", PF_FLAT, true, at->clock, true);
    set_columns(batches, batch, PF_FLAT, rows, 2);
    batch->location = batches->first;
    return PF_OK;
}

/* Sums over blocks and subs, on their first lines: `count` of a row is the time of the block that
 * begins there, `ticks` that of the sub. */
static int sum_blocks(struct pf_reader *reader, const struct pf_nyt_lines *lines,
                      struct pf_nyt_lines *sums)
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

/* Removes rows without a time, except row 0. */
static size_t without_empty(struct pf_nyt_line *rows, size_t count)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (rows[i].count != 0 || rows[i].ticks != 0)
            rows[kept++] = rows[i];
    return kept;
}

static int fill_block_times(struct pf_reader *reader, struct pf_nyt_reader *r,
                            const struct pf_nyt_epoch *at, struct pf_batch *batch)
{
    struct pf_nyt_batches *batches = &r->batches;
    if (!batches->locations) {
        struct pf_nyt_lines sums;
        if (at->lines.sum_count <= 1)
            return PF_EOF;
        int status = pf_nyt_lines_init(&sums) == PF_OK ? sum_blocks(reader, &at->lines, &sums)
                                                       : nomem(reader);
        batches->owned = sums.rows;
        size_t count = without_empty(sums.rows, sums.count);
        sums.rows = NULL;
        pf_nyt_lines_free(&sums);
        if (status == PF_OK)
            status = set_rows(reader, r, batches->owned + 1, count - 1);
        if (status != PF_OK)
            return status;
    }
    uint32_t rows = copy_rows(r);
    batches->next += rows;
    if (rows == 0) {
        drop_rows(batches);
        return PF_EOF;
    }
    batches->values[0].measure = self_time(reader, "block_time", PF_FLAT, false, at->clock, true);
    batches->values[1].measure = self_time(reader, "sub_time", PF_FLAT, false, at->clock, true);
    set_columns(batches, batch, PF_FLAT, rows, 2);
    batch->location = batches->first;
    return PF_OK;
}

/* ---- Stacks ---- */

static bool push_step(struct pf_nyt_batches *batches, uint32_t node, uint32_t stack, bool alone)
{
    if (!pf_grow(&batches->steps, &batches->step_capacity, batches->step_count + 1,
                 sizeof *batches->steps))
        return false;
    batches->steps[batches->step_count++] = (struct pf_nyt_step){node, stack, alone};
    return true;
}

/* Pushes the first child of a node. */
static bool push_first_child(struct pf_nyt_batches *batches, const struct pf_nyt_tree *tree,
                             uint32_t node, uint32_t stack)
{
    uint32_t last = tree->nodes[node].last_child;
    return !last || push_step(batches, tree->nodes[last].next, stack, false);
}

/* Visits nodes until a batch is full: callers first, subs that never returned last. */
static bool walk(struct pf_nyt_reader *r, const struct pf_nyt_tree *tree, uint32_t *rows)
{
    struct pf_nyt_batches *batches = &r->batches;
    while (batches->step_count > 0 && *rows < PF_BATCH_ROWS) {
        struct pf_nyt_step step = batches->steps[--batches->step_count];
        const struct pf_nyt_node *node = &tree->nodes[step.node];
        if (!step.alone && step.node != tree->nodes[node->parent].last_child) {
            if ((node->calls == 0 && !push_step(batches, step.node, step.stack, true)) ||
                !push_step(batches, node->next, step.stack, false))
                return false;
            if (node->calls == 0)
                continue;
        }
        uint32_t stack = pf_dict_add_frame(r->places.dict, step.stack,
                                           pf_nyt_places_callee(&r->places, node->name));
        if (node->calls != 0) {
            batches->first[*rows] = stack;
            batches->labels[*rows] = 0;
            batches->numbers[0][*rows] = pf_nyt_amount_value(node->self, &tree->unit);
            batches->numbers[1][(*rows)++] = node->calls;
        }
        if (!push_first_child(batches, tree, step.node, stack))
            return false;
    }
    return true;
}

static int fill_stacks(struct pf_reader *reader, struct pf_nyt_reader *r,
                       const struct pf_nyt_epoch *at, struct pf_batch *batch)
{
    struct pf_nyt_batches *batches = &r->batches;
    const struct pf_nyt_tree *tree = &at->tree;
    bool ticks = pf_nyt_unit_ticks(&tree->unit);
    uint32_t rows = 0;
    if (!ticks && tree->unit.fine_left)
        return too_big(reader, "excl");
    if (tree->failed || (batches->next++ == 0 && !push_first_child(batches, tree, 0, 0)) ||
        !walk(r, tree, &rows))
        return nomem(reader);
    if (rows == 0) {
        batches->next = 0;
        return PF_EOF;
    }
    if (tree->shortened && batches->next == 1)
        pf_report_send(
            &reader->report, PF_WARNING,
            "calls whose callers never returned are deeper than is told: their stacks are "
            "shortened");
    batches->values[0].measure = self_time(reader, "excl", PF_SAMPLE, true, at->clock, ticks);
    batches->values[1].measure = pf_nyt_count_measure(reader->dict, "calls", PF_SAMPLE, PF_SUM);
    set_columns(batches, batch, PF_SAMPLE, rows, 2);
    batch->stack = batches->first;
    return PF_OK;
}

/* ---- Callers ---- */

static const struct {
    const char *name;
    enum pf_role role;
} TIMES[PF_NYT_EDGE_TIMES] = {{"incl", PF_INCLUSIVE}, {"excl", PF_SELF}, {"reci", PF_INCLUSIVE}};

static uint32_t copy_edges(struct pf_nyt_reader *r)
{
    struct pf_nyt_batches *batches = &r->batches;
    struct pf_nyt_edges *edges = &r->edges;
    uint32_t rows = 0;
    for (; rows < PF_BATCH_ROWS && batches->next < edges->count; batches->next++) {
        const struct pf_nyt_edge *edge = pf_table_row(&edges->rows, (uint32_t)batches->next);
        const struct pf_nyt_edge_sums *sums = &edges->sums[batches->next];
        if (batches->next == 0 && sums->calls == 0)
            continue;
        batches->first[rows] =
            pf_nyt_places_caller(&r->places, edge->caller, edge->fid, edge->line);
        batches->second[rows] = pf_nyt_places_callee(&r->places, edge->callee);
        batches->labels[rows] = pf_nyt_places_label(&r->places, edge->fid);
        batches->numbers[0][rows] = sums->calls;
        for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
            batches->numbers[1 + k][rows] = pf_nyt_amount_value(sums->times[k], &edges->units[k]);
        batches->numbers[1 + PF_NYT_EDGE_TIMES][rows++] = sums->depth;
    }
    return rows;
}

static int fill_edges(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    struct pf_nyt_batches *batches = &r->batches;
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        if (!pf_nyt_unit_ticks(&r->edges.units[k]) && r->edges.units[k].fine_left)
            return too_big(reader, TIMES[k].name);
    uint32_t rows = copy_edges(r);
    if (rows == 0)
        return PF_EOF;
    batches->values[0].measure = pf_nyt_count_measure(reader->dict, "calls", PF_EDGE, PF_SUM);
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        batches->values[1 + k].measure =
            pf_nyt_time_measure(reader->dict, TIMES[k].name, PF_EDGE, TIMES[k].role,
                                k == PF_NYT_INCL, r->clock, pf_nyt_unit_ticks(&r->edges.units[k]));
    batches->values[1 + PF_NYT_EDGE_TIMES].measure =
        pf_nyt_count_measure(reader->dict, "depth", PF_EDGE, PF_MAX);
    set_columns(batches, batch, PF_EDGE, rows, PF_NYT_COLUMNS);
    batch->location = batches->first;
    batch->callee = batches->second;
    return PF_OK;
}

/* ---- The order ---- */

static int fill_phase(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    struct pf_nyt_batches *batches = &r->batches;
    const struct pf_nyt_epoch *at = batches->epoch < r->epoch_count ? &r->epochs[batches->epoch]
                                                                    : NULL;
    switch (batches->phase) {
    case PF_NYT_FILL_LINES:
    case PF_NYT_FILL_BLOCKS: return at ? fill_statements(reader, r, at, batch) : PF_EOF;
    case PF_NYT_FILL_BLOCK_TIMES: return at ? fill_block_times(reader, r, at, batch) : PF_EOF;
    case PF_NYT_FILL_STACKS: return at ? fill_stacks(reader, r, at, batch) : PF_EOF;
    case PF_NYT_FILL_BEFORE_EDGES:
        return pf_nyt_metas_next(&r->held, r->before_edges, batch) ? PF_OK : PF_EOF;
    case PF_NYT_FILL_EDGES: return fill_edges(reader, r, batch);
    case PF_NYT_FILL_REST:
    default: return pf_nyt_metas_next(&r->held, r->held.count, batch) ? PF_OK : PF_EOF;
    }
}

static void next_phase(struct pf_nyt_reader *r)
{
    struct pf_nyt_batches *batches = &r->batches;
    struct pf_nyt_epoch *at = batches->epoch < r->epoch_count ? &r->epochs[batches->epoch] : NULL;
    batches->next = 0;
    /* Frees what no later batch needs. */
    if (at && batches->phase == PF_NYT_FILL_BLOCK_TIMES)
        pf_nyt_lines_free(&at->lines);
    if (at && batches->phase == PF_NYT_FILL_STACKS)
        pf_nyt_tree_free(&at->tree);
    if (batches->phase == PF_NYT_FILL_STACKS && batches->epoch + 1 < r->epoch_count) {
        batches->epoch++;
        batches->phase = PF_NYT_FILL_LINES;
    } else {
        batches->phase++;
    }
}

static bool fill_found(struct pf_nyt_reader *r, struct pf_batch *batch)
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

/* Rows that the parser found, then the sums: PF_OK and a batch, or the result of the input. */
static int fill_batch(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    if (r->ready.failed || r->held.failed || r->places.failed || r->places.files.failed ||
        r->edges.failed)
        return nomem(reader);
    if (fill_found(r, batch))
        return PF_OK;
    while (r->batches.phase > PF_NYT_PARSE && r->batches.phase < PF_NYT_DONE) {
        int status = fill_phase(reader, r, batch);
        if (status != PF_EOF)
            return status;
        next_phase(r);
    }
    if (r->batches.phase == PF_NYT_DONE && r->result < 0)
        reader->error = r->error;
    return r->batches.phase == PF_NYT_DONE ? r->result : PF_EOF;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_nyt_reader *r = reader->state;
    if (r->batches.phase == PF_NYT_DECLARE) {
        r->batches.phase = PF_NYT_PARSE;
        int status = pf_nyt_parse(reader, r);
        return status == PF_OK ? declare_lines(reader, r, batch) : status;
    }
    int status = fill_batch(reader, r, batch);
    while (status == PF_EOF && r->batches.phase == PF_NYT_PARSE) {
        status = pf_nyt_parse(reader, r);
        if (status == PF_OK)
            status = fill_batch(reader, r, batch);
    }
    return status;
}

/* ---- Merging ---- */

/* A writer counts or adds up some attributes, and needs the files, subs and processes of each
 * input. A `source` row belongs to the text behind it, and no text follows the metadata of a
 * merge. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const of_each[] = {"application", "cumulative_overhead_ticks",
                                          "ticks_per_sec"};

    if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return pf_bytes_starts(key, PF_BYTES("source")) ? PF_META_NEVER : PF_META_EACH;
    for (size_t k = 0; k < sizeof of_each / sizeof *of_each; k++)
        if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)) &&
            pf_bytes_equal(key, pf_bytes_of(of_each[k])))
            return PF_META_EACH;
    return PF_META_ONCE;
}

static enum pf_meta_name names(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return PF_META_NO_NAME;
    if (pf_bytes_starts(key, PF_BYTES("fid ")) ||
        pf_bytes_starts(key, PF_BYTES(PF_NYT_RENAMED "fid ")))
        return PF_META_FILE;
    return pf_bytes_starts(key, PF_BYTES("sub ")) || pf_bytes_equal(key, PF_BYTES("xsub"))
               ? PF_META_FUNCTION
               : PF_META_NO_NAME;
}

/* `start PID PPID TIME` and `end PID TIME`: the time is that of a double in seconds. */
static int64_t duration(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value)
{
    enum { DIGITS = 16 };
    bool end = pf_bytes_starts(key, PF_BYTES("end ")),
         start = pf_bytes_starts(key, PF_BYTES("start "));
    char digits[DIGITS + 1] = "";
    uint64_t bits;
    double seconds;

    (void)value;
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)) || !(start || end) ||
        key.size < DIGITS)
        return 0;
    memcpy(digits, key.data + key.size - DIGITS, DIGITS);
    bits = strtoull(digits, NULL, 16);
    memcpy(&seconds, &bits, sizeof seconds);
    if (!(seconds > 0 && seconds < 1e10))
        return 0;
    return (int64_t)(seconds * 1e9) * (end ? 1 : -1);
}

static const struct pf_merging merging = {.rule = rule,
                                          .duration = duration,
                                          .own_label = "fid",
                                          .names = names,
                                          .renamed = PF_NYT_RENAMED};

/* ---- The format ---- */

static const struct pf_option options[] = {
    {"limit",
     "how many statements and calls of other formats are written at most, each a record: 16777216 "
     "where nothing is said",
     NULL, false, true},
    {NULL, NULL, NULL, false, false},
};

const struct pf_format pf_format_nytprof = {
    .name = "nytprof",
    .about = "Devel::NYTProf, the Perl profiler: lines, callers, call stacks, sources",
    .suffixes = ".nyt",
    .losses = "labels; measures but times, statements, calls and depth; columns, images, "
              "addresses, positions of entries among returns; "
              "records without a file, negative numbers and samples that are no times are refused; "
              "stacks without numbers of calls "
              "count as one call each, a sub has one place, times of lines finer than a nanosecond "
              "are rounded",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_COMPRESSES | PF_CALLS_TELL,
    .merging = &merging,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct pf_nyt_reader),
    .open_reader = pf_nyt_open_reader,
    .read = read_batch,
    .close_reader = pf_nyt_close_reader,
    .writer_size = sizeof(struct pf_nyt_writer),
    .open_writer = pf_nyt_writer_open,
    .holds_label = pf_nyt_writer_holds_label,
    .write = pf_nyt_writer_write,
    .finish = pf_nyt_writer_finish,
    .close_writer = pf_nyt_writer_close,
};
