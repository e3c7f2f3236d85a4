/* The reader of speedscope's JSON, which its viewer and many profilers write: stacks of frame
 * numbers with weights, or events, which open and close frames. This file reads the document;
 * records.c makes the records when the document ends, because frames may come after the profiles
 * that use them, and the unit of a profile after its weights. Until then a sample is a number of
 * four bytes for its stack and a number of eight bytes for its weight. */
#include "format/speedscope/speedscope.h"

#include "base/memory.h"
#include "base/number.h"
#include "codec/json_reader.h"
#include "io/json_look.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 12 }; /* decimals of a weight; more are rounded */

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

struct speedscope_reader {
    struct pf_json_cut cut;
    struct pf_speedscope_document document;
    struct pf_stack_memo *memo; /* for the paths of the document */
    /* frames of the current sample, or in a profile of events the open frames; root first */
    uint32_t *frames;
    size_t frame_count, frame_capacity;
    uint32_t *leaf_first; /* the frames of the current sample, leaf first */
    size_t leaf_capacity;
    /* for profiles of events */
    uint32_t *open_paths; /* by open frame: its path */
    uint32_t *row_of;     /* by path: its record in the current profile + 1; 0: no record */
    size_t open_capacity, row_count, row_capacity;
    uint32_t block[PF_BATCH_ROWS]; /* paths of queued samples, which `memo` sets */
    bool read;                     /* the document was read */
    int result;                    /* the result of reading the document */
};

static int open_reader(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;

    state->memo = pf_stack_memo_new();
    if (pf_dict_init(&state->document.paths) != PF_OK || !state->memo ||
        pf_file_urls_init(&state->document.urls) != PF_OK)
        return pf_error_nomem(&reader->error);
    pf_json_reader_open(&state->cut, reader);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;
    struct pf_speedscope_document *document = &state->document;

    for (size_t k = 0; k < document->profile_count; k++) {
        free(document->profiles[k].stacks);
        free(document->profiles[k].amounts.values);
    }
    free(document->profiles);
    free(document->locations);
    pf_dict_free(&document->paths);
    pf_file_urls_free(&document->urls);
    free(state->frames);
    free(state->leaf_first);
    free(state->open_paths);
    free(state->row_of);
    pf_stack_memo_free(state->memo);
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
    struct pf_speedscope_document *document = &((struct speedscope_reader *)field)->document;
    struct pf_dict *dict = ((struct pf_reader *)cut->owner)->dict;
    struct frame frame = {0};
    /* a frame that is not an object counts as a frame without a name */
    int status = pf_json_cut_kind(cut) == '{' ? pf_json_object(cut, members, &frame)
                                              : pf_json_cut_skip(cut);

    if (status != PF_OK)
        return status;
    frame.file = pf_file_urls_path(&document->urls, dict, frame.file);
    if (!pf_grow(&document->locations, &document->location_capacity, document->location_count + 1,
                 sizeof *document->locations))
        return pf_error_nomem(cut->error);
    document->locations[document->location_count++] = frame_location(dict, &frame);
    return PF_OK;
}

/* --- sampled ---------------------------------------------------------------------------------- */

/* Checks the number of a frame, and keeps the greatest number with its offset. */
static int note_frame(struct pf_reader *reader, int64_t number)
{
    struct pf_speedscope_document *document =
        &((struct speedscope_reader *)reader->state)->document;

    if (number < 0 || number >= UINT32_MAX - 1)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "%" PRIi64 " is not the number of a frame", number);
    if ((uint64_t)number >= document->highest) {
        document->highest = (uint64_t)number + 1;
        document->highest_at = pf_source_offset(reader->source);
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
        if ((uint64_t)number >= state->document.highest &&
            (status = note_frame(reader, number)) != PF_OK)
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

/* Appends the paths of the `count` queued samples to the stacks of the profile. */
static int flush_block(struct pf_reader *reader, struct pf_speedscope_profile *profile,
                       size_t count)
{
    struct speedscope_reader *state = reader->state;

    pf_stack_memo_flush(state->memo, &state->document.paths);
    if (pf_dict_status(&state->document.paths) != PF_OK ||
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
    struct pf_speedscope_profile *profile = field;
    struct speedscope_reader *state = reader->state;
    size_t waiting = 0, depth = 0;

    if (profile->evented)
        return fail_mixed(cut);
    profile->sampled = true;
    int status = pf_json_cut_enter(cut, '[');
    while (status == PF_OK && (status = pf_json_cut_next(cut)) == PF_OK) {
        status = read_sample(reader, &depth);
        if (status == PF_OK)
            pf_stack_memo_queue(state->memo, &state->document.paths, state->leaf_first, depth,
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
static int read_amount(struct pf_reader *reader, struct pf_speedscope_profile *profile,
                       int64_t *value)
{
    struct speedscope_reader *state = reader->state;
    struct pf_bytes text;
    char what[64];
    int status = pf_json_cut_number(&state->cut, &text);

    if (status != PF_OK)
        return status;
    status = pf_decimals_take(&profile->amounts, text, value);
    if (status == PF_OK)
        return PF_OK;
    snprintf(what, sizeof what, "record %zu: the %s", profile->amounts.count + 1,
             profile->evented ? "time" : "weight");
    return pf_json_cut_refuse_number(&state->cut, text, what);
}

static int read_weight(struct pf_json_cut *cut, void *field)
{
    struct pf_speedscope_profile *profile = field;
    int64_t value;
    int status = read_amount(cut->owner, profile, &value);

    if (status == PF_OK && pf_decimals_add(&profile->amounts, value) != PF_OK)
        return pf_error_nomem(cut->error);
    return status;
}

static int read_weights(struct pf_json_cut *cut, void *field)
{
    struct pf_speedscope_profile *profile = field;

    if (profile->evented)
        return fail_mixed(cut);
    profile->weighed = true;
    return pf_json_array(cut, read_weight, profile);
}

/* --- evented ---------------------------------------------------------------------------------- */

struct event {
    struct pf_speedscope_profile *profile;
    uint64_t offset;
    char type;
    int64_t frame, at;
};

static int read_time(struct pf_json_cut *cut, void *field)
{
    struct event *event = field;

    return read_amount(cut->owner, event->profile, &event->at);
}

/* Adds the time from the last event until `at` to the path of the open frames. */
static int add_time(struct pf_reader *reader, struct pf_speedscope_profile *profile, int64_t at)
{
    struct speedscope_reader *state = reader->state;
    int64_t passed, sum;
    size_t count = state->document.paths.stacks.count;

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
    struct pf_speedscope_profile *profile = event->profile;
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
    state->open_paths[depth] = pf_dict_add_frame(&state->document.paths,
                                                 depth ? state->open_paths[depth - 1] : 0,
                                                 (uint32_t)event->frame + 1);
    state->frame_count++;
    return pf_dict_status(&state->document.paths) == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
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
    struct pf_speedscope_profile *profile = field;
    struct speedscope_reader *state = reader->state;

    if (profile->sampled || profile->weighed)
        return fail_mixed(cut);
    profile->evented = true;
    state->frame_count = 0;
    int status = pf_json_array(cut, read_event, profile);
    if (state->row_of)
        memset(state->row_of, 0, state->row_count * sizeof *state->row_of);
    /* speedscope refuses such a profile, too. The member endValue does not close frames, because it
     * may be later than the end of the last frame. */
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
    struct pf_speedscope_profile *profile = field;
    struct pf_bytes text;
    int status = pf_json_cut_string(cut, &text);

    const struct pf_speedscope_unit *unit = status == PF_OK ? pf_speedscope_find_unit(text) : NULL;
    if (unit)
        profile->unit = unit;
    return status;
}

static int read_profile_type(struct pf_json_cut *cut, void *field)
{
    struct pf_speedscope_profile *profile = field;
    struct pf_bytes type;
    int status = pf_json_cut_string(cut, &type);

    profile->other_type = status == PF_OK && !pf_bytes_equal(type, PF_BYTES("sampled")) &&
                          !pf_bytes_equal(type, PF_BYTES("evented"));
    return status;
}

/* Reads the member in which our own writer describes the measure and the label. */
static int read_facts(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    struct pf_speedscope_profile *profile = field;
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
static int check_profile(struct pf_reader *reader, const struct pf_speedscope_profile *profile)
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
        {"name", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text,
         offsetof(struct pf_speedscope_profile, name), NULL},
        {"type", PF_JSON_STRING, read_profile_type, 0, NULL},
        {"unit", PF_JSON_STRING, read_unit, 0, NULL},
        {"samples", LIST, read_samples, 0, NULL},
        {"weights", LIST, read_weights, 0, NULL},
        {"events", LIST, read_events, 0, NULL},
        {"profutils", PF_JSON_ANY, read_facts, 0, NULL},
        {0},
    };
    struct pf_speedscope_document *document = &((struct speedscope_reader *)field)->document;
    struct pf_speedscope_profile *profile;

    if (!pf_grow(&document->profiles, &document->profile_capacity, document->profile_count + 1,
                 sizeof *document->profiles))
        return pf_error_nomem(cut->error);
    profile = &document->profiles[document->profile_count++];
    *profile = (struct pf_speedscope_profile){.unit = pf_speedscope_find_unit(PF_BYTES("none")),
                                              .amounts.most = MOST_PLACES,
                                              .offset = pf_source_offset(cut->source)};
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

/* The first call reads the document; each later call adds records. */
static int read_step(struct pf_reader *reader)
{
    struct speedscope_reader *state = reader->state;

    if (!state->read) {
        state->read = true;
        state->result =
            pf_speedscope_finish_document(reader, &state->document, read_document(reader));
        return state->result == PF_NOMEM ? PF_NOMEM : PF_OK;
    }
    int status = pf_speedscope_add_records(reader, &state->document);
    return status == PF_EOF && state->result != PF_OK ? state->result : status;
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
    .merging = &pf_file_urls_merging,
    .bid = bid,
    .reader_size = sizeof(struct speedscope_reader),
    .open_reader = open_reader,
    .step = read_step,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_speedscope_writer),
    .open_writer = pf_speedscope_open_writer,
    .holds_label = pf_speedscope_holds_label,
    .write = pf_speedscope_write,
    .finish = pf_speedscope_finish,
    .close_writer = pf_speedscope_close_writer,
};
