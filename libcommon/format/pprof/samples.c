#include "format/pprof/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DAMAGED UINT32_MAX /* in place of a set of labels */

int pf_pprof_samples_init(struct pf_pprof_samples *samples, const struct pf_pprof_profile *profile, const struct pf_pprof_names *names,
                          struct pf_stack_memo *memo, struct pf_dict *dict)
{
    samples->profile = profile;
    samples->names = names;
    samples->dict = dict;
    samples->memo = memo;
    samples->damaged = names->cut || names->damage.code != PF_OK;
    samples->end = names->damage.code != PF_OK ? pf_pprof_profile_before(profile, names->damage.offset) : profile->samples.size;
    samples->values = calloc(profile->count.types + 1, PF_BATCH_ROWS * sizeof *samples->values);
    return pf_strings_init(&samples->label_bytes) == PF_OK && samples->values != NULL ? PF_OK : PF_NOMEM;
}

void pf_pprof_samples_free(struct pf_pprof_samples *samples)
{
    pf_strings_free(&samples->label_bytes);
    pf_buffer_free(&samples->labels);
    pf_labels_free(&samples->set);
    free(samples->label_sets);
    free(samples->frames);
    free(samples->values);
    memset(samples, 0, offsetof(struct pf_pprof_samples, stacks));
    samples->values = NULL;
}

/* Offsets are looked for where something is wrong and told only: that takes a walk over samples. */
static uint64_t offset_of(const struct pf_pprof_samples *samples, size_t at)
{
    return samples->damaged ? 0 : pf_pprof_profile_offset(samples->profile, at);
}

/* --- labels ----------------------------------------------------------------------------------------------- */

static int find_string(const struct pf_pprof_samples *samples, uint64_t number, size_t at, uint32_t *id, struct pf_error *error)
{
    uint64_t offset = number < samples->profile->count.strings ? 0 : offset_of(samples, at);

    return pf_pprof_string(samples->profile, number, offset, id, error);
}

/* A label may have a text and a number; then it becomes two. One with neither is the number 0, unless it is a section. */
static int add_label(struct pf_pprof_samples *samples, struct pf_proto message, size_t at, struct pf_error *error)
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
            return pf_error_at(error, PF_FAILED, offset_of(samples, at), "label: a number is of another type");
        values[field.number] = field.value;
    }
    if (status != PF_EOF)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "label: %s", problem);
    if (find_string(samples, values[1], at, &key, error) != PF_OK || find_string(samples, values[2], at, &text, error) != PF_OK ||
        find_string(samples, values[4], at, &unit, error) != PF_OK)
        return error->code;
    bool empty = values[2] == 0 && values[3] == 0 && values[4] == 0 && key == samples->dict->section_key;
    bool good = true;

    if (values[2] != 0 || empty)
        good = pf_labels_add(&samples->set, samples->dict, key, text);
    if ((values[2] == 0 && !empty) || values[3] != 0 || values[4] != 0)
        good = good && pf_labels_add_number(&samples->set, samples->dict, key, (int64_t)values[3], unit);
    if (samples->set.count > PF_LABELS_MAX)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "a sample of more than %d labels", PF_LABELS_MAX);
    return good ? PF_OK : pf_error_nomem(error);
}

/* The set that stands in these bytes, fields of labels one behind the other. */
static int find_labels(struct pf_pprof_samples *samples, struct pf_bytes bytes, uint32_t *set, size_t at, struct pf_error *error)
{
    uint32_t known = samples->label_bytes.count, id = bytes.size <= PF_STRING_MAX ? pf_strings_intern(&samples->label_bytes, bytes, 0) : 0;
    struct pf_proto message = {(const unsigned char *)bytes.data, (const unsigned char *)bytes.data + bytes.size};
    struct pf_proto_field field;
    const char *problem;
    int status = PF_OK;

    *set = 0;
    if (id != 0 && id < known) {
        *set = samples->label_sets[id];
        return *set != DAMAGED ? PF_OK : pf_error_at(error, PF_FAILED, offset_of(samples, at), "labels that are damaged");
    }
    if (bytes.size > PF_STRING_MAX)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "sample: labels of %zu bytes; at most %zu are read", bytes.size,
                           PF_STRING_MAX);
    if (samples->label_bytes.status != PF_OK ||
        !pf_grow(&samples->label_sets, &samples->label_capacity, (size_t)id + 1, sizeof *samples->label_sets))
        return pf_error_nomem(error);
    while (status == PF_OK && pf_proto_next(&message, &field, &problem) == PF_OK)
        status = add_label(samples, pf_proto_of(&field), at, error);
    *set = pf_labels_take(&samples->set, samples->dict);
    samples->label_sets[id] = status == PF_OK ? *set : DAMAGED;
    return status;
}

/* --- stacks ----------------------------------------------------------------------------------------------- */

static bool add_frames(struct pf_pprof_samples *samples, const uint32_t *frames, size_t count)
{
    if (!pf_grow(&samples->frames, &samples->frame_capacity, samples->depth + count, sizeof *samples->frames))
        return false;
    memcpy(samples->frames + samples->depth, frames, count * sizeof *frames);
    samples->depth += count;
    return true;
}

/* The frames of a location that has several, or could not be added at once. */
static int add_location(struct pf_pprof_samples *samples, uint64_t id, size_t at, struct pf_error *error)
{
    const struct pf_pprof_names *names = samples->names;
    size_t place = pf_pprof_ids_find(&names->location_ids, id);

    if (place == SIZE_MAX || names->spans[place].count == 0)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "a sample refers to location %" PRIu64 ", which is %s", id,
                           place == SIZE_MAX ? "not there" : "damaged");
    if (samples->depth + names->spans[place].count > PF_STACK_DEPTH_MAX)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "a stack of more than %d frames",
                           PF_STACK_DEPTH_MAX);
    if (!add_frames(samples, names->frames + names->spans[place].first, names->spans[place].count))
        return pf_error_nomem(error);
    pf_pprof_cut_location(&samples->cut, names, place, samples->depth - names->spans[place].count, samples->depth);
    return PF_OK;
}

static int bad_number(const struct pf_pprof_samples *samples, size_t at, struct pf_error *error)
{
    return pf_error_at(error, PF_FAILED, offset_of(samples, at),
                       "sample: a number is cut, or has more than 10 bytes");
}

static int add_packed_stack(struct pf_pprof_samples *samples, struct pf_proto packed, size_t at, struct pf_error *error)
{
    const struct pf_pprof_names *names = samples->names;
    size_t most = (size_t)(packed.end - packed.cursor), count = names->location_ids.dense ? names->location_ids.count : 0;

    /* A number has at least one byte, so that there is room for one frame each. */
    if (samples->frame_capacity < samples->depth + most &&
        !pf_grow(&samples->frames, &samples->frame_capacity, samples->depth + most, sizeof *samples->frames))
        return pf_error_nomem(error);
    while (packed.cursor < packed.end) {
        uint64_t id = 0;

        packed.cursor = pf_proto_varint(packed.cursor, packed.end, &id);
        if (packed.cursor == NULL)
            return bad_number(samples, at, error);
        if (id - 1 < count && names->single[id - 1] != 0 && samples->depth < PF_STACK_DEPTH_MAX &&
            samples->depth < samples->frame_capacity)
            samples->frames[samples->depth++] = names->single[id - 1];
        else if (add_location(samples, id, at, error) != PF_OK)
            return error->code;
    }
    return PF_OK;
}

/* --- samples ---------------------------------------------------------------------------------------------- */

struct columns {
    uint32_t row;
    size_t count; /* values met */
};

static void put_value(struct pf_pprof_samples *samples, struct columns *columns, uint64_t value)
{
    if (columns->count < samples->profile->count.types)
        samples->values[columns->count * PF_BATCH_ROWS + columns->row] = (int64_t)value;
    columns->count++;
}

static int put_packed(struct pf_pprof_samples *samples, struct columns *columns, struct pf_proto packed, size_t at,
                      struct pf_error *error)
{
    uint64_t value = 0;

    while (packed.cursor < packed.end) {
        packed.cursor = pf_proto_varint(packed.cursor, packed.end, &value);
        if (packed.cursor == NULL)
            return bad_number(samples, at, error);
        put_value(samples, columns, value);
    }
    return PF_OK;
}

/* Keeps the label's field for find_labels; mostly all of them are the end of the sample. */
static void keep_label(struct pf_pprof_samples *samples, struct pf_bytes *labels, const unsigned char *from, const unsigned char *to)
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

static int read_field(struct pf_pprof_samples *samples, const struct pf_proto_field *field, struct columns *columns, size_t at,
                      struct pf_error *error)
{
    if (field->number > 2)
        return PF_OK;
    if (field->number == 1 && field->type == PF_PROTO_BYTES)
        return add_packed_stack(samples, pf_proto_of(field), at, error);
    if (field->number == 1 && field->type == PF_PROTO_VARINT)
        return add_location(samples, field->value, at, error);
    if (field->number == 2 && field->type == PF_PROTO_BYTES)
        return put_packed(samples, columns, pf_proto_of(field), at, error);
    if (field->type != PF_PROTO_VARINT)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "sample: a field is of another type");
    put_value(samples, columns, field->value);
    return PF_OK;
}

static int read_sample(struct pf_pprof_samples *samples, struct pf_proto message, uint32_t row, size_t at, struct pf_error *error)
{
    const struct pf_pprof_profile *profile = samples->profile;
    struct columns columns = {.row = row};
    struct pf_bytes labels = {NULL, 0};
    struct pf_proto_field field;
    const char *problem;
    int status;

    samples->depth = 0;
    samples->cut = (struct pf_pprof_cut){0};
    for (const unsigned char *from = message.cursor; (status = pf_proto_next(&message, &field, &problem)) == PF_OK;
         from = message.cursor) {
        if (field.number == 3 && field.type == PF_PROTO_BYTES)
            keep_label(samples, &labels, from, message.cursor);
        else if (read_field(samples, &field, &columns, at, error) != PF_OK)
            return error->code;
    }
    if (status != PF_EOF)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "sample: %s", problem);
    if (columns.count != profile->count.types)
        return pf_error_at(error, PF_FAILED, offset_of(samples, at), "a sample of %zu values where there are %zu types",
                           columns.count, profile->count.types);
    samples->sets[row] = 0;
    if (samples->labels.failed)
        return pf_error_nomem(error);
    if (labels.size > 0 && find_labels(samples, labels, &samples->sets[row], at, error) != PF_OK)
        return error->code;
    size_t from = pf_pprof_cut_end(&samples->cut, samples->depth);
    const uint32_t *frames = from > 0 ? samples->frames + from : samples->frames;
    pf_stack_memo_queue(samples->memo, samples->dict, frames, samples->depth - from, &samples->stacks[row]);
    return PF_OK;
}

int pf_pprof_samples_next(struct pf_pprof_samples *samples, uint32_t *rows, struct pf_error *error)
{
    const struct pf_buffer *held = &samples->profile->samples;
    const unsigned char *bytes = (const unsigned char *)held->data;
    int status = PF_OK;

    for (*rows = 0; *rows < PF_BATCH_ROWS && samples->at < samples->end;) {
        uint64_t size = 0;
        const unsigned char *body = pf_proto_varint(bytes + samples->at, bytes + held->size, &size);

        status = read_sample(samples, (struct pf_proto){body, body + size}, *rows, samples->at, error);
        if (status != PF_OK && (status != PF_FAILED || !samples->damaged))
            break;
        *rows += status == PF_OK;
        status = PF_OK;
        samples->at = (size_t)(body - bytes) + (size_t)size;
    }
    pf_stack_memo_flush(samples->memo, samples->dict);
    return status == PF_OK && *rows == 0 ? PF_EOF : status;
}
