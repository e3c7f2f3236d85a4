#include "format/pprof/writer.h"

#include "analysis/sum/units.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/pprof/meta.h"
#include "io/protobuf.h"
#include "model/main_measure.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* most bytes of waiting samples; measures that come later are refused */
enum { WAITING_MAX = 32 << 20 };
enum { LEVEL = 4 }; /* of gzip: 30 MB in 0.75 s and 14.9 MB; 6 takes 0.99 s for 14.7 MB */

struct flat {
    uint32_t place, labels; /* place + 1 */
};

/* --- facts ------------------------------------------------------------------------------------ */

static void free_facts(struct pf_pprof_facts *facts)
{
    free(facts->comments);
}

static int add_comment(struct pf_pprof_facts *facts, uint32_t comment, struct pf_error *error)
{
    if (!pf_grow(&facts->comments, &facts->comment_capacity, facts->comment_count + 1,
                 sizeof *facts->comments))
        return pf_error_nomem(error);
    facts->comments[facts->comment_count++] = comment;
    return PF_OK;
}

/* Adds metadata of another format as a comment, `ORIGIN.KEY: VALUE`. */
static int add_foreign_fact(struct pf_pprof_facts *facts, struct pf_dict *dict,
                            struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                            struct pf_error *error)
{
    struct pf_buffer text = {0};
    uint32_t comment = 0;

    pf_buffer_append(&text, origin.data, origin.size);
    pf_buffer_byte(&text, '.');
    pf_buffer_append(&text, key.data, key.size);
    pf_buffer_append(&text, ": ", 2);
    pf_buffer_append(&text, value.data, value.size);
    struct pf_bytes bytes = {text.data, text.size};

    if (bytes.size > PF_STRING_MAX)
        bytes.size = PF_STRING_MAX;
    if (!text.failed)
        comment = pf_dict_intern_text(dict, bytes);
    pf_buffer_free(&text);
    return comment != 0 ? add_comment(facts, comment, error) : pf_error_nomem(error);
}

static void add_period(struct pf_pprof_facts *facts, struct pf_dict *dict, struct pf_bytes value)
{
    int64_t period;
    uint32_t type, unit;

    if (!pf_pprof_period_parse(dict, value, &period, &type, &unit))
        return;
    if (facts->has_period && (facts->period_type != type || facts->period_unit != unit)) {
        facts->other_periods = true;
        return;
    }
    if (!facts->has_period || period > facts->period)
        facts->period = period;
    facts->has_period = true;
    facts->period_type = type;
    facts->period_unit = unit;
}

static int add_times(struct pf_pprof_facts *facts, struct pf_bytes key, struct pf_bytes value,
                     struct pf_error *error)
{
    int64_t number;

    if (!pf_parse_int(value, INT64_MIN, INT64_MAX, &number))
        return PF_OK;
    if (pf_bytes_equal(key, PF_BYTES("duration_nanos")))
        return pf_add64(facts->duration, number, &facts->duration)
                   ? PF_OK
                   : pf_error_set(error, PF_OVERFLOW, "the sum of the durations overflows 64 bits");
    if (!facts->has_time || number < facts->time)
        facts->time = number;
    facts->has_time = true;
    return PF_OK;
}

static int add_fact(struct pf_pprof_facts *facts, struct pf_dict *dict, struct pf_bytes key,
                    uint32_t value, struct pf_error *error)
{
    const struct {
        const char *key;
        uint32_t *to;
    } strings[] = {
        {"drop_frames", &facts->drop_frames},
        {"keep_frames", &facts->keep_frames},
        {"default_sample_type", &facts->default_type},
        {"doc_url", &facts->doc_url},
    };

    if (pf_bytes_equal(key, PF_BYTES("comment")))
        return add_comment(facts, value, error);
    if (pf_bytes_equal(key, PF_BYTES("time_nanos")) ||
        pf_bytes_equal(key, PF_BYTES("duration_nanos")))
        return add_times(facts, key, pf_dict_string(dict, value), error);
    if (pf_bytes_equal(key, PF_BYTES("period")))
        add_period(facts, dict, pf_dict_string(dict, value));
    for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
        if (pf_bytes_equal(key, pf_bytes_of(strings[k].key)) && *strings[k].to == 0)
            *strings[k].to = value;
    return PF_OK;
}

static void add_mapping(struct pf_pprof_places *places, struct pf_bytes value)
{
    struct pf_image image;

    if (!pf_pprof_mapping_parse(places->dict, value, &image))
        return;
    if (pf_pprof_places_image(places, pf_pprof_add_image(places->dict, image)) ==
        places->listed + 1)
        places->listed++;
}

static void add_private_row(struct pf_pprof_places *places, struct pf_bytes key,
                            struct pf_bytes value)
{
    uint64_t hash;

    if (pf_bytes_equal(key, PF_BYTES(PF_PPROF_KEY_MAPPING)))
        add_mapping(places, value);
    if (pf_bytes_equal(key, PF_BYTES(PF_PPROF_KEY_SYSTEM_NAMES)))
        places->bare_system_names = true;
    if (pf_bytes_equal(key, PF_BYTES(PF_PPROF_KEY_FOLDED)) && pf_pprof_folded_parse(value, &hash))
        pf_table_intern(&places->folded, &hash);
}

static int add_metadata_row(struct pf_pprof_facts *facts, struct pf_pprof_places *places,
                            struct pf_bytes origin, struct pf_bytes key, uint32_t value,
                            struct pf_error *error)
{
    struct pf_dict *dict = places->dict;
    struct pf_bytes text = pf_dict_string(dict, value);

    if (pf_bytes_equal(origin, PF_BYTES(PF_PPROF_ORIGIN)))
        return add_fact(facts, dict, key, value, error);
    if (pf_bytes_equal(origin, PF_BYTES(PF_PPROF_PRIVATE)))
        add_private_row(places, key, text);
    if (pf_bytes_equal(origin, PF_BYTES("profutils"))) {
        bool source = pf_bytes_equal(key, PF_BYTES("source_format")),
             own = pf_bytes_equal(text, PF_BYTES("pprof"));

        facts->from_pprof |= source && own;
        facts->from_others |= source && !own;
        return PF_OK;
    }
    return origin.size > 0 && origin.data[0] == '.'
               ? PF_OK
               : add_foreign_fact(facts, dict, origin, key, text, error);
}

/* Adds a batch of metadata. The profile gets the earliest time, the sum of durations, the longest
 * period of the first type of period, all comments, and the first value of all other fields.
 * Mappings get the next numbers. PF_OK, PF_NOMEM or PF_OVERFLOW. */
static int add_facts(struct pf_pprof_facts *facts, struct pf_pprof_places *places,
                     const struct pf_batch *batch, struct pf_error *error)
{
    struct pf_dict *dict = places->dict;
    int status = PF_OK;

    for (uint32_t row = 0; row < batch->rows && status == PF_OK; row++) {
        struct pf_bytes origin = pf_dict_string(dict, batch->origin[row]),
                        key = pf_dict_string(dict, batch->key[row]);

        status = add_metadata_row(facts, places, origin, key, batch->value[row], error);
    }
    return status;
}

/* --- sample types ----------------------------------------------------------------------------- */

static void free_types(struct pf_pprof_types *types)
{
    for (size_t k = 0; k < types->count; k++)
        free(types->rows[k].held);
    free(types->rows);
    free(types->members);
}

/* True for a time in parts of a unit, such as picoseconds: it becomes nanoseconds. */
static bool is_rounded(const struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_bytes whole;

    return pf_unit_parts(pf_dict_string(dict, measure->raw_unit), &whole) > 1 &&
           pf_measure_is_time(dict, measure);
}

static struct pf_pprof_out_type new_type(struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_pprof_out_type type = {
        .measure = *measure, .unit = measure->unit, .num = 1, .den = 1};
    struct pf_unit_size size;

    if (measure->raw_unit == 0 ||
        (measure->num == 1 && measure->den == 1 && measure->raw_unit == measure->unit))
        return type;
    bool known = measure->den == 1 &&
                 pf_unit_parse(pf_dict_string(dict, measure->raw_unit), PF_PPROF_UNITS, &size) &&
                 size.num == measure->num &&
                 pf_bytes_equal(pf_bytes_of(size.base), pf_dict_string(dict, measure->unit));

    type.rounded = is_rounded(dict, measure);
    if (known || (measure->den != 1 && !type.rounded)) {
        type.unit = measure->raw_unit;
        type.num = measure->num;
        type.den = measure->den;
    }
    return type;
}

/* Sets the factor from values of the measure to values of the type. False: no factor fits. */
static bool set_scale(const struct pf_pprof_out_type *type, const struct pf_measure *measure,
                      struct pf_pprof_member *member)
{
    pf_uint128 times = (pf_uint128)measure->num * type->den,
               into = (pf_uint128)measure->den * type->num;
    bool whole = times % into == 0;

    if (whole) {
        times /= into;
        into = 1;
    }
    if ((!whole && !type->rounded) || times > INT64_MAX || into > INT64_MAX)
        return false;
    member->num = (uint64_t)times;
    member->den = (uint64_t)into;
    return true;
}

static int add_measure(struct pf_pprof_types *types, struct pf_dict *dict, uint32_t index,
                       struct pf_error *error)
{
    struct pf_measure measure = *pf_measures_row(&dict->measures, index);
    struct pf_bytes name = pf_dict_string(dict, measure.name);
    struct pf_pprof_member *member = &types->members[index];
    size_t k = 0;

    while (k < types->count && !pf_measure_same(&types->rows[k].measure, &measure))
        k++;
    if (k == types->count) {
        if (!pf_grow(&types->rows, &types->capacity, types->count + 1, sizeof *types->rows))
            return pf_error_nomem(error);
        types->rows[types->count++] = new_type(dict, &measure);
    }
    types->rows[k].measure.main |= measure.main;
    if (!pf_measure_same_period(&types->rows[k].measure, &measure))
        return pf_error_set(
            error, PF_UNSUPPORTED,
            "measure '%s' has several periods (profmerge converts the values to events)",
            pf_clip(name).text);
    if (!set_scale(&types->rows[k], &measure, member))
        return pf_error_set(error, PF_UNSUPPORTED,
                            "measure '%s' has units of different lengths (profmerge converts the "
                            "values to one unit)",
                            pf_clip(name).text);
    member->type = (uint32_t)k + 1;
    return PF_OK;
}

/* Finds the type of a measure; adds a new type. Values stay as they are if pprof knows their unit,
 * or become base units if these are whole; parts of a time (pf_unit_parts) are rounded to
 * nanoseconds, half to even. PF_OK; PF_NOMEM; PF_UNSUPPORTED: no whole factor leads from the
 * measure's scale to the type's, or their periods differ. */
static int find_type(struct pf_pprof_types *types, struct pf_dict *dict, uint32_t measure,
                     struct pf_pprof_member *member, struct pf_error *error)
{
    int status = PF_OK;

    if (!pf_grow_zeroed(&types->members, &types->member_count, &types->member_capacity,
                        pf_measures_count(&dict->measures), sizeof *types->members))
        return pf_error_nomem(error);
    if (types->members[measure].type == 0)
        status = add_measure(types, dict, measure, error);
    *member = types->members[measure];
    return status;
}

/* The number of the type that tables show first; UINT32_MAX: no types. */
static uint32_t main_type(const struct pf_pprof_types *types, const struct pf_dict *dict)
{
    struct pf_main_choice choice = {0};
    uint32_t best = UINT32_MAX;

    for (size_t k = 0; k < types->count; k++)
        if (pf_main_offer(&choice, dict, &types->rows[k].measure))
            best = (uint32_t)k;
    return best;
}

/* --- opening and closing ---------------------------------------------------------------------- */

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
    free_facts(&state->facts);
    free_types(&state->types);
    free_types(&state->flat_types);
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
    bool failed = state->labels.failed || state->stack.failed || state->values.failed ||
                  state->message.failed || state->chain.failed || state->flats.status != PF_OK ||
                  pf_pprof_places_status(&state->places) != PF_OK;

    return failed ? pf_error_nomem(&writer->error) : PF_OK;
}

/* --- labels ----------------------------------------------------------------------------------- */

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

/* The fields of a label set, in the order of its labels; valid until the next call. */
static struct pf_bytes written_labels(struct pf_pprof_writer *state, uint32_t set)
{
    struct pf_buffer *chain = &state->chain;
    uint32_t at, size = 0;

    if (set == 0)
        return (struct pf_bytes){NULL, 0};
    if (!pf_id_map_get(&state->label_of, set, &at)) {
        at = (uint32_t)state->labels.size;
        chain->size = 0;
        for (uint32_t label = set; label != 0;
             label = pf_dict_label(state->places.dict, label)->parent)
            pf_buffer_append(chain, &label, sizeof label);
        pf_buffer_append(&state->labels, &(uint32_t){0}, sizeof size);
        for (size_t left = chain->size; left > 0 && !chain->failed;) {
            uint32_t label;

            left -= sizeof label;
            memcpy(&label, chain->data + left, sizeof label);
            add_label(state, label);
        }
        size = (uint32_t)(state->labels.size - at - sizeof size);
        if (state->labels.failed || state->labels.size >= UINT32_MAX ||
            !pf_id_map_put(&state->label_of, set, at))
            state->labels.failed = true;
        if (state->labels.failed || chain->failed)
            return (struct pf_bytes){NULL, 0};
        memcpy(state->labels.data + at, &size, sizeof size);
    }
    memcpy(&size, state->labels.data + at, sizeof size);
    return (struct pf_bytes){state->labels.data + at + sizeof size, size};
}

/* --- samples ---------------------------------------------------------------------------------- */

static int too_big(struct pf_writer *writer, const struct pf_pprof_types *types, size_t type)
{
    struct pf_bytes name = pf_dict_string(writer->dict, types->rows[type].measure.name);

    return pf_error_set(&writer->error, PF_OVERFLOW, "a value of '%s' overflows 64 bits",
                        pf_clip(name).text);
}

static void write_types(struct pf_writer *writer, const struct pf_pprof_types *types)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_buffer *message = &state->message;

    for (size_t k = 0; k < types->count; k++) {
        message->size = 0;
        pf_proto_add_number(message, 1,
                            pf_pprof_places_string(&state->places, types->rows[k].measure.name));
        pf_proto_add_number(message, 2,
                            pf_pprof_places_string(&state->places, types->rows[k].unit));
        pf_proto_write_bytes(writer->sink, PF_PPROF_SAMPLE_TYPE, message->data, message->size);
    }
    state->begun = true;
}

/* Writes the sample whose stack and values are in state->stack and state->values. */
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
static int find_columns(struct pf_writer *writer, struct pf_pprof_types *types,
                        const struct pf_batch *batch)
{
    struct pf_pprof_writer *state = writer->state;

    for (uint32_t k = 0; k < batch->value_count; k++) {
        size_t had = types->count;
        struct pf_pprof_member member;

        if (find_type(types, writer->dict, batch->values[k].measure, &member, &writer->error) !=
            PF_OK)
            return writer->error.code;
        if (types->count > had && batch->kind == PF_SAMPLE && state->begun)
            return pf_error_set(&writer->error, PF_USAGE,
                                "measure '%s' is missing in earlier samples; profmerge makes one "
                                "profile of several",
                                pf_dict_string(writer->dict, types->rows[had].measure.name).data);
    }
    if (!pf_grow(&state->columns, &state->column_capacity, types->count + 1,
                 sizeof *state->columns) ||
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

/* A value as the file has it. False: over 64 bits. */
static bool value_at(const struct pf_pprof_writer *state, size_t type, uint32_t row, int64_t *value)
{
    const struct pf_pprof_member *scale = &state->scales[type];

    *value = 0;
    if (!state->columns[type])
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
        pf_pprof_places_stack(&state->places, batch->stack ? batch->stack[row] : 0, &state->stack);
        write_sample(writer, batch->labels ? batch->labels[row] : 0);
    }
    return check_memory(writer);
}

/* Writes the sample types and all samples that wait. */
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

    if (!pf_grow(&state->waiting, &state->waiting_capacity, state->waiting_count + 1,
                 sizeof *state->waiting) ||
        (copy = pf_parcel_copy(batch)) == NULL)
        return pf_error_nomem(&writer->error);
    state->waiting[state->waiting_count++] = copy;
    state->waiting_size += pf_parcel_size(copy);
    return state->waiting_size < WAITING_MAX ? PF_OK : begin_samples(writer);
}

/* --- flat records ----------------------------------------------------------------------------- */

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
        struct flat flat = {batch->location[row] + 1, batch->labels ? batch->labels[row] : 0};
        size_t number = pf_table_intern(&state->flats, &flat);

        for (size_t k = 0; k < types->count; k++) {
            int64_t value;
            int status = value_at(state, k, row, &value)
                             ? hold_value(&types->rows[k], number, value)
                             : PF_OVERFLOW;

            if (status == PF_NOMEM)
                return pf_error_nomem(&writer->error);
            if (status != PF_OK)
                return too_big(writer, types, k);
        }
    }
    return check_memory(writer);
}

/* Writes the flat records: each becomes a sample of one frame. */
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
        return add_facts(&state->facts, &state->places, batch, &writer->error);
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

/* --- the end ---------------------------------------------------------------------------------- */

/* The name of the default type; 0: no name is needed, because readers choose the last type. If the
 * last type is the main type, the name from a pprof input stays unless it names another type. */
static uint32_t default_type(const struct pf_pprof_writer *state,
                             const struct pf_pprof_types *types)
{
    const struct pf_pprof_facts *facts = &state->facts;
    uint32_t best = main_type(types, state->places.dict);
    bool named = false;

    if (best == UINT32_MAX)
        return facts->default_type;
    for (size_t k = 0; k < types->count; k++)
        named |= facts->default_type != 0 && types->rows[k].measure.name == facts->default_type;
    if (best + 1 != types->count || (facts->from_others || !facts->from_pprof))
        return types->rows[best].measure.name;
    return !named || types->rows[best].measure.name == facts->default_type ? facts->default_type
                                                                           : 0;
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

        pf_buffer_append(
            message, bytes,
            pf_proto_store(bytes, pf_pprof_places_string(&state->places, facts->comments[k])));
    }
    if (message->size > 0)
        pf_proto_write_bytes(sink, PF_PPROF_COMMENT, message->data, message->size);
    pf_proto_write_number(sink, PF_PPROF_DEFAULT_TYPE, strings[4]);
    pf_proto_write_number(sink, PF_PPROF_DOC_URL, strings[5]);
}

/* Sets the period to the length of a tick, in a profile that counts ticks. */
static void set_tick_period(struct pf_pprof_facts *facts, const struct pf_pprof_types *types,
                            uint32_t best)
{
    const struct pf_pprof_out_type *type = best != UINT32_MAX ? &types->rows[best] : NULL;

    if (!type || facts->has_period || type->measure.raw_unit == 0 ||
        type->unit != type->measure.unit || type->measure.den != 1 || type->measure.num > INT64_MAX)
        return;
    facts->period = (int64_t)type->measure.num;
    facts->period_type = type->measure.name;
    facts->period_unit = type->unit;
}

/* Writes the tables, then the fields that a profile has once. Strings of these fields get numbers
 * before the table of strings is written. */
static int write_end(struct pf_writer *writer, const struct pf_pprof_types *types)
{
    struct pf_pprof_writer *state = writer->state;
    struct pf_pprof_facts *facts = &state->facts;

    set_tick_period(facts, types, main_type(types, writer->dict));
    uint32_t strings[] = {facts->drop_frames, facts->keep_frames,         facts->period_type,
                          facts->period_unit, default_type(state, types), facts->doc_url};

    state->places.own = facts->from_pprof && !facts->from_others;
    state->places.bare_system_names |= !state->places.own;
    if (pf_pprof_places_write(&state->places, writer->sink) != PF_OK)
        return pf_error_nomem(&writer->error);
    for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
        strings[k] = pf_pprof_places_string(&state->places, strings[k]);
    for (size_t k = 0; k < facts->comment_count; k++)
        pf_pprof_places_string(&state->places, facts->comments[k]);
    if (pf_pprof_places_write_strings(&state->places, writer->sink) != PF_OK)
        return pf_error_nomem(&writer->error);
    write_facts(writer, strings);
    return check_memory(writer);
}

int pf_pprof_finish(struct pf_writer *writer)
{
    static const unsigned char cut[] = {PF_PPROF_STRING << 3 | PF_PROTO_BYTES, 127};
    struct pf_pprof_writer *state = writer->state;
    bool samples = state->begun || state->waiting_count > 0,
         flats = !samples && state->flats.count > 1;
    int status = state->waiting_count > 0 ? begin_samples(writer) : PF_OK;

    if (status != PF_OK)
        return status;
    if (flats)
        write_flats(writer);
    else if (state->flats.count > 1)
        pf_report_send(&writer->report, PF_WARNING,
                       "flat records of %" PRIu32
                       " places are left out: beside samples they would count twice",
                       state->flats.count - 1);
    if (!state->begun)
        write_types(writer, state->types.count > 0 ? &state->types : &state->flat_types);
    if (state->facts.other_periods)
        pf_report_send(&writer->report, PF_WARNING,
                       "periods of another type than the first are left out");
    status =
        write_end(writer, flats || state->types.count == 0 ? &state->flat_types : &state->types);
    /* An input failed: a cut field shows every reader that the profile is not whole. */
    if (writer->failed_input)
        pf_sink_write(writer->sink, cut, sizeof cut);
    if (status != PF_OK)
        return status;
    pf_sink_finish(writer->sink);
    return pf_sink_status(writer->sink, &writer->error);
}
