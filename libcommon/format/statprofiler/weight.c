#include "format/statprofiler/statprofiler.h"

#include "base/number.h"
#include "model/main_measure.h"
#include "model/units.h"

/* A record may be split into at most so many samples of the greatest weight. */
enum { PIECES_MAX = 65536 };

static const char *measure_name(const struct pf_writer *writer, const struct pf_measure *measure)
{
    return pf_dict_string(writer->dict, measure->name).data;
}

static void choose(struct pf_sp_weight *weight, const struct pf_writer *writer,
                   const struct pf_batch *batch)
{
    struct pf_main_choice choice = {0};
    for (uint32_t i = 0; i < batch->value_count; i++) {
        const struct pf_measure *measure =
            pf_measures_row(&writer->dict->measures, batch->values[i].measure);
        if (measure->kind == PF_SAMPLE && pf_main_offer(&choice, writer->dict, measure)) {
            weight->measure = batch->values[i].measure;
            weight->chosen = true;
        }
    }
}

/* Sets how many ticks a raw unit is: a raw unit has num/den units, a tick `unit` units. */
static bool set_ratio(struct pf_sp_weight *weight, uint64_t num, uint64_t den, uint64_t unit)
{
    uint64_t common = pf_gcd(num, den);
    num /= common;
    den /= common;
    common = pf_gcd(num, unit);
    weight->num = num / common;
    return !__builtin_mul_overflow(den, unit / common, &weight->den) && weight->den <= INT64_MAX;
}

int pf_sp_weight_choose(struct pf_sp_weight *weight, struct pf_writer *writer,
                        const struct pf_batch *batch, bool plan)
{
    const char *option = pf_options_get(writer->options, "tick");
    uint64_t unit = plan ? 1 : 1000; /* nanoseconds in a unit of the header's tick */
    int64_t tick_us = 0;
    if (weight->chosen)
        return PF_OK;
    if (option &&
        !pf_parse_int(pf_bytes_of(option), 1, plan ? UINT32_MAX / 1000 : UINT32_MAX, &tick_us))
        return pf_error_set(&writer->error, PF_USAGE,
                            "tick=%s is not a number of microseconds in range", option);
    choose(weight, writer, batch);
    if (!weight->chosen)
        return PF_OK;
    const struct pf_measure *measure = pf_measures_row(&writer->dict->measures, weight->measure);
    const char *name = measure_name(writer, measure);
    uint64_t given = (uint64_t)tick_us * 1000 / unit;
    bool fits;
    if (!pf_measure_is_time(writer->dict, measure)) {
        weight->tick = given;
        fits = set_ratio(weight, measure->num, measure->den, 1);
        if (!given && !weight->without_tick &&
            !pf_bytes_equal(pf_dict_string(writer->dict, measure->unit), PF_BYTES("tick")))
            pf_report_send(&writer->report, PF_WARNING,
                           "'%s' is not a time: the tick is written as 0 (unknown); "
                           "tick=MICROSECONDS sets the tick",
                           name);
    } else {
        uint64_t whole = measure->num % measure->den == 0 ? measure->num / measure->den : 0;
        bool even = whole > 0 && whole % unit == 0 && whole / unit <= UINT32_MAX;
        weight->tick = given ? given : even ? whole / unit : 1;
        fits = set_ratio(weight, measure->num, measure->den, weight->tick * unit);
    }
    return fits ? PF_OK
                : pf_error_set(&writer->error, PF_USAGE, "the unit of '%s' is too fine for ticks",
                               name);
}

static bool counts_something(const struct pf_value_column *column, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++)
        if (column->data[row] != 0)
            return true;
    return false;
}

/* Checks a column that is not the weight. PF_USAGE: the column should have been the weight. */
static int check_other(const struct pf_sp_weight *weight, struct pf_writer *writer,
                       const struct pf_value_column *column, uint32_t rows)
{
    const struct pf_measure *ours = pf_measures_row(&writer->dict->measures, weight->measure);
    const struct pf_measure *other = pf_measures_row(&writer->dict->measures, column->measure);
    if (pf_measure_same(ours, other) && (ours->num != other->num || ours->den != other->den))
        return pf_error_set(
            &writer->error, PF_USAGE,
            "the inputs have ticks of different lengths (%llu and %llu ns), and a StatProfiler "
            "file has one: write one file for each, or merge the inputs first",
            (unsigned long long)(ours->num / ours->den),
            (unsigned long long)(other->num / other->den));
    if (pf_measure_same(ours, other) && !pf_measure_same_period(ours, other))
        return pf_error_set(&writer->error, PF_USAGE,
                            "the inputs count '%s' with different periods, and a StatProfiler file "
                            "has none: write one file for each, or merge the inputs first",
                            measure_name(writer, ours));
    if (!pf_measure_same(ours, other) && other->main && counts_something(column, rows))
        return pf_error_set(
            &writer->error, PF_USAGE,
            "the inputs count different things ('%s' and '%s'), and a StatProfiler file holds one: "
            "write one file for each",
            measure_name(writer, ours), measure_name(writer, other));
    return PF_OK;
}

int pf_sp_weight_column(const struct pf_sp_weight *weight, struct pf_writer *writer,
                        const struct pf_batch *batch, const int64_t **column)
{
    int status = PF_OK;
    *column = NULL;
    for (uint32_t i = 0; i < batch->value_count && weight->chosen; i++)
        if (batch->values[i].measure == weight->measure)
            *column = batch->values[i].data;
    if (*column || !weight->chosen)
        return PF_OK;
    const struct pf_measure *ours = pf_measures_row(&writer->dict->measures, weight->measure);
    for (uint32_t i = 0; i < batch->value_count && status == PF_OK; i++) {
        status = check_other(weight, writer, &batch->values[i], batch->rows);
        if (pf_measure_same(ours,
                            pf_measures_row(&writer->dict->measures, batch->values[i].measure)))
            *column = batch->values[i].data;
    }
    return status;
}

int pf_sp_weight_ticks(const struct pf_sp_weight *weight, struct pf_writer *writer, uint64_t record,
                       int64_t value, uint64_t *ticks)
{
    unsigned long long number = record;
    if (value < 0)
        return pf_error_set(
            &writer->error, PF_USAGE,
            "record %llu has the weight %lld; StatProfiler samples have no negative weights",
            number, (long long)value);
    /* records that come before any measure have no scale */
    *ticks = 0;
    if (value == 0)
        return PF_OK;
    pf_uint128 product = (pf_uint128)(uint64_t)value * weight->num;
    if (product % weight->den != 0)
        return pf_error_set(
            &writer->error, PF_USAGE,
            "record %llu: the weight of %lld raw units is not a whole number of ticks", number,
            (long long)value);
    product /= weight->den;
    if (product > (pf_uint128)PIECES_MAX * UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "record %llu: a weight of %lld raw units is too large", number,
                            (long long)value);
    *ticks = (uint64_t)product;
    return PF_OK;
}
