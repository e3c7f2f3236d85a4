#include "analysis/merge/kind.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/main_measure.h"

#include <stdlib.h>
#include <string.h>

void pf_merge_kind_free(struct pf_merge_kind *kind)
{
    pf_merge_records_free(&kind->records);
    pf_merge_columns_free(&kind->columns);
}

/* --- adding an input -------------------------------------------------------------------------------------- */

void pf_merge_plan_free(struct pf_merge_plan *plan)
{
    pf_merge_columns_free(&plan->columns);
    free(plan->members);
    free(plan->records);
}

/* The columns of all with the measures of the input. */
static int plan_columns(struct pf_merge_plan *plan, const struct pf_merge_kind *all, const struct pf_merge_kind *own, uint64_t input,
                        struct pf_error *error)
{
    struct pf_dict *dict = all->columns.dict;
    const struct pf_ledger *ledger = &own->columns.ledger;
    struct pf_value_column *values = calloc((size_t)ledger->count + 1, sizeof *values);
    struct pf_batch batch = {.kind = all->kind, .values = values, .value_count = ledger->count};
    int status = PF_OK;

    plan->members = calloc((size_t)ledger->count + 1, sizeof *plan->members);
    if (values == NULL || plan->members == NULL)
        status = pf_error_nomem(error);
    for (uint32_t k = 0; status == PF_OK && k < ledger->count; k++) {
        values[k].measure = pf_measures_intern(&dict->measures, &ledger->sums[k].quantity.measure);
        if (values[k].measure == UINT32_MAX)
            status = pf_error_nomem(error);
    }
    if (status == PF_OK && pf_merge_columns_copy(&plan->columns, &all->columns) != PF_OK)
        status = pf_error_nomem(error);
    for (uint32_t k = 0; status == PF_OK && k < ledger->count; k++) {
        status = pf_merge_columns_find(&plan->columns, &batch, k, input, error);
        if (status == PF_OK) {
            struct pf_quantity *quantity = &pf_ledger_of(&plan->columns.ledger, values[k].measure)->quantity;

            quantity->events = quantity->events || ledger->sums[k].quantity.events;
            quantity->mixed = quantity->mixed || ledger->sums[k].quantity.mixed;
        }
    }
    /* a later measure may have changed the factor of an earlier one */
    for (uint32_t k = 0; status == PF_OK && k < ledger->count; k++)
        plan->members[k] = plan->columns.ledger.members[values[k].measure];
    free(values);
    return status;
}

static int plan_records(struct pf_merge_plan *plan, struct pf_merge_kind *all, const struct pf_merge_kind *own)
{
    const struct pf_dict *dict = all->columns.dict;
    size_t count = pf_merge_records_count(&own->records), places = all->kind == PF_SAMPLE ? dict->stacks.count : dict->locations.count;
    int status = PF_OK;

    plan->records = malloc((count + 1) * sizeof *plan->records);
    for (size_t k = 0; plan->records != NULL && status == PF_OK && k < count; k++) {
        const struct pf_merge_key *key = pf_merge_records_key(&own->records, k);
        uint32_t place = key->place - 1;

        status = pf_merge_records_find(&all->records, places, &place, &key->callee, &key->labels, 1, &plan->records[k]);
    }
    return plan->records != NULL ? status : PF_NOMEM;
}

/* Whether all sums fit: those of all in the unit of the plan, and with those of the input. */
static bool fits(const struct pf_merge_plan *plan, const struct pf_merge_kind *all, const struct pf_merge_kind *own, pf_int128 times,
                 struct pf_merge_place *place)
{
    const struct pf_ledger *from = &own->columns.ledger, *to = &plan->columns.ledger;
    pf_int128 value, sum;

    for (uint32_t c = 0; c < all->columns.ledger.count; c++) {
        place->sums = &all->columns.ledger.sums[c];
        for (place->record = 0; to->sums[c].total != 1 && place->record < place->sums->count; place->record++)
            if (__builtin_mul_overflow(place->sums->sums[place->record], to->sums[c].total, &sum))
                return false;
    }
    for (uint32_t c = 0; c < from->count; c++) {
        uint32_t column = plan->members[c].sums - 1;
        const struct pf_sums *old = column < all->columns.ledger.count ? &all->columns.ledger.sums[column] : NULL;

        place->sums = &from->sums[c];
        for (size_t k = 0; place->sums->quantity.measure.aggregation == PF_SUM && k < from->sums[c].count; k++) {
            place->record = plan->records[k];
            sum = old != NULL ? pf_sums_wide_at(old, place->record) * to->sums[column].total : 0;
            if (__builtin_mul_overflow(from->sums[c].sums[k], (pf_int128)plan->members[c].factor, &value) ||
                __builtin_mul_overflow(value, times, &value) || __builtin_add_overflow(sum, value, &sum))
                return false;
        }
    }
    place->sums = NULL;
    return true;
}

int pf_merge_kind_plan(struct pf_merge_plan *plan, struct pf_merge_kind *all, const struct pf_merge_kind *own, uint64_t input,
                       pf_int128 times, struct pf_merge_place *place, struct pf_error *error)
{
    int status = plan_columns(plan, all, own, input, error);

    place->sums = NULL;
    if (status != PF_OK)
        return status;
    if (plan_records(plan, all, own) != PF_OK)
        return pf_error_nomem(error);
    return fits(plan, all, own, times, place) ? PF_OK : PF_OVERFLOW;
}

/* Adds a column of the input. */
static int join_column(struct pf_sums *to, const struct pf_sums *from, const uint32_t *records, size_t count, pf_int128 times)
{
    bool sum = to->quantity.measure.aggregation == PF_SUM;

    if (!pf_sums_reserve(to, count))
        return PF_NOMEM;
    for (size_t k = 0; k < from->count; k++) {
        pf_int128 *into = &to->sums[records[k]], value = from->sums[k] * times;

        if (sum)
            *into += value;
        else if (value > *into)
            *into = value;
    }
    return PF_OK;
}

int pf_merge_kind_join(struct pf_merge_kind *all, const struct pf_merge_kind *own, struct pf_merge_plan *plan, pf_int128 times)
{
    struct pf_ledger *to = &plan->columns.ledger;
    struct pf_merge_columns was = all->columns;
    int status = PF_OK;

    for (uint32_t c = 0; c < was.ledger.count; c++) {
        struct pf_sums *old = &was.ledger.sums[c];

        for (size_t k = 0; to->sums[c].total != 1 && k < old->count; k++)
            old->sums[k] *= to->sums[c].total;
        to->sums[c].sums = old->sums;
        to->sums[c].count = old->count;
        to->sums[c].capacity = old->capacity;
        old->sums = NULL;
    }
    all->columns = plan->columns;
    plan->columns = was;
    for (uint32_t c = 0; status == PF_OK && c < own->columns.ledger.count; c++) {
        const struct pf_sums *from = &own->columns.ledger.sums[c];
        bool greatest = from->quantity.measure.aggregation == PF_MAX; /* whatever the weight */

        status = join_column(&all->columns.ledger.sums[plan->members[c].sums - 1], from, plan->records,
                             pf_merge_records_count(&all->records), plan->members[c].factor * (greatest ? 1 : times));
    }
    return status;
}

/* --- the end ---------------------------------------------------------------------------------------------- */

int pf_merge_kind_regroup(struct pf_merge_kind *kind, const struct pf_merge_map *map, const struct pf_merge_labels *labels,
                          const struct pf_sums **failed)
{
    const struct pf_merge_ids *places = kind->kind == PF_SAMPLE ? &map->stacks : &map->locations;
    size_t limit = kind->kind == PF_SAMPLE ? map->dict->stacks.count : map->dict->locations.count;
    size_t count = pf_merge_records_count(&kind->records);
    uint32_t *to = malloc((count + 1) * sizeof *to);
    struct pf_merge_records was = kind->records;
    int status = to != NULL ? PF_OK : PF_NOMEM;

    *failed = NULL;
    kind->records = (struct pf_merge_records){0};
    for (size_t k = 0; status == PF_OK && k < count; k++) {
        const struct pf_merge_key *key = pf_merge_records_key(&was, k);
        uint32_t place = pf_merge_id(places, key->place - 1), callee = pf_merge_id(&map->locations, key->callee);
        uint32_t set = pf_merge_id(&labels->sets, key->labels);

        status = pf_merge_records_find(&kind->records, limit, &place, &callee, &set, 1, &to[k]);
    }
    for (size_t c = 0; status == PF_OK && c < kind->columns.ledger.count; c++) {
        *failed = &kind->columns.ledger.sums[c];
        status = pf_sums_regroup(&kind->columns.ledger.sums[c], to, count);
    }
    pf_merge_records_free(&was);
    free(to);
    return status;
}

const struct pf_sums *pf_merge_kind_main(const struct pf_merge_kind *kind)
{
    struct pf_main_choice choice = {0};
    const struct pf_ledger *ledger = &kind->columns.ledger;
    const struct pf_sums *best = NULL;

    for (uint32_t c = 0; c < ledger->count; c++) {
        const struct pf_measure *measure = &ledger->sums[c].quantity.measure;

        if (measure->aggregation == PF_SUM && pf_main_offer(&choice, kind->columns.dict, measure))
            best = &ledger->sums[c];
    }
    return best;
}
