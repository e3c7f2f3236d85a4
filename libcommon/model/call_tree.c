#include "model/call_tree.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/json_cut.h"

#include <stdlib.h>
#include <string.h>

struct number {
    int64_t number;
    uint64_t used; /* always 1, so that no row is all 0 */
};

int pf_call_tree_init(struct pf_call_tree *tree)
{
    int status = pf_table_init(&tree->numbers, sizeof(struct number));

    if (status == PF_OK && !pf_grow(&tree->nodes, &tree->capacity, 1, sizeof *tree->nodes))
        status = PF_NOMEM;
    if (status == PF_OK)
        tree->nodes[0] = (struct pf_call_node){0};
    return status;
}

void pf_call_tree_free(struct pf_call_tree *tree)
{
    pf_table_free(&tree->numbers);
    free(tree->rows);
    free(tree->nodes);
}

uint32_t pf_call_tree_number(struct pf_call_tree *tree, int64_t number)
{
    struct number row = {number, 1};
    uint32_t before = tree->numbers.count, id;

    if (!pf_grow(&tree->rows, &tree->row_capacity, (size_t)before + 1, sizeof *tree->rows))
        return 0;
    id = pf_table_intern(&tree->numbers, &row);
    if (id >= before)
        tree->rows[id] = (struct pf_call_number){0};
    return id;
}

int64_t pf_call_tree_named(const struct pf_call_tree *tree, uint32_t id)
{
    return ((const struct number *)pf_table_row(&tree->numbers, id))->number;
}

uint32_t pf_call_tree_add(struct pf_call_tree *tree)
{
    if (tree->count >= UINT32_MAX - 2 ||
        !pf_grow(&tree->nodes, &tree->capacity, (size_t)tree->count + 2, sizeof *tree->nodes))
        return 0;
    tree->nodes[++tree->count] = (struct pf_call_node){0};
    return tree->count;
}

/* Finds parents that are known only by their numbers. */
static void link_nodes(struct pf_call_tree *tree)
{
    for (uint32_t k = 1; k <= tree->count; k++) {
        struct pf_call_node *node = &tree->nodes[k];

        if (node->parent == 0 && node->number)
            node->parent = tree->rows[node->number].parent;
        if (node->parent == 0 && node->parent_number)
            node->parent = tree->rows[node->parent_number].node;
    }
}

/* Lists in `way` a node and its ancestors that have no stack yet. False: the node is its own
 * ancestor. */
static bool find_way(struct pf_call_tree *tree, uint32_t node, uint32_t *way, size_t *length)
{
    for (*length = 0; node != 0 && tree->nodes[node].depth == 0; node = tree->nodes[node].parent) {
        tree->nodes[node].depth = UINT32_MAX;
        way[(*length)++] = node;
    }
    return node == 0 || tree->nodes[node].depth != UINT32_MAX ||
           tree->nodes[node].stack == UINT32_MAX;
}

int pf_call_tree_resolve(struct pf_call_tree *tree, struct pf_dict *dict, uint32_t *bad)
{
    uint32_t count = tree->count;
    uint32_t *way = malloc(((size_t)count + 1) * sizeof *way);
    size_t length;
    int status = PF_OK;

    if (!way)
        return PF_NOMEM;
    link_nodes(tree);
    for (uint32_t first = 1; first <= count; first++) {
        bool good = find_way(tree, first, way, &length);

        if (!good && status == PF_OK) {
            status = PF_FAILED;
            *bad = first;
        }
        while (length > 0) {
            struct pf_call_node *node = &tree->nodes[way[--length]],
                                *parent = &tree->nodes[node->parent];
            uint32_t depth = node->parent ? parent->depth : 0,
                     stack = node->parent ? parent->stack : 0;

            if (good && stack != UINT32_MAX && depth > PF_STACK_DEPTH_MAX && status == PF_OK) {
                status = PF_FAILED;
                *bad = way[length];
            }
            if (!good || stack == UINT32_MAX || depth > PF_STACK_DEPTH_MAX) {
                node->stack = node->depth = UINT32_MAX;
            } else {
                node->stack = pf_dict_add_frame(dict, stack, node->location);
                node->depth = depth + 1;
            }
        }
    }
    free(way);
    return status;
}

uint32_t pf_call_frame_location(struct pf_dict *dict, const struct pf_call_frame *frame,
                                bool outermost)
{
    struct pf_bytes name = pf_dict_string(dict, frame->name);

    if (outermost && pf_bytes_equal(name, PF_BYTES("(root)")))
        return 0;
    struct pf_function function = {
        .name = name.size ? frame->name : pf_dict_intern(dict, PF_BYTES("(anonymous)"), 0),
        .file = frame->file,
        .start_line = frame->line};
    struct pf_location location = {.function = pf_dict_add_function(dict, &function),
                                   .line = frame->line,
                                   .column = frame->column <= UINT32_MAX ? (uint32_t)frame->column
                                                                         : 0};
    return pf_dict_add_location(dict, &location);
}

struct pf_call_frame pf_call_frame_json(struct pf_dict *dict, const json_t *frame)
{
    int64_t line = pf_json_member_int(frame, "lineNumber", -1),
            column = pf_json_member_int(frame, "columnNumber", -1);

    return (struct pf_call_frame){
        .name = pf_dict_intern_text(dict, pf_json_member_text(frame, "functionName")),
        .file = pf_dict_intern_text(dict, pf_json_member_text(frame, "url")),
        .line = line >= 0 && line < INT64_MAX ? line + 1 : 0,
        .column = column >= 0 && column < INT64_MAX ? column + 1 : 0,
    };
}

/* --- samples ---------------------------------------------------------------------------------- */

void pf_call_samples_free(struct pf_call_samples *samples)
{
    free(samples->numbers);
    free(samples->deltas.values);
}

int pf_call_samples_add(struct pf_call_samples *samples, uint32_t number)
{
    if (!pf_grow(&samples->numbers, &samples->capacity, samples->count + 1,
                 sizeof *samples->numbers))
        return PF_NOMEM;
    samples->numbers[samples->count++] = number;
    return PF_OK;
}

struct timed {
    int64_t time;
    size_t at;
    uint32_t number;
};

static int compare_times(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int sort_samples(struct pf_call_samples *samples)
{
    int64_t *deltas = samples->deltas.values, time = 0;
    struct timed *order = malloc(samples->count * sizeof *order);
    int status = order ? PF_OK : PF_NOMEM;

    for (size_t k = 0; k < samples->count && status == PF_OK; k++) {
        status = pf_add64(time, deltas[k], &time) ? PF_OK : PF_OVERFLOW;
        order[k] = (struct timed){time, k, samples->numbers[k]};
    }
    if (status == PF_OK)
        qsort(order, samples->count, sizeof *order, compare_times);
    time = 0;
    for (size_t k = 0; k < samples->count && status == PF_OK; k++) {
        samples->numbers[k] = order[k].number;
        /* samples before the start get the time of the start */
        if (order[k].time > 0 && __builtin_sub_overflow(order[k].time, time, &deltas[k]))
            status = PF_OVERFLOW;
        else if (order[k].time <= 0)
            deltas[k] = 0;
        if (order[k].time > 0)
            time = order[k].time;
    }
    free(order);
    return status;
}

/* Rescales the deltas so that the end of the profile is a whole number of their units if 64 bits
 * allow; else the end is rounded. *rest: time from the last sample to the end. False: the end is
 * not known, or is before the last sample. */
static bool time_to_end(struct pf_call_samples *samples, pf_int128 last, int64_t *rest)
{
    struct pf_decimals *deltas = &samples->deltas;
    int places = deltas->most, before = deltas->places;
    pf_int128 span = samples->span;
    uint64_t up = 1, down = 1;

    for (; places > before && span % 10 == 0; places--)
        span /= 10;
    if (!samples->has_span || (places > before && pf_decimals_rescale(deltas, places) != PF_OK))
        places = before;
    for (int k = before; k < deltas->places; k++)
        up *= 10;
    for (int k = deltas->places; k < deltas->most; k++)
        down *= 10;
    return samples->has_span && !__builtin_mul_overflow(last, (pf_int128)up, &last) &&
           !__builtin_mul_overflow(last, (pf_int128)down, &last) && samples->span >= last &&
           pf_scale64(samples->span - last, 1, down, rest);
}

static int shift_deltas(struct pf_call_samples *samples)
{
    int64_t *deltas = samples->deltas.values, rest = 0;
    pf_int128 sum = 0;
    size_t count = samples->count;

    if (count == 0)
        return PF_OK;
    for (size_t k = 0; k < count; k++)
        sum += deltas[k];
    bool ends = time_to_end(samples, sum, &rest);
    sum = 0;
    for (size_t k = 1; k < count; k++) {
        sum += deltas[k];
        deltas[k - 1] = deltas[k];
    }
    if (!ends && count > 1 && !pf_scale64(sum, 1, count - 1, &rest))
        return PF_OVERFLOW;
    deltas[count - 1] = rest;
    return PF_OK;
}

int pf_call_samples_order(struct pf_call_samples *samples, bool next, bool *sorted)
{
    int status = PF_OK;

    *sorted = false;
    while (samples->deltas.count < samples->count && status == PF_OK)
        status = pf_decimals_add(&samples->deltas, 0);
    for (size_t k = 0; k < samples->count && status == PF_OK && !*sorted; k++)
        *sorted = samples->deltas.values[k] < 0;
    if (*sorted)
        status = sort_samples(samples);
    return status == PF_OK && next ? shift_deltas(samples) : status;
}
