#include "analysis/filter/min_value.h"

#include "base/memory.h"
#include "model/main_measure.h"
#include "model/named.h"
#include "model/units.h"

#include <stdlib.h>

static const uint64_t whole = 100000000; /* 100 % in millionths of a percent */

#define NO_MEASURE UINT32_MAX

void pf_min_value_free(struct pf_min_value *least)
{
    free(least->totals);
    *least = (struct pf_min_value){0};
}

int pf_min_value_parse(struct pf_min_value *least, const char *text, const char *measure,
                       struct pf_error *error)
{
    struct pf_bytes bytes = pf_bytes_of(text);
    bool percent = bytes.size > 0 && text[bytes.size - 1] == '%';
    bool time = bytes.size > 0 && text[bytes.size - 1] == 's';
    const char *suffixes = percent ? "%=1000000" : time ? PF_TIME_SUFFIXES : PF_COUNT_SUFFIXES;

    least->text = text;
    least->measure = measure;
    least->percent = percent;
    least->time = time;
    if (pf_parse_scaled(bytes, suffixes, &least->amount) && least->amount >= 0 &&
        (!percent || (uint64_t)least->amount <= whole))
        return PF_OK;
    return pf_error_set(
        error, PF_USAGE,
        "--min-value takes a number, with a suffix (ns us ms s, k M G) or a percent "
        "sign up to 100%%, not '%s'",
        text);
}

/* Length of a unit of time in nanoseconds; 0: not a unit of time. */
static uint64_t unit_of_time(struct pf_bytes unit)
{
    struct pf_unit_size size;

    return pf_unit_parse(unit, PF_UNITS_TIME, &size) ? size.num : 0;
}

/* The measure of a kind that the limit is for: the measure asked for, else the main measure.
 * NO_MEASURE: the kind has no such measure. */
static uint32_t choose_measure(const struct pf_min_value *least, const struct pf_dict *dict,
                               enum pf_kind kind)
{
    struct pf_main_choice choice = {0};
    uint32_t best = NO_MEASURE;

    for (uint32_t m = 0; m < pf_measures_count(&dict->measures); m++) {
        const struct pf_measure *row = pf_measures_row(&dict->measures, m);

        if (row->kind != kind)
            continue;
        if (least->measure && pf_named_measure(dict, m, least->measure))
            return m;
        if (!least->measure && pf_main_offer(&choice, dict, row))
            best = m;
    }
    return best;
}

/* The column of this measure, in any scale; NULL if the batch has none, so that all values are
 * 0. */
static const struct pf_value_column *find_column(const struct pf_min_value *least,
                                                 const struct pf_dict *dict,
                                                 const struct pf_batch *batch)
{
    uint32_t chosen = choose_measure(least, dict, batch->kind);

    for (uint32_t c = 0; chosen != NO_MEASURE && c < batch->value_count; c++)
        if (batch->values[c].data &&
            pf_measure_same(pf_measures_row(&dict->measures, batch->values[c].measure),
                            pf_measures_row(&dict->measures, chosen)))
            return &batch->values[c];
    return NULL;
}

static int make_room(struct pf_min_value *least, const struct pf_dict *dict)
{
    return pf_grow_clear(&least->totals, &least->capacity, pf_measures_count(&dict->measures),
                         sizeof *least->totals)
               ? PF_OK
               : PF_NOMEM;
}

int pf_min_value_add(struct pf_min_value *least, const struct pf_dict *dict,
                     const struct pf_batch *batch)
{
    const struct pf_value_column *column = find_column(least, dict, batch);
    pf_int128 sum = 0;

    if (!column)
        return PF_OK;
    if (make_room(least, dict) != PF_OK)
        return PF_NOMEM;
    for (uint32_t i = 0; i < batch->rows; i++)
        sum += column->data[i];
    least->totals[column->measure].total += sum;
    return PF_OK;
}

/* value * num / den, rounded up; ~0 if the product overflows 128 bits. */
static pf_uint128 scale_up(pf_uint128 value, pf_uint128 num, pf_uint128 den)
{
    pf_uint128 product;

    if (__builtin_mul_overflow(value, num, &product))
        return ~(pf_uint128)0;
    return product / den + (product % den != 0 ? 1 : 0);
}

/* The sum of `fell` or `total` over all measures that are the same as `measure`, in its raw
 * units. */
static pf_int128 sum_same(const struct pf_min_value *least, const struct pf_dict *dict,
                          const struct pf_measure *measure, bool fell)
{
    pf_int128 sum = 0;

    for (uint32_t m = 0; m < pf_measures_count(&dict->measures) && m < least->capacity; m++) {
        const struct pf_measure *row = pf_measures_row(&dict->measures, m);
        pf_int128 part = fell ? least->totals[m].fell : least->totals[m].total;
        uint64_t num = pf_gcd(row->num, measure->num), den = pf_gcd(row->den, measure->den);

        if (part == 0 || num == 0 || !pf_measure_same(row, measure))
            continue;
        if (row->num != measure->num || row->den != measure->den) {
            pf_uint128 by = (pf_uint128)(row->num / num) * (measure->den / den);
            pf_uint128 scaled = scale_up(pf_magnitude(part), by,
                                         (pf_uint128)(row->den / den) * (measure->num / num));

            part = part < 0 ? -(pf_int128)scaled : (pf_int128)scaled;
        }
        sum += part;
    }
    return sum;
}

/* Finds the limit in raw units of the measure. */
static int find_least(const struct pf_min_value *least, const struct pf_dict *dict,
                      uint32_t measure_index, uint64_t *result, struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&dict->measures, measure_index);
    struct pf_bytes name = pf_dict_string(dict, measure->name),
                    unit = pf_dict_string(dict, measure->unit);
    uint64_t nanoseconds = least->time ? unit_of_time(unit) : 1;
    pf_uint128 value;

    if (nanoseconds == 0)
        return pf_error_set(error, PF_USAGE, "--min-value=%s is a time, but '%s' counts %s",
                            least->text, pf_clip(name).text, pf_clip(unit).text);
    if (least->percent) {
        pf_uint128 total = pf_magnitude(sum_same(least, dict, measure, false));

        value = total / whole * (uint64_t)least->amount +
                scale_up(total % whole, (uint64_t)least->amount, whole);
    } else {
        value = measure->num == 0 ? 0
                                  : scale_up((uint64_t)least->amount, measure->den,
                                             (pf_uint128)measure->num * nanoseconds);
    }
    *result = value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
    return PF_OK;
}

/* `data` NULL: all values are 0. */
static void test_rows(const int64_t *data, uint32_t rows, uint64_t least,
                      struct pf_min_total *total, uint8_t *keep)
{
    for (uint32_t i = 0; i < rows; i++) {
        int64_t value = data ? data[i] : 0;
        uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

        if (size < least && keep[i]) {
            total->fell += value;
            total->records++;
            keep[i] = 0;
        }
    }
}

int pf_min_value_test(struct pf_min_value *least, const struct pf_dict *dict,
                      const struct pf_batch *batch, uint8_t *keep, struct pf_error *error)
{
    const struct pf_value_column *column = find_column(least, dict, batch);
    uint32_t measure = column ? column->measure : choose_measure(least, dict, batch->kind);
    uint64_t value = 0;
    int status;

    if (measure == NO_MEASURE) {
        if (!least->percent && least->amount > 0)
            memset(keep, 0, batch->rows);
        return PF_OK;
    }
    if (make_room(least, dict) != PF_OK ||
        (!least->percent && pf_min_value_add(least, dict, batch) != PF_OK))
        return PF_NOMEM;
    if ((status = find_least(least, dict, measure, &value, error)) != PF_OK)
        return status;
    if (value > 0)
        test_rows(column ? column->data : NULL, batch->rows, value, &least->totals[measure], keep);
    return PF_OK;
}

static uint64_t fallen_records(const struct pf_min_value *least, const struct pf_dict *dict,
                               const struct pf_measure *measure)
{
    uint64_t records = 0;

    for (uint32_t m = 0; m < pf_measures_count(&dict->measures) && m < least->capacity; m++)
        if (pf_measure_same(pf_measures_row(&dict->measures, m), measure))
            records += least->totals[m].records;
    return records;
}

void pf_min_value_report(const struct pf_min_value *least, const struct pf_dict *dict,
                         const struct pf_report *report)
{
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        uint32_t chosen = choose_measure(least, dict, (enum pf_kind)kind);
        const struct pf_measure *measure =
            chosen != NO_MEASURE ? pf_measures_row(&dict->measures, chosen) : NULL;
        uint64_t records = measure ? fallen_records(least, dict, measure) : 0;
        struct pf_bytes name = pf_dict_string(dict, measure ? measure->name : 0);
        double fell, total;

        if (records == 0)
            continue;
        fell = (double)sum_same(least, dict, measure, true);
        total = (double)sum_same(least, dict, measure, false);
        pf_report_send(report, PF_WARNING, "%llu %s record%s below %s left out, %.2f %% of '%s'",
                       (unsigned long long)records, pf_kind_name((enum pf_kind)kind),
                       records == 1 ? "" : "s", least->text,
                       total > 0 || total < 0 ? 100 * fell / total : 0.0, pf_clip(name).text);
    }
}
