/* pprof's profile.proto, which Go, gperftools' pprof, Pyroscope, Parca, Datadog and many more
 * write: a protocol buffer, mostly in gzip.
 *
 * Names may stand anywhere, mostly behind the samples, so samples wait for the end of their
 * profile, damaged or not. Of a damaged profile the reader gives the samples that begin before the
 * damage and whose names are all there. It reports the first damage in the input; of rows with the
 * same id the first counts; a string beyond a table at the end of the profile is damage at that
 * end. */
#include "base/number.h"
#include "codec/format.h"
#include "format/pprof/meta.h"
#include "format/pprof/names.h"
#include "format/pprof/profile.h"
#include "format/pprof/writer.h"
#include "model/batch.h"
#include "model/labels.h"
#include "model/rows.h"
#include "model/stacks.h"
#include "model/strings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- evidence --------------------------------------------------------------------------------- */

enum { WINDOW = 4 * 1024, TAG_BITS = 3, MESSAGE_BITS = 12, MOST_BITS = 60 };

/* The form that a message must have. */
struct shape {
    uint32_t fields; /* the greatest number of a field */
    /* bits of fields that may be packed lists, and of fields that are messages of numbers; other
     * fields are numbers */
    uint32_t lists, messages;
    bool has_id; /* field 1 is an id, never 0 */
};

static bool is_packed(struct pf_proto list)
{
    uint64_t value;

    while (list.cursor && list.cursor < list.end)
        list.cursor = pf_proto_varint(list.cursor, list.end, &value);
    return list.cursor;
}

static bool is_numbers(struct pf_proto message)
{
    struct pf_proto_field field;
    const char *problem;
    int status;

    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK)
        if (field.number <= 4 && field.type != PF_PROTO_VARINT)
            return false;
    return status == PF_EOF;
}

static bool fits(const struct pf_proto_field *field, const struct shape *shape)
{
    uint32_t bit = UINT32_C(1) << field->number;

    if (shape->messages & bit)
        return field->type == PF_PROTO_BYTES && is_numbers(pf_proto_of(field));
    if (shape->lists & bit && field->type == PF_PROTO_BYTES)
        return is_packed(pf_proto_of(field));
    return field->type == PF_PROTO_VARINT;
}

/* Bits of evidence in a message; -1: another form. The first two fields hold ids, types and places
 * of samples, and no letter of a text is a tag of these fields. */
static int weigh_message(struct pf_proto message, const struct shape *shape)
{
    bool known = true, id = false;
    struct pf_proto_field field;
    const char *problem;
    int status;

    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        if (field.number > shape->fields)
            known = false; /* a field of a later version, or chance */
        else if (!fits(&field, shape))
            return -1;
        else if (shape->has_id ? field.number == 1 : field.number <= 2)
            id = id || field.value != 0;
    }
    return status != PF_EOF ? -1 : known && id ? MESSAGE_BITS : 0;
}

/* The fields seen so far. */
struct seen {
    uint32_t fields; /* by number */
    bool has_names;  /* the first string was seen, and is empty */
};

/* Bits of evidence in a field; -1: no profile has such a field. Only the first of several numbers
 * is evidence: a profile has the number once. */
static int weigh_field(const struct pf_proto_field *field, struct seen *seen)
{
    static const struct shape shapes[] = {
        [PF_PPROF_SAMPLE_TYPE] = {2, 0, 0, false},
        [PF_PPROF_SAMPLE] = {3, 1 << 1 | 1 << 2, 1 << 3, false},
        [PF_PPROF_MAPPING] = {10, 0, 0, true},
        [PF_PPROF_LOCATION] = {5, 0, 1 << 4, true},
        [PF_PPROF_FUNCTION] = {5, 0, 0, true},
        [PF_PPROF_PERIOD_TYPE] = {2, 0, 0, false},
    };

    if (field->number >= PF_PPROF_FIELDS)
        return 0;
    bool first = !(seen->fields >> field->number & 1);

    seen->fields |= UINT32_C(1) << field->number;
    if (field->number == PF_PPROF_STRING && field->type == PF_PROTO_BYTES) {
        seen->has_names = seen->has_names || (first && field->value == 0);
        return first && field->value == 0 ? TAG_BITS + 8 : 0;
    }
    if (field->number == PF_PPROF_COMMENT && field->type == PF_PROTO_BYTES)
        return is_packed(pf_proto_of(field)) ? 0 : -1;
    if (field->number > PF_PPROF_FUNCTION && field->number != PF_PPROF_PERIOD_TYPE)
        return field->type != PF_PROTO_VARINT ? -1 : first ? TAG_BITS : 0;
    return field->type == PF_PROTO_BYTES ? weigh_message(pf_proto_of(field), &shapes[field->number])
                                         : -1;
}

/* The format has no magic number: all fields ahead must have the form of a profile's fields, and
 * one of them must be a message or the first string. Numbers alone could be a text, because letters
 * are tags of numbers. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    struct pf_proto message = {bytes, bytes + (have < WINDOW ? have : WINDOW)};
    struct pf_proto_field field;
    const char *problem;
    struct seen seen = {0};
    int bits = 0, messages = 0, status;

    (void)path;
    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        int more = weigh_field(&field, &seen);

        if (more < 0)
            return 0;
        bits += more;
        messages += more == MESSAGE_BITS;
    }
    if (status == PF_FAILED && message.end - message.cursor > PF_PROTO_VARINT_MAX &&
        (*message.cursor & 7) != PF_PROTO_BYTES)
        return 0;
    return messages == 0 && !seen.has_names ? 0 : bits < MOST_BITS ? bits : MOST_BITS;
}

/* --- state ------------------------------------------------------------------------------------ */

/* Where a stack is cut. Frames come leaf first, and the cut moves outwards. Zero-initialise for
 * each stack. */
struct cut {
    size_t from; /* drop the frames before this frame */
    /* but if frames follow frame `last`, drop the frames before `next`: the outermost frames always
     * stay */
    size_t next, last;
};

/* The samples of a held profile. */
struct samples {
    const struct pf_pprof_profile *profile;
    const struct pf_pprof_names *names;
    struct pf_rows *rows;
    /* in the held bytes: the next sample, and the end of the samples to read */
    size_t at, end;
    bool damaged;                  /* the profile is damaged: incomplete samples are skipped */
    struct pf_strings label_bytes; /* the labels of a sample as the file has them */
    uint32_t *label_sets;          /* by id of `label_bytes` */
    size_t label_capacity;
    /* the current sample: */
    struct pf_buffer labels; /* its labels, if they are not side by side in the input */
    struct pf_labels set;
    struct cut cut;
    int64_t *values; /* by type */
    size_t value_count;
};

struct state {
    bool in_profile; /* the names of the current profile are known, samples are read */
    /* `common`: what all inputs share; `own`: the same for a single input */
    struct pf_pprof_common *common, own;
    struct pf_pprof_profile profile, next; /* the current profile; what was read of the next one */
    /* what was read after `next` */
    struct pf_pprof_profile third;
    bool is_ahead;               /* `next` was read to its end: */
    int ahead;                   /* its result */
    struct pf_error ahead_error; /* and its error */
    struct pf_pprof_names names;
    struct samples samples;
    struct pf_rows rows;
    /* reader->error is set, and good samples are still to come */
    bool damaged;
};

/* --- samples ---------------------------------------------------------------------------------- */

#define DAMAGED UINT32_MAX /* in place of a label set */

/* Begins to read the samples of a profile, up to the first damage of its names. Call it when names
 * and metadata are complete. PF_OK or PF_NOMEM; free in any case. */
static int init_samples(struct samples *samples, const struct pf_pprof_profile *profile,
                        const struct pf_pprof_names *names, struct pf_rows *rows)
{
    *samples = (struct samples){
        .profile = profile,
        .names = names,
        .rows = rows,
        .damaged = names->cut || names->damage.code != PF_OK,
        .end = names->damage.code != PF_OK ? pf_pprof_profile_before(profile, names->damage.offset)
                                           : profile->samples.size,
        .values = calloc(profile->count.types + 1, sizeof *samples->values),
    };
    return pf_strings_init(&samples->label_bytes) == PF_OK && samples->values ? PF_OK : PF_NOMEM;
}

static void free_samples(struct samples *samples)
{
    pf_strings_free(&samples->label_bytes);
    pf_buffer_free(&samples->labels);
    pf_labels_free(&samples->set);
    free(samples->label_sets);
    free(samples->values);
    *samples = (struct samples){0};
}

/* The offset of the current sample, for messages: computed only then, because it needs a walk over
 * the samples. */
static uint64_t offset_of(const struct samples *samples)
{
    return samples->damaged ? 0 : pf_pprof_profile_offset(samples->profile, samples->at);
}

/* --- labels ----------------------------------------------------------------------------------- */

static int find_string(const struct samples *samples, uint64_t number, uint32_t *id,
                       struct pf_error *error)
{
    uint64_t offset = number < samples->profile->count.strings ? 0 : offset_of(samples);

    return pf_pprof_string(samples->profile, number, offset, id, error);
}

/* Adds a label. A label with a text and a number becomes two labels. A label with neither becomes
 * the number 0, but an empty text if its key is the key of sections. */
static int add_label(struct samples *samples, struct pf_proto message, struct pf_error *error)
{
    uint64_t values[5] = {0};
    uint32_t key, text, unit;
    struct pf_proto_field field;
    const char *problem;
    int status;

    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        if (field.number > 4)
            continue;
        if (field.type != PF_PROTO_VARINT)
            return pf_error_at(error, PF_FAILED, offset_of(samples),
                               "label: a number is of another type");
        values[field.number] = field.value;
    }
    if (status != PF_EOF)
        return pf_error_at(error, PF_FAILED, offset_of(samples), "label: %s", problem);
    if (find_string(samples, values[1], &key, error) != PF_OK ||
        find_string(samples, values[2], &text, error) != PF_OK ||
        find_string(samples, values[4], &unit, error) != PF_OK)
        return error->code;
    bool empty = values[2] == 0 && values[3] == 0 && values[4] == 0 &&
                 key == samples->rows->dict->section_key;
    bool good = true;

    if (values[2] != 0 || empty)
        good = pf_labels_add(&samples->set, samples->rows->dict, key, text);
    if ((values[2] == 0 && !empty) || values[3] != 0 || values[4] != 0)
        good = good && pf_labels_add_number(&samples->set, samples->rows->dict, key,
                                            (int64_t)values[3], unit);
    if (samples->set.count > PF_LABELS_MAX)
        return pf_error_at(error, PF_FAILED, offset_of(samples), "a sample of more than %d labels",
                           PF_LABELS_MAX);
    return good ? PF_OK : pf_error_nomem(error);
}

/* Finds the label set of `bytes`: fields of labels, one after the other. */
static int find_labels(struct samples *samples, struct pf_bytes bytes, uint32_t *set,
                       struct pf_error *error)
{
    uint32_t known = samples->label_bytes.count,
             id = bytes.size <= PF_STRING_MAX ? pf_strings_intern(&samples->label_bytes, bytes, 0)
                                              : 0;
    struct pf_proto message = {(const unsigned char *)bytes.data,
                               (const unsigned char *)bytes.data + bytes.size};
    struct pf_proto_field field;
    const char *problem;
    int status = PF_OK;

    *set = 0;
    if (id != 0 && id < known) {
        *set = samples->label_sets[id];
        return *set != DAMAGED
                   ? PF_OK
                   : pf_error_at(error, PF_FAILED, offset_of(samples), "labels that are damaged");
    }
    if (bytes.size > PF_STRING_MAX)
        return pf_error_at(error, PF_FAILED, offset_of(samples),
                           "sample: labels of %zu bytes; at most %zu are read", bytes.size,
                           PF_STRING_MAX);
    if (samples->label_bytes.status != PF_OK ||
        !pf_grow(&samples->label_sets, &samples->label_capacity, (size_t)id + 1,
                 sizeof *samples->label_sets))
        return pf_error_nomem(error);
    while (status == PF_OK && pf_proto_next(&message, &field, &problem) == PF_OK)
        status = add_label(samples, pf_proto_of(&field), error);
    *set = pf_labels_take(&samples->set, samples->rows->dict);
    samples->label_sets[id] = status == PF_OK ? *set : DAMAGED;
    return status;
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Moves the cut of a stack, after frames `begin` to `end`, of the location at `place`, were added
 * to the stack. */
static void cut_stack(struct cut *cut, const struct pf_pprof_names *names, size_t place,
                      size_t begin, size_t end)
{
    if (!names->cuts || names->cuts[place] == PF_PPROF_KEPT)
        return;
    if (begin > cut->last)
        cut->from = cut->next;
    cut->next = names->cuts[place] == PF_PPROF_DROPPED ? end : begin;
    cut->last = end;
}

/* The number of the first frame that stays in a stack of `depth` frames. */
static size_t cut_end(const struct cut *cut, size_t depth)
{
    return depth > cut->last ? cut->next : cut->from;
}

/* Adds the frames of a location to the stack, with all checks. */
static int add_location_frames(struct samples *samples, uint64_t id, struct pf_error *error)
{
    const struct pf_pprof_names *names = samples->names;
    struct pf_rows *rows = samples->rows;
    size_t place = pf_pprof_ids_find(&names->location_ids, id);

    if (place == SIZE_MAX || names->spans[place].count == 0)
        return pf_error_at(error, PF_FAILED, offset_of(samples),
                           "a sample refers to location %" PRIu64 ", which is %s", id,
                           place == SIZE_MAX ? "not there" : "damaged");
    const struct pf_pprof_span *span = &names->spans[place];
    size_t begin = rows->depth;

    if (begin + span->count > PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(error, offset_of(samples));
    for (size_t k = 0; k < span->count; k++)
        if (pf_rows_frame(rows, names->frames[span->first + k], error, 0) != PF_OK)
            return error->code;
    cut_stack(&samples->cut, names, place, begin, rows->depth);
    return PF_OK;
}

static int bad_number(const struct samples *samples, struct pf_error *error)
{
    return pf_error_at(error, PF_FAILED, offset_of(samples),
                       "sample: a number is cut, or has more than 10 bytes");
}

static int add_packed_stack(struct samples *samples, struct pf_proto packed, struct pf_error *error)
{
    const struct pf_pprof_names *names = samples->names;
    struct pf_rows *rows = samples->rows;
    size_t count = names->location_ids.dense ? names->location_ids.count : 0;

    while (packed.cursor < packed.end) {
        uint64_t id = 0;
        int status;

        packed.cursor = pf_proto_varint(packed.cursor, packed.end, &id);
        if (!packed.cursor)
            return bad_number(samples, error);
        if (id - 1 < count && names->single[id - 1] != 0 && rows->depth < PF_STACK_DEPTH_MAX)
            status = pf_rows_frame(rows, names->single[id - 1], error, 0);
        else
            status = add_location_frames(samples, id, error);
        if (status != PF_OK)
            return status;
    }
    return PF_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

static void put_value(struct samples *samples, uint64_t value)
{
    if (samples->value_count < samples->profile->count.types)
        samples->values[samples->value_count] = (int64_t)value;
    samples->value_count++;
}

static int put_packed(struct samples *samples, struct pf_proto packed, struct pf_error *error)
{
    uint64_t value = 0;

    while (packed.cursor < packed.end) {
        packed.cursor = pf_proto_varint(packed.cursor, packed.end, &value);
        if (!packed.cursor)
            return bad_number(samples, error);
        put_value(samples, value);
    }
    return PF_OK;
}

/* Adds the field of a label to `labels`, for find_labels. The bytes are copied only if the labels
 * are not side by side in the input. */
static void keep_label(struct samples *samples, struct pf_bytes *labels, const unsigned char *from,
                       const unsigned char *to)
{
    size_t size = (size_t)(to - from);
    const char *bytes = (const char *)from;

    if (labels->size == 0) {
        *labels = (struct pf_bytes){bytes, size};
    } else if (labels->data + labels->size == bytes) {
        labels->size += size;
    } else {
        if (labels->data != samples->labels.data) {
            samples->labels.size = 0;
            pf_buffer_append(&samples->labels, labels->data, labels->size);
        }
        pf_buffer_append(&samples->labels, bytes, size);
        *labels = (struct pf_bytes){samples->labels.data, samples->labels.size};
    }
}

static int read_field(struct samples *samples, const struct pf_proto_field *field,
                      struct pf_error *error)
{
    if (field->number > 2)
        return PF_OK;
    if (field->number == 1 && field->type == PF_PROTO_BYTES)
        return add_packed_stack(samples, pf_proto_of(field), error);
    if (field->number == 1 && field->type == PF_PROTO_VARINT)
        return add_location_frames(samples, field->value, error);
    if (field->number == 2 && field->type == PF_PROTO_BYTES)
        return put_packed(samples, pf_proto_of(field), error);
    if (field->type != PF_PROTO_VARINT)
        return pf_error_at(error, PF_FAILED, offset_of(samples),
                           "sample: a field is of another type");
    put_value(samples, field->value);
    return PF_OK;
}

/* Adds the record of a sample. PF_OK, or a failure in `error` and no record. */
static int read_sample(struct samples *samples, struct pf_proto message, struct pf_error *error)
{
    struct pf_rows *rows = samples->rows;
    size_t types = samples->profile->count.types;
    struct pf_bytes labels = {NULL, 0};
    struct pf_proto_field field;
    const char *problem;
    uint32_t set = 0;
    int status;

    rows->depth = 0;
    samples->value_count = 0;
    samples->cut = (struct cut){0};
    for (const unsigned char *from = message.cursor;
         (status = pf_proto_next(&message, &field, &problem)) == PF_OK; from = message.cursor) {
        if (field.number == 3 && field.type == PF_PROTO_BYTES)
            keep_label(samples, &labels, from, message.cursor);
        else if (read_field(samples, &field, error) != PF_OK)
            return error->code;
    }
    if (status != PF_EOF)
        return pf_error_at(error, PF_FAILED, offset_of(samples), "sample: %s", problem);
    if (samples->value_count != types)
        return pf_error_at(error, PF_FAILED, offset_of(samples),
                           "a sample of %zu values, expected %zu as there are types",
                           samples->value_count, types);
    if (samples->labels.failed)
        return pf_error_nomem(error);
    if (labels.size > 0 && find_labels(samples, labels, &set, error) != PF_OK)
        return error->code;
    size_t from = cut_end(&samples->cut, rows->depth);

    pf_rows_sample_of(rows, from > 0 ? rows->frames + from : rows->frames, rows->depth - from, set);
    pf_rows_set_values(rows, 0, samples->values, (uint32_t)types);
    return PF_OK;
}

/* Adds the next samples until a batch is full. PF_OK, or a failure in `error`: the samples before
 * it are good. */
static int read_samples(struct samples *samples, struct pf_error *error)
{
    const struct pf_buffer *held = &samples->profile->samples;
    const unsigned char *bytes = (const unsigned char *)held->data;

    while (samples->at < samples->end && !pf_rows_ready(samples->rows)) {
        uint64_t size = 0;
        const unsigned char *body = pf_proto_varint(bytes + samples->at, bytes + held->size, &size);
        int status = read_sample(samples, (struct pf_proto){body, body + size}, error);

        if (status != PF_OK && (status != PF_FAILED || !samples->damaged))
            return status;
        if (status != PF_OK)
            *error = (struct pf_error){0};
        samples->at = (size_t)(body - bytes) + (size_t)size;
    }
    return PF_OK;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static int open_reader(struct pf_reader *reader)
{
    static const char owner;
    struct state *state = reader->state;
    size_t have;

    state->common = &state->own;
    if (reader->shared)
        state->common =
            pf_shared_get(reader->shared, &owner, sizeof *state->common, pf_pprof_common_free);
    if (!state->common || pf_pprof_common_init(state->common) != PF_OK)
        return pf_error_nomem(&reader->error);
    pf_rows_init(&state->rows, reader->dict);
    pf_rows_share_stacks(&state->rows, state->common->memo);
    state->profile = state->common->spare;
    state->common->spare = (struct pf_pprof_profile){0};
    pf_source_peek(reader->source, 1, &have);
    if (have > 0)
        return PF_OK;
    return pf_source_status(reader->source, &reader->error) != PF_OK
               ? reader->error.code
               : pf_error_at(&reader->error, PF_FAILED, 0,
                             "the input is empty: expected a profile");
}

static void clear_profile(struct state *state)
{
    free_samples(&state->samples);
    pf_pprof_names_free(&state->names);
    pf_pprof_profile_clear(&state->profile);
}

static void close_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;

    clear_profile(state);
    pf_rows_free(&state->rows);
    if (state->common) {
        pf_pprof_profile_free(&state->common->spare);
        state->common->spare = state->profile;
    }
    pf_pprof_profile_free(&state->next);
    pf_pprof_profile_free(&state->third);
    pf_pprof_common_free(&state->own);
}

/* --- phases ----------------------------------------------------------------------------------- */

static int read_fields(struct pf_reader *reader)
{
    struct state *state = reader->state;

    if (!state->is_ahead)
        return pf_pprof_profile_read(&state->profile, &state->next, reader->source, reader->dict,
                                     &reader->error);
    state->is_ahead = false;
    reader->error = state->ahead_error;
    return state->ahead;
}

/* False, with the error: the last samples may belong to the next profile. They do not if the next
 * profile has samples of its own, so the next profile is read first. */
static bool ends_surely(struct pf_reader *reader)
{
    struct state *state = reader->state;
    const struct pf_pprof_profile *profile = &state->profile, *next = &state->next;

    if (profile->doubt_end != PF_PPROF_SAMPLE && profile->doubt_end != PF_PPROF_FIELDS)
        return true;
    state->is_ahead = true;
    state->ahead_error = (struct pf_error){0};
    state->ahead = pf_pprof_profile_read(&state->next, &state->third, reader->source, reader->dict,
                                         &state->ahead_error);
    if (profile->doubt_end == PF_PPROF_SAMPLE && next->count.runs > 0 &&
        (next->doubt_end != PF_PPROF_SAMPLE || next->first == profile->first))
        return true;
    pf_error_at(&reader->error, PF_FAILED, profile->end,
                "two profiles, one after the other: the earlier fields may belong to either; store "
                "each profile in its own file, or its own gzip member");
    return false;
}

/* True if missing rows are really missing; false: they may be in the profile before. */
static bool lacks_surely(const struct pf_pprof_profile *profile)
{
    return profile->doubt_begin != PF_PPROF_MAPPING && profile->doubt_begin != PF_PPROF_FUNCTION;
}

/* Adds to an error that its cause may be a wrong seam between two profiles. */
static void add_doubt(struct pf_reader *reader)
{
    const struct pf_pprof_profile *profile = &((struct state *)reader->state)->profile;
    struct pf_error plain = reader->error;

    if (plain.code != PF_FAILED || (profile->doubt_begin == 0 && profile->doubt_end == 0))
        return;
    reader->error = (struct pf_error){0};
    pf_error_at(&reader->error, PF_FAILED, plain.offset,
                "%.300s, or the field belongs to the profile before or after: the boundary is "
                "unclear; store each profile in its own file, or its own gzip member",
                plain.text);
}

/* Reads the next profile: its fields, then names, metadata, and the declaration of its measures.
 * PF_OK; PF_EOF: no profile is left; or a failure. */
static int read_profile(struct pf_reader *reader)
{
    struct state *state = reader->state;
    struct pf_error error = {0};
    int status = read_fields(reader);

    if (status == PF_EOF)
        return status;
    if (status == PF_OK && !ends_surely(reader))
        return reader->error.code;
    state->damaged = status != PF_OK;
    if (status != PF_OK && (status != PF_FAILED || state->profile.count.strings == 0))
        return status;
    if (state->profile.count.strings == 0)
        return pf_error_at(&reader->error, PF_FAILED, state->profile.end,
                           "the table of strings is missing");
    if (state->profile.count.types > PF_PPROF_TYPES_MAX)
        return pf_error_at(&reader->error, PF_FAILED,
                           state->profile.types[PF_PPROF_TYPES_MAX].offset,
                           "more than %d sample types", PF_PPROF_TYPES_MAX);
    error = reader->error;
    reader->error = (struct pf_error){0};
    state->names.cut = state->damaged;
    status = pf_pprof_names_find(&state->names, &state->profile, reader->dict,
                                 reader->relocate ? state->common : NULL, &reader->error);
    if (status == PF_OK && pf_options_get(reader->options, "drop"))
        status = pf_pprof_drop_find(&state->names, &state->profile, reader->dict, &reader->error);
    pf_rows_begin(&state->rows, PF_SAMPLE);
    if (status == PF_OK)
        pf_pprof_meta_make(&state->rows, &state->profile, &state->names);
    if (status == PF_OK &&
        init_samples(&state->samples, &state->profile, &state->names, &state->rows) != PF_OK)
        status = pf_error_nomem(&reader->error);
    if (status == PF_OK)
        status = pf_pprof_measures_find(&state->profile, &state->rows, &reader->error);
    if (status == PF_OK)
        pf_rows_declare_ahead(&state->rows);
    if (status == PF_NOMEM)
        return status;
    /* The first damage is reported: damage of names lies before the place where reading ended. */
    state->damaged = state->samples.damaged;
    if (state->names.damage.code != PF_OK)
        reader->error = state->names.damage;
    else if (error.code != PF_OK)
        reader->error = error;
    else if (status == PF_OK && state->names.unknown > 0 && !lacks_surely(&state->profile))
        status = pf_error_at(&reader->error, PF_FAILED, state->profile.end,
                             "%zu references to mappings or functions that do not exist",
                             state->names.unknown);
    if (error.code == PF_OK)
        add_doubt(reader);
    if (state->names.unknown > 0 && status == PF_OK && !state->damaged)
        pf_report_send(&reader->report, PF_WARNING,
                       "%zu references to mappings or functions that do not exist",
                       state->names.unknown);
    state->in_profile = status == PF_OK;
    return status;
}

/* Ends reading at damage. If the damage is at the end of the profile (a cut table), samples whose
 * parts are all there are still read. */
static void end_at(struct pf_reader *reader, const struct pf_error *error)
{
    struct state *state = reader->state;

    if (error->code == PF_FAILED && error->offset == state->profile.end)
        state->samples.damaged = true;
    else
        state->samples.at = state->samples.end;
    if (!state->damaged || error->code != PF_FAILED) {
        reader->error = *error;
        add_doubt(reader);
    }
    state->damaged = true;
}

/* Adds records; after the last record goes on to the next profile. PF_OK, or the failure that
 * follows the records of a damaged profile. */
static int add_records(struct pf_reader *reader)
{
    struct state *state = reader->state;
    struct pf_error error = {0};
    struct pf_pprof_profile next;

    if (read_samples(&state->samples, &error) != PF_OK)
        end_at(reader, &error);
    if (state->samples.at < state->samples.end || !pf_rows_empty(&state->rows))
        return PF_OK;
    if (state->damaged)
        return reader->error.code;
    next = state->next;
    clear_profile(state);
    state->next = state->third;
    state->third = state->profile;
    state->profile = next;
    state->in_profile = false;
    return PF_OK;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct state *state = reader->state;
    int status = PF_OK;

    while (status == PF_OK && pf_rows_empty(&state->rows))
        status = state->in_profile ? add_records(reader) : read_profile(reader);
    if (status == PF_OK && !pf_rows_give(&state->rows, batch))
        status = PF_NOMEM;
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

/* The writer keeps the earliest time, the sum of the durations and the longest period, like pprof
 * (FORMAT.md, section 4). The order of mappings holds for one file only. If one input has bare
 * system names, the merge has. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_PPROF_ORIGIN)))
        return pf_bytes_equal(key, PF_BYTES(PF_PPROF_KEY_SYSTEM_NAMES)) ? PF_META_ONCE
                                                                        : PF_META_SINGLE;
    return pf_bytes_equal(key, PF_BYTES("duration_nanos")) ? PF_META_EACH : PF_META_ONCE;
}

static int64_t duration(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value)
{
    int64_t nanoseconds;

    return pf_bytes_equal(origin, PF_BYTES(PF_PPROF_ORIGIN)) &&
                   pf_bytes_equal(key, PF_BYTES("duration_nanos")) &&
                   pf_parse_int(value, 0, INT64_MAX, &nanoseconds)
               ? nanoseconds
               : 0;
}

static enum pf_meta_time start(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time)
{
    return pf_bytes_equal(origin, PF_BYTES(PF_PPROF_ORIGIN)) &&
                   pf_bytes_equal(key, PF_BYTES("time_nanos")) &&
                   pf_parse_int(value, INT64_MIN, INT64_MAX, time) && *time != 0
               ? PF_META_IS_TIME
               : PF_META_NO_TIME;
}

static const struct pf_merging merging = {.rule = rule, .duration = duration, .start = start};

static const struct pf_option options[] = {
    {"drop",
     "leave out the frames that the profile's drop_frames names, and their callees, as pprof does",
     "yes", true, false},
    {0},
};

const struct pf_format pf_format_pprof = {
    .name = "pprof",
    .about =
        "pprof's profile.proto, gzip or plain (Go, Pyroscope, Parca, Datadog, gperftools' pprof)",
    .suffixes = ".pb.gz .pprof .pb .prof.gz",
    .losses = "edges, flat records beside samples, kinds of frames, times of records, source "
              "texts, that a value is a maximum (such values are added up); metadata of other "
              "formats become comments",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_COMPRESSES | PF_IS_GZIP,
    .options = options,
    .merging = &merging,
    .bid = bid,
    .reader_size = sizeof(struct state),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_pprof_writer),
    .open_writer = pf_pprof_open_writer,
    .write = pf_pprof_write,
    .finish = pf_pprof_finish,
    .close_writer = pf_pprof_close_writer,
};
