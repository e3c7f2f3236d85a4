/* Parts of JSON rows that repeat: each different text is parsed only once. */
#include "render/records/json.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "io/json.h"

#include <stdlib.h>

struct pf_bytes pf_samples_text(const json_t *value)
{
    return json_is_string(value)
               ? (struct pf_bytes){json_string_value(value), json_string_length(value)}
               : PF_BYTES("");
}

static uint64_t address_of(struct pf_bytes text)
{
    uint64_t address = 0;

    pf_parse_address(text, &address);
    return address;
}

uint8_t pf_samples_word(const json_t *object, const char *key, const char *(*word)(unsigned),
                        unsigned count)
{
    struct pf_bytes text = pf_json_member_text(object, key);

    for (unsigned k = 0; k < count; k++)
        if (pf_bytes_equal(text, pf_bytes_of(word(k))))
            return (uint8_t)k;
    return 0;
}

/* Makes the location of a frame, which may be only a name. */
static int make_frame(struct pf_json_cut *cut, uint64_t offset, const json_t *frame, uint32_t *id)
{
    static const struct pf_json_type types[] = {
        {"function", PF_JSON_STRING},   {"file", PF_JSON_STRING},
        {"line", PF_JSON_NUMBER},       {"column", PF_JSON_NUMBER},
        {"image", PF_JSON_STRING},      {"address", PF_JSON_STRING},
        {"inlined", PF_JSON_BOOLEAN},   {"start_line", PF_JSON_NUMBER},
        {"frame_kind", PF_JSON_STRING}, {0},
    };
    struct pf_dict *dict = ((struct pf_reader *)cut->owner)->dict;
    int status = pf_json_check(cut, offset, "stack", frame, PF_JSON_STRING | PF_JSON_OBJECT);

    if (status == PF_OK)
        status = pf_json_check_members(cut, offset, frame, types);
    if (status != PF_OK)
        return status;
    struct pf_bytes name = json_is_string(frame) ? pf_samples_text(frame)
                                                 : pf_json_member_text(frame, "function");
    struct pf_bytes address = pf_json_member_text(frame, "address"),
                    image = pf_json_member_text(frame, "image");
    int64_t column = pf_json_member_int(frame, "column", 0);
    struct pf_function function = {
        .name = pf_dict_intern_text(dict, name.size ? name : PF_BYTES("[unknown]")),
        .file = pf_dict_intern_text(dict, pf_json_member_text(frame, "file")),
        .start_line = pf_json_member_int(frame, "start_line", 0)};
    struct pf_location location = {
        .address = address_of(address),
        .line = pf_json_member_int(frame, "line", 0),
        .column = column > 0 && column <= UINT32_MAX ? (uint32_t)column : 0,
        .kind = pf_samples_word(frame, "frame_kind", pf_frame_kind_name, PF_FRAME_KINDS),
        .inlined = json_is_true(json_object_get(frame, "inlined"))};

    /* an address in place of a name is not a name */
    if (address.size == 0 || !pf_bytes_equal(address, name) || location.address == 0)
        location.function = pf_dict_add_function(dict, &function);
    if (image.size > 0)
        location.image =
            pf_dict_add_image(dict, &(struct pf_image){.name = pf_dict_intern_text(dict, image)});
    *id = pf_dict_add_location(dict, &location);
    return PF_OK;
}

/* Makes the label set, unless adding a label failed with `status`. */
static int end_set(struct pf_json_cut *cut, struct pf_labels *labels, int status, uint32_t *set)
{
    struct pf_reader *reader = cut->owner;

    if (status == PF_OK)
        status = pf_labels_take_checked(labels, reader->dict, set, &reader->error,
                                        pf_source_offset(reader->source));
    pf_labels_free(labels);
    return status;
}

/* Adds a value of a label: a string, or a number, {"num":5,"unit":"bytes"} with a unit. */
static int add_label(struct pf_json_cut *cut, uint64_t offset, struct pf_labels *set,
                     const char *key, const json_t *value)
{
    static const struct pf_json_type types[] = {
        {"num", PF_JSON_NUMBER}, {"unit", PF_JSON_STRING}, {0}};
    struct pf_dict *dict = ((struct pf_reader *)cut->owner)->dict;
    uint32_t name = pf_dict_intern_text(dict, pf_bytes_of(key));
    int status =
        pf_json_check(cut, offset, key, value, PF_JSON_STRING | PF_JSON_NUMBER | PF_JSON_OBJECT);
    bool good;

    if (status == PF_OK)
        status = pf_json_check_members(cut, offset, value, types);
    if (status != PF_OK)
        return status;
    if (json_is_string(value))
        good = pf_labels_add(set, dict, name, pf_dict_intern_text(dict, pf_samples_text(value)));
    else
        good = pf_labels_add_number(set, dict, name,
                                    json_is_integer(value) ? (int64_t)json_integer_value(value)
                                                           : pf_json_member_int(value, "num", 0),
                                    pf_dict_intern_text(dict, pf_json_member_text(value, "unit")));
    return good ? PF_OK : pf_error_nomem(cut->error);
}

/* Adds the values of a label: one value, an array of values, or null. */
static int add_values(struct pf_json_cut *cut, uint64_t offset, struct pf_labels *set,
                      const char *key, const json_t *values)
{
    int status = PF_OK;

    if (json_is_null(values))
        return PF_OK;
    if (!json_is_array(values))
        return add_label(cut, offset, set, key, values);
    for (size_t k = 0; k < json_array_size(values) && status == PF_OK; k++)
        status = add_label(cut, offset, set, key, json_array_get(values, k));
    return status;
}

static int make_sections(struct pf_json_cut *cut, uint64_t offset, const json_t *sections,
                         uint32_t *id)
{
    struct pf_dict *dict = ((struct pf_reader *)cut->owner)->dict;
    struct pf_labels set = {0};
    int status = PF_OK;

    for (size_t k = 0; k < json_array_size(sections) && status == PF_OK; k++) {
        const json_t *section = json_array_get(sections, k);

        status = pf_json_check(cut, offset, "sections", section, PF_JSON_STRING);
        if (status == PF_OK && !pf_labels_add(&set, dict, dict->section_key,
                                              pf_dict_intern_text(dict, pf_samples_text(section))))
            status = pf_error_nomem(cut->error);
    }
    return end_set(cut, &set, status, id);
}

static int make_labels(struct pf_json_cut *cut, uint64_t offset, const json_t *labels, uint32_t *id)
{
    struct pf_labels set = {0};
    const json_t *values;
    const char *key;
    int status = PF_OK;

    json_object_foreach((json_t *)(uintptr_t)labels, key, values)
    {
        if (status == PF_OK)
            status = add_values(cut, offset, &set, key, values);
    }
    return end_set(cut, &set, status, id);
}

static uint32_t member_string(struct pf_dict *dict, const json_t *object, const char *key,
                              uint32_t other)
{
    const json_t *member = json_object_get(object, key);

    return json_is_string(member) ? pf_dict_intern_text(dict, pf_samples_text(member)) : other;
}

static uint64_t member_number(const json_t *object, const char *key, int64_t usual)
{
    int64_t number = pf_json_member_int(object, key, usual);

    return (uint64_t)(number >= usual ? number : usual);
}

int pf_samples_add_facts(struct pf_reader *reader, uint32_t key, const json_t *measure)
{
    struct pf_samples_reader *state = reader->state;
    struct pf_dict *dict = reader->dict;

    if (!pf_grow(&state->facts, &state->fact_capacity, state->fact_count + 1, sizeof *state->facts))
        return pf_error_nomem(&reader->error);
    state->facts[state->fact_count++] = (struct pf_samples_facts){
        .key = key,
        .measure =
            {
                .name = member_string(dict, measure, "measure", key),
                .unit = member_string(dict, measure, "base_unit", 0),
                .raw_unit = member_string(dict, measure, "raw_unit", 0),
                .role = pf_samples_word(measure, "role", pf_role_name, PF_COUNT + 1),
                .nature = pf_samples_word(measure, "nature", pf_nature_name, PF_EXACT + 1),
                .aggregation =
                    pf_samples_word(measure, "aggregation", pf_aggregation_name, PF_MAX + 1),
                .main = json_is_true(json_object_get(measure, "main")),
                .runs = json_is_true(json_object_get(measure, "runs")),
                .num = member_number(measure, "num", 1),
                .den = member_number(measure, "den", 1),
                .period = member_number(measure, "period", 0),
                .period_parts = member_number(measure, "period_parts", 0),
            },
    };
    return PF_OK;
}

/* Adds the facts about the measures of a row. *id: 1 + the place of the first. */
static int make_measures(struct pf_json_cut *cut, uint64_t offset, const json_t *measures,
                         uint32_t *id)
{
    static const struct pf_json_type types[] = {
        {"measure", PF_JSON_STRING},
        {"base_unit", PF_JSON_STRING},
        {"raw_unit", PF_JSON_STRING},
        {"role", PF_JSON_STRING},
        {"nature", PF_JSON_STRING},
        {"aggregation", PF_JSON_STRING},
        {"main", PF_JSON_BOOLEAN},
        {"num", PF_JSON_NUMBER},
        {"den", PF_JSON_NUMBER},
        {"period", PF_JSON_NUMBER},
        {"period_parts", PF_JSON_NUMBER},
        {"runs", PF_JSON_BOOLEAN},
        {0},
    };
    struct pf_reader *reader = cut->owner;
    struct pf_samples_reader *state = reader->state;
    size_t first = state->fact_count;
    const json_t *measure;
    const char *key;
    int status = PF_OK;

    json_object_foreach((json_t *)(uintptr_t)measures, key, measure)
    {
        if (status == PF_OK)
            status = pf_json_check(cut, offset, key, measure, PF_JSON_OBJECT);
        if (status == PF_OK)
            status = pf_json_check_members(cut, offset, measure, types);
        if (status == PF_OK)
            status = pf_samples_add_facts(
                reader, pf_dict_intern_text(reader->dict, pf_bytes_of(key)), measure);
    }
    *id = (uint32_t)first + 1;
    return status == PF_OK ? pf_samples_add_facts(reader, UINT32_MAX, NULL) : status;
}

int pf_samples_read_known(struct pf_json_cut *cut, void *field)
{
    struct pf_samples_memo *memo = field;
    struct pf_bytes raw;
    const json_t *value;
    uint32_t text = 0;
    int status = pf_json_cut_raw(cut, &raw);

    if (status != PF_OK)
        return status;
    if (raw.size <= PF_STRING_MAX)
        text = pf_strings_intern(&memo->texts, raw, 0);
    if (text < memo->count && memo->ids[text]) {
        memo->id = memo->ids[text] - 1;
        return PF_OK;
    }
    uint64_t offset = pf_source_offset(cut->source) - raw.size;

    status = pf_json_cut_parse(cut, raw, offset, &value);
    if (status == PF_OK)
        status = memo->make(cut, offset, value, &memo->id);
    if (status != PF_OK)
        return status;
    if (!pf_grow_zeroed(&memo->ids, &memo->count, &memo->capacity, (size_t)text + 1,
                        sizeof *memo->ids))
        return pf_error_nomem(cut->error);
    if (text)
        memo->ids[text] = memo->id + 1;
    return PF_OK;
}

int pf_samples_memos_open(struct pf_samples_reader *state)
{
    state->frames.make = make_frame;
    state->sections.make = make_sections;
    state->labels.make = make_labels;
    state->measures.make = make_measures;
    return pf_strings_init(&state->frames.texts) == PF_OK &&
                   pf_strings_init(&state->labels.texts) == PF_OK &&
                   pf_strings_init(&state->sections.texts) == PF_OK &&
                   pf_strings_init(&state->measures.texts) == PF_OK
               ? PF_OK
               : PF_NOMEM;
}

static void free_memo(struct pf_samples_memo *memo)
{
    pf_strings_free(&memo->texts);
    free(memo->ids);
}

void pf_samples_memos_free(struct pf_samples_reader *state)
{
    free_memo(&state->frames);
    free_memo(&state->labels);
    free_memo(&state->sections);
    free_memo(&state->measures);
}
