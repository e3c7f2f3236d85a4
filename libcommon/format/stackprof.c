/* stackprof's JSON (Ruby): stacks as lists of addresses of frames where it was told to keep them, else who called whom. */
#include "format/stackprof.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/json_look.h"
#include "model/stacks.h"

#include <inttypes.h>
#include <stdlib.h>

struct address {
    int64_t address;
    uint64_t used; /* 1: no row is all zero */
};

static int bid(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"mode", "interval", "samples", "frames", "gc_samples", "missed_samples", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    if ((found & 0x7) != 0x7)
        return 0;
    return found & 0x30 ? 48 : found & 0x8 ? 32 : 0;
}

static int open_reader(struct pf_reader *reader)
{
    struct pf_stackprof_reader *state = reader->state;

    state->memo = pf_stack_memo_new();
    if (pf_table_init(&state->ids, sizeof(struct address)) != PF_OK || !state->memo)
        return pf_error_nomem(&reader->error);
    pf_json_reader_open(&state->cut, reader);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_stackprof_reader *state = reader->state;

    pf_table_free(&state->ids);
    pf_stack_memo_free(state->memo);
    pf_pending_free(&state->rows);
    pf_pending_free(&state->line_records);
    pf_pending_free(&state->call_records);
    free(state->frames);
    free(state->calls);
    free(state->lines);
    free(state->raw.numbers);
    free(state->raw_lines.numbers);
    pf_metadata_free(&state->metadata);
    pf_json_cut_close(&state->cut);
}

/* --- frames ----------------------------------------------------------------------------------------------- */

/* Row of a frame; 0: out of memory. */
static uint32_t find_frame(struct pf_stackprof_reader *state, int64_t address)
{
    struct address row = {address, 1};
    uint32_t before = state->ids.count, id = pf_table_intern(&state->ids, &row);

    if (id == 0 || !pf_grow(&state->frames, &state->frame_capacity, (size_t)id + 1, sizeof *state->frames))
        return 0;
    if (id >= before)
        state->frames[id] = (struct pf_stackprof_frame){0};
    return id;
}

/* The key of the member at hand, as a number. */
static int key_number(struct pf_json_cut *cut, int64_t *number)
{
    if (pf_parse_int(cut->key, INT64_MIN, INT64_MAX, number))
        return PF_OK;
    return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source), "expected a number for a key, not '%s'",
                       pf_clip(cut->key).text);
}

static int add_link(struct pf_reader *reader, struct pf_stackprof_link **links, size_t *count, size_t *capacity,
                    struct pf_stackprof_link link)
{
    if (!pf_grow(links, capacity, *count + 1, sizeof **links))
        return pf_error_nomem(&reader->error);
    (*links)[(*count)++] = link;
    return PF_OK;
}

/* "123":5, the samples of a frame that the frame at hand called. */
static int read_edge(struct pf_json_cut *cut, void *field)
{
    struct pf_stackprof_reader *state = ((struct pf_reader *)cut->owner)->state;
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
    return add_link(cut->owner, &state->calls, &state->call_count, &state->call_capacity,
                    (struct pf_stackprof_link){.from = state->frame, .to = callee, .samples = samples});
}

/* "12":[5,3], the samples of a line with what it called, and its own; older ones have a number. */
static int read_line(struct pf_json_cut *cut, void *field)
{
    struct pf_stackprof_reader *state = ((struct pf_reader *)cut->owner)->state;
    int64_t line;
    const json_t *counts;

    (void)field;
    int status = key_number(cut, &line);

    if (status == PF_OK)
        status = pf_json_cut_value(cut, &counts);
    const json_t *own = status == PF_OK ? json_array_get(counts, 1) : NULL;
    if (!json_is_integer(own))
        return status;
    state->frames[state->frame].has_lines = true;
    if (json_integer_value(own) == 0)
        return PF_OK;
    return add_link(cut->owner, &state->lines, &state->line_count, &state->line_capacity,
                    (struct pf_stackprof_link){.from = state->frame, .line = line, .samples = json_integer_value(own)});
}

/* A frame under its address. Frames that its edges name may move the table of them: it takes its place there at the end. */
static int read_frame(struct pf_json_cut *cut, void *field)
{
    static const struct pf_json_member edge[] = {{NULL, PF_JSON_NUMBER | PF_JSON_STRING, read_edge, 0, NULL}, {0}};
    static const struct pf_json_member line[] = {{NULL, PF_JSON_ANY, read_line, 0, NULL}, {0}};
    static const struct pf_json_member members[] = {
        {"name", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text, offsetof(struct pf_stackprof_frame, name), NULL},
        {"file", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text, offsetof(struct pf_stackprof_frame, file), NULL},
        {"line", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_read_int, offsetof(struct pf_stackprof_frame, line), NULL},
        {"samples", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_read_int, offsetof(struct pf_stackprof_frame, samples), NULL},
        {"edges", PF_JSON_OBJECT | PF_JSON_LAX, NULL, 0, edge},
        {"lines", PF_JSON_OBJECT | PF_JSON_LAX, NULL, 0, line},
        {0},
    };
    struct pf_stackprof_reader *state = field;
    struct pf_stackprof_frame frame;
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
    frame.told = true;
    state->frames[state->frame] = frame;
    return status;
}

static int read_numbers(struct pf_json_cut *cut, void *field)
{
    struct pf_stackprof_numbers *list = field;
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
    struct pf_stackprof_reader *state = field;

    state->raw_offset = pf_source_offset(cut->source);
    return read_numbers(cut, &state->raw);
}

/* Other members of the document become metadata as they are written. */
static int read_meta(struct pf_json_cut *cut, void *field)
{
    struct pf_stackprof_reader *state = field;
    struct pf_reader *reader = cut->owner;
    bool mode = pf_bytes_equal(cut->key, PF_BYTES("mode")), interval = pf_bytes_equal(cut->key, PF_BYTES("interval"));
    uint32_t name = pf_dict_intern_text(reader->dict, cut->key);
    struct pf_bytes text;
    int status = pf_json_cut_kind(cut) == '"' ? pf_json_cut_string(cut, &text) : pf_json_cut_raw(cut, &text);

    if (status != PF_OK)
        return status;
    if (!pf_metadata_add(&state->metadata, reader->dict, "stackprof", pf_dict_string(reader->dict, name), text))
        return pf_error_nomem(&reader->error);
    if (mode)
        state->mode = pf_dict_intern_text(reader->dict, text);
    if (interval && !pf_parse_int(text, 0, INT64_MAX, &state->interval))
        state->interval = 0;
    return PF_OK;
}

static int read_document(struct pf_reader *reader)
{
    enum { NO_ARRAY = PF_JSON_ANY - PF_JSON_ARRAY };
    static const struct pf_json_member frame[] = {{NULL, PF_JSON_OBJECT, read_frame, 0, NULL}, {0}};
    static const struct pf_json_member members[] = {
        {"frames", PF_JSON_OBJECT | PF_JSON_LAX, NULL, 0, frame},
        {"raw", PF_JSON_ARRAY | PF_JSON_LAX, read_raw, 0, NULL},
        {"raw_lines", PF_JSON_ARRAY | PF_JSON_LAX, read_numbers, offsetof(struct pf_stackprof_reader, raw_lines), NULL},
        {NULL, NO_ARRAY | PF_JSON_LAX, read_meta, 0, NULL},
        {0},
    };
    struct pf_stackprof_reader *state = reader->state;
    int status = pf_json_object(&state->cut, members, state);

    return status == PF_OK ? pf_json_cut_end(&state->cut) : status;
}

/* --- records ---------------------------------------------------------------------------------------------- */

/* 0 where the document does not tell the frame, or memory ran out. */
static uint32_t frame_location(struct pf_reader *reader, uint32_t id, int64_t line)
{
    struct pf_stackprof_reader *state = reader->state;
    const struct pf_stackprof_frame *frame = &state->frames[id];
    struct pf_function function = {.name = frame->name ? frame->name : pf_dict_intern(reader->dict, PF_BYTES("[unknown]"), 0),
                                   .file = frame->file,
                                   .start_line = frame->line};

    if (!frame->told)
        function = (struct pf_function){.name = pf_dict_intern(reader->dict, PF_BYTES("[unknown]"), 0)};
    return pf_dict_add_location(reader->dict, &(struct pf_location){.function = pf_dict_add_function(reader->dict, &function), .line = line});
}

/* The measures of a kind: samples, and what the mode measures. False: out of memory. */
static bool add_columns(struct pf_reader *reader, struct pf_pending *rows, enum pf_role role, size_t count)
{
    struct pf_stackprof_reader *state = reader->state;
    struct pf_bytes mode = pf_dict_string(reader->dict, state->mode);
    bool time = pf_bytes_equal(mode, PF_BYTES("cpu")) || pf_bytes_equal(mode, PF_BYTES("wall"));
    bool objects = pf_bytes_equal(mode, PF_BYTES("object"));
    uint64_t interval = state->interval > 0 && state->interval < INT64_MAX / 1000 ? (uint64_t)state->interval : 1;
    struct pf_measure measure = pf_measure_make(reader->dict, "samples", "count", rows->kind,
                                                role == PF_SELF ? PF_COUNT : role, PF_SAMPLED);

    measure.main = 1;
    rows->stacks = malloc((count + 1) * sizeof *rows->stacks);
    for (int k = 0; k < 1 + (time || objects); k++) {
        int64_t *values = malloc((count + 1) * sizeof *values);

        if (values)
            pf_pending_column(rows, pf_dict_add_measure(reader->dict, measure), values);
        else
            pf_error_nomem(&reader->error);
        measure.name = objects ? pf_dict_intern(reader->dict, PF_BYTES("objects"), 0) : state->mode;
        measure.role = (uint8_t)role;
        measure.main = 0;
        if (time)
            measure.unit = pf_dict_intern(reader->dict, PF_BYTES("nanoseconds"), 0);
        measure.num = interval * (time ? 1000 : 1);
        if (measure.num != 1)
            measure.raw_unit = pf_dict_intern(reader->dict, PF_BYTES("interval"), 0);
    }
    if (!rows->stacks)
        pf_error_nomem(&reader->error);
    return reader->error.code != PF_NOMEM;
}

static void add_row(struct pf_pending *rows, uint32_t stack, int64_t samples)
{
    for (unsigned k = 0; k < rows->column_count; k++)
        rows->values[k][rows->count] = samples;
    rows->stacks[rows->count++] = stack;
}

/* One of the stacks in `raw`: its length, the frames, root first, and how often it was met. *at is moved behind it. */
static int give_stack(struct pf_reader *reader, size_t *at, size_t *line_at, uint32_t *leaf_first)
{
    struct pf_stackprof_reader *state = reader->state;
    const int64_t *numbers = state->raw.numbers + *at;
    size_t left = state->raw.count - *at, depth = (size_t)numbers[0];

    if (numbers[0] < 0 || left < 2 || depth > left - 2 || depth > PF_STACK_DEPTH_MAX)
        return pf_error_at(&reader->error, PF_FAILED, state->raw_offset, "record %zu: %" PRIi64 " frames, and there are %zu numbers left",
                            state->rows.count + 1, numbers[0], left - 1);
    for (size_t k = 0; k < depth; k++) {
        uint32_t frame = find_frame(state, numbers[1 + k]);
        int64_t line = *line_at < state->raw_lines.count ? state->raw_lines.numbers[(*line_at)++] : 0;

        if (frame == 0)
            return pf_error_nomem(&reader->error);
        leaf_first[depth - 1 - k] = frame_location(reader, frame, line);
    }
    if (pf_dict_status(reader->dict) != PF_OK)
        return pf_error_nomem(&reader->error);
    add_row(&state->rows, pf_stack_memo_intern(state->memo, reader->dict, leaf_first, depth), numbers[1 + depth]);
    *at += depth + 2;
    return PF_OK;
}

static int give_stacks(struct pf_reader *reader)
{
    struct pf_stackprof_reader *state = reader->state;
    size_t count = state->raw.count, lines = 0;
    uint32_t *leaf_first = malloc((count + 1) * sizeof *leaf_first);
    int status = add_columns(reader, &state->rows, PF_SELF, count / 2) && leaf_first ? PF_OK : pf_error_nomem(&reader->error);

    for (size_t at = 0; at < count && status == PF_OK;)
        status = give_stack(reader, &at, &lines, leaf_first);
    free(leaf_first);
    return status;
}

/* Without stacks: what each line took by itself, and with what it called. */
static int give_edges(struct pf_reader *reader)
{
    struct pf_stackprof_reader *state = reader->state;
    struct pf_pending *calls = &state->call_records;

    state->line_records.kind = PF_FLAT;
    calls->kind = PF_EDGE;
    if (!add_columns(reader, &state->line_records, PF_SELF, state->line_count + state->ids.count) ||
        !add_columns(reader, calls, PF_INCLUSIVE, state->call_count))
        return PF_NOMEM;
    calls->callees = malloc((state->call_count + 1) * sizeof *calls->callees);
    if (!calls->callees)
        return pf_error_nomem(&reader->error);
    for (size_t k = 0; k < state->line_count; k++)
        add_row(&state->line_records, frame_location(reader, state->lines[k].from, state->lines[k].line), state->lines[k].samples);
    for (uint32_t id = 1; id < state->ids.count; id++)
        if (!state->frames[id].has_lines && state->frames[id].samples != 0)
            add_row(&state->line_records, frame_location(reader, id, state->frames[id].line), state->frames[id].samples);
    for (size_t k = 0; k < state->call_count; k++) {
        const struct pf_stackprof_link *call = &state->calls[k];

        calls->callees[calls->count] = frame_location(reader, call->to, state->frames[call->to].line);
        add_row(calls, frame_location(reader, call->from, 0), call->samples);
    }
    return PF_OK;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_stackprof_reader *state = reader->state;
    struct pf_pending *const parts[] = {&state->rows, &state->line_records, &state->call_records};

    if (!state->read) {
        state->read = true;
        state->status = read_document(reader);
        int given = state->raw.count > 0 ? give_stacks(reader) : give_edges(reader);
        state->status = state->status == PF_OK ? given : state->status;
    }
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k]->column_count > 0 && !parts[k]->declared && pf_pending_give(parts[k], batch))
            return PF_OK;
    if (pf_metadata_give(&state->metadata, batch))
        return PF_OK;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k]->column_count > 0 && pf_pending_give(parts[k], batch))
            return PF_OK;
    return state->status == PF_OK ? PF_EOF : state->status;
}

const struct pf_format pf_format_stackprof = {
    .name = "stackprof",
    .about = "stackprof's JSON (Ruby), with stacks or with callers only",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_TEXT,
    .bid = bid,
    .reader_size = sizeof(struct pf_stackprof_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
};
