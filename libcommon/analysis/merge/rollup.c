#include "analysis/merge/rollup.h"

#include "base/error.h"
#include "model/main_measure.h"
#include "model/named.h"

#include <stdlib.h>

static bool is_written(const struct pf_rollup *rollup, struct pf_dict *dict,
                       const struct pf_measure *measure)
{
    uint32_t number = pf_measures_intern(&dict->measures, measure);

    for (unsigned k = 0; k < rollup->measure_count; k++)
        if (number != UINT32_MAX && pf_named_measure(dict, number, rollup->measures[k]))
            return true;
    return rollup->measure_count == 0;
}

/* The order of measures in a sorted result. */
static bool is_before(const struct pf_dict *dict, const struct pf_measure *a,
                      const struct pf_measure *b)
{
    int order = pf_bytes_compare(pf_dict_string(dict, a->name), pf_dict_string(dict, b->name));

    if (order == 0)
        order = pf_bytes_compare(pf_dict_string(dict, a->unit), pf_dict_string(dict, b->unit));
    return order < 0;
}

/* The column of the main measure of the result; NULL: no measure is summed. */
static const struct pf_sums *main_of(const struct pf_merge_kind *samples,
                                     const struct pf_rollup *rollup)
{
    struct pf_dict *dict = samples->columns.dict;
    const struct pf_ledger *ledger = &samples->columns.ledger;
    const struct pf_sums *best = NULL;
    struct pf_main_choice best_choice = {0};

    for (uint32_t c = 0; c < ledger->count; c++) {
        const struct pf_measure *measure = &ledger->sums[c].quantity.measure;
        struct pf_main_choice choice = {0};

        if (measure->aggregation != PF_SUM || samples->columns.facts[c].left_out ||
            !is_written(rollup, dict, measure) || !pf_main_offer(&choice, dict, measure))
            continue;
        if (pf_main_offer(&best_choice, dict, measure) ||
            (rollup->sorted && choice.rank == best_choice.rank &&
             is_before(dict, measure, &best->quantity.measure)))
            best = &ledger->sums[c];
    }
    return best;
}

/* What the walks know about the nodes, by stack. */
struct walk {
    struct pf_dict *dict;
    uint32_t count;     /* stacks before `(other)` frames were added */
    pf_int128 *amounts; /* cumulative magnitudes of the main measure */
    uint32_t *to;       /* the stack that replaces a node; 0: no record has the node in its stack */
};

/* The sum of two magnitudes; at most 2^127 - 1. */
static pf_int128 add_up(pf_int128 a, pf_int128 b)
{
    pf_int128 sum;

    return __builtin_add_overflow(a, b, &sum) ? PF_INT128_MAX : sum;
}

static pf_int128 magnitude(pf_int128 value)
{
    return value < -PF_INT128_MAX ? PF_INT128_MAX : value < 0 ? -value : value;
}

/* Sets the amounts of all nodes. Node 0 gets the total. */
static void sum_subtrees(struct walk *walk, const struct pf_merge_kind *samples,
                         const struct pf_sums *sums)
{
    size_t records = pf_merge_records_count(&samples->records);

    for (size_t k = 0; k < records; k++) {
        uint32_t stack = pf_merge_records_key(&samples->records, k)->place - 1;
        pf_int128 value = magnitude(pf_sums_wide_at(sums, k));

        walk->amounts[stack] = add_up(walk->amounts[stack], value);
        walk->to[stack] = stack;
    }
    for (uint32_t stack = walk->count - 1; stack > 0; stack--) {
        uint32_t parent = pf_dict_stack(walk->dict, stack)->parent;

        if (walk->to[stack] == 0)
            continue;
        walk->amounts[parent] = add_up(walk->amounts[parent], walk->amounts[stack]);
        walk->to[parent] = parent;
    }
}

/* Replaces the nodes below `least`. A parent is visited before its children. */
static int replace_small(struct walk *walk, pf_int128 least)
{
    uint32_t other = pf_dict_add_named(walk->dict, PF_BYTES("(other)"));

    for (uint32_t stack = 1; stack < walk->count; stack++) {
        uint32_t parent = pf_dict_stack(walk->dict, stack)->parent;

        if (walk->to[stack] == 0)
            continue;
        if (walk->amounts[parent] < least)
            walk->to[stack] = walk->to[parent];
        else if (walk->amounts[stack] < least)
            walk->to[stack] = pf_dict_add_frame(walk->dict, parent, other);
    }
    return pf_dict_status(walk->dict);
}

int pf_merge_rollup(struct pf_merge_kind *samples, const struct pf_rollup *rollup,
                    const struct pf_sums **failed)
{
    struct pf_dict *dict = samples->columns.dict;
    const struct pf_sums *sums = main_of(samples, rollup);
    struct walk walk = {.dict = dict, .count = dict->stacks.count};
    int status = PF_NOMEM;

    *failed = NULL;
    if (!sums)
        return PF_OK;
    walk.amounts = calloc(walk.count, sizeof *walk.amounts);
    walk.to = calloc(walk.count, sizeof *walk.to);
    if (walk.amounts && walk.to) {
        sum_subtrees(&walk, samples, sums);
        status = replace_small(&walk, pf_bound_least(&rollup->share, walk.amounts[0]));
    }
    if (status == PF_OK) {
        const struct pf_merge_map map = {.dict = dict, .stacks = {walk.to, walk.count, 0}};

        status = pf_merge_kind_regroup(samples, &map, &(struct pf_merge_labels){0}, failed);
    }
    free(walk.amounts);
    free(walk.to);
    return status;
}
