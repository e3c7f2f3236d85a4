#include "analysis/sum/ledger.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_sums_free(struct pf_sums *sums)
{
    free(sums->data);
    free(sums->nodes);
}

bool pf_sums_reserve(struct pf_sums *sums, size_t count)
{
    size_t old = sums->count;

    if (count <= old)
        return true;
    if (!(sums->wide ? pf_grow(&sums->sums, &sums->capacity, count, sizeof *sums->sums)
                     : pf_grow(&sums->data, &sums->capacity, count, sizeof *sums->data)))
        return false;
    if (sums->wide)
        memset(sums->sums + old, 0, (count - old) * sizeof *sums->sums);
    else
        memset(sums->data + old, 0, (count - old) * sizeof *sums->data);
    sums->count = count;
    return true;
}

/* --- scales ----------------------------------------------------------------------------------- */

static bool may_multiply(const struct pf_sums *sums, int64_t times)
{
    pf_int128 wide;
    int64_t narrow;

    for (size_t i = 0; i < sums->count; i++)
        if (sums->wide ? __builtin_mul_overflow(sums->sums[i], (pf_int128)times, &wide)
                       : !pf_mul64(sums->data[i], times, &narrow))
            return false;
    return !__builtin_mul_overflow(sums->total, (pf_int128)times, &wide);
}

static void multiply(struct pf_sums *sums, int64_t times)
{
    for (size_t i = 0; i < sums->count; i++)
        if (sums->wide)
            sums->sums[i] *= times;
        else
            sums->data[i] *= times;
    sums->total *= times;
}

static int too_great(const struct pf_sums *sums, const struct pf_dict *dict, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(dict, sums->quantity.measure.name);

    return pf_error_set(error, PF_OVERFLOW,
                        "a sum of measure '%s' overflows %d bits in the common unit of its values",
                        pf_clip(name).text, sums->wide ? 128 : 64);
}

/* True if the factors of all measures of a column can be multiplied; also if `ledger` is NULL. */
static bool may_multiply_members(const struct pf_ledger *ledger, const struct pf_sums *sums,
                                 int64_t times)
{
    int64_t product;

    for (size_t k = 0; ledger && k < ledger->member_count; k++)
        if (pf_ledger_of(ledger, (uint32_t)k) == sums &&
            !pf_mul64(ledger->members[k].factor, times, &product))
            return false;
    return true;
}

/* Joins the measure; nothing changes after a failure. */
static int join_measure(struct pf_ledger *ledger, struct pf_sums *sums, const struct pf_dict *dict,
                        const struct pf_measure *measure, int64_t *factor, struct pf_error *error)
{
    struct pf_quantity joined = sums->quantity;
    int64_t times;
    int status = pf_quantity_join(&joined, dict, measure, &times, factor, error);

    if (status != PF_OK)
        return status;
    if (times != 1 && (!may_multiply(sums, times) || !may_multiply_members(ledger, sums, times)))
        return too_great(sums, dict, error);
    if (times != 1)
        multiply(sums, times);
    /* the units of earlier measures are coarser than the new unit */
    for (size_t k = 0; times != 1 && ledger && k < ledger->member_count; k++)
        if (pf_ledger_of(ledger, (uint32_t)k) == sums)
            ledger->members[k].factor *= times;
    sums->quantity = joined;
    return PF_OK;
}

int pf_sums_join(struct pf_sums *sums, const struct pf_dict *dict, const struct pf_measure *measure,
                 int64_t *factor, struct pf_error *error)
{
    return join_measure(NULL, sums, dict, measure, factor, error);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void add_greatest(pf_int128 *restrict sums, const uint32_t *restrict rows,
                         const int64_t *restrict values, uint32_t count, int64_t factor)
{
    for (uint32_t i = 0; i < count; i++) {
        pf_int128 value = (pf_int128)values[i] * factor;

        if (value > sums[rows[i]])
            sums[rows[i]] = value;
    }
}

/* Cannot overflow: 128 bits hold the sum of 2^63 values. */
static void add_plain(pf_int128 *restrict sums, const uint32_t *restrict rows,
                      const int64_t *restrict values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sums[rows[i]] += values[i];
}

uint32_t pf_sums_add(struct pf_sums *sums, const uint32_t *rows, const int64_t *values,
                     uint32_t count, int64_t factor)
{
    if (sums->quantity.measure.aggregation == PF_MAX) {
        add_greatest(sums->sums, rows, values, count, factor);
    } else if (factor == 1) {
        add_plain(sums->sums, rows, values, count);
    } else {
        for (uint32_t i = 0; i < count; i++)
            if (__builtin_add_overflow(sums->sums[rows[i]], (pf_int128)values[i] * factor,
                                       &sums->sums[rows[i]]))
                return i;
    }
    return count;
}

pf_int128 pf_sums_total(const struct pf_sums *sums)
{
    bool greatest = sums->quantity.measure.aggregation == PF_MAX;
    pf_int128 total = sums->total;

    if (sums->subtrees)
        return sums->whole;
    /* the usual sums in a loop of their own, without a branch for each: millions of stacks */
    if (!greatest && !sums->wide) {
        const int64_t *restrict data = sums->data;

        for (size_t i = 0; i < sums->count; i++)
            total += data[i];
        return total;
    }
    for (size_t i = 0; i < sums->count; i++) {
        pf_int128 sum = sums->wide ? sums->sums[i] : sums->data[i];

        total = !greatest ? total + sum : sum > total ? sum : total;
    }
    return total;
}

int pf_sums_regroup(struct pf_sums *sums, const uint32_t *to, size_t count)
{
    struct pf_sums was = *sums;
    bool sum = sums->quantity.measure.aggregation == PF_SUM;
    int status = PF_OK;

    sums->sums = NULL;
    sums->count = sums->capacity = 0;
    for (size_t k = 0; status == PF_OK && k < count && k < was.count; k++) {
        if (!pf_sums_reserve(sums, (size_t)to[k] + 1))
            status = PF_NOMEM;
        else if (!sum)
            sums->sums[to[k]] = was.sums[k] > sums->sums[to[k]] ? was.sums[k] : sums->sums[to[k]];
        else if (__builtin_add_overflow(sums->sums[to[k]], was.sums[k], &sums->sums[to[k]]))
            status = PF_OVERFLOW;
    }
    free(was.sums);
    return status;
}

/* --- columns ---------------------------------------------------------------------------------- */

void pf_ledger_free(struct pf_ledger *ledger)
{
    for (uint32_t k = 0; k < ledger->count; k++)
        pf_sums_free(&ledger->sums[k]);
    free(ledger->sums);
    free(ledger->members);
    pf_table_free(&ledger->quantities);
}

bool pf_ledger_reserve(struct pf_ledger *ledger, const struct pf_dict *dict)
{
    return pf_grow_zeroed(&ledger->members, &ledger->member_count, &ledger->member_capacity,
                          pf_measures_count(&dict->measures), sizeof *ledger->members);
}

struct pf_sums *pf_ledger_same(const struct pf_ledger *ledger, const struct pf_measure *measure)
{
    struct pf_measure_key key = pf_measure_key(measure);
    uint32_t id = ledger->quantities.count > 0 ? pf_table_find(&ledger->quantities, &key) : 0;

    return id != 0 ? &ledger->sums[id - 1] : NULL;
}

struct pf_sums *pf_ledger_new(struct pf_ledger *ledger, const struct pf_measure *measure)
{
    struct pf_measure_key key = pf_measure_key(measure);

    if ((ledger->quantities.count == 0 &&
         pf_table_init(&ledger->quantities, sizeof key) != PF_OK) ||
        !pf_grow(&ledger->sums, &ledger->capacity, (size_t)ledger->count + 1,
                 sizeof *ledger->sums) ||
        pf_table_intern(&ledger->quantities, &key) != ledger->count + 1)
        return NULL;
    ledger->sums[ledger->count] = (struct pf_sums){.wide = ledger->wide};
    return &ledger->sums[ledger->count++];
}

int pf_ledger_join(struct pf_ledger *ledger, struct pf_sums *sums, const struct pf_dict *dict,
                   uint32_t index, const struct pf_measure *measure, struct pf_error *error)
{
    int64_t factor;
    int status = join_measure(ledger, sums, dict, measure, &factor, error);

    if (status == PF_OK)
        ledger->members[index] =
            (struct pf_member){.sums = (uint32_t)(sums - ledger->sums) + 1, .factor = factor};
    return status;
}

int pf_ledger_find(struct pf_ledger *ledger, const struct pf_dict *dict, uint32_t index,
                   struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&dict->measures, index);
    struct pf_sums *sums;

    if (!pf_ledger_reserve(ledger, dict))
        return pf_error_nomem(error);
    if (ledger->members[index].sums != 0)
        return PF_OK;
    if ((sums = pf_ledger_same(ledger, measure)) == NULL &&
        (sums = pf_ledger_new(ledger, measure)) == NULL)
        return pf_error_nomem(error);
    return pf_ledger_join(ledger, sums, dict, index, measure, error);
}
