#include "model/stacks.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 4096 };

struct memo_slot {
    uint32_t tag, stack; /* stack 0 = empty */
};

struct pf_stack_memo {
    struct memo_slot *slots;
    size_t mask, count;
    /* the stack before, root first: locations and the node of each */
    uint32_t *path_location, *path_node;
    size_t path_depth, location_capacity, node_capacity;
    struct pf_stack *rows; /* to append at once */
    size_t row_capacity;
    const struct pf_dict *path_dict;
};

struct pf_stack_memo *pf_stack_memo_new(void)
{
    struct pf_stack_memo *memo = calloc(1, sizeof *memo);
    if (!memo)
        return NULL;
    memo->slots = calloc(FIRST_SLOTS, sizeof *memo->slots);
    memo->mask = FIRST_SLOTS - 1;
    if (!memo->slots) {
        free(memo);
        return NULL;
    }
    return memo;
}

void pf_stack_memo_free(struct pf_stack_memo *memo)
{
    if (!memo)
        return;
    free(memo->slots);
    free(memo->path_location);
    free(memo->path_node);
    free(memo->rows);
    free(memo);
}

static bool stack_equals(const struct pf_dict *dict, uint32_t stack, const uint32_t *leaf_first, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        const struct pf_stack *node = pf_dict_stack(dict, stack);
        if (!stack || node->location != leaf_first[i])
            return false;
        stack = node->parent;
    }
    return stack == 0;
}

/* Appends the frames above node `parent` that is new itself: so are they, and nothing has to be looked for. A search waits for its
 * cache misses one after the other, a frame at a time. */
static void append_path(struct pf_stack_memo *memo, struct pf_dict *dict, const uint32_t *leaf_first, size_t depth, size_t from,
                        uint32_t parent)
{
    uint32_t count = (uint32_t)(depth - from);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t location = leaf_first[depth - 1 - from - i];
        memo->rows[i] = (struct pf_stack){parent + i, location};
        memo->path_location[from + i] = location;
        memo->path_node[from + i] = parent + 1 + i;
    }
    pf_table_append(&dict->stacks, memo->rows, count);
}

/* Interns node by node, beginning where this stack leaves the path of the one before, up to the first new one. */
static uint32_t intern_path(struct pf_stack_memo *memo, struct pf_dict *dict, const uint32_t *leaf_first, size_t depth)
{
    if (!pf_grow(&memo->path_location, &memo->location_capacity, depth, sizeof(uint32_t)) ||
        !pf_grow(&memo->path_node, &memo->node_capacity, depth, sizeof(uint32_t)) ||
        !pf_grow(&memo->rows, &memo->row_capacity, depth, sizeof *memo->rows)) {
        dict->stacks.status = PF_NOMEM;
        return 0;
    }
    if (memo->path_dict != dict)
        memo->path_depth = 0;
    memo->path_dict = dict;
    size_t shared = memo->path_depth < depth ? memo->path_depth : depth, i = 0;
    while (i < shared && memo->path_location[i] == leaf_first[depth - 1 - i])
        i++;
    uint32_t node = i ? memo->path_node[i - 1] : 0, known = dict->stacks.count;
    for (; i < depth && dict->stacks.count == known; i++) {
        uint32_t location = leaf_first[depth - 1 - i];
        node = pf_dict_add_frame(dict, node, location);
        memo->path_location[i] = location;
        memo->path_node[i] = node;
    }
    if (i < depth && node)
        append_path(memo, dict, leaf_first, depth, i, node);
    memo->path_depth = dict->stacks.status ? 0 : depth;
    return dict->stacks.status ? 0 : memo->path_node[depth - 1];
}

static bool grow(struct pf_stack_memo *memo)
{
    size_t size = (memo->mask + 1) * 2;
    struct memo_slot *slots = calloc(size, sizeof *slots);
    if (!slots)
        return false;
    /* The tag is the lower half of the hash, so the slots' places follow from it as long as there are fewer than 2^32. */
    for (size_t i = 0; i <= memo->mask; i++) {
        if (!memo->slots[i].stack)
            continue;
        size_t slot = memo->slots[i].tag & (size - 1);
        while (slots[slot].stack)
            slot = (slot + 1) & (size - 1);
        slots[slot] = memo->slots[i];
    }
    free(memo->slots);
    memo->slots = slots;
    memo->mask = size - 1;
    return true;
}

uint32_t pf_stack_memo_intern(struct pf_stack_memo *memo, struct pf_dict *dict, const uint32_t *leaf_first, size_t depth)
{
    if (depth == 0)
        return 0;
    uint32_t tag = (uint32_t)pf_hash(leaf_first, depth * sizeof *leaf_first);
    size_t slot = tag & memo->mask;
    for (; memo->slots[slot].stack; slot = (slot + 1) & memo->mask)
        if (memo->slots[slot].tag == tag && stack_equals(dict, memo->slots[slot].stack, leaf_first, depth))
            return memo->slots[slot].stack;
    uint32_t stack = intern_path(memo, dict, leaf_first, depth);
    if (!stack)
        return 0;
    memo->slots[slot] = (struct memo_slot){tag, stack};
    if (++memo->count * 4 > memo->mask * 3 && !grow(memo))
        dict->stacks.status = PF_NOMEM;
    return stack;
}

uint32_t pf_stack_depth(const struct pf_dict *dict, uint32_t stack)
{
    uint32_t depth = 0;
    for (; stack; stack = pf_dict_stack(dict, stack)->parent)
        depth++;
    return depth;
}
