/* The reader of speedscope's JSON, which its viewer and many profilers write: stacks of frame
 * numbers with weights, or frames opening and closing. Frames may come after the profiles that use
 * them, and the unit after the weights: so samples are held as numbers, four bytes for a stack and
 * eight for a weight. */
#include "format/speedscope/speedscope.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "codec/json_reader.h"
#include "io/json_look.h"
#include "model/amounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 12 };

/* Units of weights: the word of the format, the unit of the model, and the name of the measure. The
 * first unit is for profiles without a unit. */
static const struct unit {
    const char *word, *unit, *measure;
} units[] = {
    {"none", "count", "hits"},
    {"nanoseconds", "nanoseconds", "wall"},
    {"microseconds", "microseconds", "wall"},
    {"milliseconds", "milliseconds", "wall"},
    {"seconds", "seconds", "wall"},
    {"bytes", "bytes", "bytes"},
    {NULL, NULL, NULL},
};

static int bid(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"$schema=speedscope.app", "shared.frames",
                                        "profiles[].type", "profiles", NULL};
    uint32_t found = pf_json_look(source, paths);

    (void)path;
    if (found & 1)
        return 64;
    return (found & 2 && found & 8) || found & 4 ? 24 : 0;
}

struct profile {
    const struct unit *unit;
    uint32_t name;
    uint64_t offset;
    bool sampled, evented, weighed, other_type, begun;
    /* the stacks of its records; until the end of the document their ids in `paths` */
    uint32_t *stacks;
    size_t count, capacity;
    /* Profiles with the same stacks become columns of the first of these profiles: */
    bool is_column;     /* this profile is a column of an earlier one */
    size_t next_column; /* number + 1 of the next column's profile; 0: no more columns */
    uint32_t column;    /* its measure in the dictionary */
    /* one for each record: weights, or for events the time of each path; `carried`: the time of the
     * last event */
    struct pf_decimals amounts;
    struct pf_measure measure; /* name 0: the file does not name the measure */
    bool negative, labelled;
    uint32_t label;
};

struct speedscope_reader {
    struct pf_json_cut cut;
    /* Frames may come after the samples: so `paths` holds stacks whose "locations" are numbers of
     * frames + 1. */
    struct pf_dict paths;
    struct pf_stack_memo *memo; /* for `paths` */
    struct profile *profiles;
    size_t profile_count, profile_capacity;
    /* `current`: the profile of the next record; `row`: the record's number in this profile */
    size_t current, row;
    uint32_t *locations; /* by number of frame */
    size_t location_count, location_capacity;
    uint64_t highest, highest_at; /* the greatest number of a frame + 1, and its offset */
    /* frames of the current sample, or, among events, the open frames */
    uint32_t *frames;
    size_t frame_count, frame_capacity;
    uint32_t *leaf_first;
    size_t leaf_capacity;
    /* for events: `open_paths`: path of each open frame; `row_of`: by path: its record + 1 */
    uint32_t *open_paths, *row_of;
    size_t open_capacity, row_count, row_capacity;
    uint32_t block[PF_BATCH_ROWS]; /* paths of samples that `memo` will set */
    bool read;
    int result; /* the result of reading the document */
};

static int open_reader(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;

    state->memo = pf_stack_memo_new();
    if (pf_dict_init(&state->paths) != PF_OK || !state->memo)
        return pf_error_nomem(&reader->error);
    pf_json_reader_open(&state->cut, reader);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;

    for (size_t k = 0; k < state->profile_count; k++) {
        free(state->profiles[k].stacks);
        free(state->profiles[k].amounts.values);
    }
    free(state->profiles);
    free(state->locations);
    free(state->frames);
    free(state->leaf_first);
    free(state->open_paths);
    free(state->row_of);
    pf_stack_memo_free(state->memo);
    pf_dict_free(&state->paths);
    pf_json_cut_close(&state->cut);
}

/* --- frames ----------------------------------------------------------------------------------- */

struct frame {
    uint32_t name, file; /* strings */
    int64_t line, column;
};

static uint32_t frame_location(struct pf_dict *dict, const struct frame *frame)
{
    bool named = pf_dict_string(dict, frame->name).size > 0;
    struct pf_function function = {.name = named ? frame->name
                                                 : pf_dict_intern_text(dict, PF_BYTES("[unknown]")),
                                   .file = frame->file};
    struct pf_location location = {.function = pf_dict_add_function(dict, &function),
                                   .line = frame->line};

    if (frame->column > 0 && frame->column <= UINT32_MAX)
        location.column = (uint32_t)frame->column;
    return pf_dict_add_location(dict, &location);
}

static int read_frame(struct pf_json_cut *cut, void *field)
{
    static const struct pf_json_member members[] = {
        {"name", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text, offsetof(struct frame, name),
         NULL},
        {"file", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text, offsetof(struct frame, file),
         NULL},
        {"line", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_try_int, offsetof(struct frame, line), NULL},
        {"col", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_try_int, offsetof(struct frame, column),
         NULL},
        {0},
    };
    struct speedscope_reader *state = field;
    struct pf_dict *dict = ((struct pf_reader *)cut->owner)->dict;
    struct frame frame = {0};
    /* a frame that is not an object counts as a frame without a name */
    int status = pf_json_cut_kind(cut) == '{' ? pf_json_object(cut, members, &frame)
                                              : pf_json_cut_skip(cut);

    if (status != PF_OK)
        return status;
    if (!pf_grow(&state->locations, &state->location_capacity, state->location_count + 1,
                 sizeof *state->locations))
        return pf_error_nomem(cut->error);
    state->locations[state->location_count++] = frame_location(dict, &frame);
    return PF_OK;
}

/* --- sampled ---------------------------------------------------------------------------------- */

/* Checks the number of a frame, and keeps the greatest number. */
static int note_frame(struct pf_reader *reader, int64_t number)
{
    struct speedscope_reader *state = reader->state;

    if (number < 0 || number >= UINT32_MAX - 1)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "%" PRIi64 " is not the number of a frame", number);
    if ((uint64_t)number >= state->highest) {
        state->highest = (uint64_t)number + 1;
        state->highest_at = pf_source_offset(reader->source);
    }
    return PF_OK;
}

/* Reads the frames of a sample, which come root first, into state->leaf_first. */
static int read_sample(struct pf_reader *reader, size_t *depth)
{
    struct speedscope_reader *state = reader->state;
    size_t count = 0;
    int64_t number;
    int status = pf_json_cut_enter(&state->cut, '[');

    while (status == PF_OK && (status = pf_json_cut_next_int(&state->cut, &number)) == PF_OK) {
        if (((uint64_t)number >= state->highest && (status = note_frame(reader, number)) != PF_OK))
            return status;
        if (count >= PF_STACK_DEPTH_MAX)
            return pf_rows_too_deep(&reader->error, pf_source_offset(reader->source));
        if (count == state->frame_capacity &&
            !pf_grow(&state->frames, &state->frame_capacity, count + 1, sizeof *state->frames))
            return pf_error_nomem(&reader->error);
        state->frames[count++] = (uint32_t)number + 1;
    }
    if (status != PF_EOF)
        return status;
    if (!pf_grow(&state->leaf_first, &state->leaf_capacity, count, sizeof *state->leaf_first))
        return pf_error_nomem(&reader->error);
    for (size_t k = 0; k < count; k++)
        state->leaf_first[k] = state->frames[count - 1 - k];
    *depth = count;
    return PF_OK;
}

/* Appends the queued paths to the stacks of the profile. */
static int flush_block(struct pf_reader *reader, struct profile *profile, size_t count)
{
    struct speedscope_reader *state = reader->state;

    pf_stack_memo_flush(state->memo, &state->paths);
    if (pf_dict_status(&state->paths) != PF_OK ||
        !pf_grow(&profile->stacks, &profile->capacity, profile->count + count,
                 sizeof *profile->stacks))
        return pf_error_nomem(&reader->error);
    if (count > 0)
        memcpy(profile->stacks + profile->count, state->block, count * sizeof *state->block);
    profile->count += count;
    return PF_OK;
}

static int fail_mixed(struct pf_json_cut *cut)
{
    return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                       "a profile with both samples and events");
}

static int read_samples(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    struct profile *profile = field;
    struct speedscope_reader *state = reader->state;
    size_t waiting = 0, depth = 0;

    if (profile->evented)
        return fail_mixed(cut);
    profile->sampled = true;
    int status = pf_json_cut_enter(cut, '[');
    while (status == PF_OK && (status = pf_json_cut_next(cut)) == PF_OK) {
        status = read_sample(reader, &depth);
        if (status == PF_OK)
            pf_stack_memo_queue(state->memo, &state->paths, state->leaf_first, depth,
                                &state->block[waiting++]);
        if (waiting == PF_BATCH_ROWS) {
            int flushed = flush_block(reader, profile, waiting);

            status = status == PF_OK ? flushed : status;
            waiting = 0;
        }
    }
    int flushed = flush_block(reader, profile, waiting);
    return status != PF_EOF ? status : flushed;
}

/* Reads a number as an amount of the profile. */
static int read_amount(struct pf_reader *reader, struct profile *profile, int64_t *value)
{
    struct speedscope_reader *state = reader->state;
    struct pf_bytes text;
    int status = pf_json_cut_number(&state->cut, &text);

    if (status != PF_OK)
        return status;
    status = pf_decimals_take(&profile->amounts, text, value);
    if (status == PF_OVERFLOW)
        return pf_error_at(&reader->error, PF_OVERFLOW,
                           pf_source_offset(reader->source) - text.size,
                           "record %zu: the weight overflows 64 bits", profile->amounts.count + 1);
    if (status != PF_OK)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "'%s' is not a number", pf_clip(text).text);
    return PF_OK;
}

static int read_weight(struct pf_json_cut *cut, void *field)
{
    struct profile *profile = field;
    int64_t value;
    int status = read_amount(cut->owner, profile, &value);

    if (status == PF_OK && pf_decimals_add(&profile->amounts, value) != PF_OK)
        return pf_error_nomem(cut->error);
    return status;
}

static int read_weights(struct pf_json_cut *cut, void *field)
{
    struct profile *profile = field;

    if (profile->evented)
        return fail_mixed(cut);
    profile->weighed = true;
    return pf_json_array(cut, read_weight, profile);
}

/* --- evented ---------------------------------------------------------------------------------- */

struct event {
    struct profile *profile;
    uint64_t offset;
    char type;
    int64_t frame, at;
};

static int read_time(struct pf_json_cut *cut, void *field)
{
    struct event *event = field;

    return read_amount(cut->owner, event->profile, &event->at);
}

/* Adds the time since the last event to the path of the open frames. */
static int add_time(struct pf_reader *reader, struct profile *profile, int64_t at)
{
    struct speedscope_reader *state = reader->state;
    int64_t passed, sum;
    size_t count = state->paths.stacks.count;

    if (!profile->begun || state->frame_count == 0 || at == profile->amounts.carried) {
        profile->amounts.carried = at;
        profile->begun = true;
        return PF_OK;
    }
    uint32_t path = state->open_paths[state->frame_count - 1];
    if (!pf_grow_zeroed(&state->row_of, &state->row_count, &state->row_capacity, count,
                        sizeof *state->row_of))
        return pf_error_nomem(&reader->error);
    if (state->row_of[path] == 0) {
        if (pf_decimals_add(&profile->amounts, 0) != PF_OK ||
            !pf_grow(&profile->stacks, &profile->capacity, profile->count + 1,
                     sizeof *profile->stacks))
            return pf_error_nomem(&reader->error);
        profile->stacks[profile->count++] = path;
        state->row_of[path] = (uint32_t)profile->count;
    }
    int64_t *value = &profile->amounts.values[state->row_of[path] - 1];
    if (__builtin_sub_overflow(at, profile->amounts.carried, &passed) ||
        !pf_add64(*value, passed, &sum))
        return pf_error_at(&reader->error, PF_OVERFLOW, pf_source_offset(reader->source),
                           "record %" PRIu32 ": its time overflows 64 bits", state->row_of[path]);
    *value = sum;
    profile->amounts.carried = at;
    return PF_OK;
}

static int apply_event(struct pf_reader *reader, const struct event *event)
{
    struct speedscope_reader *state = reader->state;
    struct profile *profile = event->profile;
    uint64_t offset = event->offset;
    size_t depth = state->frame_count;

    if (event->type != 'O' && event->type != 'C')
        return pf_error_at(&reader->error, PF_FAILED, offset,
                           "the type of an event must be O or C");
    if (profile->begun && event->at < profile->amounts.carried)
        return pf_error_at(&reader->error, PF_FAILED, offset, "event times go backwards");
    int status = note_frame(reader, event->frame);
    if (status == PF_OK)
        status = add_time(reader, profile, event->at);
    if (status != PF_OK)
        return status;
    if (event->type == 'C') {
        if (depth == 0)
            return pf_error_at(&reader->error, PF_FAILED, offset,
                               "frame %" PRIi64 " closes, but no frame is open", event->frame);
        if (state->frames[depth - 1] != (uint32_t)event->frame)
            return pf_error_at(&reader->error, PF_FAILED, offset,
                               "frame %" PRIi64 " closes, but frame %" PRIu32 " is the open frame",
                               event->frame, state->frames[depth - 1]);
        state->frame_count--;
        return PF_OK;
    }
    if (depth >= PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(&reader->error, offset);
    if (!pf_grow(&state->frames, &state->frame_capacity, depth + 1, sizeof *state->frames) ||
        !pf_grow(&state->open_paths, &state->open_capacity, depth + 1, sizeof *state->open_paths))
        return pf_error_nomem(&reader->error);
    state->frames[depth] = (uint32_t)event->frame;
    state->open_paths[depth] = pf_dict_add_frame(
        &state->paths, depth ? state->open_paths[depth - 1] : 0, (uint32_t)event->frame + 1);
    state->frame_count++;
    return pf_dict_status(&state->paths) == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
}

static int read_event(struct pf_json_cut *cut, void *field)
{
    enum { A_NUMBER = PF_JSON_NUMBER | PF_JSON_STRING | PF_JSON_REQUIRED };
    static const struct pf_json_member members[] = {
        {"type", PF_JSON_STRING | PF_JSON_REQUIRED, pf_json_read_letter,
         offsetof(struct event, type), NULL},
        {"frame", A_NUMBER, pf_json_read_int, offsetof(struct event, frame), NULL},
        {"at", A_NUMBER, read_time, 0, NULL},
        {0},
    };
    struct event event = {.profile = field};

    pf_json_cut_kind(cut);
    event.offset = pf_source_offset(cut->source);
    int status = pf_json_object(cut, members, &event);
    return status == PF_OK ? apply_event(cut->owner, &event) : status;
}

static int read_events(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    struct profile *profile = field;
    struct speedscope_reader *state = reader->state;

    if (profile->sampled || profile->weighed)
        return fail_mixed(cut);
    profile->evented = true;
    state->frame_count = 0;
    int status = pf_json_array(cut, read_event, profile);
    if (state->row_of)
        memset(state->row_of, 0, state->row_count * sizeof *state->row_of);
    /* speedscope refuses such a profile, too. endValue does not close frames: it may be later than
     * the end of the last frame. */
    if (status == PF_OK && state->frame_count > 0)
        return pf_error_at(
            &reader->error, PF_FAILED, pf_source_offset(reader->source),
            "%zu frames are still open after the last event: every frame that opens must close",
            state->frame_count);
    return status;
}

/* --- a profile -------------------------------------------------------------------------------- */

static int read_unit(struct pf_json_cut *cut, void *field)
{
    struct profile *profile = field;
    struct pf_bytes text;
    int status = pf_json_cut_string(cut, &text);

    for (const struct unit *unit = units; status == PF_OK && unit->word; unit++)
        if (pf_bytes_equal(text, pf_bytes_of(unit->word)))
            profile->unit = unit;
    return status;
}

static int read_profile_type(struct pf_json_cut *cut, void *field)
{
    struct profile *profile = field;
    struct pf_bytes type;
    int status = pf_json_cut_string(cut, &type);

    profile->other_type = status == PF_OK && !pf_bytes_equal(type, PF_BYTES("sampled")) &&
                          !pf_bytes_equal(type, PF_BYTES("evented"));
    return status;
}

/* Reads what our own writer says about the measure and the label. */
static int read_facts(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    struct profile *profile = field;
    const json_t *facts;
    int status = pf_json_cut_value(cut, &facts);

    if (status != PF_OK || !json_is_object(facts))
        return status;
    const json_t *label = json_object_get(facts, "label");
    int64_t period = pf_json_member_int(facts, "period", 0),
            parts = pf_json_member_int(facts, "period_parts", 0);
    profile->measure = (struct pf_measure){
        .name = pf_dict_intern_text(reader->dict, pf_json_member_text(facts, "measure")),
        .unit = pf_dict_intern_text(reader->dict, pf_json_member_text(facts, "unit")),
        .role = (uint8_t)(pf_json_member_int(facts, "role", 0) & 3),
        .nature = (uint8_t)(pf_json_member_int(facts, "nature", 0) & 3),
        .period = period > 0 ? (uint64_t)period : 0,
        .period_parts = period > 0 && parts > 1 ? (uint64_t)parts : 0,
        .main = json_is_true(json_object_get(facts, "main")),
    };
    if (profile->measure.role > PF_COUNT)
        profile->measure.role = PF_SELF;
    profile->negative = json_is_true(json_object_get(facts, "negative"));
    profile->labelled = true;
    const json_t *key = json_array_get(label, 0), *value = json_array_get(label, 1);
    if (json_is_string(key)) {
        uint32_t name = pf_dict_intern_text(
            reader->dict, (struct pf_bytes){json_string_value(key), json_string_length(key)});

        if (json_is_integer(value))
            profile->label =
                pf_dict_add_number(reader->dict, 0, name, json_integer_value(value), 0);
        else if (json_is_string(value))
            profile->label = pf_dict_add_label(
                reader->dict, 0, name,
                pf_dict_intern_text(reader->dict, (struct pf_bytes){json_string_value(value),
                                                                    json_string_length(value)}));
    }
    return PF_OK;
}

/* Checks a profile when all its members are read. */
static int check_profile(struct pf_reader *reader, const struct profile *profile)
{
    if (!profile->evented && !profile->sampled)
        return pf_error_at(&reader->error, PF_UNSUPPORTED, profile->offset,
                           profile->other_type ? "a profile that is neither sampled nor evented"
                                               : "a profile without samples and events, as "
                                                 "speedscope wrote before its file format 0.1");
    if (!profile->evented && profile->count != profile->amounts.count)
        return pf_error_at(&reader->error, PF_FAILED, profile->offset,
                           "a profile of %zu samples and %zu weights", profile->count,
                           profile->amounts.count);
    return PF_OK;
}

static int read_profile(struct pf_json_cut *cut, void *field)
{
    enum { LIST = PF_JSON_ARRAY | PF_JSON_ONCE };
    static const struct pf_json_member members[] = {
        {"name", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text, offsetof(struct profile, name),
         NULL},
        {"type", PF_JSON_STRING, read_profile_type, 0, NULL},
        {"unit", PF_JSON_STRING, read_unit, 0, NULL},
        {"samples", LIST, read_samples, 0, NULL},
        {"weights", LIST, read_weights, 0, NULL},
        {"events", LIST, read_events, 0, NULL},
        {"profutils", PF_JSON_ANY, read_facts, 0, NULL},
        {0},
    };
    struct speedscope_reader *state = field;
    struct profile *profile;

    if (!pf_grow(&state->profiles, &state->profile_capacity, state->profile_count + 1,
                 sizeof *state->profiles))
        return pf_error_nomem(cut->error);
    profile = &state->profiles[state->profile_count++];
    *profile = (struct profile){
        .unit = units, .amounts.most = MOST_PLACES, .offset = pf_source_offset(cut->source)};
    int status = pf_json_object(cut, members, profile);
    status = status == PF_OK ? check_profile(cut->owner, profile) : status;
    if (profile->count > profile->amounts.count)
        profile->count = profile->amounts.count;
    return status;
}

/* Adds the name of the document, or of the program that wrote it, as metadata. */
static int read_meta(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    const char *key = pf_bytes_equal(cut->key, PF_BYTES("name")) ? "name" : "exporter";
    uint32_t text;
    int status = pf_json_read_text(cut, &text);

    (void)field;
    if (status == PF_OK && text)
        pf_rows_meta(&reader->rows, "speedscope", pf_bytes_of(key),
                     pf_dict_string(reader->dict, text));
    return status;
}

static int read_document(struct pf_reader *reader)
{
    static const struct pf_json_member shared[] = {
        {"frames", PF_JSON_ARRAY | PF_JSON_EACH, read_frame, 0, NULL}, {0}};
    static const struct pf_json_member members[] = {
        {"shared", PF_JSON_OBJECT, NULL, 0, shared},
        {"profiles", PF_JSON_ARRAY | PF_JSON_EACH, read_profile, 0, NULL},
        {"name", PF_JSON_STRING | PF_JSON_LAX, read_meta, 0, NULL},
        {"exporter", PF_JSON_STRING | PF_JSON_LAX, read_meta, 0, NULL},
        {0},
    };
    struct speedscope_reader *state = reader->state;

    return pf_json_document(&state->cut, members, state);
}

/* --- records ---------------------------------------------------------------------------------- */

/* Sets the scale of the profile's measure. If an amount overflows 64 bits, the records end before
 * it. */
static int scale_amounts(struct pf_reader *reader, struct profile *profile)
{
    struct pf_decimals *amounts = &profile->amounts;
    uint32_t unit = profile->measure.unit;

    struct pf_amount_unit written = pf_amount_unit_of(profile->unit->unit);

    pf_amounts_scale(reader->dict, amounts, &written, &profile->measure);
    if (unit)
        profile->measure.unit = unit;
    if (amounts->rounded)
        pf_report_send(&reader->report, PF_NOTE,
                       "offset %" PRIu64 ": the profile has numbers with too many digits: rounded",
                       profile->offset);
    for (size_t k = 0; profile->negative && k < profile->count; k++) {
        if (!__builtin_sub_overflow(0, amounts->values[k], &amounts->values[k]))
            continue;
        profile->count = k;
        return pf_error_at(&reader->error, PF_OVERFLOW, profile->offset,
                           "record %zu: the weight overflows 64 bits", k + 1);
    }
    return PF_OK;
}

static int name_measure(struct pf_reader *reader, struct profile *profile)
{
    struct pf_measure *measure = &profile->measure;
    int status = scale_amounts(reader, profile);

    if (measure->name == 0) {
        measure->name = pf_dict_intern_word(reader->dict, profile->unit->measure);
        measure->role = profile->unit == units ? PF_COUNT : PF_SELF;
        measure->nature = profile->evented ? PF_TIMED : PF_SAMPLED;
    }
    return status;
}

/* Profiles with the same key have the same measure and label. */
struct measure_key {
    uint32_t name, unit, label;
};

static void label_profile(struct pf_reader *reader, size_t which)
{
    struct speedscope_reader *state = reader->state;
    uint32_t name = state->profiles[which].name,
             key = pf_dict_intern(reader->dict, PF_BYTES("thread"), 0);
    char number[32];

    if (name == 0)
        name = pf_dict_intern(reader->dict,
                              (struct pf_bytes){number, (size_t)snprintf(number, sizeof number,
                                                                         "profile %zu", which + 1)},
                              0);
    state->profiles[which].label = pf_dict_add_label(reader->dict, 0, key, name);
}

/* If several profiles have one measure, gives each its name as label `thread`. */
static int label_profiles(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;
    size_t *profiles = calloc(state->profile_count + 1, sizeof *profiles); /* by measure */
    struct pf_table measures;
    int status = pf_table_init(&measures, sizeof(struct measure_key));

    for (unsigned pass = 0; pass < 2 && profiles; pass++)
        for (size_t k = 0; k < state->profile_count; k++) {
            const struct profile *profile = &state->profiles[k];
            uint32_t id = pf_table_intern(
                &measures, &(struct measure_key){profile->measure.name, profile->measure.unit, 0});

            if (pass == 0)
                profiles[id]++;
            else if (profiles[id] > 1 && !profile->labelled)
                label_profile(reader, k);
        }
    status = !profiles || status != PF_OK || measures.status != PF_OK
                 ? pf_error_nomem(&reader->error)
                 : PF_OK;
    pf_table_free(&measures);
    free(profiles);
    return status;
}

struct stacks_key {
    uint64_t hash, count, label;
};

/* Finds profiles whose records have the same stacks as an earlier profile. */
struct twins {
    struct pf_table measures, stacks; /* measure_key, stacks_key */
    /* `first`: by measure: its first profile; `last`: by stacks: the last profile with rows of its
     * own */
    size_t *first, *last;
};

static int twins_init(struct twins *twins, size_t count)
{
    int status = pf_table_init(&twins->measures, sizeof(struct measure_key));

    twins->first = calloc(count + 1, sizeof *twins->first);
    twins->last = calloc(count + 1, sizeof *twins->last);
    return pf_table_init(&twins->stacks, sizeof(struct stacks_key)) == PF_OK && twins->first &&
                   twins->last
               ? status
               : PF_NOMEM;
}

static void twins_free(struct twins *twins)
{
    pf_table_free(&twins->measures);
    pf_table_free(&twins->stacks);
    free(twins->first);
    free(twins->last);
}

/* The earlier profile with the same label and the same stacks in the same order: both become
 * columns of the same rows. NULL: no such profile, the profile has events, or the earlier profile
 * or one before has the measure. */
static struct profile *find_twin(struct speedscope_reader *state, struct twins *twins, size_t which)
{
    const struct profile *profile = &state->profiles[which];
    size_t size = profile->count * sizeof *profile->stacks;
    struct stacks_key key = {pf_hash(size ? (const void *)profile->stacks : "", size, 0),
                             profile->count, profile->label};
    uint32_t measures = twins->measures.count, known = twins->stacks.count;
    uint32_t measure = pf_table_intern(
        &twins->measures,
        &(struct measure_key){profile->measure.name, profile->measure.unit, profile->label});
    uint32_t stacks = pf_table_intern(&twins->stacks, &key);

    if (measure >= measures)
        twins->first[measure] = which;
    if (stacks < known) {
        struct profile *other = &state->profiles[twins->last[stacks]];
        bool same = !profile->evented && twins->last[stacks] < twins->first[measure] &&
                    (size == 0 || memcmp(other->stacks, profile->stacks, size) == 0);

        return same ? other : NULL;
    }
    twins->last[stacks] = which;
    return NULL;
}

/* Makes the stacks of all paths; UINT32_MAX for a path with a frame that the file does not have.
 * The caller frees the array. NULL: out of memory. */
static uint32_t *path_stacks(struct pf_reader *reader)
{
    const struct speedscope_reader *state = reader->state;
    uint32_t *stacks = calloc(state->paths.stacks.count, sizeof *stacks);

    for (uint32_t path = 1; stacks && path < state->paths.stacks.count; path++) {
        const struct pf_stack *node = pf_dict_stack(&state->paths, path);
        uint32_t parent = stacks[node->parent], number = node->location - 1,
                 location = number < state->location_count ? state->locations[number] : 0;

        stacks[path] = location == 0 || parent == UINT32_MAX
                           ? UINT32_MAX
                           : pf_dict_add_frame(reader->dict, parent, location);
    }
    return stacks;
}

/* Replaces paths by stacks. Records of a profile end where a frame is missing. */
static int resolve(struct pf_reader *reader, int status)
{
    struct speedscope_reader *state = reader->state;
    uint32_t *stacks = path_stacks(reader);

    if (!stacks)
        return pf_error_nomem(&reader->error);
    for (size_t k = 0; k < state->profile_count; k++) {
        struct profile *profile = &state->profiles[k];

        for (size_t row = 0; row < profile->count; row++) {
            if (stacks[profile->stacks[row]] == UINT32_MAX)
                profile->count = row;
            else
                profile->stacks[row] = stacks[profile->stacks[row]];
        }
    }
    free(stacks);
    if (status == PF_OK && state->highest > state->location_count)
        status = pf_error_at(&reader->error, PF_FAILED, state->highest_at,
                             "frame %" PRIu64 " is used, but the file has %zu frames",
                             state->highest - 1, state->location_count);
    return status;
}

/* Gives all profiles of one unit the same scale, if that fits 64 bits. */
static void join_scales(struct speedscope_reader *state)
{
    for (const struct unit *unit = units; unit->word; unit++) {
        int places = 0;

        for (size_t k = 0; k < state->profile_count; k++)
            if (state->profiles[k].unit == unit && state->profiles[k].amounts.places > places)
                places = state->profiles[k].amounts.places;
        for (size_t k = 0; k < state->profile_count; k++)
            if (state->profiles[k].unit == unit)
                pf_decimals_rescale(&state->profiles[k].amounts, places);
    }
}

/* Makes the measures, and links the profiles that are columns of others. */
static int join_twins(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;
    size_t *last = calloc(state->profile_count + 1, sizeof *last); /* by profile: its last column */
    struct twins twins;
    int status = twins_init(&twins, state->profile_count);

    for (size_t k = 0; last && status == PF_OK && k < state->profile_count; k++) {
        struct profile *profile = &state->profiles[k], *twin = find_twin(state, &twins, k);
        size_t first = twin ? (size_t)(twin - state->profiles) : k;

        profile->column = pf_dict_add_measure(reader->dict, profile->measure);
        profile->is_column = twin;
        if (twin)
            state->profiles[last[first]].next_column = k + 1;
        last[first] = k;
    }
    if (!last || twins.measures.status != PF_OK || twins.stacks.status != PF_OK)
        status = PF_NOMEM;
    twins_free(&twins);
    free(last);
    return status == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
}

/* Begins the records of profile `k`. */
static void begin_profile(struct pf_reader *reader, size_t k)
{
    const struct speedscope_reader *state = reader->state;

    pf_rows_begin(&reader->rows, PF_SAMPLE);
    for (size_t next = k + 1; next > 0; next = state->profiles[next - 1].next_column)
        pf_rows_measure(&reader->rows, state->profiles[next - 1].column);
}

static int finish_profiles(struct pf_reader *reader, int status)
{
    struct speedscope_reader *state = reader->state;

    join_scales(state);
    for (size_t k = 0; k < state->profile_count; k++) {
        int named = name_measure(reader, &state->profiles[k]);

        status = status == PF_OK ? named : status;
    }
    status = resolve(reader, status);
    if (label_profiles(reader) != PF_OK || join_twins(reader) != PF_OK)
        return reader->error.code;
    for (size_t k = 0; k < state->profile_count; k++)
        if (!state->profiles[k].is_column) {
            begin_profile(reader, k);
            pf_rows_declare_ahead(&reader->rows);
        }
    return status;
}

/* Adds the next records of profile `k` until a batch is full. */
static int add_records(struct pf_reader *reader, size_t k)
{
    struct speedscope_reader *state = reader->state;
    const struct profile *profile = &state->profiles[k];
    struct pf_rows *rows = &reader->rows;
    size_t count = profile->count - state->row, most = PF_BATCH_ROWS - pf_rows_waiting(rows),
           column = 0;

    if (state->row == 0)
        begin_profile(reader, k);
    count = count < most ? count : most;
    if (!pf_rows_room(rows, count))
        return pf_error_nomem(&reader->error);
    memcpy(rows->places + rows->count, profile->stacks + state->row, count * sizeof *rows->places);
    for (size_t next = k + 1; next > 0 && column < pf_rows_column_count(rows);
         next = state->profiles[next - 1].next_column)
        memcpy(rows->values[column++] + rows->count,
               state->profiles[next - 1].amounts.values + state->row,
               count * sizeof **rows->values);
    pf_rows_wrote(rows, count, profile->label);
    state->row += count;
    return PF_OK;
}

/* The first step reads the document; each later step adds records. */
static int next_records(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;

    if (!state->read) {
        state->read = true;
        state->result = finish_profiles(reader, read_document(reader));
        return state->result == PF_NOMEM ? PF_NOMEM : PF_OK;
    }
    for (; state->current < state->profile_count; state->current++, state->row = 0)
        if (!state->profiles[state->current].is_column &&
            state->row < state->profiles[state->current].count)
            return add_records(reader, state->current);
    return state->result == PF_OK ? PF_EOF : state->result;
}

/* --- the format ------------------------------------------------------------------------------- */

static const struct pf_option options[] = {
    {"by",
     "the label that splits the output into one profile for each value (thread); of several values "
     "of a record the last is used",
     NULL, false, true},
    {0},
};

const struct pf_format pf_format_speedscope = {
    .name = "speedscope",
    .about = "speedscope's JSON, sampled and evented profiles",
    .suffixes = ".speedscope.json .speedscope",
    .losses =
        "images, addresses, first lines of functions, inlining, labels but one (by=), metadata; "
        "that a value is a maximum (such values are added up); records of one stack become one, "
        "those without a value none",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct speedscope_reader),
    .open_reader = open_reader,
    .step = next_records,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_speedscope_writer),
    .open_writer = pf_speedscope_open_writer,
    .holds_label = pf_speedscope_holds_label,
    .write = pf_speedscope_write,
    .finish = pf_speedscope_finish,
    .close_writer = pf_speedscope_close_writer,
};
