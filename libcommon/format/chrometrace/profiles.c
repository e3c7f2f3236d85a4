/* Samples in a trace: V8's profiles, which are divided among events, and samples of stack
 * frames. */
#include "format/chrometrace/chrometrace.h"

#include "base/memory.h"
#include "base/number.h"
#include "model/amounts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* decimals of microseconds that are kept: times become whole nanoseconds */
enum { FINEST = 3 };

/* --- profiles --------------------------------------------------------------------------------- */

/* Finds the profile of an event; a new profile is added. An event without an id is a profile of its
 * own. */
static struct pf_trace_profile *find_profile(struct pf_reader *reader,
                                             const struct pf_trace_fields *fields)
{
    struct pf_trace_reader *state = reader->state;
    uint32_t known = state->profile_keys.count,
             key[3] = {fields->pid, fields->id, fields->id ? 0 : known};
    uint32_t id = pf_table_intern(&state->profile_keys, key), thread;

    if (id != 0 && id < known)
        return &state->profiles[id - 1];
    thread = pf_trace_thread(reader, fields->pid, fields->tid);
    if (id == 0 || thread == 0 ||
        !pf_grow(&state->profiles, &state->profile_capacity, state->profile_count + 1,
                 sizeof *state->profiles))
        return NULL;
    struct pf_trace_profile *profile = &state->profiles[state->profile_count];
    *profile = (struct pf_trace_profile){.thread = thread, .samples.deltas.most = FINEST};
    state->profile_count++;
    return pf_call_tree_init(&profile->tree) == PF_OK ? profile : NULL;
}

static bool member_number(const json_t *object, const char *key, int64_t *number)
{
    const json_t *member = json_object_get(object, key);

    *number = json_integer_value(member);
    return json_is_integer(member);
}

/* Adds a node. PF_OK; PF_NOMEM; PF_FAILED: another node has the number, or a child has another
 * parent. */
static int add_node(struct pf_dict *dict, struct pf_call_tree *tree, const json_t *object)
{
    const json_t *child, *children = json_object_get(object, "children");
    uint32_t node = pf_call_tree_add(tree), id = 0, parent = 0;
    int64_t number;
    size_t k;

    if (node == 0)
        return PF_NOMEM;
    if (member_number(object, "id", &number) && (id = pf_call_tree_number(tree, number)) == 0)
        return PF_NOMEM;
    if (member_number(object, "parent", &number) &&
        (parent = pf_call_tree_number(tree, number)) == 0)
        return PF_NOMEM;
    if (id && tree->rows[id].node)
        return PF_FAILED;
    if (id)
        tree->rows[id].node = node;
    tree->nodes[node].number = id;
    tree->nodes[node].parent_number = parent;
    json_array_foreach(children, k, child)
    {
        uint32_t row = json_is_integer(child) ? pf_call_tree_number(tree, json_integer_value(child))
                                              : 0;

        if (row == 0)
            return json_is_integer(child) ? PF_NOMEM : PF_FAILED;
        if (tree->rows[row].parent)
            return PF_FAILED;
        tree->rows[row].parent = node;
    }
    struct pf_call_frame frame = pf_call_frame_json(dict, json_object_get(object, "callFrame"));
    frame.file = pf_file_url_path(dict, frame.file);
    tree->nodes[node].location = pf_call_frame_location(
        dict, &frame, parent == 0 && (id == 0 || tree->rows[id].parent == 0));
    return PF_OK;
}

static int add_samples(struct pf_trace_profile *profile, const json_t *list)
{
    const json_t *sample;
    size_t k;

    json_array_foreach(list, k, sample)
    {
        uint32_t id = json_is_integer(sample)
                          ? pf_call_tree_number(&profile->tree, json_integer_value(sample))
                          : 0;

        if (id == 0 && !json_is_integer(sample))
            return PF_FAILED;
        if (id == 0 || pf_call_samples_add(&profile->samples, id) != PF_OK)
            return PF_NOMEM;
    }
    return PF_OK;
}

/* The text of a number as in the file: up to 15 digits; whole numbers up to 2^53 may have more. */
static struct pf_bytes number_text(const json_t *number, char text[PF_INT128_TEXT])
{
    double real = json_real_value(number);

    if (!json_is_real(number))
        return (struct pf_bytes){text, pf_print_int128(json_integer_value(number), text)};
    if (real >= -0x1p53 && real <= 0x1p53 && real == (double)(int64_t)real)
        return (struct pf_bytes){text, pf_print_int128((int64_t)real, text)};
    return (struct pf_bytes){
        text, json_dumpb(number, text, PF_INT128_TEXT, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))};
}

static int add_deltas(struct pf_trace_reader *state, struct pf_decimals *deltas, const json_t *list)
{
    char text[PF_INT128_TEXT];
    const json_t *delta;
    int64_t value;
    size_t k;

    json_array_foreach(list, k, delta)
    {
        int status = pf_decimals_take_part(deltas, number_text(delta, text), &value);

        if (status != PF_OK)
            return status;
        if (pf_decimals_add(deltas, value) != PF_OK)
            return PF_NOMEM;
        state->rounded += deltas->rounded;
        deltas->rounded = false;
    }
    return PF_OK;
}

/* Finds a time of the profile in nanoseconds, in the data of the event or in the profile itself.
 * False: no such time. */
static bool find_time(const json_t *data, const json_t *cpu, const char *key, pf_int128 *time)
{
    const json_t *number = json_object_get(data, key);
    char text[PF_INT128_TEXT];
    bool exact;

    number = number ? number : json_object_get(cpu, key);
    return json_is_number(number) &&
           pf_decimal_scale128(number_text(number, text), FINEST, time, &exact);
}

int pf_trace_read_profile(struct pf_reader *reader, const struct pf_trace_fields *fields)
{
    struct pf_trace_reader *state = reader->state;
    const json_t *args, *node;
    int status = pf_json_cut_parse(&state->cut,
                                   (struct pf_bytes){state->args.data, state->args.size},
                                   fields->args_offset, &args);
    struct pf_trace_profile *profile = status == PF_OK ? find_profile(reader, fields) : NULL;
    size_t k;

    if (status != PF_OK)
        return status;
    if (!profile)
        return pf_error_nomem(&reader->error);
    const json_t *data = json_object_get(args, "data"), *cpu = json_object_get(data, "cpuProfile");
    const json_t *deltas = json_object_get(data, "timeDeltas");
    size_t before = profile->samples.count;
    json_array_foreach(json_object_get(cpu, "nodes"), k, node)
        status = status == PF_OK ? add_node(reader->dict, &profile->tree, node) : status;
    if (status == PF_OK)
        status = add_samples(profile, json_object_get(cpu, "samples"));
    if (status == PF_OK)
        status = add_deltas(state, &profile->samples.deltas,
                            deltas ? deltas : json_object_get(cpu, "timeDeltas"));
    profile->has_start = find_time(data, cpu, "startTime", &profile->start) || profile->has_start;
    profile->has_end = find_time(data, cpu, "endTime", &profile->end) || profile->has_end;
    state->profile_samples += profile->samples.count - before;
    if (status == PF_NOMEM)
        return pf_error_nomem(&reader->error);
    if (status != PF_OK)
        return pf_error_at(&reader->error, status, fields->args_offset,
                           status == PF_OVERFLOW
                               ? "a part of a profile with a time that is too large"
                               : "a part of a profile with bad nodes, samples or times");
    return PF_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

static uint32_t add_measure(struct pf_reader *reader, const char *name, const char *unit,
                            enum pf_role role)
{
    return pf_dict_add_measure(
        reader->dict, pf_measure_make(reader->dict, name, unit, PF_SAMPLE, role, PF_SAMPLED));
}

static void declare(struct pf_reader *reader)
{
    struct pf_rows *rows = &reader->rows;

    pf_rows_measure(rows, add_measure(reader, "hits", "count", PF_COUNT));
    pf_rows_measure(rows, add_measure(reader, "wall", "nanoseconds", PF_SELF));
    pf_rows_declare(rows);
}

static void add_record(struct pf_reader *reader, uint32_t stack, uint32_t thread, int64_t hits,
                       int64_t time)
{
    struct pf_trace_reader *state = reader->state;

    pf_rows_stack(&reader->rows, stack, state->thread_rows[thread].labels);
    pf_rows_set(&reader->rows, 0, hits);
    pf_rows_set(&reader->rows, 1, time);
}

/* The stack of a node; `[unknown]` if no node has the number. */
static uint32_t stack_of(struct pf_reader *reader, const struct pf_call_tree *tree, uint32_t number)
{
    uint32_t node = number ? tree->rows[number].node : 0;

    if (node && tree->nodes[node].stack != UINT32_MAX)
        return tree->nodes[node].stack;
    return pf_dict_add_frame(reader->dict, 0,
                             pf_dict_add_named(reader->dict, PF_BYTES("[unknown]")));
}

static int resolve_stacks(struct pf_reader *reader, struct pf_call_tree *tree)
{
    uint32_t node;
    int status = pf_call_tree_resolve(tree, reader->dict, &node);

    if (status == PF_NOMEM)
        return pf_error_nomem(&reader->error);
    if (status != PF_OK)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "a stack frame is its own ancestor or has " PF_TOO_DEEP " above it");
    return PF_OK;
}

static int add_profile(struct pf_reader *reader, struct pf_trace_profile *profile)
{
    struct pf_amount_unit microseconds = pf_amount_unit_of("microseconds");
    struct pf_measure scaled = {0};
    const char *deltas = pf_options_get(reader->options, "deltas");
    bool sorted, next = !deltas || strcmp(deltas, "before") != 0;
    int status = resolve_stacks(reader, &profile->tree);

    profile->samples.has_span =
        profile->has_start && profile->has_end &&
        !__builtin_sub_overflow(profile->end, profile->start, &profile->samples.span);
    if (status == PF_OK &&
        (status = pf_call_samples_order(&profile->samples, next, &sorted)) != PF_OK)
        status = pf_error_set(&reader->error, status, "the times of a profile overflow 64 bits");
    if (status != PF_OK)
        return status;
    pf_amounts_scale(reader->dict, &profile->samples.deltas, &microseconds, &scaled);
    if (scaled.num != 1 || scaled.den != 1)
        return pf_error_set(&reader->error, PF_OVERFLOW, "the times of a profile overflow 64 bits");
    for (size_t k = 0; k < profile->samples.count; k++)
        add_record(reader, stack_of(reader, &profile->tree, profile->samples.numbers[k]),
                   profile->thread, 1, profile->samples.deltas.values[k]);
    return PF_OK;
}

int pf_trace_add_profiles(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;
    int status = PF_OK;

    declare(reader);
    for (size_t k = 0; k < state->profile_count && status == PF_OK; k++)
        status = add_profile(reader, &state->profiles[k]);
    return status;
}

static int compare_samples(const void *a, const void *b)
{
    const struct pf_trace_sample *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* A sample has the time up to the next sample of its thread. */
int pf_trace_add_samples(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;
    int status;

    declare(reader);
    status = resolve_stacks(reader, &state->frames);
    qsort(state->samples, state->sample_count, sizeof *state->samples, compare_samples);
    for (size_t k = 0; k < state->sample_count && status == PF_OK; k++) {
        const struct pf_trace_sample *sample = &state->samples[k];
        bool more = k + 1 < state->sample_count && sample[1].thread == sample->thread;
        uint32_t stack = stack_of(reader, &state->frames, sample->frame);
        int64_t time = 0;

        if (more && __builtin_sub_overflow(sample[1].time, sample->time, &time))
            return pf_error_set(&reader->error, PF_OVERFLOW,
                                "record %zu: its time overflows 64 bits", k + 1);
        add_record(reader, stack, sample->thread, sample->weight, time);
    }
    return status;
}
