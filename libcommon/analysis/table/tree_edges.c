/* The tree of calls made from pairs of caller and callee. If a function has one caller, all its
 * calls came from there, so it is put below the caller with its own callees below. If it has
 * several callers, its calls cannot be told apart by caller, and the tree ends there. */
#include "analysis/sum/rank.h"
#include "analysis/sum/sort.h"
#include "analysis/table/edges.h"
#include "analysis/table/tree.h"

#include <stdlib.h>
#include <string.h>

/* A key, and its calls. */
struct function {
    int64_t flat, cum;
    uint32_t callers, caller; /* number of other keys that call it; one of them */
    /* its first call in the list sorted by caller; number of its calls of others */
    uint32_t first, calls;
    uint32_t walk; /* number of the search for a cycle that passed it */
    bool placed, listed;
};

struct growing {
    struct pf_tree *tree;
    struct pf_calls calls, own; /* pairs with inclusive values; pairs with self values */
    bool own_known;
    struct function *functions; /* by key */
    uint32_t *order;            /* keys, by cumulative amount, the greatest first */
    size_t keys, order_count;
};

static int compare_pairs(const void *arg, const void *x, const void *y)
{
    const struct pf_call *a = x, *b = y;

    (void)arg;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static int compare_keys(const void *x, const void *y)
{
    return compare_pairs(NULL, x, y);
}

static int sorted_pairs(struct pf_calls *calls, const struct pf_accumulator *accumulator,
                        const struct pf_subject *subject, struct pf_sums *sums,
                        const struct pf_scale *scale, struct pf_keys *keys,
                        const struct pf_rank *rank, struct pf_error *error)
{
    struct pf_subject of = *subject;
    int status;

    of.shown = sums;
    of.scale = *scale;
    status = pf_calls_make(calls, accumulator, &of, keys, error);
    if (status == PF_OK)
        status = pf_calls_cap(calls, &of, rank, keys, error);
    if (status == PF_OK &&
        pf_sort(calls->rows, calls->count, sizeof *calls->rows, compare_pairs, NULL) != PF_OK)
        status = pf_error_nomem(error);
    return status;
}

/* Computes the pairs, the pairs with self values if calls have them, and the flat and cumulative
 * amount of each function. */
static int collect(struct growing *growing, const struct pf_accumulator *accumulator,
                   const struct pf_subject *subject, struct pf_keys *keys, struct pf_error *error)
{
    struct pf_rank rank = {0};
    int status = pf_rank_make(&rank, accumulator, subject, keys, error);

    if (status == PF_OK)
        status = sorted_pairs(&growing->calls, accumulator, subject, subject->inclusive,
                              &subject->inclusive_scale, keys, &rank, error);
    growing->own_known = subject->self && subject->self->quantity.measure.kind == PF_EDGE &&
                         !subject->derived;
    if (status == PF_OK && growing->own_known)
        status = sorted_pairs(&growing->own, accumulator, subject, subject->self,
                              &subject->self_scale, keys, &rank, error);
    growing->keys = keys->table.count;
    growing->functions = calloc(growing->keys + 1, sizeof *growing->functions);
    growing->order = calloc(growing->keys + 1, sizeof *growing->order);
    if (status == PF_OK &&
        (!growing->functions || !growing->order || pf_rank_sort(&rank, keys, PF_SORT_CUM) != PF_OK))
        status = pf_error_nomem(error);
    for (size_t i = 0; i < rank.count && status == PF_OK; i++) {
        struct function *function = &growing->functions[rank.rows[i].key];
        *function =
            (struct function){.flat = rank.rows[i].flat, .cum = rank.rows[i].cum, .listed = true};
        growing->order[growing->order_count++] = rank.rows[i].key;
    }
    pf_rank_free(&rank);
    return status;
}

static void count_callers(struct growing *growing)
{
    struct function *functions = growing->functions;

    for (size_t i = growing->calls.count; i-- > 0;) {
        const struct pf_call *call = &growing->calls.rows[i];
        functions[call->caller].first = (uint32_t)i;
        if (call->caller == call->callee)
            continue;
        functions[call->caller].calls++;
        functions[call->callee].callers++;
        functions[call->callee].caller = call->caller;
    }
    /* a function without self cost and without caller has no row in pf_rank */
    for (size_t i = 0; i < growing->calls.count; i++) {
        uint32_t caller = growing->calls.rows[i].caller;
        if (!functions[caller].listed)
            growing->order[growing->order_count++] = caller;
        functions[caller].listed = true;
    }
}

/* --- nodes ------------------------------------------------------------------------------------ */

static uint32_t add_node(struct growing *growing, uint32_t parent, uint32_t key, int64_t self,
                         int64_t total, unsigned marks)
{
    struct pf_tree *tree = growing->tree;
    struct pf_tree_node row = {parent, key};
    uint32_t node = pf_table_intern(&tree->nodes, &row);

    tree->self[node] = self;
    tree->total[node] = total;
    tree->marks[node] = (unsigned char)marks;
    return node;
}

/* Adds a function below one of several callers. Its self cost for these calls is known if calls
 * have self values, or if it calls nothing. */
static void add_end(struct growing *growing, uint32_t parent, const struct pf_call *call)
{
    const struct pf_call *own = NULL;
    bool calls = growing->functions[call->callee].calls > 0;

    if (!calls) {
        add_node(growing, parent, call->callee, call->value, call->value, 0);
        return;
    }
    if (growing->own.count > 0)
        own = bsearch(call, growing->own.rows, growing->own.count, sizeof *own, compare_keys);
    add_node(growing, parent, call->callee, own ? own->value : 0, call->value,
             PF_TREE_CUT | (growing->own_known ? 0 : PF_TREE_NO_SELF));
}

static void add_callees(struct growing *growing, uint32_t node)
{
    uint32_t caller = pf_tree_row(growing->tree, node)->key;

    for (size_t i = growing->functions[caller].first;
         i < growing->calls.count && growing->calls.rows[i].caller == caller; i++) {
        const struct pf_call *call = &growing->calls.rows[i];
        struct function *callee = &growing->functions[call->callee];
        if (call->callee == caller)
            continue;
        if (callee->callers > 1 || callee->placed) {
            add_end(growing, node, call);
            continue;
        }
        callee->placed = true;
        add_node(growing, node, call->callee, callee->flat, call->value, 0);
    }
}

/* Adds a root and all nodes below it. *next: the first node whose callees have not been added. */
static void add_root(struct growing *growing, uint32_t key, int64_t total, uint32_t *next)
{
    growing->functions[key].placed = true;
    add_node(growing, 0, key, growing->functions[key].flat, total, 0);
    for (; *next < growing->tree->nodes.count && growing->tree->nodes.status == PF_OK; ++*next)
        if (!(growing->tree->marks[*next] & PF_TREE_CUT) &&
            growing->functions[pf_tree_row(growing->tree, *next)->key].callers <= 1)
            add_callees(growing, *next);
}

/* The total of a function without a caller. */
static int root_total(const struct growing *growing, uint32_t key, int64_t *total,
                      struct pf_error *error)
{
    *total = growing->functions[key].flat;
    for (size_t i = growing->functions[key].first;
         i < growing->calls.count && growing->calls.rows[i].caller == key; i++)
        if (growing->calls.rows[i].callee != key &&
            !pf_add64(*total, growing->calls.rows[i].value, total))
            return pf_error_set(error, PF_OVERFLOW,
                                "the sum of the calls from one function overflows 64 bits");
    return PF_OK;
}

/* Follows single callers upwards from `key`. Returns a function of the cycle it ends in; 0 if it
 * ends at a function with several callers or at a function that was visited before. */
static uint32_t cycle_above(struct growing *growing, uint32_t key, uint32_t walk)
{
    struct function *functions = growing->functions;

    while (functions[key].callers == 1 && !functions[key].placed && functions[key].walk == 0) {
        functions[key].walk = walk;
        key = functions[key].caller;
    }
    return functions[key].walk == walk && !functions[key].placed ? key : 0;
}

static int grow(struct growing *growing, struct pf_error *error)
{
    uint32_t next = 1;
    int status = PF_OK;

    for (size_t i = 0; i < growing->order_count && status == PF_OK; i++) {
        uint32_t key = growing->order[i];
        int64_t total;
        if (growing->functions[key].callers > 0)
            continue;
        status = root_total(growing, key, &total, error);
        if (status == PF_OK)
            add_root(growing, key, total, &next);
    }
    /* cycles that are called only from within */
    for (size_t i = 0; i < growing->order_count && status == PF_OK; i++) {
        uint32_t key = cycle_above(growing, growing->order[i], (uint32_t)i + 1);
        if (key != 0)
            add_root(growing, key, growing->functions[key].cum, &next);
    }
    return status;
}

static int make_room(struct pf_tree *tree, size_t nodes)
{
    tree->self = calloc(nodes, sizeof *tree->self);
    tree->total = calloc(nodes, sizeof *tree->total);
    tree->marks = calloc(nodes, sizeof *tree->marks);
    return tree->self && tree->total && tree->marks ? PF_OK : PF_NOMEM;
}

int pf_tree_of_edges(struct pf_tree *tree, const struct pf_accumulator *accumulator,
                     const struct pf_subject *subject, struct pf_keys *keys, struct pf_error *error)
{
    struct growing growing = {.tree = tree};
    pf_int128 total = subject->total;
    int status;

    if (!subject->inclusive)
        return pf_error_set(error, PF_USAGE,
                            "these records are pairs of caller and callee: a tree needs a measure "
                            "with inclusive values");
    if (total > INT64_MAX || total < INT64_MIN)
        return pf_error_set(error, PF_OVERFLOW, "the total overflows 64 bits");
    status = collect(&growing, accumulator, subject, keys, error);
    if (status == PF_OK && make_room(tree, growing.calls.count + growing.keys + 1) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK) {
        count_callers(&growing);
        tree->total[0] = (int64_t)total;
        status = grow(&growing, error);
    }
    if (status == PF_OK && tree->nodes.status != PF_OK)
        status = pf_error_nomem(error);
    tree->count = tree->nodes.count;
    pf_calls_free(&growing.calls);
    pf_calls_free(&growing.own);
    free(growing.functions);
    free(growing.order);
    return status;
}
