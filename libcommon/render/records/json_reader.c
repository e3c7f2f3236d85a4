/* The reader of records that profutils wrote as JSON. */
#include "render/records/json.h"

#include "analysis/sum/units.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "io/json_look.h"
#include "model/json.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 18 }; /* 10^-18 in a 64-bit denominator */

int pf_samples_bid_document(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"schema=profutils.samples/1", NULL};

    (void)path;
    return pf_json_look(source, paths) ? 80 : 0;
}

int pf_samples_bid_rows(struct pf_source *source, const char *path)
{
    static const char *const paths[] = {"kind",  "sections", "values", "units",
                                        "stack", "depth",    "schema", NULL};
    uint32_t found = pf_json_look_line(source, paths);

    (void)path;
    return (found & 0xf) == 0xf && found & 0x30 && !(found & 0x40) ? 60 : 0;
}

/* --- a row ------------------------------------------------------------------------------------ */

static int read_frame(struct pf_json_cut *cut, void *field)
{
    struct pf_samples_reader *state = field;
    uint64_t offset = pf_source_offset(cut->source);
    int status = pf_samples_read_known(cut, &state->frames);

    return status == PF_OK ? pf_rows_frame(&((struct pf_reader *)cut->owner)->rows,
                                           state->frames.id, cut->error, offset)
                           : status;
}

static int read_stack(struct pf_json_cut *cut, void *field)
{
    struct pf_samples_reader *state = field;

    ((struct pf_reader *)cut->owner)->rows.depth = 0;
    return pf_json_array(cut, read_frame, state);
}

/* The value whose name is the key of the current member; a new value is added. */
static int find_value(struct pf_json_cut *cut, struct pf_samples_value **value)
{
    struct pf_reader *reader = cut->owner;
    struct pf_samples_reader *state = reader->state;
    uint32_t id = pf_dict_intern_text(reader->dict, cut->key);

    for (size_t k = 0; k < state->value_count; k++)
        if (state->values[k].name == id) {
            *value = &state->values[k];
            return PF_OK;
        }
    if (state->value_count == PF_SAMPLES_COLUMNS)
        return pf_error_at(&reader->error, PF_UNSUPPORTED, pf_source_offset(reader->source),
                           "a row of more than %d measures", PF_SAMPLES_COLUMNS);
    if (!pf_grow(&state->values, &state->value_capacity, state->value_count + 1,
                 sizeof *state->values))
        return pf_error_nomem(&reader->error);
    *value = &state->values[state->value_count];
    **value = (struct pf_samples_value){.name = id};
    state->value_count++;
    return PF_OK;
}

static int bad_number(struct pf_reader *reader, const struct pf_samples_value *value, int code,
                      struct pf_bytes text)
{
    return pf_error_at(&reader->error, code, value->offset,
                       "expected a number of 64 bits with at most %d decimals, not '%s'",
                       PLACES_MAX, pf_clip(text).text);
}

/* Reads a number exactly, with its decimals. */
static int read_number(struct pf_json_cut *cut, void *field)
{
    struct pf_samples_value *value;
    struct pf_decimals decimals = {.most = PLACES_MAX};
    struct pf_bytes text;
    bool exact = true;
    int status = find_value(cut, &value);

    (void)field;
    if (status != PF_OK)
        return status;
    value->offset = pf_source_offset(cut->source);
    status = pf_json_cut_number(cut, &text);
    if (status != PF_OK)
        return status;
    status = pf_decimals_take(&decimals, text, &value->value);
    value->wide = value->value;
    value->places = value->wide_places = decimals.places;
    /* A number over 64 bits may fit 64 bits in raw units. */
    if (status == PF_OVERFLOW && pf_decimal_scale128(text, 0, &value->wide, &exact) && exact)
        status = PF_OK;
    if (status != PF_OK || decimals.rounded)
        return bad_number(cut->owner, value, status == PF_OVERFLOW ? PF_OVERFLOW : PF_FAILED, text);
    return PF_OK;
}

static int read_unit(struct pf_json_cut *cut, void *field)
{
    struct pf_samples_value *value;
    int status = find_value(cut, &value);

    (void)field;
    return status == PF_OK ? pf_json_read_text(cut, &value->unit) : status;
}

static int read_kind(struct pf_json_cut *cut, void *field)
{
    struct pf_samples_reader *state = field;
    struct pf_bytes text;
    int status = pf_json_cut_string(cut, &text);

    if (status != PF_OK)
        return status;
    for (enum pf_kind kind = PF_SAMPLE; kind < PF_RECORD_KINDS; kind++)
        if (pf_bytes_equal(text, pf_bytes_of(pf_kind_name(kind)))) {
            state->kind = kind;
            return PF_OK;
        }
    if (!pf_bytes_equal(text, PF_BYTES("removed")))
        return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                           "unknown kind of records: '%s'", pf_clip(text).text);
    state->kind = PF_META; /* the row has no record */
    return PF_OK;
}

/* Adds the facts about removed records as rows of metadata. */
static void add_removed(struct pf_reader *reader, const json_t *removed)
{
    struct pf_samples_reader *state = reader->state;
    const json_t *text;
    size_t k;

    json_array_foreach(removed, k, text) if (json_is_string(text))
        pf_rows_meta(&state->behind, "profutils", PF_BYTES("removed"), pf_samples_text(text));
}

static int read_removed(struct pf_json_cut *cut, void *field)
{
    struct pf_bytes raw;
    const json_t *removed;
    int status = pf_json_cut_raw(cut, &raw);

    (void)field;
    if (status != PF_OK || pf_bytes_equal(raw, PF_BYTES("[]")))
        return status;
    status = pf_json_cut_parse(cut, raw, pf_source_offset(cut->source) - raw.size, &removed);
    if (status == PF_OK)
        add_removed(cut->owner, removed);
    return status;
}

static int refuse_depth(struct pf_json_cut *cut, void *field)
{
    (void)field;
    return pf_error_at(cut->error, PF_UNSUPPORTED, pf_source_offset(cut->source),
                       "rows of single frames (explode): only whole stacks are read back");
}

static int read_row(struct pf_reader *reader)
{
    static const struct pf_json_member value[] = {
        {NULL, PF_JSON_NUMBER | PF_JSON_STRING, read_number, 0, NULL}, {0}};
    static const struct pf_json_member unit[] = {{NULL, PF_JSON_STRING, read_unit, 0, NULL}, {0}};
    static const struct pf_json_member members[] = {
        {"kind", PF_JSON_STRING, read_kind, 0, NULL},
        {"sections", PF_JSON_ARRAY | PF_JSON_NULL, pf_samples_read_known,
         offsetof(struct pf_samples_reader, sections), NULL},
        {"labels", PF_JSON_OBJECT | PF_JSON_NULL, pf_samples_read_known,
         offsetof(struct pf_samples_reader, labels), NULL},
        {"stack", PF_JSON_ARRAY, read_stack, 0, NULL},
        {"values", PF_JSON_OBJECT, NULL, 0, value},
        {"units", PF_JSON_OBJECT, NULL, 0, unit},
        {"measures", PF_JSON_OBJECT | PF_JSON_NULL, pf_samples_read_known,
         offsetof(struct pf_samples_reader, measures), NULL},
        {"source_format", PF_JSON_STRING, pf_json_read_text,
         offsetof(struct pf_samples_reader, formats), NULL},
        {"removed", PF_JSON_ANY, read_removed, 0, NULL},
        {"depth", PF_JSON_ANY, refuse_depth, 0, NULL},
        {0},
    };
    static const size_t frames[] = {0, 1, 2};
    struct pf_samples_reader *state = reader->state;

    pf_json_cut_kind(&state->cut);
    uint64_t offset = pf_source_offset(reader->source);
    state->kind = PF_SAMPLE;
    reader->rows.depth = state->value_count = state->sections.id = state->labels.id =
        state->measures.id = 0;
    state->formats = state->own_format;
    int status = pf_json_object(&state->cut, members, state);
    if (status != PF_OK)
        return status;
    if (state->kind != PF_META && state->kind != PF_SAMPLE &&
        reader->rows.depth != frames[state->kind])
        return pf_error_at(&reader->error, PF_FAILED, offset,
                           "a record of kind %s cannot have %zu frames", pf_kind_name(state->kind),
                           reader->rows.depth);
    return PF_OK;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* The scale of the values with this kind, name and unit; NULL: out of memory. */
static struct pf_samples_scale *find_scale(struct pf_samples_reader *state, enum pf_kind kind,
                                           uint32_t name, uint32_t unit)
{
    for (size_t k = 0; k < state->scale_count; k++)
        if (state->scales[k].kind == kind && state->scales[k].name == name &&
            state->scales[k].unit == unit)
            return &state->scales[k];
    if (!pf_grow(&state->scales, &state->scale_capacity, state->scale_count + 1,
                 sizeof *state->scales))
        return NULL;
    state->scales[state->scale_count] =
        (struct pf_samples_scale){.kind = kind, .name = name, .unit = unit};
    return &state->scales[state->scale_count++];
}

static uint64_t power_of_ten(int exponent)
{
    uint64_t power = 1;

    for (; exponent > 0; exponent--)
        power *= 10;
    return power;
}

/* Makes the measure of a value. `facts` NULL: an older input, which has only name and unit. */
static uint32_t find_measure(struct pf_reader *reader, const struct pf_samples_scale *scale,
                             int places, const struct pf_samples_facts *facts)
{
    struct pf_bytes text = pf_dict_string(reader->dict, scale->name);
    struct pf_measure measure = facts ? facts->measure : (struct pf_measure){.name = scale->name};

    measure.kind = (uint8_t)scale->kind;
    measure.unit = scale->unit;
    measure.raw_unit = 0;
    measure.num = 1;
    measure.den = power_of_ten(places);
    if (places > 0)
        measure.raw_unit = pf_unit_decimal(reader->dict, (unsigned)places,
                                           pf_dict_string(reader->dict, scale->unit));
    pf_unit_take_parts(reader->dict, &measure);
    if (facts)
        return pf_dict_add_measure(reader->dict, measure);
    if (pf_measure_is_count(reader->dict, &measure))
        measure.role = PF_COUNT;
    else if (pf_bytes_equal(text, PF_BYTES("incl")))
        measure.role = PF_INCLUSIVE;
    return pf_dict_add_measure(reader->dict, measure);
}

/* The facts that the row has about the measure of value `k`; NULL: no facts. */
static const struct pf_samples_facts *facts_of(const struct pf_samples_reader *state, size_t k)
{
    const struct pf_samples_facts *first = state->measures.id != 0
                                               ? &state->facts[state->measures.id - 1]
                                               : NULL,
                                  *facts;
    uint32_t key = state->values[k].name;

    if (!first)
        return NULL;
    /* values and facts have the same order if our writer wrote them */
    if (k < state->fact_count - (state->measures.id - 1) && first[k].key == key)
        return &first[k];
    for (facts = first; facts->key != UINT32_MAX && facts->key != key;)
        facts++;
    return facts->key == key ? facts : NULL;
}

/* Converts a value to raw units of its measure. False: no number of raw units is written as exactly
 * this value. */
static bool raw_value(struct pf_reader *reader, struct pf_samples_value *value, enum pf_kind kind,
                      const struct pf_samples_facts *facts)
{
    struct pf_measure measure = facts->measure;
    struct pf_bytes whole;
    bool base = measure.unit == 0;
    struct pf_scale shown = {.num = base ? measure.num : 1, .den = base ? measure.den : 1};
    int places = 0;

    if (!base)
        shown.den = pf_unit_parts(pf_dict_string(reader->dict, measure.raw_unit), &whole);
    if (shown.den > 1 || value->wide_places > 0)
        places = (int)pf_json_places(value->wide, power_of_ten(value->wide_places));
    if (value->wide_places > places ||
        __builtin_mul_overflow(shown.num, power_of_ten(places), &shown.num))
        return false;
    pf_int128 wide = value->wide * (pf_int128)power_of_ten(places - value->wide_places);
    int64_t raw;

    if (!pf_scale64(wide, shown.den, shown.num, &raw) || pf_scale_total(&shown, raw) != wide)
        return false;
    measure.kind = (uint8_t)kind;
    if (base)
        measure.unit = value->unit;
    value->value = raw;
    value->measure = pf_dict_add_measure(reader->dict, measure);
    return true;
}

/* Converts a value to base units or decimal parts of them. PF_OK, PF_NOMEM, or PF_OVERFLOW with a
 * text. */
static int base_value(struct pf_reader *reader, struct pf_samples_value *value,
                      const struct pf_samples_facts *facts)
{
    struct pf_samples_reader *state = reader->state;
    struct pf_samples_scale *scale = find_scale(state, state->kind, value->name, value->unit);
    char text[PF_INT128_TEXT];

    if (!scale)
        return pf_error_nomem(&reader->error);
    if (value->wide != value->value)
        return bad_number(reader, value, PF_OVERFLOW,
                          (struct pf_bytes){text, pf_print_int128(value->wide, text)});
    if (value->places > scale->places)
        scale->places = value->places;
    if (pf_scale64(value->value, power_of_ten(scale->places - value->places), 1, &value->value))
        value->places = scale->places;
    value->measure = find_measure(reader, scale, value->places, facts);
    return PF_OK;
}

/* Makes the measures of the current row, and converts its values. PF_OK, PF_NOMEM or
 * PF_OVERFLOW. */
static int name_measures(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;

    for (size_t k = 0; k < state->value_count; k++) {
        struct pf_samples_value *value = &state->values[k];
        const struct pf_samples_facts *facts = facts_of(state, k);
        int status = facts && raw_value(reader, value, state->kind, facts)
                         ? PF_OK
                         : base_value(reader, value, facts);

        if (status != PF_OK)
            return status;
    }
    return PF_OK;
}

/* Chooses columns for the values of the row. A new batch begins if the current batch lacks one of
 * the measures: earlier records of the batch have no value of it. */
static void choose_columns(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;
    struct pf_rows *rows = &reader->rows;
    bool known = rows->open && rows->kind == state->kind;

    for (size_t k = 0; k < state->value_count && known; k++)
        known = pf_rows_has(rows, state->values[k].measure);
    if (!known)
        pf_rows_begin(rows, state->kind);
    for (size_t k = 0; k < state->value_count; k++)
        state->values[k].column = pf_rows_measure(rows, state->values[k].measure);
}

/* Joins the sections and the other labels of the row. */
static int join_labels(struct pf_reader *reader, uint32_t *labels)
{
    struct pf_samples_reader *state = reader->state;

    *labels = state->sections.id != 0 ? state->sections.id : state->labels.id;
    if (state->sections.id == 0 || state->labels.id == 0)
        return PF_OK;
    if (!pf_labels_add_set(&state->row_labels, reader->dict, state->sections.id) ||
        !pf_labels_add_set(&state->row_labels, reader->dict, state->labels.id))
        return pf_error_nomem(&reader->error);
    return pf_labels_take_checked(&state->row_labels, reader->dict, labels, &reader->error,
                                  pf_source_offset(reader->source));
}

static int add_record(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;
    struct pf_rows *rows = &reader->rows;
    uint32_t labels;
    int status = join_labels(reader, &labels);

    if (status != PF_OK)
        return status;
    choose_columns(reader);
    if (state->kind == PF_SAMPLE)
        pf_rows_sample(rows, labels);
    else if (state->kind == PF_FLAT)
        pf_rows_flat(rows, rows->frames[0], labels);
    else
        pf_rows_edge(rows, rows->frames[1], rows->frames[0], labels);
    for (size_t k = 0; k < state->value_count; k++)
        pf_rows_set(rows, state->values[k].column, state->values[k].value);
    return PF_OK;
}

/* Copies a member of a measure to a jansson object. */
static int keep_member(struct pf_json_cut *cut, void *field)
{
    struct pf_bytes key = cut->key;
    char name[32] = "";
    const json_t *value;

    memcpy(name, key.data, key.size < sizeof name ? key.size : sizeof name - 1);
    int status = pf_json_cut_value(cut, &value);
    if (status == PF_OK && json_object_set_nocheck(field, name, (json_t *)(uintptr_t)value) != 0)
        return pf_error_nomem(cut->error);
    return status;
}

/* The members of a measure, without the total: it may have more than the 64 bits of jansson. */
static const struct pf_json_member measure_members[] = {
    {"name", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"unit", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"kind", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"role", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"nature", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"aggregation", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"main", PF_JSON_BOOLEAN | PF_JSON_NULL, keep_member, 0, NULL},
    {"runs", PF_JSON_BOOLEAN | PF_JSON_NULL, keep_member, 0, NULL},
    {"measure", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"base_unit", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"raw_unit", PF_JSON_STRING | PF_JSON_NULL, keep_member, 0, NULL},
    {"num", PF_JSON_NUMBER | PF_JSON_NULL, keep_member, 0, NULL},
    {"den", PF_JSON_NUMBER | PF_JSON_NULL, keep_member, 0, NULL},
    {"period", PF_JSON_NUMBER | PF_JSON_NULL, keep_member, 0, NULL},
    {"period_parts", PF_JSON_NUMBER | PF_JSON_NULL, keep_member, 0, NULL},
    {0},
};

static const char *kind_word(unsigned kind)
{
    return pf_kind_name((enum pf_kind)kind);
}

static int declare(struct pf_reader *reader, const json_t *declared)
{
    struct pf_samples_reader *state = reader->state;
    uint32_t key = pf_dict_intern_text(reader->dict, pf_json_member_text(declared, "name"));
    uint32_t unit = pf_dict_intern_text(reader->dict, pf_json_member_text(declared, "unit"));
    enum pf_kind kind = (enum pf_kind)pf_samples_word(declared, "kind", kind_word, PF_RECORD_KINDS);
    struct pf_samples_scale *scale = find_scale(state, kind, key, unit);
    struct pf_measure measure;

    if (!scale || pf_samples_add_facts(reader, key, declared) != PF_OK ||
        !pf_grow(&state->declared, &state->declared_capacity, state->declared_count + 1,
                 sizeof *state->declared))
        return pf_error_nomem(&reader->error);
    measure = state->facts[--state->fact_count].measure;
    measure.kind = (uint8_t)kind;
    if (measure.unit == 0)
        measure.unit = unit;
    state->declared[state->declared_count++] =
        json_object_get(declared, "role") ? pf_dict_add_measure(reader->dict, measure)
                                          : find_measure(reader, scale, scale->places, NULL);
    return PF_OK;
}

/* Reads a measure of the document, which may have no records. */
static int read_measure(struct pf_json_cut *cut, void *field)
{
    json_t *measure = json_object();
    int status = measure ? pf_json_object(cut, measure_members, measure)
                         : pf_error_nomem(cut->error);

    (void)field;
    if (status == PF_OK)
        status = declare(cut->owner, measure);
    json_decref(measure);
    return status;
}

static int read_meta(struct pf_json_cut *cut, void *field)
{
    struct pf_samples_reader *state = field;
    struct pf_dict *dict = ((struct pf_reader *)cut->owner)->dict;
    const json_t *meta, *row;
    size_t k;
    int status = pf_json_cut_value(cut, &meta);

    if (status != PF_OK)
        return status;
    struct pf_bytes formats = pf_json_member_text(meta, "source_format");

    if (formats.size > 0)
        state->formats = pf_dict_intern_text(dict, formats);
    state->incomplete = json_is_false(json_object_get(meta, "complete"));
    json_array_foreach(json_object_get(meta, "metadata"), k, row)
    {
        struct pf_bytes origin = pf_json_member_text(row, "origin");

        pf_rows_meta(&state->behind, origin.data, pf_json_member_text(row, "key"),
                     pf_json_member_text(row, "value"));
    }
    add_removed(cut->owner, json_object_get(meta, "removed"));
    return PF_OK;
}

static int enter_rows(struct pf_json_cut *cut, void *field)
{
    (void)field;
    return pf_json_cut_enter(cut, '[');
}

/* Reads a document up to its next row or to its end. */
static int read_document(struct pf_samples_reader *state)
{
    static const struct pf_json_member members[] = {
        {"rows", PF_JSON_ARRAY, enter_rows, 0, NULL},
        {"measures", PF_JSON_ARRAY | PF_JSON_EACH, read_measure, 0, NULL},
        {"meta", PF_JSON_ANY, read_meta, 0, NULL},
        {0},
    };
    int status = PF_OK;

    while (status == PF_OK && state->cut.open.size == 1)
        status = pf_json_member(&state->cut, members, state);
    return status == PF_EOF && (status = pf_json_cut_end(&state->cut)) == PF_OK ? PF_EOF : status;
}

/* Reads the next row; PF_EOF after the last. */
static int next_row(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;
    int status = PF_OK;

    if (!state->document) {
        if (pf_json_cut_end(&state->cut) == PF_OK)
            return PF_EOF;
        if (pf_source_status(reader->source, NULL) != PF_OK)
            return reader->error.code;
        memset(&reader->error, 0, sizeof reader->error);
        return read_row(reader);
    }
    if (state->cut.open.size == 0 && (status = pf_json_cut_enter(&state->cut, '{')) != PF_OK)
        return status;
    while (status == PF_OK) {
        if (state->cut.open.size == 1 && (status = read_document(state)) != PF_OK)
            return status;
        status = pf_json_cut_next(&state->cut);
        if (status == PF_OK)
            return read_row(reader);
        status = status == PF_EOF ? PF_OK : status;
    }
    return status;
}

/* Adds the source formats of the next rows as metadata: "folded,nytprof" are two. */
static void add_formats(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;
    size_t size = pf_dict_string(reader->dict, state->formats).size;

    if (state->formats == state->formats_given)
        return;
    state->formats_given = state->formats;
    for (size_t at = 0, end; at < size; at = end + 1) {
        const char *text = pf_dict_string(reader->dict, state->formats).data;

        for (end = at; end < size && text[end] != ',';)
            end++;
        pf_rows_meta(&reader->rows, "profutils", PF_BYTES("source_format"),
                     (struct pf_bytes){text + at, end - at});
    }
}

/* After the rows: declares the measures of the document, and adds its metadata. */
static int end_rows(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;

    for (size_t k = 0; k < state->declared_count; k++) {
        const struct pf_measure *measure =
            pf_measures_row(&reader->dict->measures, state->declared[k]);

        pf_rows_begin(&reader->rows, (enum pf_kind)measure->kind);
        pf_rows_measure(&reader->rows, state->declared[k]);
        pf_rows_declare(&reader->rows);
    }
    add_formats(reader);
    return PF_EOF;
}

int pf_samples_open_reader(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;

    pf_json_reader_open(&state->cut, reader);
    pf_rows_init(&state->behind, reader->dict);
    reader->rows.declared = true; /* each batch has the measures of its rows */
    if (pf_samples_memos_open(state) != PF_OK)
        return pf_error_nomem(&reader->error);
    state->document = strcmp(reader->format->name, "json") == 0;
    state->formats = state->own_format = pf_dict_intern_word(reader->dict, reader->format->name);
    return PF_OK;
}

void pf_samples_close_reader(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;

    pf_samples_memos_free(state);
    free(state->facts);
    free(state->values);
    pf_rows_free(&state->behind);
    pf_labels_free(&state->row_labels);
    free(state->declared);
    free(state->scales);
    pf_json_cut_close(&state->cut);
}

int pf_samples_step(struct pf_reader *reader)
{
    struct pf_samples_reader *state = reader->state;
    int status = next_row(reader);

    if (status == PF_EOF)
        return end_rows(reader);
    if (status != PF_OK || state->kind == PF_META)
        return status;
    add_formats(reader);
    status = name_measures(reader);
    return status == PF_OK ? add_record(reader) : status;
}

int pf_samples_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_samples_reader *state = reader->state;
    int status = pf_rows_read(reader, batch);

    if (status == PF_EOF && pf_rows_give(&state->behind, batch))
        return PF_OK;
    if (status == PF_EOF && state->incomplete)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "the document says that its input was incomplete");
    return status;
}
