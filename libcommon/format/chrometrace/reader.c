/* Reads the events of a trace. They may come in any order, so they are held as numbers until the
 * end. */
#include "format/chrometrace/chrometrace.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/json_look.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TO_NANOSECONDS = 3 };

static int bid(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"traceEvents", "[].ph",        "traceEvents[].ph",
                                        "stackFrames", "samples[].sf", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    return found & 0x6 ? 48 : found & 1 ? 40 : (found & 0x18) == 0x18 ? 32 : 0;
}

static int open_reader(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;

    pf_json_reader_open(&state->cut, reader);
    state->cut.lenient = true;
    if (pf_table_init(&state->threads, sizeof(struct pf_trace_thread_key)) != PF_OK ||
        pf_call_tree_init(&state->frames) != PF_OK ||
        pf_table_init(&state->keys, 2 * sizeof(uint32_t)) != PF_OK ||
        pf_table_init(&state->profile_keys, 3 * sizeof(uint32_t)) != PF_OK)
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;

    for (size_t k = 0; k < state->profile_count; k++) {
        pf_call_tree_free(&state->profiles[k].tree);
        pf_call_samples_free(&state->profiles[k].samples);
    }
    free(state->profiles);
    free(state->events);
    free(state->samples);
    free(state->thread_rows);
    pf_table_free(&state->threads);
    pf_table_free(&state->keys);
    pf_table_free(&state->profile_keys);
    pf_call_tree_free(&state->frames);
    pf_buffer_free(&state->args);
    pf_json_cut_close(&state->cut);
}

/* --- an event --------------------------------------------------------------------------------- */

enum { TEXT = PF_JSON_STRING | PF_JSON_NUMBER | PF_JSON_LAX };

/* Reads microseconds with decimals, a number or a string, as nanoseconds. */
static int read_nanoseconds(struct pf_json_cut *cut, int64_t *time)
{
    struct pf_trace_reader *state = ((struct pf_reader *)cut->owner)->state;
    struct pf_bytes text;
    bool exact;
    int status = pf_json_cut_number(cut, &text);

    if (status != PF_OK)
        return status;
    if (!pf_decimal_scale(text, TO_NANOSECONDS, time, &exact))
        return pf_json_cut_refuse_number(cut, text, "the time");
    state->rounded += !exact;
    return PF_OK;
}

static int read_time(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_fields *fields = field;

    fields->has_time = true;
    return read_nanoseconds(cut, &fields->time);
}

static int read_duration(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_fields *fields = field;

    fields->has_duration = true;
    return read_nanoseconds(cut, &fields->duration);
}

/* Reads processor time, for spans without another duration. */
static int read_thread_duration(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_fields *fields = field;

    return fields->has_duration ? pf_json_cut_skip(cut) : read_duration(cut, field);
}

static int read_weight(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_fields *fields = field;
    struct pf_bytes text;
    bool exact;
    int status = pf_json_cut_number(cut, &text);

    fields->has_weight = status == PF_OK && pf_decimal_scale(text, 0, &fields->weight, &exact);
    if (status == PF_OK && !fields->has_weight && pf_decimal_is_number(text))
        return pf_json_cut_refuse_number(cut, text, "the weight");
    return status;
}

/* Keeps `args` as text: their meaning depends on the name of the event, which may come later. */
static int read_args(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_fields *fields = field;
    struct pf_trace_reader *state = ((struct pf_reader *)cut->owner)->state;
    struct pf_bytes raw;

    fields->args_offset = pf_source_offset(cut->source);
    int status = pf_json_cut_raw(cut, &raw);
    state->args.size = 0;
    if (status == PF_OK && !pf_buffer_append(&state->args, raw.data, raw.size))
        return pf_error_nomem(cut->error);
    return status;
}

/* Reads the number of a stack frame, which is a text. */
static int read_stack_number(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_reader *state = ((struct pf_reader *)cut->owner)->state;
    uint32_t text = 0, *frame = field;
    int status = pf_json_read_text(cut, &text);

    if (status == PF_OK && text && (*frame = pf_call_tree_number(&state->frames, text)) == 0)
        return pf_error_nomem(cut->error);
    return status;
}

static int read_fields(struct pf_json_cut *cut, struct pf_trace_fields *fields)
{
    static const struct pf_json_member members[] = {
        {"ph", PF_JSON_STRING, pf_json_read_letter, offsetof(struct pf_trace_fields, phase), NULL},
        {"name", TEXT, pf_json_read_text, offsetof(struct pf_trace_fields, name), NULL},
        {"pid", TEXT, pf_json_read_text, offsetof(struct pf_trace_fields, pid), NULL},
        {"tid", TEXT, pf_json_read_text, offsetof(struct pf_trace_fields, tid), NULL},
        {"ts", TEXT, read_time, 0, NULL},
        {"dur", TEXT, read_duration, 0, NULL},
        {"tdur", TEXT, read_thread_duration, 0, NULL},
        {"args", PF_JSON_ANY, read_args, 0, NULL},
        {"id", TEXT, pf_json_read_text, offsetof(struct pf_trace_fields, id), NULL},
        {"sf", TEXT, read_stack_number, offsetof(struct pf_trace_fields, frame), NULL},
        {"weight", PF_JSON_NUMBER | PF_JSON_STRING, read_weight, 0, NULL},
        {0},
    };

    return pf_json_object(cut, members, fields);
}

/* True if `args` of the current event has this text. */
static bool args_hold(const struct pf_trace_reader *state, struct pf_bytes text)
{
    return pf_bytes_find((struct pf_bytes){state->args.data, state->args.size}, text);
}

/* Finds the location of a span: its name, and file and line if its arguments have them (Hermes). */
static int span_location(struct pf_reader *reader, const struct pf_trace_fields *fields,
                         uint32_t *id)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_function function = {
        .name = fields->name ? fields->name
                             : pf_dict_intern(reader->dict, PF_BYTES("[unknown]"), 0)};
    struct pf_location location = {0};
    const json_t *args;

    if (args_hold(state, PF_BYTES("\"url\""))) {
        int status = pf_json_cut_parse(&state->cut,
                                       (struct pf_bytes){state->args.data, state->args.size},
                                       fields->args_offset, &args);

        if (status != PF_OK)
            return status;
        function.file = pf_file_url_path(
            reader->dict, pf_dict_intern_text(reader->dict, pf_json_member_text(args, "url")));
        location.line = pf_json_member_int(args, "line", 0);
        int64_t column = pf_json_member_int(args, "column", 0);
        location.column = column > 0 && column < UINT32_MAX ? (uint32_t)column : 0;
    }
    location.function = pf_dict_add_function(reader->dict, &function);
    *id = pf_dict_add_location(reader->dict, &location);
    return PF_OK;
}

static int add_span(struct pf_reader *reader, const struct pf_trace_fields *fields)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_trace_event event = {
        .time = fields->time, .name = fields->name, .order = (uint32_t)state->event_count};
    int status = PF_OK;

    /* clang's totals of spans, whose single spans are in the trace too */
    if (fields->phase == 'X' &&
        pf_bytes_starts(pf_dict_string(reader->dict, fields->name), PF_BYTES("Total ")) &&
        args_hold(state, PF_BYTES("\"avg ms\"")))
        return PF_OK;
    if (!fields->has_time)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "an event '%c' without a time", fields->phase);
    if (fields->duration < 0)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "an event with a negative duration");
    event.duration = fields->phase == 'B'   ? INT64_MAX
                     : fields->phase == 'E' ? -1
                                            : fields->duration;
    if (fields->phase != 'E')
        status = span_location(reader, fields, &event.location);
    event.thread = pf_trace_thread(reader, fields->pid, fields->tid);
    if (status == PF_OK &&
        (event.thread == 0 || !pf_grow(&state->events, &state->event_capacity,
                                       state->event_count + 1, sizeof *state->events)))
        status = pf_error_nomem(&reader->error);
    if (status == PF_OK)
        state->events[state->event_count++] = event;
    return status;
}

static int add_sample(struct pf_reader *reader, const struct pf_trace_fields *fields)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_trace_sample sample = {.time = fields->time,
                                     .weight = fields->has_weight ? fields->weight : 1,
                                     .frame = fields->frame,
                                     .thread = pf_trace_thread(reader, fields->pid, fields->tid),
                                     .order = (uint32_t)state->sample_count};

    if (sample.thread == 0 || !pf_grow(&state->samples, &state->sample_capacity,
                                       state->sample_count + 1, sizeof *state->samples))
        return pf_error_nomem(&reader->error);
    state->samples[state->sample_count++] = sample;
    return PF_OK;
}

/* Sets the name of a thread or a process from `args` of the current event. */
static int set_name(struct pf_reader *reader, const struct pf_trace_fields *fields, bool process)
{
    struct pf_trace_reader *state = reader->state;
    uint32_t thread = pf_trace_thread(reader, fields->pid, process ? 0 : fields->tid);
    const json_t *args;
    int status = pf_json_cut_parse(&state->cut,
                                   (struct pf_bytes){state->args.data, state->args.size},
                                   fields->args_offset, &args);

    if (status == PF_OK && thread == 0)
        status = pf_error_nomem(&reader->error);
    if (status == PF_OK)
        *(process ? &state->thread_rows[thread].process : &state->thread_rows[thread].name) =
            pf_dict_intern_text(reader->dict, pf_json_member_text(args, "name"));
    return status;
}

static int add_event(struct pf_reader *reader, const struct pf_trace_fields *fields)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_bytes name = pf_dict_string(reader->dict, fields->name);
    bool args = state->args.size > 0;

    if (args && (pf_bytes_equal(name, PF_BYTES("Profile")) ||
                 pf_bytes_equal(name, PF_BYTES("ProfileChunk")) ||
                 pf_bytes_equal(name, PF_BYTES("CpuProfile"))))
        return pf_trace_read_profile(reader, fields);
    if (fields->phase == 'M' && args && pf_bytes_equal(name, PF_BYTES("thread_name")))
        return set_name(reader, fields, false);
    if (fields->phase == 'M' && args && pf_bytes_equal(name, PF_BYTES("process_name")))
        return set_name(reader, fields, true);
    if (fields->phase == 'X' || fields->phase == 'B' || fields->phase == 'E')
        return add_span(reader, fields);
    return fields->phase == 'P' && fields->frame ? add_sample(reader, fields) : PF_OK;
}

static int read_event(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_reader *state = field;
    struct pf_trace_fields fields = {0};

    state->args.size = 0;
    int status = read_fields(cut, &fields);
    return status == PF_OK ? add_event(cut->owner, &fields) : status;
}

/* Reads a sample: it has the members of an event. */
static int read_sample(struct pf_json_cut *cut, void *field)
{
    struct pf_trace_fields fields = {0};
    int status = read_fields(cut, &fields);

    (void)field;
    return status == PF_OK ? add_sample(cut->owner, &fields) : status;
}

/* --- the document ----------------------------------------------------------------------------- */

struct stack_frame {
    uint32_t name, parent;
};

/* Reads a stack frame, whose key is its number: {"name":"f","category":"c","parent":"1"}. */
static int read_stack_frame(struct pf_json_cut *cut, void *field)
{
    static const struct pf_json_member members[] = {
        {"name", TEXT, pf_json_read_text, offsetof(struct stack_frame, name), NULL},
        {"parent", TEXT, read_stack_number, offsetof(struct stack_frame, parent), NULL},
        {0},
    };
    struct pf_trace_reader *state = field;
    struct pf_reader *reader = cut->owner;
    struct stack_frame frame = {0};
    uint32_t number =
        pf_call_tree_number(&state->frames, pf_dict_intern_text(reader->dict, cut->key));
    uint32_t node = pf_call_tree_add(&state->frames);
    int status = number && node ? pf_json_object(cut, members, &frame) : pf_error_nomem(cut->error);

    if (status != PF_OK)
        return status;
    if (state->frames.rows[number].node)
        return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                           "a stack frame is defined twice");
    state->frames.rows[number].node = node;
    state->frames.nodes[node].number = number;
    state->frames.nodes[node].parent_number = frame.parent;
    state->frames.nodes[node].location =
        pf_call_frame_location(reader->dict, &(struct pf_call_frame){.name = frame.name}, false);
    return PF_OK;
}

static int read_document(struct pf_reader *reader)
{
    enum { LIST = PF_JSON_ARRAY | PF_JSON_EACH | PF_JSON_LAX };
    static const struct pf_json_member frame[] = {{NULL, PF_JSON_OBJECT, read_stack_frame, 0, NULL},
                                                  {0}};
    static const struct pf_json_member members[] = {
        {"traceEvents", LIST, read_event, 0, NULL},
        {"samples", LIST, read_sample, 0, NULL},
        {"stackFrames", PF_JSON_OBJECT | PF_JSON_LAX, NULL, 0, frame},
        {0},
    };
    struct pf_trace_reader *state = reader->state;
    bool list = pf_json_cut_kind(&state->cut) == '[';
    int status = list ? pf_json_array(&state->cut, read_event, state)
                      : pf_json_object(&state->cut, members, state);

    return status == PF_OK ? pf_json_cut_end(&state->cut) : status;
}

static int add_records(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;
    const char *of = pf_options_get(reader->options, "of");
    bool profiles = of ? strcmp(of, "profiles") == 0 : state->profile_samples > 0;
    bool samples = of ? strcmp(of, "samples") == 0 : !profiles && state->sample_count > 0;

    pf_trace_label_threads(reader);
    if (state->rounded > 0)
        pf_report_send(&reader->report, PF_NOTE,
                       "%" PRIu64 " times finer than nanoseconds are rounded", state->rounded);
    if ((profiles || samples) && !of)
        for (size_t k = 0; k < state->event_count; k++)
            if (state->events[k].duration > 0) {
                pf_report_send(
                    &reader->report, PF_NOTE,
                    "the trace has %s: its spans are left out (-f chrometrace:of=spans reads them)",
                    profiles ? "profiles" : "samples");
                break;
            }
    return profiles  ? pf_trace_add_profiles(reader)
           : samples ? pf_trace_add_samples(reader)
                     : pf_trace_add_spans(reader);
}

/* Reads the whole document in one step. */
static int read_all(struct pf_reader *reader)
{
    int status = read_document(reader), added = add_records(reader);

    status = status == PF_OK ? added : status;
    return status == PF_OK ? PF_EOF : status;
}

static const struct pf_option options[] = {
    {"of", "what to read from a trace that has several: V8's profiles, else samples, else spans",
     "profiles|samples|spans", true, false},
    {"deltas",
     "profiles: a sample has the time to the next sample, as in DevTools, or the time since the "
     "sample before",
     "next|before", true, false},
    {0},
};

const struct pf_format pf_format_chrometrace = {
    .name = "chrometrace",
    .about = "Chrome's trace events (spans, samples, V8's profiles), written by DevTools, clang "
             "and many more",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct pf_trace_reader),
    .open_reader = open_reader,
    .step = read_all,
    .close_reader = close_reader,
};
