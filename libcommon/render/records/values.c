#include "render/records/values.h"

#include "model/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_values_free(struct pf_values *values)
{
    free(values->columns);
    free(values->measures);
    free(values->amounts);
    pf_strings_free(&values->texts);
    pf_table_free(&values->owns);
    pf_table_free(&values->names);
    memset(values, 0, sizeof *values);
}

/* Sets the scale in which values of the measure are shown. */
static void find_scale(const struct pf_dict *dict, const struct pf_measure *measure,
                       struct pf_value_measure *shown)
{
    struct pf_quantity quantity = {.measure = *measure, .joined = true};
    struct pf_error error = {0};

    pf_quantity_record_scale(&quantity, dict, &shown->scale, &error);
}

/* Measures with the same key share a column. A key without unit and aggregation marks a used
 * name. */
struct column_key {
    uint32_t kind, text, unit, aggregation; /* kind + 1; 0 if kinds share columns */
    uint64_t period, period_parts;          /* in lowest terms */
};

static uint32_t kind_of(const struct pf_values *values, const struct pf_measure *measure)
{
    return values->by_kind ? measure->kind + 1u : 0;
}

static bool start(struct pf_values *values)
{
    return values->owns.count > 0 ||
           (pf_strings_init(&values->texts) == PF_OK &&
            pf_table_init(&values->names, sizeof(struct column_key)) == PF_OK &&
            pf_table_init(&values->owns, sizeof(struct column_key)) == PF_OK);
}

/* Interns `a`, or `a/b`, as UTF-8. */
static uint32_t intern(struct pf_values *values, struct pf_bytes a, const struct pf_bytes *b,
                       unsigned flags)
{
    struct pf_buffer joined = {0}, scratch = {0};
    uint32_t id;

    pf_buffer_append(&joined, a.data, a.size);
    if (b) {
        pf_buffer_byte(&joined, '/');
        pf_buffer_append(&joined, b->data, b->size);
    }
    id = pf_strings_intern(
        &values->texts, pf_text_utf8((struct pf_bytes){joined.data, joined.size}, flags, &scratch),
        0);
    if (joined.failed || scratch.failed)
        values->texts.status = PF_NOMEM;
    pf_buffer_free(&joined);
    pf_buffer_free(&scratch);
    return id;
}

/* Reserves the name for the column of a measure. False: another column has the name. */
static bool reserve_name(struct pf_values *values, const struct pf_measure *measure, uint32_t name)
{
    /* a table cannot hold a row of zeros */
    const struct column_key key = {
        .kind = kind_of(values, measure), .text = name, .aggregation = 1};
    uint32_t count = values->names.count;

    return pf_table_intern(&values->names, &key) == count || values->names.status != PF_OK;
}

/* What distinguishes a column from others with its name: its unit, or its period if the units are
 * the same too. */
static struct pf_bytes distinction(const struct pf_values *values, const struct pf_measure *measure,
                                   struct pf_bytes own, struct pf_bytes unit, char text[64])
{
    bool same = false;
    int size;

    for (size_t k = 0; measure->period != 0 && !same && k < values->count; k++)
        same = pf_bytes_equal(values->columns[k].own, own) &&
               pf_bytes_equal(values->columns[k].unit, unit);
    if (!same)
        return unit;
    size = snprintf(text, 64, "period=%" PRIu64, measure->period);
    if (pf_measure_period_parts(measure) != 1)
        size +=
            snprintf(text + size, 64 - (size_t)size, "/%" PRIu64, pf_measure_period_parts(measure));
    return (struct pf_bytes){text, (size_t)size};
}

static bool add_column(struct pf_values *values, const struct pf_measure *measure,
                       const struct column_key *key)
{
    char text[64];
    uint32_t name = key->text;
    struct pf_bytes own = pf_strings_bytes(&values->texts, name),
                    unit = pf_strings_bytes(&values->texts, key->unit),
                    distinct = distinction(values, measure, own, unit, text);

    while (values->texts.status == PF_OK && !reserve_name(values, measure, name))
        name = intern(values, pf_strings_bytes(&values->texts, name), &distinct, PF_UTF8);
    if (values->texts.status != PF_OK || values->names.status != PF_OK ||
        !pf_grow(&values->columns, &values->capacity, values->count + 1, sizeof *values->columns) ||
        !pf_grow(&values->amounts, &values->amount_capacity, values->count + 1,
                 sizeof *values->amounts))
        return false;
    values->columns[values->count++] = (struct pf_value_name){
        .own = own,
        .name = pf_strings_bytes(&values->texts, name),
        .unit = unit,
        .kind = (enum pf_kind)measure->kind,
        .aggregation = (enum pf_aggregation)measure->aggregation,
        .measure = UINT32_MAX,
        .parts = 1,
    };
    return true;
}

/* Finds or adds the column for measures with this name, unit and period. Returns its number + 1; 0:
 * out of memory. */
static uint32_t find_column(struct pf_values *values, const struct pf_measure *measure,
                            struct pf_bytes unit)
{
    const struct pf_dict *dict = values->dict;
    struct column_key key = {.kind = kind_of(values, measure),
                             .text = intern(values, pf_dict_string(dict, measure->name), NULL,
                                            dict->strings.rows[measure->name].flags),
                             .unit = intern(values, unit, NULL, 0),
                             .aggregation = measure->aggregation + 1u};
    uint32_t id;

    if (measure->period != 0) {
        uint64_t gcd = pf_gcd(measure->period, pf_measure_period_parts(measure));

        key.period = measure->period / gcd;
        key.period_parts = pf_measure_period_parts(measure) / gcd;
    }
    id = values->texts.status == PF_OK ? pf_table_intern(&values->owns, &key) : 0;
    return id <= values->count || add_column(values, measure, &key) ? id : 0;
}

/* Makes the parts of the column as fine as the measure. If the parts would overflow 64 bits, the
 * column stays as it is, and values are rounded. */
static void join_parts(struct pf_value_name *column, struct pf_value_measure *shown)
{
    uint64_t common;

    if (pf_parts_join(column->parts, shown->scale.parts, &common))
        column->parts = common;
}

static bool declare(struct pf_values *values, uint32_t index)
{
    const struct pf_measure *measure = pf_measures_row(&values->dict->measures, index);
    struct pf_value_measure *shown;

    if (!pf_grow_zeroed(&values->measures, &values->measure_count, &values->measure_capacity,
                        (size_t)index + 1, sizeof *values->measures))
        return false;
    shown = &values->measures[index];
    find_scale(values->dict, measure, shown);
    if (!start(values) || (shown->column = find_column(values, measure, shown->scale.name)) == 0)
        return false;
    join_parts(&values->columns[shown->column - 1], shown);
    return true;
}

int pf_values_declare(struct pf_values *values, const struct pf_batch *batch, bool *changed)
{
    size_t before = values->count;

    for (uint32_t k = 0; k < batch->value_count; k++) {
        uint32_t index = batch->values[k].measure;

        if (!pf_values_has(values, index) && !declare(values, index))
            return PF_NOMEM;
        struct pf_value_name *column = &values->columns[values->measures[index].column - 1];

        values->turns += column->measure != index;
        column->measure = index;
    }
    *changed = values->count > before;
    return PF_OK;
}

/* A sum in the parts of its column. */
static pf_int128 amount_of(const struct pf_values *values, const struct pf_value_measure *shown,
                           pf_int128 sum)
{
    uint64_t parts = values->columns[shown->column - 1].parts,
             gcd = pf_gcd(parts, shown->scale.parts);
    const struct pf_scale finer = {.num = parts / gcd, .den = shown->scale.parts / gcd};
    pf_int128 amount = pf_scale_total(&shown->scale, sum);

    return parts == shown->scale.parts ? amount : pf_scale_total(&finer, amount);
}

void pf_values_row(struct pf_values *values, const struct pf_batch *batch, uint32_t row)
{
    for (size_t k = 0; k < values->count; k++)
        values->amounts[k] = 0;
    for (uint32_t k = 0; k < batch->value_count; k++) {
        const struct pf_value_measure *shown = &values->measures[batch->values[k].measure];
        int64_t value = batch->values[k].data[row];

        values->amounts[shown->column - 1] += shown->scale.den == 1 &&
                                                      values->columns[shown->column - 1].parts == 1
                                                  ? (pf_int128)value * (pf_int128)shown->scale.num
                                                  : amount_of(values, shown, value);
    }
}

void pf_values_add(struct pf_values *values, const struct pf_batch *batch)
{
    for (uint32_t k = 0; k < batch->value_count; k++) {
        struct pf_value_measure *shown = &values->measures[batch->values[k].measure];
        const int64_t *data = batch->values[k].data;
        bool sums = values->columns[shown->column - 1].aggregation == PF_SUM;
        pf_int128 total = shown->total;

        for (uint32_t row = 0; row < batch->rows; row++)
            total = sums ? total + data[row] : data[row] > total ? data[row] : total;
        shown->total = total;
    }
}

void pf_values_total(struct pf_values *values)
{
    for (size_t k = 0; k < values->measure_count; k++) {
        const struct pf_value_measure *shown = &values->measures[k];

        if (shown->column == 0)
            continue;
        struct pf_value_name *column = &values->columns[shown->column - 1];
        pf_int128 amount = amount_of(values, shown, shown->total);

        if (column->aggregation == PF_SUM)
            column->total += amount;
        else if (amount > column->total)
            column->total = amount;
    }
}
