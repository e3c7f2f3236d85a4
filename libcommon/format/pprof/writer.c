#include "format/pprof/writer.h"

#include "base/number.h"
#include "format/pprof/profile.h"
#include "io/protobuf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_MAX = 32 << 20 }; /* bytes of samples; measures that come later are refused */
enum { LEVEL = 4 }; /* of gzip: 30 MB in 0.75 s and 14.9 MB; 6 takes 0.99 s for 14.7 MB */

struct flat {
    uint32_t place, labels; /* place + 1 */
};

int pf_pprof_open_writer(struct pf_writer *writer)
{
    struct pf_pprof_writer *state = writer->state;
    int level = writer->compression < 0 ? LEVEL : writer->compression;

    if (pf_pprof_places_init(&state->places, writer->dict) != PF_OK ||
        pf_table_init(&state->flats, sizeof(struct flat)) != PF_OK)
        return pf_error_nomem(&writer->error);
    if (level > 0 && pf_sink_gzip(writer->sink, level) != PF_OK)
        return pf_sink_status(writer->sink, &writer->error);
    return PF_OK;
}

void pf_pprof_close_writer(struct pf_writer *writer)
{
    struct pf_pprof_writer *state = writer->state;

    for (size_t k = 0; k < state->waiting_count; k++)
        pf_parcel_free(state->waiting[k]);
    free(state->waiting);
    pf_pprof_places_free(&state->places);
    pf_pprof_facts_free(&state->facts);
    pf_pprof_types_free(&state->types);
    pf_pprof_types_free(&state->flat_types);
    pf_table_free(&state->flats);
    pf_buffer_free(&state->labels);
    pf_id_map_free(&state->label_of);
    free(state->columns);
    free(state->scales);
    pf_buffer_free(&state->stack);
    pf_buffer_free(&state->values);
    pf_buffer_free(&state->message);
    pf_buffer_free(&state->chain);
}

static int check_memory(struct pf_writer *writer)
{
    const struct pf_pprof_writer *state = writer->state;
    bool failed = state->labels.failed || state->stack.failed || state->values.failed || state->message.failed || state->chain.failed ||
                  state->flats.status != PF_OK || pf_pprof_places_status(&state->places) != PF_OK;

    return failed ? pf_error_nomem(&writer->error) : PF_OK;
}

/* --- labels ----------------------------------------------------------------------------------------------- */

static void add_label(struct pf_pprof_writer *state, uint32_t set)
{
    const struct pf_label *label = pf_dict_label(state->places.dict, set);
    struct pf_buffer *message = &state->message;
    uint32_t text = pf_pprof_places_string(&state->places, label->text);

    message->size = 0;
    pf_proto_add_number(message, 1, pf_pprof_places_string(&state->places, label->key));
    pf_proto_add_number(message, 2, label->numeric ? 0 : text);
    pf_proto_add_number(message, 3, label->numeric ? (uint64_t)label->number : 0);
    pf_proto_add_number(message, 4, label->numeric ? text : 0);
    pf_proto_add_bytes(&state->labels, 3, message->data, message->size);
}

/* The fields of a set of labels, in its order. */
static struct pf_bytes written_labels(struct pf_pprof_writer *state, uint32_t set)
{
    struct pf_buffer *chain = &state->chain;
    uint32_t at, size = 0;

    if (set == 0)
        return (struct pf_bytes){NULL, 0};
    if (!pf_id_map_get(&state->label_of, set, &at)) {
        at = (uint32_t)state->labels.size;
        chain->size = 0;
        for (uint32_t label = set; label != 0; label = pf_dict_label(state->places.dict, label)->parent)
            pf_buffer_append(chain, &label, sizeof label);
        pf_buffer_append(&state->labels, &(uint32_t){0}, sizeof size);
        for (size_t left = chain->size; left > 0 && !chain->failed;) {
            uint32_t label;

            left -= sizeof label;
            memcpy(&label, chain->data + left, sizeof label);
            add_label(state, label);
        }
        size = (uint32_t)(state->labels.size - at - sizeof size);
        if (state->labels.failed || state->labels.size >= UINT32_MAX || !pf_id_map_put(&state->label_of, set, at))
            state->labels.failed = true;
        if (state->labels.failed || chain->failed)
            return (struct pf_bytes){NULL, 0};
        memcpy(state->labels.data + at, &size, sizeof size);
    }
    memcpy(&size, state->labels.data + at, sizeof size);
    return (struct pf_bytes){state->labels.data + at + sizeof size, size};
}

/* --- samples ---------------------------------------------------------------------------------------------- */

static int too_big(struct pf_writer *writer, const struct pf_pprof_types *types, size_t type)
{
    struct pf_bytes name = pf_dict_string(writer->dict, types->rows[type].measure.name);

    return pf_error_set(&writer->error, PF_OVERFLOW, "a value of '%s' leaves 64 bits", pf_clip(name).text);
}

static void write_types(struct pf_writer *writer, const struct pf_pprof_types *types)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_buffer *message = &state->message;

    for (size_t k = 0; k < types->count; k++) {
        message->size = 0;
        pf_proto_add_number(message, 1, pf_pprof_places_string(&state->places, types->rows[k].measure.name));
        pf_proto_add_number(message, 2, pf_pprof_places_string(&state->places, types->rows[k].unit));
        pf_proto_write_bytes(writer->sink, PF_PPROF_SAMPLE_TYPE, message->data, message->size);
    }
    state->begun = true;
}

/* The sample whose stack and values stand in their buffers. */
static void write_sample(struct pf_writer *writer, uint32_t set)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_bytes labels = written_labels(state, set);
    struct pf_buffer *message = &state->message;

    message->size = 0;
    if (state->stack.size > 0)
        pf_proto_add_bytes(message, 1, state->stack.data, state->stack.size);
    if (state->values.size > 0)
        pf_proto_add_bytes(message, 2, state->values.data, state->values.size);
    pf_buffer_append(message, labels.data, labels.size);
    pf_proto_write_bytes(writer->sink, PF_PPROF_SAMPLE, message->data, message->size);
    state->stack.size = state->values.size = 0;
}

static void add_value(struct pf_pprof_writer *state, int64_t value)
{
    unsigned char bytes[PF_PROTO_VARINT_MAX];

    pf_buffer_append(&state->values, bytes, pf_proto_store(bytes, (uint64_t)value));
}

/* Finds the columns of a batch by type. */
static int find_columns(struct pf_writer *writer, struct pf_pprof_types *types, const struct pf_batch *batch)
{
    struct pf_pprof_writer *state = writer->state;

    for (uint32_t k = 0; k < batch->value_count; k++) {
        size_t had = types->count;
        struct pf_pprof_member member;

        if (pf_pprof_types_find(types, writer->dict, batch->values[k].measure, &member, &writer->error) != PF_OK)
            return writer->error.code;
        if (types->count > had && batch->kind == PF_SAMPLE && state->begun)
            return pf_error_set(&writer->error, PF_USAGE,
                                "measure '%s' comes after samples that have none; profmerge makes one profile of several",
                                pf_dict_string(writer->dict, types->rows[had].measure.name).data);
    }
    if (!pf_grow(&state->columns, &state->column_capacity, types->count + 1, sizeof *state->columns) ||
        !pf_grow(&state->scales, &state->scale_capacity, types->count + 1, sizeof *state->scales))
        return pf_error_nomem(&writer->error);
    for (size_t k = 0; k < types->count; k++)
        state->columns[k] = NULL;
    for (uint32_t k = 0; k < batch->value_count; k++) {
        const struct pf_pprof_member *member = &types->members[batch->values[k].measure];

        state->columns[member->type - 1] = batch->values[k].data;
        state->scales[member->type - 1] = *member;
    }
    return PF_OK;
}

/* A value as it is written. */
static bool value_at(const struct pf_pprof_writer *state, size_t type, uint32_t row, int64_t *value)
{
    const struct pf_pprof_member *scale = &state->scales[type];

    *value = 0;
    if (state->columns[type] == NULL)
        return true;
    if (scale->den == 1)
        return pf_mul64(state->columns[type][row], (int64_t)scale->num, value);
    return pf_scale64(state->columns[type][row], scale->num, scale->den, value);
}

static int write_samples(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_pprof_writer *state = writer->state;

    if (find_columns(writer, &state->types, batch) != PF_OK)
        return writer->error.code;
    for (uint32_t row = 0; row < batch->rows; row++) {
        for (size_t k = 0; k < state->types.count; k++) {
            int64_t value;

            if (!value_at(state, k, row, &value))
                return too_big(writer, &state->types, k);
            add_value(state, value);
        }
        pf_pprof_places_stack(&state->places, batch->stack != NULL ? batch->stack[row] : 0, &state->stack);
        write_sample(writer, batch->labels != NULL ? batch->labels[row] : 0);
    }
    return check_memory(writer);
}

/* No sample waits any more. */
static int begin_samples(struct pf_writer *writer)
{
    struct pf_pprof_writer *state = writer->state;
    int status = PF_OK;

    write_types(writer, &state->types);
    for (size_t k = 0; k < state->waiting_count; k++) {
        if (status == PF_OK)
            status = write_samples(writer, pf_parcel_batch(state->waiting[k]));
        pf_parcel_free(state->waiting[k]);
    }
    state->waiting_count = 0;
    return status;
}

static int hold_samples(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_parcel *copy;

    if (!pf_grow(&state->waiting, &state->waiting_capacity, state->waiting_count + 1, sizeof *state->waiting) ||
        (copy = pf_parcel_copy(batch)) == NULL)
        return pf_error_nomem(&writer->error);
    state->waiting[state->waiting_count++] = copy;
    state->waiting_size += pf_parcel_size(copy);
    return state->waiting_size < WAITING_MAX ? PF_OK : begin_samples(writer);
}

/* --- flat records ----------------------------------------------------------------------------------------- */

static int hold_value(struct pf_pprof_out_type *type, size_t flat, int64_t value)
{
    if (flat >= type->held_capacity &&
        !pf_grow_clear(&type->held, &type->held_capacity, flat + 1, sizeof *type->held))
        return PF_NOMEM;
    return pf_add64(type->held[flat], value, &type->held[flat]) ? PF_OK : PF_OVERFLOW;
}

static int hold_flats(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_pprof_types *types = &state->flat_types;

    for (uint32_t row = 0; row < batch->rows; row++) {
        struct flat flat = {batch->location[row] + 1, batch->labels != NULL ? batch->labels[row] : 0};
        size_t number = pf_table_intern(&state->flats, &flat);

        for (size_t k = 0; k < types->count; k++) {
            int64_t value;
            int status = value_at(state, k, row, &value) ? hold_value(&types->rows[k], number, value) : PF_OVERFLOW;

            if (status == PF_NOMEM)
                return pf_error_nomem(&writer->error);
            if (status != PF_OK)
                return too_big(writer, types, k);
        }
    }
    return check_memory(writer);
}

/* Places with their counts are samples of one frame: what was counted there, and nothing said of who called. */
static void write_flats(struct pf_writer *writer)
{
    struct pf_pprof_writer *state = writer->state;
    const struct pf_pprof_types *types = &state->flat_types;

    write_types(writer, types);
    for (uint32_t id = 1; id < state->flats.count; id++) {
        const struct flat *flat = pf_table_row(&state->flats, id);

        for (size_t k = 0; k < types->count; k++)
            add_value(state, id < types->rows[k].held_capacity ? types->rows[k].held[id] : 0);
        pf_pprof_places_location(&state->places, flat->place - 1, &state->stack);
        write_sample(writer, flat->labels);
    }
}

int pf_pprof_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_pprof_types *types = batch->kind == PF_FLAT ? &state->flat_types : &state->types;

    if (batch->kind == PF_META)
        return pf_pprof_facts_add(&state->facts, &state->places, batch, &writer->error);
    if (batch->kind != PF_SAMPLE && batch->kind != PF_FLAT)
        return PF_OK;
    if (find_columns(writer, types, batch) != PF_OK)
        return writer->error.code;
    if (batch->rows == 0)
        return PF_OK;
    if (batch->kind == PF_FLAT)
        return hold_flats(writer, batch);
    return state->begun ? write_samples(writer, batch) : hold_samples(writer, batch);
}

/* --- the end ---------------------------------------------------------------------------------------------- */

/* The type to name as the default: a reader takes the last one without. What a file said of it stays, as long as it is true. */
static uint32_t default_type(const struct pf_pprof_writer *state, const struct pf_pprof_types *types)
{
    const struct pf_pprof_facts *facts = &state->facts;
    uint32_t best = pf_pprof_types_main(types, state->places.dict);
    bool told = false;

    if (best == UINT32_MAX)
        return facts->default_type;
    for (size_t k = 0; k < types->count; k++)
        told |= facts->default_type != 0 && types->rows[k].measure.name == facts->default_type;
    if (best + 1 != types->count || (facts->from_others || !facts->from_pprof))
        return types->rows[best].measure.name;
    return !told || types->rows[best].measure.name == facts->default_type ? facts->default_type : 0;
}

static void write_facts(struct pf_writer *writer, const uint32_t *strings)
{
    struct pf_pprof_writer *state = writer->state;
    const struct pf_pprof_facts *facts = &state->facts;
    struct pf_buffer *message = &state->message;
    struct pf_sink *sink = writer->sink;

    pf_proto_write_number(sink, PF_PPROF_DROP_FRAMES, strings[0]);
    pf_proto_write_number(sink, PF_PPROF_KEEP_FRAMES, strings[1]);
    pf_proto_write_number(sink, PF_PPROF_TIME, (uint64_t)facts->time);
    pf_proto_write_number(sink, PF_PPROF_DURATION, (uint64_t)facts->duration);
    message->size = 0;
    pf_proto_add_number(message, 1, strings[2]);
    pf_proto_add_number(message, 2, strings[3]);
    if (message->size > 0)
        pf_proto_write_bytes(sink, PF_PPROF_PERIOD_TYPE, message->data, message->size);
    pf_proto_write_number(sink, PF_PPROF_PERIOD, (uint64_t)facts->period);
    message->size = 0;
    for (size_t k = 0; k < facts->comment_count; k++) {
        unsigned char bytes[PF_PROTO_VARINT_MAX];

        pf_buffer_append(message, bytes, pf_proto_store(bytes, pf_pprof_places_string(&state->places, facts->comments[k])));
    }
    if (message->size > 0)
        pf_proto_write_bytes(sink, PF_PPROF_COMMENT, message->data, message->size);
    pf_proto_write_number(sink, PF_PPROF_DEFAULT_TYPE, strings[4]);
    pf_proto_write_number(sink, PF_PPROF_DOC_URL, strings[5]);
}

/* A profile counted in ticks: how long one is. */
static void add_period(struct pf_pprof_facts *facts, const struct pf_pprof_types *types, uint32_t best)
{
    const struct pf_pprof_out_type *type = best != UINT32_MAX ? &types->rows[best] : NULL;

    if (type == NULL || facts->has_period || type->measure.raw_unit == 0 || type->unit != type->measure.unit ||
        type->measure.den != 1 || type->measure.num > INT64_MAX)
        return;
    facts->period = (int64_t)type->measure.num;
    facts->period_type = type->measure.name;
    facts->period_unit = type->unit;
}

/* Tables, then what stands once; the numbers of its strings are needed before the strings. */
static int write_end(struct pf_writer *writer, const struct pf_pprof_types *types)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_pprof_facts *facts = &state->facts;

    add_period(facts, types, pf_pprof_types_main(types, writer->dict));
    uint32_t strings[] = {facts->drop_frames, facts->keep_frames, facts->period_type, facts->period_unit, default_type(state, types),
                          facts->doc_url};

    if (pf_pprof_places_write(&state->places, writer->sink) != PF_OK)
        return pf_error_nomem(&writer->error);
    for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
        strings[k] = pf_pprof_places_string(&state->places, strings[k]);
    for (size_t k = 0; k < facts->comment_count; k++)
        pf_pprof_places_string(&state->places, facts->comments[k]);
    pf_pprof_places_write_strings(&state->places, writer->sink);
    write_facts(writer, strings);
    return check_memory(writer);
}

int pf_pprof_finish(struct pf_writer *writer)
{
    static const unsigned char cut[] = {PF_PPROF_STRING << 3 | PF_PROTO_BYTES, 127};
    struct pf_pprof_writer *state = writer->state;
    bool samples = state->begun || state->waiting_count > 0, flats = !samples && state->flats.count > 1;
    int status = state->waiting_count > 0 ? begin_samples(writer) : PF_OK;

    if (status != PF_OK)
        return status;
    if (flats)
        write_flats(writer);
    else if (state->flats.count > 1)
        pf_report_send(&writer->report, PF_WARNING, "flat records of %" PRIu32 " places are left out: beside samples they would count twice",
                       state->flats.count - 1);
    if (!state->begun)
        write_types(writer, state->types.count > 0 ? &state->types : &state->flat_types);
    if (state->facts.other_periods)
        pf_report_send(&writer->report, PF_WARNING, "periods of another type than the first are left out");
    status = write_end(writer, flats || state->types.count == 0 ? &state->flat_types : &state->types);
    /* No reader is to take what a failed input left for whole. */
    if (writer->failed_input)
        pf_sink_write(writer->sink, cut, sizeof cut);
    if (status != PF_OK)
        return status;
    pf_sink_finish(writer->sink);
    return pf_sink_status(writer->sink, &writer->error);
}
