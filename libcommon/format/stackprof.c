/* stackprof's JSON (Ruby): stacks as lists of frame addresses, if stackprof recorded them (raw);
 * else calls between frames. stackprof.md has the facts. */
#include "base/memory.h"
#include "base/number.h"
#include "codec/json_reader.h"
#include "codec/text_reader.h"
#include "io/json_look.h"

#include <inttypes.h>
#include <stdlib.h>

struct address {
    int64_t address;
    uint64_t used; /* 1, because a table cannot hold a row of zeros */
};

struct stackprof_reader {
    struct pf_json_cut cut;
    struct pf_table ids;     /* addresses of frames */
    struct stackprof_frame { /* by row of `ids` */
        uint32_t name, file; /* strings */
        int64_t line, samples;
        bool has_lines;
    } * frames;
    size_t frame_capacity;
    uint32_t frame;         /* the frame that is being read */
    struct stackprof_link { /* a call, or the samples of a line */
        uint32_t from, to;
        int64_t line, samples;
    } * calls, *lines;
    size_t call_count, call_capacity, line_count, line_capacity;
    struct stackprof_numbers {
        int64_t *numbers;
        size_t count, capacity;
    } raw, raw_lines;
    uint64_t raw_offset;
    uint32_t mode; /* string */
    int64_t interval;
    int64_t samples, gc; /* of the whole profile (-1: not stated); those during collections */
    pf_int128 seen;      /* sum of the samples of all stacks, or of all frames */
};

static int bid(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"mode",       "interval",       "samples", "frames",
                                        "gc_samples", "missed_samples", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    if ((found & 0x7) != 0x7)
        return 0;
    return found & 0x30 ? 48 : found & 0x8 ? 32 : 0;
}

static int open_reader(struct pf_reader *reader)
{
    struct stackprof_reader *state = reader->state;

    state->samples = -1;
    if (pf_table_init(&state->ids, sizeof(struct address)) != PF_OK)
        return pf_error_nomem(&reader->error);
    pf_json_reader_open(&state->cut, reader);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct stackprof_reader *state = reader->state;

    pf_table_free(&state->ids);
    free(state->frames);
    free(state->calls);
    free(state->lines);
    free(state->raw.numbers);
    free(state->raw_lines.numbers);
    pf_json_cut_close(&state->cut);
}

/* --- frames ----------------------------------------------------------------------------------- */

/* The row of a frame in `frames`; a new frame is added. 0: out of memory. */
static uint32_t find_frame(struct stackprof_reader *state, int64_t address)
{
    struct address row = {address, 1};
    uint32_t before = state->ids.count, id;

    /* first the memory: each id in the table must have a frame, even if memory runs out */
    if (!pf_grow(&state->frames, &state->frame_capacity, (size_t)before + 1, sizeof *state->frames))
        return 0;
    id = pf_table_intern(&state->ids, &row);
    if (id >= before)
        state->frames[id] = (struct stackprof_frame){0};
    return id;
}

/* The key of the current member as a number. */
static int key_number(struct pf_json_cut *cut, int64_t *number)
{
    if (pf_parse_int(cut->key, INT64_MIN, INT64_MAX, number))
        return PF_OK;
    return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                       "expected a number as key, not '%s'", pf_clip(cut->key).text);
}

static int add_link(struct pf_reader *reader, struct stackprof_link **links, size_t *count,
                    size_t *capacity, struct stackprof_link link)
{
    if (!pf_grow(links, capacity, *count + 1, sizeof **links))
        return pf_error_nomem(&reader->error);
    (*links)[(*count)++] = link;
    return PF_OK;
}

/* Reads "123":5, the samples of a frame that the current frame called. */
static int read_edge(struct pf_json_cut *cut, void *field)
{
    struct stackprof_reader *state = ((struct pf_reader *)cut->owner)->state;
    int64_t address, samples;

    (void)field;
    int status = key_number(cut, &address);

    if (status == PF_OK)
        status = pf_json_cut_int(cut, &samples);
    if (status != PF_OK)
        return status;
    uint32_t callee = find_frame(state, address);
    if (callee == 0)
        return pf_error_nomem(cut->error);
    return add_link(
        cut->owner, &state->calls, &state->call_count, &state->call_capacity,
        (struct stackprof_link){.from = state->frame, .to = callee, .samples = samples});
}

/* Reads "12":[5,3], the samples of a line with its callees, and its own samples; older versions
 * have a number. */
static int read_line(struct pf_json_cut *cut, void *field)
{
    struct stackprof_reader *state = ((struct pf_reader *)cut->owner)->state;
    int64_t line;
    const json_t *counts;

    (void)field;
    int status = key_number(cut, &line);

    if (status == PF_OK)
        status = pf_json_cut_value(cut, &counts);
    const json_t *own = status == PF_OK ? json_array_get(counts, 1) : NULL;
    if (json_is_real(own))
        return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                           "expected a whole number of 64 bits of samples of a line, not %g",
                           json_real_value(own));
    if (!json_is_integer(own))
        return status;
    state->frames[state->frame].has_lines = true;
    if (json_integer_value(own) == 0)
        return PF_OK;
    return add_link(cut->owner, &state->lines, &state->line_count, &state->line_capacity,
                    (struct stackprof_link){
                        .from = state->frame, .line = line, .samples = json_integer_value(own)});
}

/* Reads a frame, whose key is its address. Its edges may add frames, which may move the array: so
 * the frame is stored at the end. */
static int read_frame(struct pf_json_cut *cut, void *field)
{
    static const struct pf_json_member edge[] = {
        {NULL, PF_JSON_NUMBER | PF_JSON_STRING, read_edge, 0, NULL}, {0}};
    static const struct pf_json_member line[] = {{NULL, PF_JSON_ANY, read_line, 0, NULL}, {0}};
    static const struct pf_json_member members[] = {
        {"name", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text,
         offsetof(struct stackprof_frame, name), NULL},
        {"file", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text,
         offsetof(struct stackprof_frame, file), NULL},
        {"line", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_read_int,
         offsetof(struct stackprof_frame, line), NULL},
        {"samples", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_read_int,
         offsetof(struct stackprof_frame, samples), NULL},
        {"edges", PF_JSON_OBJECT | PF_JSON_LAX, NULL, 0, edge},
        {"lines", PF_JSON_OBJECT | PF_JSON_LAX, NULL, 0, line},
        {0},
    };
    struct stackprof_reader *state = field;
    struct stackprof_frame frame;
    int64_t address;
    int status = key_number(cut, &address);

    if (status != PF_OK)
        return status;
    state->frame = find_frame(state, address);
    if (state->frame == 0)
        return pf_error_nomem(cut->error);
    frame = state->frames[state->frame];
    status = pf_json_object(cut, members, &frame);
    frame.has_lines = state->frames[state->frame].has_lines;
    state->frames[state->frame] = frame;
    return status;
}

static int read_numbers(struct pf_json_cut *cut, void *field)
{
    struct stackprof_numbers *list = field;
    int64_t number;
    int status = pf_json_cut_enter(cut, '[');

    while (status == PF_OK && (status = pf_json_cut_next_int(cut, &number)) == PF_OK) {
        if (!pf_grow(&list->numbers, &list->capacity, list->count + 1, sizeof *list->numbers))
            return pf_error_nomem(cut->error);
        list->numbers[list->count++] = number;
    }
    return status == PF_EOF ? PF_OK : status;
}

static int read_raw(struct pf_json_cut *cut, void *field)
{
    struct stackprof_reader *state = field;

    state->raw_offset = pf_source_offset(cut->source);
    return read_numbers(cut, &state->raw);
}

/* Adds another member of the document as metadata, as it is written. */
static int read_meta(struct pf_json_cut *cut, void *field)
{
    struct stackprof_reader *state = field;
    struct pf_reader *reader = cut->owner;
    bool mode = pf_bytes_equal(cut->key, PF_BYTES("mode")),
         interval = pf_bytes_equal(cut->key, PF_BYTES("interval"));
    uint32_t name = pf_dict_intern_text(reader->dict, cut->key);
    struct pf_bytes text;
    int status = pf_json_cut_kind(cut) == '"' ? pf_json_cut_string(cut, &text)
                                              : pf_json_cut_raw(cut, &text);

    if (status != PF_OK)
        return status;
    pf_rows_meta_strings(&reader->rows, pf_dict_intern_word(reader->dict, "stackprof"), name,
                         pf_dict_intern_text(reader->dict, text));
    if (mode)
        state->mode = pf_dict_intern_text(reader->dict, text);
    if (interval && !pf_parse_int(text, 0, INT64_MAX, &state->interval))
        state->interval = 0;
    if (pf_bytes_equal(cut->key, PF_BYTES("samples")) &&
        !pf_parse_int(text, 0, INT64_MAX, &state->samples))
        state->samples = -1;
    if (pf_bytes_equal(cut->key, PF_BYTES("gc_samples")) &&
        !pf_parse_int(text, 0, INT64_MAX, &state->gc))
        state->gc = 0;
    return PF_OK;
}

static int read_document(struct pf_reader *reader)
{
    enum { NO_ARRAY = PF_JSON_ANY - PF_JSON_ARRAY };
    static const struct pf_json_member frame[] = {{NULL, PF_JSON_OBJECT, read_frame, 0, NULL}, {0}};
    static const struct pf_json_member members[] = {
        {"frames", PF_JSON_OBJECT | PF_JSON_LAX, NULL, 0, frame},
        {"raw", PF_JSON_ARRAY | PF_JSON_LAX, read_raw, 0, NULL},
        {"raw_lines", PF_JSON_ARRAY | PF_JSON_LAX, read_numbers,
         offsetof(struct stackprof_reader, raw_lines), NULL},
        {NULL, NO_ARRAY | PF_JSON_LAX, read_meta, 0, NULL},
        {0},
    };
    struct stackprof_reader *state = reader->state;

    return pf_json_document(&state->cut, members, state);
}

/* --- records ---------------------------------------------------------------------------------- */

/* The location of a line of a frame; `[unknown]` if the document does not define the frame. */
static uint32_t frame_location(struct pf_reader *reader, uint32_t id, int64_t line)
{
    struct stackprof_reader *state = reader->state;
    const struct stackprof_frame *frame = &state->frames[id];
    struct pf_function function = {
        .name = frame->name ? frame->name : pf_dict_intern(reader->dict, PF_BYTES("[unknown]"), 0),
        .file = frame->file,
        .start_line = frame->line};

    return pf_dict_add_location(
        reader->dict, &(struct pf_location){
                          .function = pf_dict_add_function(reader->dict, &function), .line = line});
}

/* Adds the measures of a kind of records: samples, and what the mode measures. */
static void add_columns(struct pf_reader *reader, enum pf_kind kind, enum pf_role role)
{
    struct stackprof_reader *state = reader->state;
    struct pf_bytes mode = pf_dict_string(reader->dict, state->mode);
    bool time = pf_bytes_equal(mode, PF_BYTES("cpu")) || pf_bytes_equal(mode, PF_BYTES("wall"));
    bool objects = pf_bytes_equal(mode, PF_BYTES("object"));
    bool usable = state->interval > 0 && state->interval < INT64_MAX / 1000;
    uint64_t interval = usable ? (uint64_t)state->interval : 1;
    struct pf_measure measure = pf_measure_make(reader->dict, "samples", "count", kind,
                                                role == PF_SELF ? PF_COUNT : role, PF_SAMPLED);

    measure.main = 1;
    pf_rows_begin(&reader->rows, kind);
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
    if (!time && !objects)
        return;
    measure.name = objects ? pf_dict_intern_word(reader->dict, "objects") : state->mode;
    measure.role = (uint8_t)role;
    measure.main = 0;
    if (time)
        measure.unit = pf_dict_intern_word(reader->dict, "nanoseconds");
    measure.num = interval * (time ? 1000 : 1);
    if (measure.num != 1)
        measure.raw_unit = pf_dict_intern_word(reader->dict, "interval");
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
}

/* Sets all values of the last record to its number of samples. */
static void set_samples(struct pf_rows *rows, int64_t samples)
{
    for (uint32_t k = 0; k < pf_rows_column_count(rows); k++)
        pf_rows_set(rows, k, samples);
}

/* Adds record `number` of `raw`: its depth, its frames (root first), and the number of its samples.
 * Moves *at to the next record. */
static int add_stack(struct pf_reader *reader, size_t number, size_t *at, size_t *line_at)
{
    struct stackprof_reader *state = reader->state;
    const int64_t *numbers = state->raw.numbers + *at;
    size_t left = state->raw.count - *at, depth = (size_t)numbers[0];
    int status = PF_OK;

    if (numbers[0] < 0 || left < 2 || depth > left - 2)
        return pf_error_at(&reader->error, PF_FAILED, state->raw_offset,
                           "record %zu: %" PRIi64 " frames, but only %zu numbers are left", number,
                           numbers[0], left - 1);
    for (size_t k = 0; k < depth && status == PF_OK; k++) {
        uint32_t frame = find_frame(state, numbers[1 + k]);
        bool has_line = *line_at < state->raw_lines.count;
        int64_t line = has_line ? state->raw_lines.numbers[(*line_at)++] : 0;

        if (frame == 0)
            return pf_error_nomem(&reader->error);
        status = pf_rows_frame(&reader->rows, frame_location(reader, frame, line), &reader->error,
                               state->raw_offset);
    }
    if (status != PF_OK)
        return status;
    pf_rows_sample(&reader->rows, 0);
    set_samples(&reader->rows, numbers[1 + depth]);
    state->seen += numbers[1 + depth];
    *at += depth + 2;
    return pf_dict_status(reader->dict);
}

static int add_stacks(struct pf_reader *reader)
{
    struct stackprof_reader *state = reader->state;
    size_t lines = 0, number = 0;
    int status = PF_OK;

    reader->rows.root_first = true;
    add_columns(reader, PF_SAMPLE, PF_SELF);
    pf_rows_declare_ahead(&reader->rows);
    for (size_t at = 0; at < state->raw.count && status == PF_OK;)
        status = add_stack(reader, ++number, &at, &lines);
    return status;
}

static void add_line(struct pf_reader *reader, uint32_t frame, int64_t line, int64_t samples)
{
    pf_rows_flat(&reader->rows, frame_location(reader, frame, line), 0);
    set_samples(&reader->rows, samples);
}

/* Adds the records of a profile without stacks: lines, and calls between frames. */
static void add_lines_and_calls(struct pf_reader *reader)
{
    struct stackprof_reader *state = reader->state;

    add_columns(reader, PF_FLAT, PF_SELF);
    pf_rows_declare_ahead(&reader->rows);
    add_columns(reader, PF_EDGE, PF_INCLUSIVE);
    pf_rows_declare_ahead(&reader->rows);
    add_columns(reader, PF_FLAT, PF_SELF);
    for (uint32_t id = 1; id < state->ids.count; id++)
        state->seen += state->frames[id].samples;
    for (size_t k = 0; k < state->line_count; k++)
        add_line(reader, state->lines[k].from, state->lines[k].line, state->lines[k].samples);
    for (uint32_t id = 1; id < state->ids.count; id++)
        if (!state->frames[id].has_lines && state->frames[id].samples != 0)
            add_line(reader, id, state->frames[id].line, state->frames[id].samples);
    add_columns(reader, PF_EDGE, PF_INCLUSIVE);
    for (size_t k = 0; k < state->call_count; k++) {
        const struct stackprof_link *call = &state->calls[k];
        uint32_t callee = frame_location(reader, call->to, state->frames[call->to].line);

        pf_rows_edge(&reader->rows, frame_location(reader, call->from, 0), callee, 0);
        set_samples(&reader->rows, call->samples);
    }
}

/* Warns if the samples do not add up to the number that the document states. Old versions of
 * stackprof record no stacks during garbage collections. */
static void check_samples(struct pf_reader *reader)
{
    const struct stackprof_reader *state = reader->state;
    char seen[PF_INT128_TEXT];

    if (state->samples < 0 || state->seen == state->samples ||
        state->seen == state->samples - state->gc)
        return;
    pf_print_int128(state->seen, seen);
    reader->disputed = true;
    pf_report_send(&reader->report, PF_WARNING,
                   "the samples of all %s sum to %s, the member \"samples\" says %" PRId64,
                   state->raw.count > 0 ? "stacks" : "frames", seen, state->samples);
}

/* Reads the whole document in one step. */
static int read_all(struct pf_reader *reader)
{
    struct stackprof_reader *state = reader->state;
    int status = read_document(reader), added = PF_OK;

    if (state->raw.count > 0)
        added = add_stacks(reader);
    else
        add_lines_and_calls(reader);
    status = status == PF_OK ? added : status;
    if (status != PF_OK)
        return status;
    check_samples(reader);
    return PF_EOF;
}

const struct pf_format pf_format_stackprof = {
    .name = "stackprof",
    .about = "stackprof's JSON (Ruby), with stacks or with callers only",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_TEXT,
    .bid = bid,
    .reader_size = sizeof(struct stackprof_reader),
    .open_reader = open_reader,
    .step = read_all,
    .close_reader = close_reader,
};
