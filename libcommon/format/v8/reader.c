/* The reader of V8's profiles (.cpuprofile, .heapprofile), which node, Deno, Bun, Hermes and the
 * DevTools write. This file reads the samples and their times, and makes the records; nodes.c reads
 * the nodes. Members of the document may come in any order, so samples are held as numbers and
 * become records when the document ends. */
#include "format/v8/v8.h"

#include "base/memory.h"
#include "base/number.h"
#include "codec/json_reader.h"
#include "io/json_look.h"
#include "model/amounts.h"
#include "model/call_tree.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PLACES = 6, /* decimals of a microsecond: times are exact to a picosecond */
    SECONDS = 6      /* a second is 10^6 microseconds */
};

static int bid_cpu(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {
        "nodes[].callFrame", "timeDeltas", "nodes[].hitCount",  "head.hitCount",
        "head.callUID",      "timestamps", "head.functionName", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    if ((found & 1) || (found & 2 && found & 4))
        return 48;
    return found & 0x68 && found & 0x50 ? 40 : 0;
}

static int bid_heap(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"head.selfSize", "head.callFrame",
                                        "head.children[].selfSize", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    return found & 5 ? 48 : 0;
}

struct v8_reader {
    struct pf_json_cut cut;
    bool heap; /* a profile of the heap */
    /* options */
    bool next; /* a sample gets the time to the next sample, else the time since the last one */
    bool heap_samples; /* records are samples of the heap, not the sizes of the nodes */
    /* the document */
    struct pf_v8_nodes nodes;
    struct pf_call_samples samples;
    bool sampled;  /* the document has samples */
    bool absolute; /* `deltas` holds times of samples, not times between samples */
    bool old;      /* a processor profile with a head instead of nodes: its times are seconds */
    uint32_t start, end; /* strings: startTime and endTime */
    /* Our own writer wrote the document: the first sample of a node stands for all hits of the
     * node. */
    bool own;
    /* name and unit (strings) of the measures of deltas or sizes, and of hits; 0, 0: the document
     * does not name the measure */
    uint32_t own_time[2], own_count[2];
    bool read;  /* the document was read */
    int result; /* the result of reading the document */
    /* records */
    bool add_next;      /* samples become records, from number `next_sample` on */
    size_t next_sample; /* number of the sample that becomes the next record */
    size_t unknown;     /* number of samples whose nodes the profile does not define */
    bool hits, timed;   /* column 0 counts hits; `column` has the amounts of `deltas` */
    uint32_t column;
    bool with_lines; /* hits of lines become records after all samples */
};

static bool option_is(const struct pf_reader *reader, const char *name, const char *value)
{
    const char *text = pf_options_get(reader->options, name);

    return text && strcmp(text, value) == 0;
}

static int open_reader(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;

    if (pf_v8_nodes_init(&state->nodes, &state->cut, reader->dict) != PF_OK)
        return pf_error_nomem(&reader->error);
    pf_json_reader_open(&state->cut, reader);
    state->heap = strcmp(reader->format->name, "heapprofile") == 0;
    state->nodes.count_key = state->heap ? PF_BYTES("selfSize") : PF_BYTES("hitCount");
    state->nodes.keep_lines = !state->heap && (reader->lines || option_is(reader, "lines", "yes"));
    state->next = !option_is(reader, "deltas", "before");
    state->heap_samples = option_is(reader, "sizes", "samples");
    state->samples.deltas.most = MOST_PLACES;
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;

    pf_v8_nodes_free(&state->nodes);
    pf_call_samples_free(&state->samples);
    pf_json_cut_close(&state->cut);
}

/* --- the document ----------------------------------------------------------------------------- */

/* Reads a node of the array `nodes`. */
static int read_node(struct pf_json_cut *cut, void *field)
{
    struct v8_reader *state = field;

    (void)cut;
    return pf_v8_nodes_read(&state->nodes);
}

/* Reads the outermost node, if all other nodes are nested in it. */
static int read_head(struct pf_json_cut *cut, void *field)
{
    struct v8_reader *state = field;

    (void)cut;
    state->old = !state->heap;
    return pf_v8_nodes_read(&state->nodes);
}

static int add_sample(struct pf_reader *reader, int64_t number)
{
    struct v8_reader *state = reader->state;
    uint32_t id = pf_call_tree_number(&state->nodes.tree, number);

    if (id == 0 || pf_call_samples_add(&state->samples, id) != PF_OK)
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

/* {"size":1000,"nodeId":3,"ordinal":5}; the ordinal is not needed. */
struct heap_sample {
    int64_t size, node;
};

static int read_heap_sample(struct pf_json_cut *cut, void *field)
{
    static const struct pf_json_member members[] = {
        {"size", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_read_int, offsetof(struct heap_sample, size),
         NULL},
        {"nodeId", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_try_int,
         offsetof(struct heap_sample, node), NULL},
        {0},
    };
    struct v8_reader *state = field;
    struct heap_sample sample = {0};
    int status = pf_json_object(cut, members, &sample);

    if (status == PF_OK)
        status = add_sample(cut->owner, sample.node);
    if (status == PF_OK && pf_decimals_add(&state->samples.deltas, sample.size) != PF_OK)
        status = pf_error_nomem(cut->error);
    return status;
}

static int read_samples(struct pf_json_cut *cut, void *field)
{
    struct v8_reader *state = field;
    int64_t number;
    int status;

    if (state->heap && !state->heap_samples)
        return pf_json_cut_skip(cut);
    state->sampled = true;
    if (state->heap)
        return pf_json_array(cut, read_heap_sample, state);
    status = pf_json_cut_enter(cut, '[');
    while (status == PF_OK && (status = pf_json_cut_next_int(cut, &number)) == PF_OK)
        status = add_sample(cut->owner, number);
    return status == PF_EOF ? PF_OK : status;
}

static int read_delta(struct pf_json_cut *cut, void *field)
{
    struct v8_reader *state = field;
    struct pf_decimals *deltas = &state->samples.deltas;
    struct pf_bytes text;
    char what[64];
    int64_t value;
    int status = pf_json_cut_number(cut, &text);

    if (status != PF_OK)
        return status;
    status = state->absolute ? pf_decimals_take(deltas, text, &value)
                             : pf_decimals_take_part(deltas, text, &value);
    if (status != PF_OK) {
        snprintf(what, sizeof what, "record %zu: the time", deltas->count + 1);
        return pf_json_cut_refuse_number(cut, text, what);
    }
    return pf_decimals_add(deltas, value) == PF_OK ? PF_OK : pf_error_nomem(cut->error);
}

static int read_deltas(struct pf_json_cut *cut, void *field)
{
    const struct v8_reader *state = field;

    return state->heap ? pf_json_cut_skip(cut) : pf_json_array(cut, read_delta, field);
}

/* Reads times of samples, which some profiles have instead of times between samples. */
static int read_timestamps(struct pf_json_cut *cut, void *field)
{
    struct v8_reader *state = field;

    state->absolute = !state->heap;
    return read_deltas(cut, field);
}

/* Reads startTime or endTime: microseconds, in old profiles seconds. */
static int read_time(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    struct v8_reader *state = reader->state;
    uint32_t *time = field;
    int status = pf_json_read_text(cut, time);

    if (status == PF_OK)
        pf_rows_meta(&reader->rows, reader->format->name,
                     pf_bytes_of(time == &state->start ? "startTime" : "endTime"),
                     pf_dict_string(reader->dict, *time));
    return status;
}

static void own_measure(struct pf_reader *reader, const json_t *own, const char *key,
                        uint32_t measure[2])
{
    for (size_t k = 0; k < 2; k++) {
        const json_t *text = json_array_get(json_object_get(own, key), k);

        measure[k] = pf_dict_intern_text(
            reader->dict, (struct pf_bytes){json_string_value(text), json_string_length(text)});
    }
}

/* Reads the names and units of the measures that our writer adds. */
static int read_own(struct pf_json_cut *cut, void *field)
{
    struct v8_reader *state = field;
    const json_t *own;
    int status = pf_json_cut_value(cut, &own);

    if (status != PF_OK)
        return status;
    state->own = true;
    own_measure(cut->owner, own, state->heap ? "sizes" : "deltas", state->own_time);
    own_measure(cut->owner, own, "hits", state->own_count);
    return PF_OK;
}

static int read_document(struct pf_reader *reader)
{
    static const struct pf_json_member members[] = {
        {"nodes", PF_JSON_ARRAY | PF_JSON_EACH, read_node, 0, NULL},
        {"head", PF_JSON_OBJECT, read_head, 0, NULL},
        {"samples", PF_JSON_ARRAY | PF_JSON_LAX, read_samples, 0, NULL},
        {"timeDeltas", PF_JSON_ARRAY, read_deltas, 0, NULL},
        {"timestamps", PF_JSON_ARRAY, read_timestamps, 0, NULL},
        {"startTime", PF_JSON_NUMBER | PF_JSON_LAX, read_time, offsetof(struct v8_reader, start),
         NULL},
        {"endTime", PF_JSON_NUMBER | PF_JSON_LAX, read_time, offsetof(struct v8_reader, end), NULL},
        {"profutils", PF_JSON_ANY, read_own, 0, NULL},
        {0},
    };
    struct v8_reader *state = reader->state;

    return pf_json_document(&state->cut, members, state);
}

/* --- records ---------------------------------------------------------------------------------- */

/* Converts `text` (a string; 0: none), startTime or endTime, to 10^-places microseconds. False:
 * the text is not a time that fits. */
static bool document_time(const struct pf_reader *reader, uint32_t text, int places,
                          pf_int128 *time)
{
    const struct v8_reader *state = reader->state;
    bool exact;

    return text && pf_decimal_scale128(pf_dict_string(reader->dict, text),
                                       (state->old ? SECONDS : 0) + places, time, &exact);
}

/* Sets the time from the start of the profile to its end, if both are known. */
static void find_span(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;
    struct pf_call_samples *samples = &state->samples;
    pf_int128 start, end;

    samples->has_span = document_time(reader, state->start, samples->deltas.most, &start) &&
                        document_time(reader, state->end, samples->deltas.most, &end) &&
                        !__builtin_sub_overflow(end, start, &samples->span);
}

/* Finds the span. If the document has times of samples, replaces each time by the time since the
 * sample before. The first time then counts from the start of the profile; it is 0 if the start is
 * unknown or later than the first sample. */
static int subtract_times(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;
    struct pf_decimals *deltas = &state->samples.deltas;
    int64_t before, time;
    pf_int128 start;

    find_span(reader);
    if (!state->absolute || deltas->count == 0)
        return PF_OK;
    bool known = document_time(reader, state->start, deltas->places, &start) &&
                 start <= deltas->values[0] && start >= INT64_MIN;
    before = known ? (int64_t)start : deltas->values[0];
    state->samples.has_span = state->samples.has_span && known;
    for (size_t k = 0; k < deltas->count; k++) {
        time = deltas->values[k];
        if (__builtin_sub_overflow(time, before, &deltas->values[k]))
            return pf_error_set(&reader->error, PF_OVERFLOW,
                                "record %zu: its time overflows 64 bits", k + 1);
        before = time;
    }
    return PF_OK;
}

/* Makes a measure. `own`: the name and unit (strings) that our writer added; 0, 0: none, the
 * measure gets `name` and `unit`. */
static struct pf_measure make_measure(struct pf_reader *reader, const char *name, const char *unit,
                                      enum pf_kind kind, enum pf_role role, const uint32_t own[2])
{
    struct pf_measure measure;

    if (!own[0])
        return pf_measure_make(reader->dict, name, unit, kind, role, PF_SAMPLED);
    measure = pf_measure_make_named(reader->dict, own[0], NULL, kind, role, PF_SAMPLED);
    measure.unit = own[1];
    return measure;
}

static uint32_t count_measure(struct pf_reader *reader, enum pf_kind kind)
{
    const struct v8_reader *state = reader->state;

    return pf_dict_add_measure(
        reader->dict, make_measure(reader, "hits", "count", kind, PF_COUNT, state->own_count));
}

static uint32_t amount_measure(struct pf_reader *reader, const char *name, const char *unit)
{
    const struct v8_reader *state = reader->state;

    return pf_dict_add_measure(
        reader->dict, make_measure(reader, name, unit, PF_SAMPLE, PF_SELF, state->own_time));
}

/* The stack of a sample's node; UINT32_MAX: the node has no stack. If the profile does not define
 * the node, the stack is `[unknown]`, and *unknown counts the sample. */
static uint32_t sample_stack(struct pf_reader *reader, uint32_t number, size_t *unknown)
{
    struct v8_reader *state = reader->state;
    uint32_t node = state->nodes.tree.rows[number].node;

    if (node)
        return state->nodes.tree.nodes[node].stack;
    ++*unknown;
    return pf_dict_add_frame(reader->dict, 0,
                             pf_dict_add_named(reader->dict, PF_BYTES("[unknown]")));
}

/* Our writer writes each sample twice and puts the time of the sample between the two. Makes each
 * such pair one sample again. */
static void join_twins(struct pf_call_samples *samples)
{
    int64_t *deltas = samples->deltas.values;
    size_t kept = 0;

    for (size_t k = 0; k < samples->count; k++) {
        if (deltas[k] == 0 && k + 1 < samples->count &&
            samples->numbers[k + 1] == samples->numbers[k])
            k++;
        samples->numbers[kept] = samples->numbers[k];
        deltas[kept++] = deltas[k];
    }
    samples->count = kept;
}

/* Puts the samples in the order of time, and gives each its time. */
static int order_samples(struct pf_reader *reader, bool timed)
{
    struct v8_reader *state = reader->state;
    size_t times = state->samples.deltas.count, count = state->samples.count;
    bool sorted;
    int status = subtract_times(reader);

    if (status != PF_OK)
        return status;
    if (timed && times != count)
        pf_report_send(&reader->report, PF_WARNING, "%zu samples and %zu times between them", count,
                       times);
    status = pf_call_samples_order(&state->samples, state->next && !state->own, &sorted);
    if (status != PF_OK)
        return pf_error_set(&reader->error, status,
                            status == PF_NOMEM ? "out of memory"
                                               : "the times of the samples overflow 64 bits");
    if (sorted)
        pf_report_send(&reader->report, PF_NOTE, "samples were not in the order of time: sorted");
    if (state->own)
        join_twins(&state->samples);
    return PF_OK;
}

static uint32_t wall_measure(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;
    struct pf_measure wall =
        make_measure(reader, "wall", "nanoseconds", PF_SAMPLE, PF_SELF, state->own_time);
    struct pf_amount_unit unit = pf_amount_unit_of("microseconds");
    const char *own = pf_dict_string(reader->dict, wall.unit).data;

    if (state->own && !pf_measure_is_time(reader->dict, &wall))
        unit = (struct pf_amount_unit){own, own, 0, 9};
    pf_amounts_scale(reader->dict, &state->samples.deltas, &unit, &wall);
    if (state->own_time[0])
        wall.unit = state->own_time[1];
    return pf_dict_add_measure(reader->dict, wall);
}

/* Adds the next samples as records until a batch is full. All samples at once would take much
 * memory, because a sample of two bytes becomes a record of 24 bytes. Records end before the first
 * sample whose node has no stack. False: no samples are left. */
static bool add_sample_records(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;
    size_t end = state->samples.count - state->next_sample < PF_BATCH_ROWS
                     ? state->samples.count
                     : state->next_sample + PF_BATCH_ROWS;

    for (; state->next_sample < end; state->next_sample++) {
        uint32_t number = state->samples.numbers[state->next_sample];
        uint32_t stack = sample_stack(reader, number, &state->unknown);
        struct pf_call_node *node = &state->nodes.tree.nodes[state->nodes.tree.rows[number].node];

        if (stack == UINT32_MAX) {
            end = state->next_sample = state->samples.count;
            break;
        }
        pf_rows_stack(&reader->rows, stack, 0);
        if (state->hits)
            pf_rows_set(&reader->rows, 0, state->own ? node->count : 1);
        if (state->hits && state->own)
            node->count = 0;
        if (state->timed)
            pf_rows_set(&reader->rows, state->column,
                        state->samples.deltas.values[state->next_sample]);
    }
    if (end < state->samples.count)
        return true;
    if (state->unknown > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "%zu samples have nodes that the profile does not define", state->unknown);
    return false;
}

static int add_samples(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;
    int status;

    state->hits = !state->own || state->own_count[0];
    state->timed = state->samples.deltas.count > 0 && (!state->own || state->own_time[0]);
    if (state->hits)
        pf_rows_measure(&reader->rows, count_measure(reader, PF_SAMPLE));
    status = order_samples(reader, state->timed);
    if (status == PF_OK && state->timed)
        state->column = pf_rows_measure(&reader->rows, wall_measure(reader));
    if (pf_rows_column_count(&reader->rows) == 0)
        return status;
    pf_rows_declare_ahead(&reader->rows);
    state->add_next = status == PF_OK;
    return status;
}

/* Adds a record for each node with hits. Each hit gets an equal part of the profile's time. */
static int add_hits(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;
    const struct pf_call_tree *tree = &state->nodes.tree;
    int64_t span = 0, time = 0; /* nanoseconds; span 0: unknown */
    pf_int128 total = 0;
    size_t record = 0;
    bool timed;

    find_span(reader);
    if (state->samples.has_span &&
        !pf_scale64(state->samples.span, 1, 1000, &span)) /* the span counts picoseconds */
        span = 0;
    for (uint32_t k = 1; k <= tree->count; k++)
        total += tree->nodes[k].count > 0 ? tree->nodes[k].count : 0;
    timed = span > 0 && total > 0 && total <= INT64_MAX;
    pf_rows_measure(&reader->rows, count_measure(reader, PF_SAMPLE));
    if (timed)
        pf_rows_measure(&reader->rows, amount_measure(reader, "wall", "nanoseconds"));
    pf_rows_declare_ahead(&reader->rows);
    for (uint32_t k = 1; k <= tree->count; k++) {
        const struct pf_call_node *node = &tree->nodes[k];

        if (node->count <= 0 || node->stack == UINT32_MAX)
            continue;
        record++;
        if (timed && !pf_scale64((pf_int128)node->count * span, 1, (uint64_t)total, &time))
            return pf_error_set(&reader->error, PF_OVERFLOW,
                                "record %zu: its time overflows 64 bits", record);
        pf_rows_stack(&reader->rows, node->stack, 0);
        pf_rows_set(&reader->rows, 0, node->count);
        pf_rows_set(&reader->rows, 1, time);
    }
    return PF_OK;
}

/* Adds the bytes in use, by node or by sample. */
static int add_heap(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;
    const struct pf_call_tree *tree = &state->nodes.tree;

    state->column = pf_rows_measure(&reader->rows, amount_measure(reader, "inuse_space", "bytes"));
    pf_rows_declare_ahead(&reader->rows);
    state->add_next = state->timed = state->heap_samples;
    if (state->add_next)
        return PF_OK;
    for (uint32_t k = 1; k <= tree->count; k++) {
        const struct pf_call_node *node = &tree->nodes[k];

        if (node->count == 0 || node->stack == UINT32_MAX)
            continue;
        pf_rows_stack(&reader->rows, node->stack, 0);
        pf_rows_set(&reader->rows, state->column, node->count);
    }
    return PF_OK;
}

/* If lines are wanted: adds the hits of lines as flat records, because samples do not name lines.
 */
static void add_lines(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;

    if (state->nodes.line_count == 0)
        return;
    pf_rows_begin(&reader->rows, PF_FLAT);
    pf_rows_measure(&reader->rows, count_measure(reader, PF_FLAT));
    pf_rows_declare_ahead(&reader->rows);
    for (size_t k = 0; k < state->nodes.line_count; k++) {
        const struct pf_v8_line *line = &state->nodes.lines[k];
        struct pf_location location =
            *pf_dict_location(reader->dict, state->nodes.tree.nodes[line->node].location);

        location.line = line->line;
        location.column = 0;
        pf_rows_flat(&reader->rows, pf_dict_add_location(reader->dict, &location), 0);
        pf_rows_set(&reader->rows, 0, line->hits);
    }
}

/* Prepares the records when the document is read: finds the stacks of the nodes, adds the records
 * of nodes, and begins the records of samples. `status`: the result of reading the document; a cut
 * document gives the records that were read. Returns `status`, or the first failure here. */
static int finish_profile(struct pf_reader *reader, int status)
{
    struct v8_reader *state = reader->state;
    uint32_t node;
    int resolved;

    pf_v8_nodes_end(&state->nodes);
    pf_file_urls_tell(&state->nodes.urls, &reader->rows, reader->format->name);
    if (pf_file_urls_status(&state->nodes.urls) != PF_OK)
        return pf_error_nomem(&reader->error);
    resolved = pf_call_tree_resolve(&state->nodes.tree, reader->dict, &node);
    if (resolved == PF_NOMEM)
        return pf_error_nomem(&reader->error);
    if (resolved != PF_OK && status == PF_OK) {
        uint32_t number = state->nodes.tree.nodes[node].number;

        status = pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                             "node %" PRIi64 " is its own ancestor or has " PF_TOO_DEEP,
                             number ? pf_call_tree_named(&state->nodes.tree, number) : 0);
    }
    /* if the document is cut, its samples may be missing: hits of nodes are not the profile then */
    if (!state->heap && !state->sampled && status != PF_OK)
        return status;
    int added = state->heap      ? add_heap(reader)
                : state->sampled ? add_samples(reader)
                                 : add_hits(reader);
    state->with_lines = added == PF_OK;
    return status == PF_OK ? added : status;
}

/* The first call reads the document; each call adds records. */
static int read_step(struct pf_reader *reader)
{
    struct v8_reader *state = reader->state;

    if (!state->read) {
        state->read = true;
        state->result = finish_profile(reader, read_document(reader));
    }
    if (state->add_next && add_sample_records(reader))
        return PF_OK;
    if (state->with_lines)
        add_lines(reader);
    return state->result == PF_OK ? PF_EOF : state->result;
}

/* --- the formats ------------------------------------------------------------------------------ */

static const struct pf_option cpu_options[] = {
    {"deltas",
     "a sample has the time to the next sample, as in DevTools, or the time since the sample "
     "before",
     "next|before", true, false},
    {"lines", "the hits of lines, as records of places", "yes", true, false},
    {0},
};

static const struct pf_option heap_options[] = {
    {"sizes", "the counts of the nodes, or the samples", "nodes|samples", true, false},
    {0},
};

const struct pf_format pf_format_cpuprofile = {
    .name = "cpuprofile",
    .about = "V8's .cpuprofile (node, Chrome, VS Code), also the old form with a head",
    .suffixes = ".cpuprofile",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT,
    .losses = "labels, lines being executed, images, addresses, measures but a time and hits; "
              "samples of one stack become one",
    .options = cpu_options,
    .merging = &pf_file_urls_merging,
    .bid = bid_cpu,
    .reader_size = sizeof(struct v8_reader),
    .open_reader = open_reader,
    .step = read_step,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_v8_writer),
    .open_writer = pf_v8_open_writer,
    .holds_label = pf_holds_no_label,
    .write = pf_v8_write,
    .finish = pf_v8_finish_cpu,
    .close_writer = pf_v8_close_writer,
};

const struct pf_format pf_format_heapprofile = {
    .name = "heapprofile",
    .about = "V8's .heapprofile: live allocations by stack",
    .suffixes = ".heapprofile",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT,
    .losses = "labels, lines being executed, images, addresses, all measures but bytes; records of "
              "one stack become one",
    .options = heap_options,
    .merging = &pf_file_urls_merging,
    .bid = bid_heap,
    .reader_size = sizeof(struct v8_reader),
    .open_reader = open_reader,
    .step = read_step,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_v8_writer),
    .open_writer = pf_v8_open_writer,
    .holds_label = pf_holds_no_label,
    .write = pf_v8_write,
    .finish = pf_v8_finish_heap,
    .close_writer = pf_v8_close_writer,
};
