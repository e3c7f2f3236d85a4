#include "analysis/table/tree.h"

#include "analysis/sum/rank.h"
#include "analysis/sum/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pf_tree_free(struct pf_tree *tree)
{
    pf_table_free(&tree->nodes);
    free(tree->self);
    free(tree->total);
    free(tree->marks);
    free(tree->preorder);
    free(tree->depth);
    *tree = (struct pf_tree){0};
}

static int64_t *zeros(size_t count)
{
    return calloc(count, sizeof(int64_t));
}

/* Joins stacks with equal keys. joined[stack] becomes the tree node; 0 if no record at or below the
 * stack has a value. */
static int join_nodes(struct pf_tree *tree, const struct pf_sums *sums, const struct pf_dict *dict,
                      const struct pf_keys *keys, uint32_t *joined)
{
    for (size_t node = sums->count; node-- > 1;)
        if (sums->data[node] != 0 || joined[node] != 0)
            joined[node] = joined[pf_dict_stack(dict, (uint32_t)node)->parent] = 1;
    joined[0] = 0;
    for (uint32_t node = 1; node < sums->count; node++) {
        const struct pf_stack *stack = pf_dict_stack(dict, node);
        struct pf_tree_node row = {joined[stack->parent], keys->places[stack->location]};
        if (joined[node] != 0)
            joined[node] = pf_table_intern(&tree->nodes, &row);
    }
    tree->count = tree->nodes.count;
    return tree->nodes.status;
}

static int overflow(const struct pf_sums *sums, const struct pf_dict *dict, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(dict, sums->quantity.measure.name);

    return pf_error_set(error, PF_OVERFLOW,
                        "the sum of measure '%s' below one frame overflows 64 bits",
                        pf_clip(name).text);
}

/* Computes the amounts of all nodes. Sums are rounded, not the values, so that many small values
 * are not lost. */
static int set_amounts(struct pf_tree *tree, const struct pf_subject *subject,
                       const struct pf_dict *dict, const uint32_t *joined, struct pf_error *error)
{
    const struct pf_sums *sums = subject->self;
    int status = PF_OK;

    for (uint32_t node = 0; node < sums->count; node++)
        if (!pf_sums_combine(sums, &tree->self[joined[node]], sums->data[node]))
            return overflow(sums, dict, error);
    memcpy(tree->total, tree->self, tree->count * sizeof *tree->total);
    for (uint32_t node = tree->count; node-- > 1;)
        if (!pf_sums_combine(sums, &tree->total[pf_tree_row(tree, node)->parent],
                             tree->total[node]))
            return overflow(sums, dict, error);
    for (uint32_t node = 0; node < tree->count && status == PF_OK; node++) {
        status = pf_scale_amount(&subject->scale, tree->self[node], &tree->self[node], error);
        if (status == PF_OK)
            status = pf_scale_amount(&subject->scale, tree->total[node], &tree->total[node], error);
    }
    return status;
}

/* --- order ------------------------------------------------------------------------------------ */

struct order {
    const struct pf_tree *tree;
    const struct pf_keys *keys;
};

static int compare_siblings(const void *arg, const void *x, const void *y)
{
    const struct order *order = arg;
    const uint32_t *a = x, *b = y;
    int result = pf_compare_amounts(order->tree->total[*a], order->tree->total[*b]);

    return result != 0 ? result
                       : pf_keys_compare(order->keys, pf_tree_row(order->tree, *a)->key,
                                         pf_tree_row(order->tree, *b)->key);
}

/* Sorts the children of node n into children[first[n]] to children[first[n + 1] - 1]. */
static int sort_children(const struct pf_tree *tree, const struct pf_keys *keys, uint32_t *first,
                         uint32_t *children)
{
    const struct order order = {tree, keys};
    int status = PF_OK;

    for (uint32_t node = 1; node < tree->count; node++)
        first[pf_tree_row(tree, node)->parent + 2]++;
    for (uint32_t node = 2; node < tree->count + 2; node++)
        first[node] += first[node - 1];
    for (uint32_t node = 1; node < tree->count; node++)
        children[first[pf_tree_row(tree, node)->parent + 1]++] = node;
    for (uint32_t node = 0; node < tree->count && status == PF_OK; node++)
        status = pf_sort(children + first[node], first[node + 1] - first[node], sizeof *children,
                         compare_siblings, &order);
    return status;
}

/* Fills tree->preorder and tree->depth. `waiting` is scratch: a stack of nodes to visit. */
static void list_preorder(struct pf_tree *tree, const uint32_t *first, const uint32_t *children,
                          uint32_t *waiting)
{
    size_t size = 1, done = 0;

    waiting[0] = 0;
    while (size > 0) {
        uint32_t node = waiting[--size];
        tree->preorder[done++] = node;
        tree->depth[node] = node == 0 ? 0 : tree->depth[pf_tree_row(tree, node)->parent] + 1;
        for (uint32_t i = first[node + 1]; i-- > first[node];)
            waiting[size++] = children[i];
    }
}

static int set_order(struct pf_tree *tree, const struct pf_keys *keys)
{
    size_t count = tree->count;
    uint32_t *first = calloc(count + 2, sizeof *first), *children = calloc(count, sizeof *children);
    uint32_t *waiting = calloc(count, sizeof *waiting);
    int status = PF_NOMEM;

    tree->preorder = calloc(count, sizeof *tree->preorder);
    tree->depth = calloc(count, sizeof *tree->depth);
    if (first && children && waiting && tree->preorder && tree->depth)
        status = sort_children(tree, keys, first, children);
    if (status == PF_OK)
        list_preorder(tree, first, children, waiting);
    free(first);
    free(children);
    free(waiting);
    return status;
}

static int tree_of_stacks(struct pf_tree *tree, const struct pf_accumulator *accumulator,
                          const struct pf_subject *subject, struct pf_keys *keys,
                          struct pf_error *error)
{
    uint32_t *joined = calloc(subject->self->count + 1, sizeof *joined);
    int status;

    pf_sums_nodes(subject->self, accumulator->dict);
    if (!joined || join_nodes(tree, subject->self, accumulator->dict, keys, joined) != PF_OK ||
        (tree->self = zeros(tree->count)) == NULL || (tree->total = zeros(tree->count)) == NULL) {
        free(joined);
        return pf_error_nomem(error);
    }
    status = set_amounts(tree, subject, accumulator->dict, joined, error);
    free(joined);
    return status;
}

int pf_tree_make(struct pf_tree *tree, const struct pf_accumulator *accumulator,
                 const struct pf_subject *subject, struct pf_keys *keys, struct pf_error *error)
{
    int status;

    *tree = (struct pf_tree){0};
    if (subject->kind == PF_FLAT)
        return pf_error_set(error, PF_USAGE,
                            "flat records have no callers and callees: a tree needs stacks, or "
                            "calls with inclusive values");
    if (pf_keys_places(keys) != PF_OK ||
        pf_table_init(&tree->nodes, sizeof(struct pf_tree_node)) != PF_OK)
        return pf_error_nomem(error);
    status = subject->kind == PF_EDGE ? pf_tree_of_edges(tree, accumulator, subject, keys, error)
                                      : tree_of_stacks(tree, accumulator, subject, keys, error);
    if (status == PF_OK && set_order(tree, keys) != PF_OK)
        status = pf_error_nomem(error);
    return status;
}

/* --- limit ------------------------------------------------------------------------------------ */

static int compare_weights(const void *arg, const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;

    (void)arg;
    return *a > *b ? -1 : *a < *b;
}

/* weights[n] is the magnitude of a node's total, but at most the weight of its parent: the parent
 * of a node that is heavy enough is heavy enough too. */
static void set_weights(const struct pf_tree *tree, uint64_t *weights)
{
    weights[0] = UINT64_MAX;
    for (uint32_t node = 1; node < tree->count; node++) {
        uint64_t above = weights[pf_tree_row(tree, node)->parent],
                 own = (uint64_t)pf_magnitude(tree->total[node]);
        weights[node] = own < above ? own : above;
    }
}

/* *least: the weight of the last node within the limit; *equal: the number of nodes of this weight
 * within the limit. */
static int find_threshold(const uint64_t *weights, size_t count, size_t limit, uint64_t *least,
                          size_t *equal)
{
    uint64_t *sorted = malloc(count * sizeof *sorted);

    if (!sorted)
        return PF_NOMEM;
    memcpy(sorted, weights, count * sizeof *sorted);
    if (pf_sort(sorted, count, sizeof *sorted, compare_weights, NULL) != PF_OK) {
        free(sorted);
        return PF_NOMEM;
    }
    *least = sorted[limit - 1];
    *equal = 1;
    while (*equal < limit && sorted[limit - 1 - *equal] == *least)
        ++*equal;
    free(sorted);
    return PF_OK;
}

int pf_tree_limit(struct pf_tree *tree, size_t limit, double percent, pf_int128 whole, size_t *kept)
{
    uint64_t *weights = malloc(tree->count * sizeof *weights), least = 0;
    size_t equal = SIZE_MAX;
    bool *gone = calloc(tree->count, sizeof *gone);
    int status = weights && gone ? PF_OK : PF_NOMEM;

    *kept = 0;
    if (status == PF_OK)
        set_weights(tree, weights);
    if (status == PF_OK && limit > 0 && limit < tree->count)
        status = find_threshold(weights, tree->count, limit, &least, &equal);
    for (size_t i = 0; status == PF_OK && i < tree->count; i++) {
        uint32_t node = tree->preorder[i];
        bool small = node != 0 && fabs(pf_percent((pf_int128)weights[node], whole)) < percent;
        gone[node] = small || weights[node] < least || (weights[node] == least && equal == 0) ||
                     (node != 0 && gone[pf_tree_row(tree, node)->parent]);
        equal -= !gone[node] && weights[node] == least && equal != SIZE_MAX;
        if (!gone[node])
            tree->preorder[(*kept)++] = node;
    }
    free(weights);
    free(gone);
    return status;
}
