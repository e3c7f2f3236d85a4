#include "analysis/merge/columns.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_merge_columns_free(struct pf_merge_columns *columns)
{
    pf_ledger_free(&columns->ledger);
    free(columns->facts);
}

/* --- measures --------------------------------------------------------------------------------- */

static bool is_events(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return pf_bytes_equal(pf_dict_string(dict, measure->unit), PF_BYTES("events"));
}

/* True if values of both measures go into one column. Counts with a period can be converted to
 * events, so they go into the column of events. */
static bool share_column(const struct pf_merge_columns *columns, const struct pf_measure *a,
                         const struct pf_measure *b)
{
    const struct pf_dict *dict = columns->dict;

    return pf_measure_same(a, b) ||
           (!columns->compares && a->kind == b->kind && a->name == b->name &&
            a->aggregation == b->aggregation &&
            ((is_events(dict, b) && a->period != 0) || (is_events(dict, a) && b->period != 0)));
}

static int different_units(const struct pf_merge_columns *columns, const struct pf_measure *a,
                           const struct pf_measure *b, struct pf_error *error)
{
    const struct pf_dict *dict = columns->dict;
    struct pf_bytes name = pf_dict_string(dict, a->name);

    if (columns->compares)
        return pf_measure_differ(dict, a, b, error);
    return pf_error_set(error, PF_UNSUPPORTED,
                        "measure '%s' is in '%s' in one input and in '%s' in another: the values "
                        "cannot be added (--force keeps both)",
                        pf_clip(name).text, pf_dict_string(dict, a->unit).data,
                        pf_dict_string(dict, b->unit).data);
}

/* True if the current input has the measure of column `other` as well as the new one. An input that
 * has both means two different measures. */
static bool has_both(const struct pf_merge_columns *columns, size_t other,
                     const struct pf_batch *batch, uint64_t input)
{
    const struct pf_measure *measure = &columns->ledger.sums[other].quantity.measure;

    for (uint32_t k = 0; k < batch->value_count; k++)
        if (share_column(columns, measure,
                         pf_measures_row(&columns->dict->measures, batch->values[k].measure)))
            return true;
    return columns->facts[other].last_input == input;
}

static struct pf_sums *add_column(struct pf_merge_columns *columns,
                                  const struct pf_measure *measure)
{
    size_t count = columns->ledger.count;

    if (!pf_grow(&columns->facts, &columns->facts_capacity, count + 1, sizeof *columns->facts))
        return NULL;
    columns->facts[count] = (struct pf_merge_facts){0};
    return pf_ledger_new(&columns->ledger, measure);
}

/* Finds or makes the column for a new measure; NULL with the error set. */
static struct pf_sums *choose_column(struct pf_merge_columns *columns,
                                     const struct pf_measure *measure, const struct pf_batch *batch,
                                     uint64_t input, struct pf_error *error)
{
    struct pf_ledger *ledger = &columns->ledger;
    struct pf_sums *added;

    for (size_t k = 0; k < ledger->count; k++)
        if (share_column(columns, &ledger->sums[k].quantity.measure, measure))
            return &ledger->sums[k];
    for (size_t k = 0; k < ledger->count && !columns->force; k++) {
        const struct pf_measure *other = &ledger->sums[k].quantity.measure;

        if (other->kind == measure->kind && other->name == measure->name &&
            other->unit != measure->unit && !has_both(columns, k, batch, input)) {
            different_units(columns, other, measure, error);
            return NULL;
        }
    }
    if ((added = add_column(columns, measure)) == NULL)
        pf_error_nomem(error);
    return added;
}

/* Joins the fields in which the measures of one column may differ. The result is the same for every
 * order of inputs. */
static void join_fields(struct pf_measure *measure, const struct pf_measure *other)
{
    if (other->nature != measure->nature)
        measure->nature = PF_UNKNOWN_NATURE;
    if (other->role < measure->role)
        measure->role = other->role;
    measure->main |= other->main;
}

static int join_measure(struct pf_merge_columns *columns, uint32_t index,
                        const struct pf_batch *batch, uint64_t input, struct pf_error *error)
{
    struct pf_measure measure = *pf_measures_row(&columns->dict->measures, index);
    struct pf_sums *sums = choose_column(columns, &measure, batch, input, error);
    struct pf_measure *common;
    int status;

    if (!sums)
        return error->code;
    common = &sums->quantity.measure;
    if (!columns->compares && is_events(columns->dict, &measure) && measure.period == 0)
        measure.period = 1;
    if (columns->force && sums->quantity.joined && (measure.period == 0) != (common->period == 0))
        measure.period = common->period = measure.period_parts = common->period_parts = 0;
    status = pf_ledger_join(&columns->ledger, sums, columns->dict, index, &measure, error);
    if (status != PF_OK)
        return status;
    join_fields(common, &measure);
    if (sums->quantity.events) {
        common->period = 1;
        common->period_parts = 0;
    }
    return PF_OK;
}

int pf_merge_columns_find(struct pf_merge_columns *columns, const struct pf_batch *batch,
                          uint32_t number, uint64_t input, struct pf_error *error)
{
    uint32_t measure = batch->values[number].measure;
    struct pf_merge_facts *facts;

    columns->ledger.wide = true;
    if (!pf_ledger_reserve(&columns->ledger, columns->dict))
        return pf_error_nomem(error);
    if (columns->ledger.members[measure].sums == 0) {
        int status = join_measure(columns, measure, batch, input, error);

        if (status != PF_OK)
            return status;
    }
    facts = &columns->facts[columns->ledger.members[measure].sums - 1];
    facts->inputs += facts->last_input != input;
    facts->last_input = input;
    return PF_OK;
}

int pf_merge_columns_copy(struct pf_merge_columns *copy, const struct pf_merge_columns *columns)
{
    const struct pf_ledger *ledger = &columns->ledger;

    *copy = (struct pf_merge_columns){.dict = columns->dict,
                                      .force = columns->force,
                                      .shares = columns->shares,
                                      .compares = columns->compares,
                                      .ledger.wide = true};
    for (uint32_t k = 0; k < ledger->count; k++) {
        struct pf_sums *sums = add_column(copy, &ledger->sums[k].quantity.measure);

        if (!sums)
            return PF_NOMEM;
        sums->quantity = ledger->sums[k].quantity;
        sums->total = 1;
        copy->facts[k] = columns->facts[k];
    }
    if (!pf_ledger_reserve(&copy->ledger, columns->dict))
        return PF_NOMEM;
    for (size_t k = 0; k < ledger->member_count && k < copy->ledger.member_count; k++)
        copy->ledger.members[k] = ledger->members[k];
    return PF_OK;
}

void pf_merge_columns_counted(struct pf_merge_columns *columns, uint64_t input, int64_t weight,
                              pf_int128 times)
{
    for (size_t k = 0; times != 0 && k < columns->ledger.count; k++) {
        struct pf_merge_facts *facts = &columns->facts[k];

        if (facts->last_input != input)
            continue;
        facts->weights += weight;
        facts->uneven |= facts->times != 0 && facts->times != times;
        facts->times = times;
    }
}

/* True if values were weighted. A weighted number of samples no longer tells the sampling error,
 * while a weighted exact number is still exact. */
static bool is_weighted(const struct pf_measure *measure, const struct pf_merge_facts *facts,
                        pf_int128 pieces)
{
    return measure->aggregation == PF_SUM && facts->times != 0 &&
           (facts->uneven || facts->times != pieces);
}

uint32_t pf_merge_columns_measure(const struct pf_merge_columns *columns, size_t column,
                                  pf_int128 pieces)
{
    struct pf_dict *dict = columns->dict;
    struct pf_measure measure = pf_quantity_measure(&columns->ledger.sums[column].quantity, dict);

    if (measure.nature == PF_SAMPLED && is_weighted(&measure, &columns->facts[column], pieces))
        measure.nature = PF_UNKNOWN_NATURE;
    if (is_events(dict, &measure))
        measure.period = measure.period_parts = 0;
    return pf_dict_status(dict) == PF_OK ? pf_measures_intern(&dict->measures, &measure)
                                         : UINT32_MAX;
}

/* --- written amounts -------------------------------------------------------------------------- */

void pf_merge_given(struct pf_merge_facts *facts, pf_int128 sum, int64_t value)
{
    pf_int128 size = value < 0 ? -(pf_int128)value : value;

    facts->given.unknown |= __builtin_add_overflow(facts->given.pieces, sum, &facts->given.pieces);
    facts->given.values += value;
    facts->given.size += (pf_uint128)size;
}

bool pf_merge_drifts(const struct pf_merge_facts *facts, pf_int128 pieces, pf_int128 *values,
                     pf_int128 *sums)
{
    if (facts->given.unknown || pieces == 0)
        return false;
    *values = facts->given.values;
    *sums = pf_divide128(facts->given.pieces, pieces);
    pf_uint128 size = *sums < 0 ? -(pf_uint128)*sums : (pf_uint128)*sums;
    pf_uint128 off = *values < *sums ? (pf_uint128)*sums - (pf_uint128)*values
                                     : (pf_uint128)*values - (pf_uint128)*sums;

    return off > (size > facts->given.size ? size : facts->given.size) / 1000;
}
