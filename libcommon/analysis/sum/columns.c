#include "analysis/sum/columns.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_merge_columns_free(struct pf_merge_columns *columns)
{
    for (size_t k = 0; k < columns->count; k++) {
        free(columns->rows[k].sums);
        free(columns->rows[k].staged);
    }
    free(columns->rows);
    free(columns->members);
    free(columns->marked);
    free(columns->marked_members);
}

/* --- measures --------------------------------------------------------------------------------------------- */

static bool is_events(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return pf_bytes_equal(pf_dict_string(dict, measure->unit), PF_BYTES("events"));
}

/* Whether values of both go into one column. Counts with a period and events are the same thing. */
static bool alike(const struct pf_dict *dict, const struct pf_measure *a, const struct pf_measure *b)
{
    return pf_measure_same(a, b) ||
           (a->kind == b->kind && a->name == b->name && a->aggregation == b->aggregation &&
            ((is_events(dict, b) && a->period != 0) || (is_events(dict, a) && b->period != 0)));
}

static int different_units(const struct pf_dict *dict, const struct pf_measure *a, const struct pf_measure *b,
                           struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(dict, a->name);

    return pf_error_set(error, PF_UNSUPPORTED,
                        "measure '%s' of one input is in '%s', of another in '%s': they cannot be added (--force keeps both)",
                        pf_clip(name).text, pf_dict_string(dict, a->unit).data,
                        pf_dict_string(dict, b->unit).data);
}

/* Whether the input at hand has the other measure as well: then it tells the two apart itself. */
static bool has_both(const struct pf_merge_columns *columns, const struct pf_merge_column *other, const struct pf_batch *batch,
                     uint64_t input)
{
    for (uint32_t k = 0; k < batch->value_count; k++)
        if (alike(columns->dict, &other->quantity.measure, pf_measures_row(&columns->dict->measures, batch->values[k].measure)))
            return true;
    return other->last_input == input;
}

/* The column for a measure that is new; NULL with the error set. */
static struct pf_merge_column *choose(struct pf_merge_columns *columns, const struct pf_measure *measure, const struct pf_batch *batch,
                                      uint64_t input, struct pf_error *error)
{
    for (size_t k = 0; k < columns->count; k++)
        if (alike(columns->dict, &columns->rows[k].quantity.measure, measure))
            return &columns->rows[k];
    for (size_t k = 0; k < columns->count && !columns->force; k++) {
        const struct pf_measure *other = &columns->rows[k].quantity.measure;

        if (other->kind == measure->kind && other->name == measure->name && other->unit != measure->unit &&
            !has_both(columns, &columns->rows[k], batch, input)) {
            different_units(columns->dict, other, measure, error);
            return NULL;
        }
    }
    if (!pf_grow(&columns->rows, &columns->capacity, columns->count + 1, sizeof *columns->rows)) {
        pf_error_nomem(error);
        return NULL;
    }
    columns->rows[columns->count] = (struct pf_merge_column){.rescaled = 1};
    return &columns->rows[columns->count++];
}

static bool may_rescale(const pf_int128 *sums, size_t count, int64_t factor)
{
    pf_int128 product;

    for (size_t i = 0; factor != 1 && i < count; i++)
        if (__builtin_mul_overflow(sums[i], (pf_int128)factor, &product))
            return false;
    return true;
}

static void rescale_sums(pf_int128 *sums, size_t count, int64_t factor)
{
    for (size_t i = 0; factor != 1 && i < count; i++)
        sums[i] *= factor;
}

/* All that was summed so far is in a unit `factor` times as long. */
static bool rescale(struct pf_merge_columns *columns, struct pf_merge_column *column, int64_t factor)
{
    uint32_t number = (uint32_t)(column - columns->rows) + 1;
    pf_int128 rescaled;

    if (!may_rescale(column->sums, column->count, factor) || !may_rescale(column->staged, column->staged_count, factor) ||
        __builtin_mul_overflow(column->rescaled, (pf_int128)factor, &rescaled))
        return false;
    for (size_t i = 0; i < columns->member_count; i++)
        if (columns->members[i].column == number && !pf_mul64(columns->members[i].factor, factor, &columns->members[i].factor))
            return false;
    rescale_sums(column->sums, column->count, factor);
    rescale_sums(column->staged, column->staged_count, factor);
    column->rescaled = rescaled;
    return true;
}

/* What is known of a measure and does not keep it apart: the same in any order of inputs. */
static void agree(struct pf_measure *measure, const struct pf_measure *other)
{
    if (other->nature != measure->nature)
        measure->nature = PF_UNKNOWN_NATURE;
    if (other->role < measure->role)
        measure->role = other->role;
    measure->main |= other->main;
}

static int meet(struct pf_merge_columns *columns, uint32_t number, const struct pf_batch *batch, uint64_t input, struct pf_error *error)
{
    struct pf_measure measure = *pf_measures_row(&columns->dict->measures, number);
    struct pf_merge_column *column = choose(columns, &measure, batch, input, error);
    struct pf_measure *common;
    int64_t old, new;
    int status;

    if (column == NULL)
        return error->code;
    common = &column->quantity.measure;
    if (is_events(columns->dict, &measure) && measure.period == 0)
        measure.period = 1;
    if (columns->force && column->quantity.joined && (measure.period == 0) != (common->period == 0))
        measure.period = common->period = measure.period_parts = common->period_parts = 0;
    status = pf_quantity_join(&column->quantity, columns->dict, &measure, &old, &new, error);
    if (status != PF_OK)
        return status;
    agree(common, &measure);
    if (column->quantity.events) {
        common->period = 1;
        common->period_parts = 0;
    }
    if (!rescale(columns, column, old))
        return pf_error_set(error, PF_OVERFLOW, "a sum of measure '%s' leaves 128 bits in the common unit",
                            pf_dict_string(columns->dict, measure.name).data);
    columns->members[number] = (struct pf_merge_member){(uint32_t)(column - columns->rows) + 1, new};
    return PF_OK;
}

int pf_merge_columns_find(struct pf_merge_columns *columns, const struct pf_batch *batch, uint32_t number, uint64_t input,
                          struct pf_merge_member *member, struct pf_error *error)
{
    uint32_t measure = batch->values[number].measure;
    size_t count = pf_measures_count(&columns->dict->measures), old = columns->member_count;

    if (old < count) {
        if (!pf_grow(&columns->members, &columns->member_capacity, count, sizeof *columns->members))
            return pf_error_nomem(error);
        memset(columns->members + old, 0, (count - old) * sizeof *columns->members);
        columns->member_count = count;
    }
    if (columns->members[measure].column == 0) {
        int status = meet(columns, measure, batch, input, error);

        if (status != PF_OK)
            return status;
    }
    *member = columns->members[measure];
    struct pf_merge_column *column = &columns->rows[member->column - 1];

    column->inputs += column->last_input != input;
    column->last_input = input;
    return PF_OK;
}

void pf_merge_columns_counted(struct pf_merge_columns *columns, uint64_t input, pf_int128 times)
{
    for (size_t k = 0; times != 0 && k < columns->count; k++) {
        struct pf_merge_column *column = &columns->rows[k];

        if (column->last_input != input)
            continue;
        column->uneven |= column->times != 0 && column->times != times;
        column->times = times;
    }
}

/* Chance has no part in a number that is exact, however often it is counted; that of a number of samples is only known of the number. */
static bool scaled(const struct pf_merge_column *column, pf_int128 pieces)
{
    return column->quantity.measure.aggregation == PF_SUM && column->times != 0 && (column->uneven || column->times != pieces);
}

uint32_t pf_merge_column_measure(const struct pf_merge_column *column, struct pf_dict *dict, pf_int128 pieces)
{
    struct pf_measure measure = pf_quantity_measure(&column->quantity, dict);

    if (measure.nature == PF_SAMPLED && scaled(column, pieces))
        measure.nature = PF_UNKNOWN_NATURE;
    if (is_events(dict, &measure))
        measure.period = measure.period_parts = 0;
    return pf_dict_status(dict) == PF_OK ? pf_measures_intern(&dict->measures, &measure) : UINT32_MAX;
}

/* --- taking an input back --------------------------------------------------------------------------------- */

int pf_merge_columns_mark(struct pf_merge_columns *columns)
{
    if (!pf_grow(&columns->marked, &columns->marked_capacity, columns->count + 1, sizeof *columns->marked) ||
        !pf_grow(&columns->marked_members, &columns->marked_member_capacity, columns->member_count + 1, sizeof *columns->marked_members))
        return PF_NOMEM;
    for (size_t k = 0; k < columns->count; k++) {
        columns->rows[k].rescaled = 1;
        columns->marked[k] = columns->rows[k];
    }
    for (size_t k = 0; k < columns->member_count; k++)
        columns->marked_members[k] = columns->members[k];
    columns->marked_count = columns->count;
    columns->marked_member_count = columns->member_count;
    return PF_OK;
}

void pf_merge_columns_drop(struct pf_merge_columns *columns)
{
    for (size_t k = 0; k < columns->marked_count; k++) {
        struct pf_merge_column *column = &columns->rows[k];

        for (size_t i = 0; column->rescaled != 1 && i < column->count; i++)
            column->sums[i] /= column->rescaled;
        column->quantity = columns->marked[k].quantity;
        column->inputs = columns->marked[k].inputs;
        column->last_input = columns->marked[k].last_input;
        column->rescaled = 1;
    }
    for (size_t k = columns->marked_count; k < columns->count; k++) {
        free(columns->rows[k].sums);
        free(columns->rows[k].staged);
    }
    for (size_t k = 0; k < columns->member_count; k++)
        columns->members[k] = k < columns->marked_member_count ? columns->marked_members[k] : (struct pf_merge_member){0};
    columns->count = columns->marked_count;
}

/* --- values ----------------------------------------------------------------------------------------------- */

static bool reserve(pf_int128 **sums, size_t *count, size_t *capacity, size_t need)
{
    if (need <= *count)
        return true;
    if (!pf_grow(sums, capacity, need, sizeof **sums))
        return false;
    memset(*sums + *count, 0, (need - *count) * sizeof **sums);
    *count = need;
    return true;
}

/* 2^63 records of any value fit. */
static void add_plain(pf_int128 *restrict sums, const uint32_t *restrict records, const int64_t *restrict values, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        sums[records[i]] += values[i];
}

static void add_greatest(pf_int128 *restrict sums, const uint32_t *restrict records, const int64_t *restrict values, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        if (values[i] > sums[records[i]])
            sums[records[i]] = values[i];
}

int pf_merge_column_add(struct pf_merge_column *column, const uint32_t *records, const int64_t *values, uint32_t rows,
                        int64_t times, bool staged, uint32_t *failed)
{
    bool sum = column->quantity.measure.aggregation == PF_SUM;
    uint32_t greatest = 0;

    for (uint32_t i = 0; i < rows; i++)
        greatest = records[i] > greatest ? records[i] : greatest;
    if (rows > 0 && !(staged ? reserve(&column->staged, &column->staged_count, &column->staged_capacity, (size_t)greatest + 1)
                            : reserve(&column->sums, &column->count, &column->capacity, (size_t)greatest + 1)))
        return PF_NOMEM;
    pf_int128 *sums = staged ? column->staged : column->sums;

    if (!sum)
        add_greatest(sums, records, values, rows);
    else if (times == 1)
        add_plain(sums, records, values, rows);
    for (uint32_t i = 0; sum && times != 1 && i < rows; i++) {
        pf_int128 product = (pf_int128)values[i] * times;

        if (__builtin_add_overflow(sums[records[i]], product, &sums[records[i]])) {
            *failed = i;
            return PF_OVERFLOW;
        }
    }
    return PF_OK;
}

bool pf_merge_column_fits(const struct pf_merge_column *column, uint32_t record, pf_int128 times)
{
    pf_int128 product, sum = record < column->count ? column->sums[record] : 0;

    if (record >= column->staged_count || column->quantity.measure.aggregation != PF_SUM)
        return true;
    return !__builtin_mul_overflow(column->staged[record], times, &product) && !__builtin_add_overflow(sum, product, &sum);
}

int pf_merge_column_unstage(struct pf_merge_column *column, uint32_t record, pf_int128 times)
{
    if (record >= column->staged_count)
        return PF_OK;
    if (!reserve(&column->sums, &column->count, &column->capacity, (size_t)record + 1))
        return PF_NOMEM;
    if (column->quantity.measure.aggregation == PF_SUM)
        column->sums[record] += column->staged[record] * times;
    else if (column->staged[record] > column->sums[record])
        column->sums[record] = column->staged[record];
    column->staged[record] = 0;
    return PF_OK;
}

int pf_merge_column_regroup(struct pf_merge_column *column, const uint32_t *to, size_t count)
{
    struct pf_merge_column was = *column;
    bool sum = column->quantity.measure.aggregation == PF_SUM, good = true;

    column->sums = NULL;
    column->count = column->capacity = 0;
    if (count < was.count)
        was.count = count;
    for (size_t k = 0; good && k < was.count; k++) {
        pf_int128 *into;

        good = reserve(&column->sums, &column->count, &column->capacity, (size_t)to[k] + 1);
        into = good ? &column->sums[to[k]] : NULL;
        if (good && !sum) {
            *into = was.sums[k] > *into ? was.sums[k] : *into;
        } else if (good && __builtin_add_overflow(*into, was.sums[k], into)) {
            free(was.sums);
            return PF_OVERFLOW;
        }
    }
    free(was.sums);
    return good ? PF_OK : PF_NOMEM;
}

void pf_merge_column_given(struct pf_merge_column *column, pf_int128 sum, int64_t value)
{
    pf_int128 size = value < 0 ? -(pf_int128)value : value;

    column->given.unknown |= __builtin_add_overflow(column->given.pieces, sum, &column->given.pieces);
    column->given.values += value;
    column->given.size += (pf_uint128)size;
}

bool pf_merge_column_drifts(const struct pf_merge_column *column, pf_int128 pieces, pf_int128 *values, pf_int128 *sums)
{
    if (column->given.unknown || pieces == 0)
        return false;
    *values = column->given.values;
    *sums = pf_merge_round(column->given.pieces, pieces);
    pf_uint128 size = *sums < 0 ? -(pf_uint128)*sums : (pf_uint128)*sums;
    pf_uint128 off = *values < *sums ? (pf_uint128)*sums - (pf_uint128)*values : (pf_uint128)*values - (pf_uint128)*sums;

    return off > (size > column->given.size ? size : column->given.size) / 1000;
}

pf_int128 pf_merge_round(pf_int128 sum, pf_int128 pieces)
{
    pf_int128 whole = sum / pieces, rest = sum % pieces;
    pf_uint128 size = pieces < 0 ? -(pf_uint128)pieces : (pf_uint128)pieces;
    pf_uint128 left = rest < 0 ? -(pf_uint128)rest : (pf_uint128)rest;

    if (left > size - left || (left == size - left && (whole & 1) != 0))
        whole += (sum < 0) == (pieces < 0) ? 1 : -1;
    return whole;
}
