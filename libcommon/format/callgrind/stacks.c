#include "format/callgrind/callgrind.h"

#include "analysis/sum/path.h"
#include "base/number.h"
#include "model/units.h"

#include <stdlib.h>

struct walk {
    struct pf_cg_costs *costs;
    struct pf_cg_records *records;
    struct pf_sums *calls;   /* numbers of calls, of each stack alone; NULL: samples are counted */
    struct pf_sums *samples; /* of subtrees; NULL: records are counted */
    uint32_t *functions;     /* by location: the place that stands for its function */
    uint32_t *plain;         /* by location: the place as a row has it */
    struct pf_table pairs;   /* struct pf_edge of functions */
    struct pf_walk nodes;
    struct pf_path path;
    struct pf_error *error;
};

/* Places without what lists of stacks alone mean, and those of whole functions. A frame that then has nothing left is the unknown
 * function: no place at all would make a line of a call. */
static bool map_places(struct walk *walk)
{
    struct pf_dict *dict = walk->costs->dict;
    uint32_t count = dict->locations.count, nowhere = pf_cg_costs_nowhere(walk->costs);

    walk->functions = calloc(count, sizeof *walk->functions);
    walk->plain = calloc(count, sizeof *walk->plain);
    if (!walk->functions || !walk->plain)
        return false;
    for (uint32_t k = 1; k < count; k++) {
        struct pf_location place = *pf_dict_location(dict, k);
        const struct pf_function *function = pf_dict_function(dict, place.function);

        place.inlined = 0;
        walk->plain[k] = pf_dict_add_location(dict, &place);
        if (function->name != 0 || !pf_dict_has_address(dict, &place))
            place.address = 0;
        place.line = function->start_line > 0 ? function->start_line : 0;
        place.column = 0;
        place.kind = 0;
        walk->functions[k] = pf_dict_add_location(dict, &place);
        if (walk->plain[k] == 0)
            walk->plain[k] = nowhere;
        if (walk->functions[k] == 0)
            walk->functions[k] = nowhere;
    }
    return pf_dict_status(dict) == PF_OK;
}

static uint32_t location_at(const struct walk *walk, uint32_t node)
{
    return pf_dict_stack(walk->costs->dict, node)->location;
}

/* Number of the two functions that meet at a node; 0 for a root. */
static uint32_t pair_at(struct walk *walk, uint32_t node)
{
    uint32_t parent = pf_dict_stack(walk->costs->dict, node)->parent;
    struct pf_edge pair = {walk->functions[location_at(walk, parent)], walk->functions[location_at(walk, node)]};

    return parent != 0 && pair.caller != 0 ? pf_table_intern(&walk->pairs, &pair) : 0;
}

static bool any_at(const struct pf_cg_costs *costs, uint32_t node)
{
    for (size_t k = 0; k < costs->count; k++)
        if (pf_sums_at(costs->events[k].self.sums, node) != 0)
            return true;
    return false;
}

/* A stack's own costs. */
static int add_self(struct walk *walk, uint32_t node)
{
    struct pf_cg_costs *costs = walk->costs;
    uint32_t place = walk->plain[location_at(walk, node)];
    uint32_t row = pf_cg_costs_find(costs, place != 0 ? place : pf_cg_costs_nowhere(costs), 0);

    for (size_t k = 0; row != 0 && k < costs->count; k++) {
        int64_t value;
        if (pf_cg_column_value(&costs->events[k].self, pf_sums_at(costs->events[k].self.sums, node), &value, walk->error) != PF_OK ||
            pf_cg_costs_add(costs, row, k, value, walk->error) != PF_OK)
            return walk->error->code;
    }
    return row != 0 ? PF_OK : pf_error_nomem(walk->error);
}

static uint32_t row_of(struct walk *walk, uint32_t node)
{
    uint32_t parent = pf_dict_stack(walk->costs->dict, node)->parent;

    return pf_cg_costs_find(walk->costs, walk->plain[location_at(walk, parent)], walk->functions[location_at(walk, node)]);
}

static int add_call(struct walk *walk, uint32_t node, bool first)
{
    struct pf_cg_costs *costs = walk->costs;
    int64_t samples = walk->samples ? pf_sums_at(walk->samples, node) : walk->records->hits[node];
    int64_t count = walk->calls ? pf_sums_at(walk->calls, node) : first ? samples : 0;

    if (!first && count == 0)
        return PF_OK;
    uint32_t row = row_of(walk, node);
    if (row == 0)
        return pf_error_nomem(walk->error);
    for (size_t k = 0; first && k < costs->count; k++) {
        int64_t value;
        if (pf_cg_column_value(&costs->events[k].self, pf_sums_at(costs->events[k].self.sums, node), &value, walk->error) != PF_OK ||
            pf_cg_costs_add(costs, row, k, value, walk->error) != PF_OK)
            return walk->error->code;
    }
    return pf_cg_costs_add(costs, row, costs->count + PF_CG_CALLS, count, walk->error);
}

static int walk_calls(struct walk *walk)
{
    const struct pf_table *stacks = &walk->costs->dict->stacks;
    size_t count = walk->records->hit_count;

    if (pf_walk_init(&walk->nodes, stacks, count < stacks->count ? (uint32_t)count : stacks->count) != PF_OK)
        return pf_error_nomem(walk->error);
    for (uint32_t node; (node = pf_walk_next(&walk->nodes)) != 0;) {
        if (walk->records->hits[node] == 0)
            continue;
        uint32_t pair = pair_at(walk, node);
        if (walk->pairs.status != PF_OK || pf_path_enter(&walk->path, &walk->nodes, pair) != PF_OK)
            return pf_error_nomem(walk->error);
        if (pair != 0 && add_call(walk, node, !walk->path.again) != PF_OK)
            return walk->error->code;
    }
    return PF_OK;
}

/* What tells how many samples and calls there were. Records become those of subtrees. */
static int find_counts(struct walk *walk)
{
    struct pf_cg_records *records = walk->records;
    struct pf_dict *dict = walk->costs->dict;

    for (uint32_t k = 0; k < records->sums.count; k++) {
        struct pf_sums *sums = &records->sums.sums[k];
        const struct pf_measure *measure = &sums->quantity.measure;

        if (measure->kind != PF_SAMPLE)
            continue;
        if (pf_measure_calls(dict, measure))
            walk->calls = sums;
        if (sums->subtrees && measure->num == measure->den && pf_measure_is_samples(dict, measure))
            walk->samples = sums;
    }
    for (size_t node = records->hit_count; node-- > 1;) {
        int64_t *above = &records->hits[pf_dict_stack(dict, (uint32_t)node)->parent];

        if (records->hits[node] != 0 && !pf_add64(*above, records->hits[node], above))
            return pf_error_set(walk->error, PF_OVERFLOW, "the number of records leaves 64 bits");
    }
    return PF_OK;
}

static int cost(struct walk *walk)
{
    struct pf_cg_costs *costs = walk->costs;
    struct pf_cg_records *records = walk->records;
    int status = PF_OK;

    for (uint32_t node = 0; status == PF_OK && node < records->hit_count; node++)
        if (records->hits[node] != 0 && (node != 0 || any_at(costs, node)))
            status = add_self(walk, node);
    for (size_t k = 0; status == PF_OK && k < costs->count; k++)
        status = pf_sums_subtrees(costs->events[k].self.sums, costs->dict, walk->error);
    if (status == PF_OK)
        status = find_counts(walk);
    return status == PF_OK ? walk_calls(walk) : status;
}

int pf_cg_stacks_cost(struct pf_cg_costs *costs, struct pf_cg_records *records, struct pf_error *error)
{
    struct walk walk = {.costs = costs, .records = records, .error = error};
    int status = pf_table_init(&walk.pairs, sizeof(struct pf_edge)) == PF_OK && map_places(&walk) ? cost(&walk) : pf_error_nomem(error);

    pf_table_free(&walk.pairs);
    free(walk.functions);
    free(walk.plain);
    pf_walk_free(&walk.nodes);
    pf_path_free(&walk.path);
    return status;
}
