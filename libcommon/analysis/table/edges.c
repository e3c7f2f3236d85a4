#include "analysis/table/edges.h"

#include "analysis/sum/sort.h"
#include "analysis/sum/walk.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_calls_free(struct pf_calls *calls)
{
    free(calls->rows);
    *calls = (struct pf_calls){0};
}

/* Pairs of keys and their raw sums, while they are computed. */
struct pairs {
    struct pf_table table; /* struct pf_edge of keys */
    int64_t *sums;
    size_t count, capacity;
    const struct pf_keys *keys;
    struct pf_error *error;
};

/* The number of a pair; 0 for a frame without caller, and if memory ran out
 * (pairs->table.status). */
static uint32_t pair_of(struct pairs *pairs, uint32_t caller, uint32_t callee)
{
    struct pf_edge pair = {caller, callee};
    uint32_t id = caller != 0 && callee != 0 ? pf_table_intern(&pairs->table, &pair) : 0;

    while (id >= pairs->count) {
        if (!pf_grow(&pairs->sums, &pairs->capacity, pairs->count + 1, sizeof *pairs->sums)) {
            pairs->table.status = PF_NOMEM;
            return 0;
        }
        pairs->sums[pairs->count++] = 0;
    }
    return id;
}

static int add_to_pair(struct pairs *pairs, const struct pf_sums *sums, uint32_t pair,
                       int64_t value)
{
    struct pf_bytes measure = pf_dict_string(pairs->keys->dict, sums->quantity.measure.name);

    if (!pf_sums_combine(sums, &pairs->sums[pair], value))
        return pf_error_set(pairs->error, PF_OVERFLOW,
                            "the sum of measure '%s' for one caller and callee overflows 64 bits",
                            pf_clip(measure).text);
    return PF_OK;
}

static uint32_t pair_of_node(struct pairs *pairs, uint32_t node)
{
    const struct pf_dict *dict = pairs->keys->dict;
    const struct pf_stack *stack = pf_dict_stack(dict, node);
    uint32_t caller = pf_dict_stack(dict, stack->parent)->location;

    return pair_of(pairs, pairs->keys->places[caller], pairs->keys->places[stack->location]);
}

static int add_stacks(struct pairs *pairs, const struct pf_sums *sums, struct pf_walk *walk,
                      struct pf_path *path)
{
    for (uint32_t node; (node = pf_walk_next(walk)) != 0;) {
        uint32_t pair = pair_of_node(pairs, node);
        if (pairs->table.status != PF_OK || pf_path_enter(path, walk, pair) != PF_OK)
            return pf_error_nomem(pairs->error);
        if (pair != 0 && !path->again && add_to_pair(pairs, sums, pair, sums->data[node]) != PF_OK)
            return PF_OVERFLOW;
    }
    return PF_OK;
}

static int add_edges(struct pairs *pairs, const struct pf_accumulator *accumulator,
                     const struct pf_sums *sums)
{
    for (size_t i = 1; i < sums->count; i++) {
        const struct pf_edge *edge = pf_accumulator_edge(accumulator, i);
        uint32_t pair =
            pair_of(pairs, pairs->keys->places[edge->caller], pairs->keys->places[edge->callee]);
        if (pair != 0 && add_to_pair(pairs, sums, pair, sums->data[i]) != PF_OK)
            return PF_OVERFLOW;
    }
    return pairs->table.status == PF_OK ? PF_OK : pf_error_nomem(pairs->error);
}

static int compare(const void *arg, const void *x, const void *y)
{
    const struct pf_keys *keys = arg;
    const struct pf_call *a = x, *b = y;
    int order = pf_compare_amounts(a->value, b->value);

    if (order == 0 && a->caller != b->caller)
        order = pf_keys_compare(keys, a->caller, b->caller);
    return order != 0 || a->callee == b->callee ? order
                                                : pf_keys_compare(keys, a->callee, b->callee);
}

/* Converts sums to amounts, and leaves out pairs without an amount. */
static int make_rows(struct pf_calls *calls, struct pairs *pairs, const struct pf_scale *scale)
{
    int status = PF_OK;

    calls->rows = calloc(pairs->table.count, sizeof *calls->rows);
    if (!calls->rows)
        return pf_error_nomem(pairs->error);
    for (uint32_t id = 1; id < pairs->table.count && status == PF_OK; id++) {
        const struct pf_edge *pair = (const struct pf_edge *)pf_table_row(&pairs->table, id);
        struct pf_call *call = &calls->rows[calls->count];
        *call = (struct pf_call){.caller = pair->caller, .callee = pair->callee};
        status = pf_scale_amount(scale, pairs->sums[id], &call->value, pairs->error);
        calls->count += call->value != 0;
    }
    if (status == PF_OK &&
        pf_sort(calls->rows, calls->count, sizeof *calls->rows, compare, pairs->keys) != PF_OK)
        status = pf_error_nomem(pairs->error);
    return status;
}

static int add_subject(struct pairs *pairs, const struct pf_accumulator *accumulator,
                       const struct pf_subject *subject)
{
    const struct pf_dict *dict = pairs->keys->dict;
    struct pf_path path = {0};
    struct pf_walk walk;
    int status;

    if (subject->kind == PF_EDGE)
        return add_edges(pairs, accumulator, subject->shown);
    status = pf_sums_subtrees(subject->self, dict, pairs->error);
    if (status != PF_OK)
        return status;
    status = pf_walk_init(&walk, &dict->stacks, (uint32_t)subject->self->count) == PF_OK
                 ? add_stacks(pairs, subject->self, &walk, &path)
                 : pf_error_nomem(pairs->error);
    pf_walk_free(&walk);
    pf_path_free(&path);
    return status;
}

int pf_calls_make(struct pf_calls *calls, const struct pf_accumulator *accumulator,
                  const struct pf_subject *subject, struct pf_keys *keys, struct pf_error *error)
{
    struct pairs pairs = {.keys = keys, .error = error};
    int status = PF_OK;

    *calls = (struct pf_calls){0};
    if (subject->kind == PF_FLAT)
        return pf_error_set(
            error, PF_USAGE,
            "flat records have no callers and callees, only stacks and calls have them");
    if (pf_table_init(&pairs.table, sizeof(struct pf_edge)) != PF_OK ||
        pf_keys_places(keys) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        status = add_subject(&pairs, accumulator, subject);
    if (status == PF_OK)
        status = make_rows(calls, &pairs, &subject->scale);
    pf_table_free(&pairs.table);
    free(pairs.sums);
    return status;
}

int pf_calls_cap(struct pf_calls *calls, const struct pf_subject *subject,
                 const struct pf_rank *rank, const struct pf_keys *keys, struct pf_error *error)
{
    int64_t *cums;

    if (subject->kind != PF_EDGE || subject->shown != subject->inclusive)
        return PF_OK;
    cums = calloc(keys->table.count, sizeof *cums);
    if (!cums)
        return pf_error_nomem(error);
    for (size_t i = 0; i < rank->count; i++)
        cums[rank->rows[i].key] = rank->rows[i].cum;
    for (size_t i = 0; i < calls->count; i++) {
        struct pf_call *call = &calls->rows[i];
        bool within = pf_subject_lines_have_self(subject) &&
                      pf_keys_same_function(keys, call->caller, call->callee);
        pf_int128 bound = within ? cums[call->caller] : rank->bound;
        call->value = call->value > 0 && call->value > bound ? (int64_t)(bound > 0 ? bound : 0)
                                                             : call->value;
    }
    free(cums);
    return pf_sort(calls->rows, calls->count, sizeof *calls->rows, compare, keys) == PF_OK
               ? PF_OK
               : pf_error_nomem(error);
}

/* --- graphs ----------------------------------------------------------------------------------- */

void pf_call_graph_free(struct pf_call_graph *graph)
{
    pf_calls_free(&graph->calls);
    free(graph->functions);
    free(graph->order);
    *graph = (struct pf_call_graph){0};
}

static int compare_callers(const void *arg, const void *x, const void *y)
{
    const struct pf_call *a = x, *b = y;

    (void)arg;
    return a->caller < b->caller ? -1 : a->caller > b->caller;
}

static void list_function(struct pf_call_graph *graph, uint32_t key)
{
    if (!graph->functions[key].listed)
        graph->order[graph->order_count++] = key;
    graph->functions[key].listed = true;
}

/* Fills functions and order, which are allocated. */
static void join_functions(struct pf_call_graph *graph, const struct pf_rank *rank)
{
    for (size_t i = 0; i < rank->count; i++) {
        const struct pf_row *row = &rank->rows[i];

        graph->functions[row->key].flat = row->flat;
        graph->functions[row->key].cum = row->cum;
        list_function(graph, row->key);
    }
    for (size_t i = 0; i < graph->calls.count; i++) {
        const struct pf_call *call = &graph->calls.rows[i];
        struct pf_graph_function *caller = &graph->functions[call->caller],
                                 *callee = &graph->functions[call->callee];

        if (i == 0 || call[-1].caller != call->caller)
            caller->first = i;
        list_function(graph, call->caller);
        if (caller == callee)
            continue;
        caller->callees += call->value;
        caller->callee_count++;
        callee->callers += call->value;
        callee->caller_count++;
        callee->caller = call->caller;
    }
}

int pf_call_graph_make(struct pf_call_graph *graph, const struct pf_accumulator *accumulator,
                       const struct pf_subject *subject, struct pf_keys *keys, bool capped,
                       struct pf_error *error)
{
    struct pf_calls *calls = &graph->calls;
    struct pf_subject inclusive = *subject;
    struct pf_rank rank = {0};
    int status = pf_rank_make(&rank, accumulator, subject, keys, error);

    inclusive.shown = subject->inclusive;
    inclusive.scale = subject->inclusive_scale;
    if (status == PF_OK && subject->kind == PF_EDGE)
        status = pf_calls_make(calls, accumulator, &inclusive, keys, error);
    if (status == PF_OK && capped)
        status = pf_calls_cap(calls, &inclusive, &rank, keys, error);
    graph->functions = calloc(keys->table.count, sizeof *graph->functions);
    graph->order = calloc(keys->table.count, sizeof *graph->order);
    if (status == PF_OK &&
        (!graph->functions || !graph->order || pf_rank_sort(&rank, keys, PF_SORT_CUM) != PF_OK ||
         pf_sort(calls->rows, calls->count, sizeof *calls->rows, compare_callers, NULL) != PF_OK))
        status = pf_error_nomem(error);
    if (status == PF_OK)
        join_functions(graph, &rank);
    pf_rank_free(&rank);
    return status;
}
