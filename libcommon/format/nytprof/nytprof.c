/* Devel::NYTProf: the files that all releases since 4.00 write. Detection, batches from the
 * reader's sums, and the rules for metadata in a merge (formats page, section 1.15). */
#include "base/calendar.h"
#include "base/memory.h"
#include "codec/format.h"
#include "format/nytprof/reader.h"
#include "format/nytprof/wire.h"
#include "format/nytprof/writer.h"

#include <stdlib.h>
#include <string.h>

/* --- evidence --------------------------------------------------------------------------------- */

enum { WINDOW = 16 * 1024 };

/* True if the file is Pynytprof's, which has the same first line: chunks with lengths follow the
 * lines of text. */
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

/* --- failures --------------------------------------------------------------------------------- */

static int nomem(struct pf_reader *reader)
{
    return pf_error_nomem(&reader->error);
}

static int too_big(struct pf_reader *reader, const char *measure)
{
    return pf_error_set(&reader->error, PF_OVERFLOW, "a sum of '%s' overflows 64 bits", measure);
}

/* --- lines ------------------------------------------------------------------------------------ */

static uint32_t self_time(struct pf_dict *dict, const char *name, enum pf_kind kind, bool main,
                          struct pf_nyt_clock clock, bool ticks)
{
    return pf_nyt_time_measure(dict, name, kind, PF_SELF, main, clock, ticks);
}

/* Begins FLAT records with two measures. */
static void begin_lines(struct pf_rows *rows, uint32_t first, uint32_t second)
{
    pf_rows_begin(rows, PF_FLAT);
    pf_rows_measure(rows, first);
    pf_rows_measure(rows, second);
}

static void begin_statements(struct pf_nyt_reader *r, struct pf_nyt_clock clock)
{
    begin_lines(&r->rows, r->stmts, self_time(r->rows.dict, "time", PF_FLAT, true, clock, true));
}

static void drop_lines(struct pf_nyt_filling *filling)
{
    free(filling->owned);
    free(filling->locations);
    filling->owned = filling->lines = NULL;
    filling->locations = NULL;
    filling->line_count = 0;
}

static int set_lines(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_nyt_line *lines,
                     size_t count)
{
    struct pf_nyt_filling *filling = &r->filling;
    filling->lines = lines;
    filling->line_count = count;
    filling->locations = malloc((count + 1) * sizeof *filling->locations);
    if (!filling->locations ||
        pf_nyt_places_lines(&r->places, lines, count, filling->locations) != PF_OK)
        return nomem(reader);
    return PF_OK;
}

/* The label set of a line: the file number if it needs one; for statements with blocks the first
 * lines of block and sub. */
static uint32_t line_labels(struct pf_nyt_reader *r, const struct pf_nyt_line *line,
                            const struct pf_nyt_block *block)
{
    uint32_t labels = pf_nyt_places_label(&r->places, line->fid);
    if (!block)
        return labels;
    labels = pf_dict_add_number(r->rows.dict, labels, r->block_key, block->block, 0);
    return pf_dict_add_number(r->rows.dict, labels, r->sub_key, block->sub, 0);
}

/* Adds the next lines as records until a batch is full. */
static void add_lines(struct pf_nyt_reader *r, const struct pf_table *blocks)
{
    struct pf_nyt_filling *filling = &r->filling;
    for (; filling->next < filling->line_count && !pf_rows_ready(&r->rows); filling->next++) {
        const struct pf_nyt_line *line = &filling->lines[filling->next];
        const struct pf_nyt_block *block =
            blocks ? pf_table_row(blocks, (uint32_t)filling->next + 1) : NULL;
        pf_rows_flat(&r->rows, filling->locations[filling->next], line_labels(r, line, block));
        pf_rows_set_values(&r->rows, 0, (const int64_t[]){line->count, line->ticks}, 2);
    }
}

static int fill_statements(struct pf_reader *reader, struct pf_nyt_reader *r,
                           const struct pf_nyt_epoch *at)
{
    const struct pf_nyt_lines *lines = &at->lines;
    bool blocks = r->filling.phase == PF_NYT_FILL_BLOCKS;
    if (lines->left)
        return too_big(reader, "time");
    if (!r->filling.locations) {
        size_t count = blocks ? lines->sum_count : lines->count;
        struct pf_nyt_line *rows = blocks ? lines->sums : lines->rows;
        if (count <= 1)
            return PF_OK;
        for (uint32_t id = 1; blocks && id < count; id++) {
            const struct pf_nyt_block *block = pf_table_row(&lines->blocks, id);
            rows[id].fid = block->fid;
            rows[id].line = block->line;
        }
        int status = set_lines(reader, r, rows + 1, count - 1);
        if (status != PF_OK)
            return status;
    }
    begin_statements(r, at->clock);
    add_lines(r, blocks ? &lines->blocks : NULL);
    return PF_OK;
}

/* Sums the times of blocks and of subs, by their first lines. In a row of `sums`, `count` is the
 * time of the block that begins at the line, and `ticks` the time of the sub that begins there. */
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

/* Removes rows without a time, but not row 0. Returns how many rows remain. */
static size_t without_empty(struct pf_nyt_line *rows, size_t count)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (rows[i].count != 0 || rows[i].ticks != 0)
            rows[kept++] = rows[i];
    return kept;
}

static int find_block_times(struct pf_reader *reader, struct pf_nyt_reader *r,
                            const struct pf_nyt_lines *lines)
{
    struct pf_nyt_lines sums;
    int status = pf_nyt_lines_init(&sums) == PF_OK ? sum_blocks(reader, lines, &sums)
                                                   : nomem(reader);
    r->filling.owned = sums.rows;
    size_t count = without_empty(sums.rows, sums.count);
    sums.rows = NULL;
    pf_nyt_lines_free(&sums);
    return status == PF_OK ? set_lines(reader, r, r->filling.owned + 1, count - 1) : status;
}

static int fill_block_times(struct pf_reader *reader, struct pf_nyt_reader *r,
                            const struct pf_nyt_epoch *at)
{
    int status = PF_OK;
    if (at->lines.sum_count <= 1)
        return PF_OK;
    if (!r->filling.locations)
        status = find_block_times(reader, r, &at->lines);
    if (status != PF_OK || r->filling.next == r->filling.line_count)
        return status;
    uint32_t block = self_time(reader->dict, "block_time", PF_FLAT, false, at->clock, true);
    uint32_t sub = self_time(reader->dict, "sub_time", PF_FLAT, false, at->clock, true);
    begin_lines(&r->rows, block, sub);
    add_lines(r, NULL);
    return PF_OK;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static bool push_step(struct pf_nyt_filling *filling, uint32_t node, uint32_t stack, bool alone)
{
    if (!pf_grow(&filling->steps, &filling->step_capacity, filling->step_count + 1,
                 sizeof *filling->steps))
        return false;
    filling->steps[filling->step_count++] = (struct pf_nyt_step){node, stack, alone};
    return true;
}

/* Pushes the first child of a node. */
static bool push_first_child(struct pf_nyt_filling *filling, const struct pf_nyt_tree *tree,
                             uint32_t node, uint32_t stack)
{
    uint32_t last = tree->nodes[node].last_child;
    return !last || push_step(filling, tree->nodes[last].next, stack, false);
}

/* Visits nodes and adds their stacks until a batch is full. A caller comes before the subs that it
 * called; among siblings, subs that never returned come last. False: out of memory. */
static bool walk(struct pf_nyt_reader *r, const struct pf_nyt_tree *tree)
{
    struct pf_nyt_filling *filling = &r->filling;
    while (filling->step_count > 0 && !pf_rows_ready(&r->rows)) {
        struct pf_nyt_step step = filling->steps[--filling->step_count];
        const struct pf_nyt_node *node = &tree->nodes[step.node];
        if (!step.alone && step.node != tree->nodes[node->parent].last_child) {
            if ((node->calls == 0 && !push_step(filling, step.node, step.stack, true)) ||
                !push_step(filling, node->next, step.stack, false))
                return false;
            if (node->calls == 0)
                continue;
        }
        uint32_t stack = pf_dict_add_frame(r->places.dict, step.stack,
                                           pf_nyt_places_callee(&r->places, node->name));
        if (node->calls != 0) {
            int64_t values[] = {pf_nyt_amount_value(node->self, &tree->unit), node->calls};
            pf_rows_stack(&r->rows, stack, 0);
            pf_rows_set_values(&r->rows, 0, values, 2);
        }
        if (!push_first_child(filling, tree, step.node, stack))
            return false;
    }
    return true;
}

static int fill_stacks(struct pf_reader *reader, struct pf_nyt_reader *r,
                       const struct pf_nyt_epoch *at)
{
    const struct pf_nyt_tree *tree = &at->tree;
    bool ticks = pf_nyt_unit_ticks(&tree->unit), first = r->filling.next++ == 0;
    if (!ticks && tree->unit.fine_left)
        return too_big(reader, "excl");
    if (tree->failed || (first && !push_first_child(&r->filling, tree, 0, 0)))
        return nomem(reader);
    if (r->filling.step_count == 0)
        return PF_OK;
    pf_rows_begin(&r->rows, PF_SAMPLE);
    pf_rows_measure(&r->rows, self_time(reader->dict, "excl", PF_SAMPLE, true, at->clock, ticks));
    pf_rows_measure(&r->rows, pf_nyt_count_measure(reader->dict, "calls", PF_SAMPLE, PF_SUM));
    if (!walk(r, tree))
        return nomem(reader);
    if (tree->shortened && first)
        pf_report_send(&reader->report, PF_WARNING,
                       "more callers never returned than are kept: some stacks are shortened");
    return PF_OK;
}

/* --- callers ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum pf_role role;
} TIMES[PF_NYT_EDGE_TIMES] = {{"incl", PF_INCLUSIVE}, {"excl", PF_SELF}, {"reci", PF_INCLUSIVE}};

static void begin_edges(struct pf_nyt_reader *r)
{
    struct pf_dict *dict = r->rows.dict;
    pf_rows_begin(&r->rows, PF_EDGE);
    pf_rows_measure(&r->rows, pf_nyt_count_measure(dict, "calls", PF_EDGE, PF_SUM));
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        pf_rows_measure(&r->rows, pf_nyt_time_measure(dict, TIMES[k].name, PF_EDGE, TIMES[k].role,
                                                      k == PF_NYT_INCL, r->clock,
                                                      pf_nyt_unit_ticks(&r->edges.units[k])));
    pf_rows_measure(&r->rows, pf_nyt_count_measure(dict, "depth", PF_EDGE, PF_MAX));
}

static int fill_edges(struct pf_reader *reader, struct pf_nyt_reader *r)
{
    struct pf_nyt_edges *edges = &r->edges;
    size_t *next = &r->filling.next;
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        if (!pf_nyt_unit_ticks(&edges->units[k]) && edges->units[k].fine_left)
            return too_big(reader, TIMES[k].name);
    if (*next == 0 && edges->count > 0 && edges->sums[0].calls == 0)
        ++*next;
    if (*next == edges->count)
        return PF_OK;
    begin_edges(r);
    for (; *next < edges->count && !pf_rows_ready(&r->rows); ++*next) {
        const struct pf_nyt_edge *edge = pf_table_row(&edges->rows, (uint32_t)*next);
        const struct pf_nyt_edge_sums *sums = &edges->sums[*next];
        uint32_t caller = pf_nyt_places_caller(&r->places, edge->caller, edge->fid, edge->line);
        uint32_t callee = pf_nyt_places_callee(&r->places, edge->callee);
        pf_rows_edge(&r->rows, caller, callee, pf_nyt_places_label(&r->places, edge->fid));
        int64_t values[PF_NYT_EDGE_TIMES + 2] = {sums->calls};
        for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
            values[1 + k] = pf_nyt_amount_value(sums->times[k], &edges->units[k]);
        values[1 + PF_NYT_EDGE_TIMES] = sums->depth;
        pf_rows_set_values(&r->rows, 0, values, PF_NYT_EDGE_TIMES + 2);
    }
    return PF_OK;
}

/* --- the order -------------------------------------------------------------------------------- */

/* The next batch of the phase: PF_OK; PF_EOF: the phase has no more batches; or a failure. */
static int fill_phase(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    const struct pf_nyt_epoch *at = &r->epochs[r->filling.epoch];
    struct pf_rows *rows = &r->rows;
    int status = PF_OK;
    switch (r->filling.phase) {
    case PF_NYT_FILL_LINES:
    case PF_NYT_FILL_BLOCKS: status = fill_statements(reader, r, at); break;
    case PF_NYT_FILL_BLOCK_TIMES: status = fill_block_times(reader, r, at); break;
    case PF_NYT_FILL_STACKS: status = fill_stacks(reader, r, at); break;
    case PF_NYT_FILL_BEFORE_EDGES: rows = &r->held[0]; break;
    case PF_NYT_FILL_EDGES: status = fill_edges(reader, r); break;
    case PF_NYT_FILL_REST:
    default: rows = &r->held[1]; break;
    }
    return status != PF_OK || pf_rows_give(rows, batch) ? status : PF_EOF;
}

static void next_phase(struct pf_nyt_reader *r)
{
    struct pf_nyt_filling *filling = &r->filling;
    struct pf_nyt_epoch *at = &r->epochs[filling->epoch];
    filling->next = 0;
    drop_lines(filling);
    /* No later batch needs these. */
    if (filling->phase == PF_NYT_FILL_BLOCK_TIMES)
        pf_nyt_lines_free(&at->lines);
    if (filling->phase == PF_NYT_FILL_STACKS)
        pf_nyt_tree_free(&at->tree);
    if (filling->phase == PF_NYT_FILL_STACKS && filling->epoch + 1 < r->epoch_count) {
        filling->epoch++;
        filling->phase = PF_NYT_FILL_LINES;
    } else {
        filling->phase++;
    }
}

static bool give_texts(struct pf_nyt_reader *r, struct pf_batch *batch)
{
    if (r->text_count == 0)
        return false;
    batch->kind = PF_TEXT;
    batch->rows = (uint32_t)r->text_count;
    batch->texts = r->texts;
    r->text_count = 0;
    return true;
}

/* Makes a batch: from rows that the parser found, then from the sums. PF_OK with a batch; PF_EOF
 * while the parser goes on; at the end the result of the input. */
static int fill_batch(struct pf_reader *reader, struct pf_nyt_reader *r, struct pf_batch *batch)
{
    if (pf_dict_status(reader->dict) == PF_NOMEM || r->places.failed || r->places.files.failed ||
        r->edges.failed)
        return nomem(reader);
    if (pf_rows_give(&r->rows, batch) || give_texts(r, batch))
        return PF_OK;
    while (r->filling.phase > PF_NYT_PARSE && r->filling.phase < PF_NYT_DONE) {
        int status = fill_phase(reader, r, batch);
        if (status != PF_EOF)
            return status;
        next_phase(r);
    }
    if (r->filling.phase == PF_NYT_DONE && r->result < 0)
        reader->error = r->error;
    return r->filling.phase == PF_NYT_DONE ? r->result : PF_EOF;
}

/* The first batch declares the measures, so that a profile without records has them too. It needs
 * the length of a tick, which is before the first record: so parsing begins before. */
static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_nyt_reader *r = reader->state;
    int status = PF_OK;
    if (r->filling.phase == PF_NYT_DECLARE) {
        r->filling.phase = PF_NYT_PARSE;
        status = pf_nyt_parse(reader, r);
        begin_statements(r, r->clock);
        pf_rows_declare_ahead(&r->rows);
    }
    if (status == PF_OK)
        status = fill_batch(reader, r, batch);
    while (status == PF_EOF && r->filling.phase == PF_NYT_PARSE) {
        status = pf_nyt_parse(reader, r);
        if (status == PF_OK)
            status = fill_batch(reader, r, batch);
    }
    return status;
}

/* --- merging ---------------------------------------------------------------------------------- */

/* The writer counts or adds up some attributes, and needs the files, subs and processes of each
 * input. A `source` row belongs to the text after it, and in a merge no text follows the
 * metadata. */
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

/* The time in the keys `start PID PPID TIME` and `end PID TIME` is the bits of a double in
 * seconds. */
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
    seconds = pf_double_of(bits);
    if (!(seconds > 0 && seconds < 1e10))
        return 0;
    return (int64_t)(seconds * 1e9) * (end ? 1 : -1);
}

/* These attributes describe the whole file; nytprofmerge writes them at its end. */
static enum pf_meta_place place(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const late[] = {"application", "basetime", "cumulative_overhead_ticks"};

    (void)origin;
    for (size_t k = 0; k < sizeof late / sizeof *late; k++)
        if (pf_bytes_equal(key, pf_bytes_of(late[k])))
            return PF_META_WHOLE;
    return pf_bytes_equal(key, PF_BYTES("comment")) ? PF_META_LIST : PF_META_FROM_HERE;
}

static enum pf_meta_time start(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time)
{
    return pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)) &&
                   pf_bytes_equal(key, PF_BYTES("basetime")) && pf_time_parse_seconds(value, time)
               ? PF_META_IS_TIME
               : PF_META_NO_TIME;
}

static const struct pf_merging merging = {.rule = rule,
                                          .duration = duration,
                                          .place = place,
                                          .start = start,
                                          .start_late = true,
                                          .own_label = "fid",
                                          .names = names,
                                          .renamed = PF_NYT_RENAMED};

/* --- the format ------------------------------------------------------------------------------- */

static const struct pf_option options[] = {
    {"limit",
     "the largest number of statements and calls to write, a record for each (default 16777216; "
     "of NYTProf's own profiles 4294967295)",
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
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_COMPRESSES | PF_CALLS_TELL |
            PF_TEXTS_FIRST,
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
