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

/* --- adding rows ------------------------------------------------------------------------------ */

int pf_merge_kind_find(struct pf_merge_kind *kind, struct pf_merge_frames *frames,
                       struct pf_merge_labels *labels, const struct pf_batch *batch,
                       struct pf_merge_rows *rows)
{
    const struct pf_dict *dict = kind->columns.dict;
    const struct pf_merge_ids *locations = &frames->now.locations;
    const uint32_t *place, *callee = NULL, *sets = batch->labels;
    bool stacks = kind->kind == PF_SAMPLE;
    int status = pf_merge_frames_extend(frames);

    if (status == PF_OK && labels)
        status = pf_merge_labels_extend(labels);
    if (status != PF_OK)
        return status;
    place = pf_merge_ids_column(stacks ? &frames->now.stacks : locations,
                                stacks ? batch->stack : batch->location, batch->rows, rows->places);
    if (kind->kind == PF_EDGE)
        callee = pf_merge_ids_column(locations, batch->callee, batch->rows, rows->callees);
    if (labels)
        sets = pf_merge_ids_column(&labels->sets, batch->labels, batch->rows, rows->labels);
    return pf_merge_records_find(&kind->records,
                                 stacks ? dict->stacks.count : dict->locations.count, place, callee,
                                 sets, batch->rows, rows->records);
}

int pf_merge_kind_add(struct pf_merge_kind *kind, const struct pf_batch *batch, uint32_t number,
                      const struct pf_merge_rows *rows, uint64_t input, int64_t weight,
                      struct pf_merge_place *place, struct pf_error *error)
{
    const struct pf_value_column *values = &batch->values[number];
    int status = pf_merge_columns_find(&kind->columns, batch, number, input, error);
    uint32_t done = 0;

    if (status != PF_OK || batch->rows == 0 || !values->data || weight == 0)
        return status;
    int64_t times = kind->columns.ledger.members[values->measure].factor;
    struct pf_sums *sums = pf_ledger_of(&kind->columns.ledger, values->measure);

    if (!pf_sums_reserve(sums, pf_merge_records_count(&kind->records)))
        return pf_error_nomem(error);
    if (sums->quantity.measure.aggregation != PF_SUM || pf_mul64(times, weight, &times))
        done = pf_sums_add(sums, rows->records, values->data, batch->rows, times);
    if (done == batch->rows)
        return PF_OK;
    *place = (struct pf_merge_place){kind, sums, rows->records[done]};
    return PF_OVERFLOW;
}

/* --- adding an input -------------------------------------------------------------------------- */

/* How the records of an input will be added to all records. Making a plan only adds new records to
 * `all`, which can be removed again. */
struct plan {
    struct pf_merge_columns columns; /* the columns of `all` and those of the input, without rows */
    /* the input's measures as members of `columns`, by column of the input */
    struct pf_member *members;
    uint32_t *rows; /* rows of `all`, by record of the input */
};

static void free_plan(struct plan *plan)
{
    pf_merge_columns_free(&plan->columns);
    free(plan->members);
    free(plan->rows);
}

static uint32_t sides_of(const struct pf_merge_kind *kind)
{
    return kind->sides > 0 ? kind->sides : 1;
}

static bool is_summed(const struct pf_merge_kind *kind, const struct pf_sums *sums)
{
    return kind->sides > 1 || sums->quantity.measure.aggregation == PF_SUM;
}

/* Makes plan->columns and plan->members. */
static int plan_columns(struct plan *plan, const struct pf_merge_kind *all,
                        const struct pf_merge_kind *own, uint64_t input, struct pf_error *error)
{
    struct pf_dict *dict = all->columns.dict;
    const struct pf_ledger *ledger = &own->columns.ledger;
    struct pf_value_column *values = calloc((size_t)ledger->count + 1, sizeof *values);
    struct pf_batch batch = {.kind = all->kind, .values = values, .value_count = ledger->count};
    int status = PF_OK;

    plan->members = calloc((size_t)ledger->count + 1, sizeof *plan->members);
    if (!values || !plan->members)
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
            struct pf_quantity *quantity =
                &pf_ledger_of(&plan->columns.ledger, values[k].measure)->quantity;

            quantity->events = quantity->events || ledger->sums[k].quantity.events;
            quantity->mixed = quantity->mixed || ledger->sums[k].quantity.mixed;
        }
    }
    /* read the factors last: a measure may change the factors of earlier measures */
    for (uint32_t k = 0; status == PF_OK && k < ledger->count; k++)
        plan->members[k] = plan->columns.ledger.members[values[k].measure];
    for (uint32_t k = 0; status == PF_OK && all->columns.shares && k < ledger->count; k++) {
        plan->members[k].factor = 1;
        plan->columns.ledger.sums[plan->members[k].sums - 1].total = 1;
    }
    free(values);
    return status;
}

static int plan_rows(struct plan *plan, struct pf_merge_kind *all, const struct pf_merge_kind *own,
                     unsigned side)
{
    const struct pf_dict *dict = all->columns.dict;
    size_t count = pf_merge_records_count(&own->records),
           places = all->kind == PF_SAMPLE ? dict->stacks.count : dict->locations.count;
    int status = PF_OK;

    plan->rows = malloc((count + 1) * sizeof *plan->rows);
    for (size_t k = 0; plan->rows && status == PF_OK && k < count; k++) {
        const struct pf_merge_key *key = pf_merge_records_key(&own->records, k);
        uint32_t place = key->place - 1, record = 0;

        status = pf_merge_records_find(&all->records, places, &place, &key->callee, &key->labels, 1,
                                       &record);
        if (record > UINT32_MAX / sides_of(all) - 1)
            status = PF_NOMEM;
        plan->rows[k] = record * sides_of(all) + side;
    }
    return plan->rows ? status : PF_NOMEM;
}

/* True if the sums of `all` fit into 128 bits in the units of the plan. */
static bool fits_unit(const struct plan *plan, const struct pf_merge_kind *all,
                      struct pf_merge_place *place)
{
    pf_int128 sum;

    for (uint32_t c = 0; c < all->columns.ledger.count; c++) {
        const struct pf_sums *old = &all->columns.ledger.sums[c],
                             *new = &plan->columns.ledger.sums[c];

        for (size_t k = 0; new->total != 1 && k < old->count; k++)
            if (__builtin_mul_overflow(old->sums[k], new->total, &sum)) {
                *place = (struct pf_merge_place){all, old, k / sides_of(all)};
                return false;
            }
    }
    return true;
}

/* The greatest magnitude of a sum; at most 2^127 - 1. */
static pf_int128 greatest_size(const struct pf_sums *sums)
{
    pf_int128 most = 0;

    for (size_t k = 0; sums && k < sums->count; k++) {
        pf_int128 size = sums->sums[k] < -PF_INT128_MAX ? PF_INT128_MAX
                         : sums->sums[k] < 0            ? -sums->sums[k]
                                                        : sums->sums[k];

        most = size > most ? size : most;
    }
    return most;
}

/* True if all sums fit because even the greatest sum would. This fast test succeeds for all but a
 * few profiles. */
static bool all_fit(const struct pf_sums *old, pf_int128 total, const struct pf_sums *from,
                    int64_t factor, pf_int128 times)
{
    pf_int128 sum, value;

    return !__builtin_mul_overflow(greatest_size(old), total, &sum) &&
           !__builtin_mul_overflow(greatest_size(from), (pf_int128)factor, &value) &&
           !__builtin_mul_overflow(value, times < 0 ? -times : times, &value) &&
           !__builtin_add_overflow(sum, value, &sum);
}

/* True if the sums of `all` and of the input together fit into 128 bits. */
static bool fits_input(const struct plan *plan, const struct pf_merge_kind *all,
                       const struct pf_merge_kind *own, pf_int128 times,
                       struct pf_merge_place *place)
{
    for (uint32_t c = 0; c < own->columns.ledger.count; c++) {
        const struct pf_sums *from = &own->columns.ledger.sums[c];
        uint32_t column = plan->members[c].sums - 1;
        const struct pf_sums *old =
            column < all->columns.ledger.count ? &all->columns.ledger.sums[column] : NULL;

        pf_int128 total = plan->columns.ledger.sums[column].total;

        if (!is_summed(all, from) ||
            all_fit(old, old ? total : 1, from, plan->members[c].factor, times))
            continue;
        for (size_t k = 0; k < from->count; k++) {
            pf_int128 value, sum = old ? pf_sums_wide_at(old, plan->rows[k]) * total : 0;

            if (__builtin_mul_overflow(from->sums[k], (pf_int128)plan->members[c].factor, &value) ||
                __builtin_mul_overflow(value, times, &value) ||
                __builtin_add_overflow(sum, value, &sum)) {
                *place = (struct pf_merge_place){own, from, k};
                return false;
            }
        }
    }
    return true;
}

static int make_plan(struct plan *plan, struct pf_merge_kind *all, const struct pf_merge_kind *own,
                     uint64_t input, unsigned side, pf_int128 times, struct pf_merge_place *place,
                     struct pf_error *error)
{
    int status = plan_columns(plan, all, own, input, error);

    if (status != PF_OK)
        return status;
    if (plan_rows(plan, all, own, side) != PF_OK)
        return pf_error_nomem(error);
    return fits_unit(plan, all, place) && fits_input(plan, all, own, times, place) ? PF_OK
                                                                                   : PF_OVERFLOW;
}

/* Adds a column of the input. `sum` false: the greatest value counts. */
static int join_column(struct pf_sums *to, const struct pf_sums *from, const uint32_t *rows,
                       size_t count, pf_int128 times, bool sum)
{
    if (!pf_sums_reserve(to, count))
        return PF_NOMEM;
    for (size_t k = 0; k < from->count; k++) {
        pf_int128 *into = &to->sums[rows[k]], value = from->sums[k] * times;

        if (sum)
            *into += value;
        else if (value > *into)
            *into = value;
    }
    return PF_OK;
}

/* Replaces the columns of `all` by the plan's and moves the rows, converted to the plan's units. */
static void adopt_columns(struct pf_merge_kind *all, struct plan *plan)
{
    struct pf_merge_columns was = all->columns;

    for (uint32_t c = 0; c < was.ledger.count; c++) {
        struct pf_sums *old = &was.ledger.sums[c], *new = &plan->columns.ledger.sums[c];

        for (size_t k = 0; new->total != 1 && k < old->count; k++)
            old->sums[k] *= new->total;
        new->sums = old->sums;
        new->count = old->count;
        new->capacity = old->capacity;
        old->sums = NULL;
    }
    all->columns = plan->columns;
    plan->columns = was;
}

static int add_planned(struct plan *plan, struct pf_merge_kind *all,
                       const struct pf_merge_kind *own, pf_int128 times)
{
    size_t rows = pf_merge_records_count(&all->records) * sides_of(all);
    int status = PF_OK;

    adopt_columns(all, plan);
    for (uint32_t c = 0; status == PF_OK && c < own->columns.ledger.count; c++) {
        const struct pf_sums *from = &own->columns.ledger.sums[c];
        bool sum = is_summed(all, from); /* else the weight is ignored */

        status = join_column(&all->columns.ledger.sums[plan->members[c].sums - 1], from, plan->rows,
                             rows, plan->members[c].factor * (sum ? times : 1), sum);
    }
    return status;
}

int pf_merge_kinds_add(struct pf_merge_kind all[PF_RECORD_KINDS],
                       const struct pf_merge_kind own[PF_RECORD_KINDS], uint64_t input,
                       unsigned side, pf_int128 times, struct pf_merge_place *place,
                       struct pf_error *error)
{
    struct plan plans[PF_RECORD_KINDS];
    size_t before[PF_RECORD_KINDS];
    int status = PF_OK;

    place->sums = NULL;
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++) {
        before[k] = pf_merge_records_count(&all[k].records);
        plans[k] = (struct plan){.members = NULL};
    }
    for (unsigned k = 0; k < PF_RECORD_KINDS && status == PF_OK; k++)
        status = make_plan(&plans[k], &all[k], &own[k], input, side, times, place, error);
    for (unsigned k = 0; k < PF_RECORD_KINDS && status != PF_OK; k++)
        pf_merge_records_truncate(&all[k].records, before[k]);
    for (unsigned k = 0; k < PF_RECORD_KINDS && status == PF_OK; k++)
        if (add_planned(&plans[k], &all[k], &own[k], times) != PF_OK)
            status = pf_error_nomem(error);
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        free_plan(&plans[k]);
    return status;
}

/* --- the end ---------------------------------------------------------------------------------- */

int pf_merge_kind_regroup(struct pf_merge_kind *kind, const struct pf_merge_map *map,
                          const struct pf_merge_labels *labels, const struct pf_sums **failed)
{
    const struct pf_merge_ids *places = kind->kind == PF_SAMPLE ? &map->stacks : &map->locations;
    size_t limit = kind->kind == PF_SAMPLE ? map->dict->stacks.count : map->dict->locations.count;
    size_t count = pf_merge_records_count(&kind->records);
    uint32_t sides = sides_of(kind), *to = malloc((count + 1) * sides * sizeof *to);
    struct pf_merge_records was = kind->records;
    int status = to ? PF_OK : PF_NOMEM;

    *failed = NULL;
    kind->records = (struct pf_merge_records){0};
    for (size_t k = 0; status == PF_OK && k < count; k++) {
        const struct pf_merge_key *key = pf_merge_records_key(&was, k);
        uint32_t place = pf_merge_id(places, key->place - 1),
                 callee = pf_merge_id(&map->locations, key->callee);
        uint32_t set = pf_merge_id(&labels->sets, key->labels);

        uint32_t record = 0;

        status = pf_merge_records_find(&kind->records, limit, &place, &callee, &set, 1, &record);
        for (uint32_t side = 0; side < sides; side++)
            to[k * sides + side] = record * sides + side;
    }
    for (size_t c = 0; status == PF_OK && c < kind->columns.ledger.count; c++) {
        *failed = &kind->columns.ledger.sums[c];
        status = pf_sums_regroup(&kind->columns.ledger.sums[c], to, count * sides);
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
        const struct pf_sums *sums = &ledger->sums[c];

        if (is_summed(kind, sums) &&
            pf_main_offer(&choice, kind->columns.dict, &sums->quantity.measure))
            best = sums;
    }
    return best;
}
