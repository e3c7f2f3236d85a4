/* The tree of calls made from pairs of caller and callee. If a function has one caller, all its
 * calls came from there, so it is put below the caller with its own callees below. If it has
 * several callers, its calls cannot be told apart by caller, and the tree ends there. */
#include "analysis/sum/sort.h"
#include "analysis/table/edges.h"
#include "analysis/table/tree.h"

#include <stdlib.h>

/* What the tree knows of a function besides the graph. */
struct function {
    uint32_t walk; /* number of the search for a cycle that passed the function; 0: no search did */
    bool placed;   /* the tree has the function as a root or below its only caller */
};

struct growing {
    struct pf_tree *tree;
    struct pf_call_graph graph;
    struct pf_calls own;        /* pairs with self values, sorted by caller and callee */
    bool own_known;             /* calls have self values */
    struct function *functions; /* by key */
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

/* Computes the graph, and the pairs with self values if calls have them. */
static int collect(struct growing *growing, const struct pf_accumulator *accumulator,
                   const struct pf_subject *subject, struct pf_keys *keys, struct pf_error *error)
{
    struct pf_calls *own = &growing->own;
    struct pf_subject self = *subject;
    int status = pf_call_graph_make(&growing->graph, accumulator, subject, keys, true, error);

    self.shown = subject->self;
    self.scale = subject->self_scale;
    growing->own_known = subject->self && subject->self->quantity.measure.kind == PF_EDGE &&
                         !subject->derived;
    if (status == PF_OK && growing->own_known)
        status = pf_calls_make(own, accumulator, &self, keys, error);
    growing->functions = calloc(keys->table.count, sizeof *growing->functions);
    if (status == PF_OK && (!growing->functions || pf_sort(own->rows, own->count, sizeof *own->rows,
                                                           compare_pairs, NULL) != PF_OK))
        status = pf_error_nomem(error);
    return status;
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

    if (growing->graph.functions[call->callee].callee_count == 0) {
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
    const struct pf_call_graph *graph = &growing->graph;
    uint32_t caller = pf_tree_row(growing->tree, node)->key;

    for (size_t i = graph->functions[caller].first;
         i < graph->calls.count && graph->calls.rows[i].caller == caller; i++) {
        const struct pf_call *call = &graph->calls.rows[i];
        struct function *callee = &growing->functions[call->callee];
        if (call->callee == caller)
            continue;
        if (graph->functions[call->callee].caller_count > 1 || callee->placed) {
            add_end(growing, node, call);
            continue;
        }
        callee->placed = true;
        add_node(growing, node, call->callee, graph->functions[call->callee].flat, call->value, 0);
    }
}

/* Adds a root and all nodes below it. *next: the first node whose callees have not been added. */
static void add_root(struct growing *growing, uint32_t key, int64_t total, uint32_t *next)
{
    growing->functions[key].placed = true;
    add_node(growing, 0, key, growing->graph.functions[key].flat, total, 0);
    for (; *next < growing->tree->nodes.count && growing->tree->nodes.status == PF_OK; ++*next)
        if (!(growing->tree->marks[*next] & PF_TREE_CUT) &&
            growing->graph.functions[pf_tree_row(growing->tree, *next)->key].caller_count <= 1)
            add_callees(growing, *next);
}

/* Follows single callers upwards from `key`. Returns a function of the cycle it ends in; 0 if it
 * ends at a function with several callers or at a function that was visited before. */
static uint32_t cycle_above(struct growing *growing, uint32_t key, uint32_t walk)
{
    const struct pf_graph_function *graph = growing->graph.functions;
    struct function *functions = growing->functions;

    while (graph[key].caller_count == 1 && !functions[key].placed && functions[key].walk == 0) {
        functions[key].walk = walk;
        key = graph[key].caller;
    }
    return functions[key].walk == walk && !functions[key].placed ? key : 0;
}

static int add_nodes(struct growing *growing, struct pf_error *error)
{
    const struct pf_call_graph *graph = &growing->graph;
    uint32_t next = 1;

    for (size_t i = 0; i < graph->order_count; i++) {
        const struct pf_graph_function *function = &graph->functions[graph->order[i]];
        pf_int128 total = function->flat + function->callees;

        if (function->caller_count > 0)
            continue;
        if (total > INT64_MAX || total < INT64_MIN)
            return pf_error_set(error, PF_OVERFLOW,
                                "the sum of the calls from one function overflows 64 bits");
        add_root(growing, graph->order[i], (int64_t)total, &next);
    }
    /* cycles that are called only from within */
    for (size_t i = 0; i < graph->order_count; i++) {
        uint32_t key = cycle_above(growing, graph->order[i], (uint32_t)i + 1);
        if (key != 0)
            add_root(growing, key, graph->functions[key].cum, &next);
    }
    return PF_OK;
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
    if (status == PF_OK &&
        make_room(tree, growing.graph.calls.count + keys->table.count + 1) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK) {
        tree->total[0] = (int64_t)total;
        status = add_nodes(&growing, error);
    }
    if (status == PF_OK && tree->nodes.status != PF_OK)
        status = pf_error_nomem(error);
    tree->count = tree->nodes.count;
    pf_call_graph_free(&growing.graph);
    pf_calls_free(&growing.own);
    free(growing.functions);
    return status;
}
