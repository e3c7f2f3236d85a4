#include "model/stacks.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* QUEUE: 8 to 64 are equally fast for 200,000 different stacks. NEAR: number of prefixes tried one
 * by one, before a binary search among the others. */
enum { FIRST_SLOTS = 4096, QUEUE = 16, NEAR = 3 };

struct memo_slot {
    uint32_t tag, stack; /* stack 0 = empty */
};

struct queued {
    size_t start, depth; /* of its locations in the memo */
    uint32_t *result;
    size_t known;  /* number of frames from the root that have nodes already */
    uint32_t node; /* the node of the last of these frames */
};

/* The nodes of all stacks seen, found by a hash of the locations from the root to the node. A new
 * stack mostly begins like a known stack and differs in the last one or two frames, so the last
 * common node is found in a few steps from the leaf. */
struct pf_stack_memo {
    struct memo_slot *slots;
    size_t mask, count;
    uint64_t seed; /* seed of the hashes */
    struct queued queue[QUEUE];
    size_t queued;
    uint32_t *locations; /* of the queued stacks, each leaf first */
    uint32_t *tags;      /* for each location: the hash of the stack whose leaf it is */
    size_t location_count, location_capacity, tag_capacity;
    struct pf_stack *rows; /* rows to append to the table at once */
    size_t row_capacity;
};

struct pf_stack_memo *pf_stack_memo_new(void)
{
    struct pf_stack_memo *memo = calloc(1, sizeof *memo);
    if (!memo)
        return NULL;
    memo->slots = calloc(FIRST_SLOTS, sizeof *memo->slots);
    memo->mask = FIRST_SLOTS - 1;
    memo->seed = pf_hash_seed();
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
    free(memo->locations);
    free(memo->tags);
    free(memo->rows);
    free(memo);
}

/* --- the memo --------------------------------------------------------------------------------- */

/* A node whose hash has this tag, perhaps the node of another stack; 0: no such node. */
static uint32_t recall(const struct pf_stack_memo *memo, uint32_t tag)
{
    for (size_t slot = tag & memo->mask; memo->slots[slot].stack; slot = (slot + 1) & memo->mask)
        if (memo->slots[slot].tag == tag)
            return memo->slots[slot].stack;
    return 0;
}

/* The node of the memo with this tag and this row; 0: no such node. */
static uint32_t recall_node(const struct pf_stack_memo *memo, const struct pf_dict *dict,
                            uint32_t tag, const struct pf_stack *row)
{
    for (size_t slot = tag & memo->mask; memo->slots[slot].stack; slot = (slot + 1) & memo->mask) {
        const struct pf_stack *node = pf_dict_stack(dict, memo->slots[slot].stack);
        if (memo->slots[slot].tag == tag && node->parent == row->parent &&
            node->location == row->location)
            return memo->slots[slot].stack;
    }
    return 0;
}

/* True if the memo has all nodes of the dictionary. Then the table's own index is not needed, and
 * not made. */
static bool knows_all(const struct pf_stack_memo *memo, const struct pf_dict *dict)
{
    return memo->count + 1 == dict->stacks.count;
}

static bool grow(struct pf_stack_memo *memo)
{
    size_t size = (memo->mask + 1) * 2;
    struct memo_slot *slots = pf_zeroed(size, sizeof *slots);
    if (!slots)
        return false;
    /* tags have 32 bits, enough to find the slot in up to 2^32 slots */
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

static void remember(struct pf_stack_memo *memo, struct pf_dict *dict, uint32_t tag, uint32_t stack)
{
    size_t slot = tag & memo->mask;
    if (dict->stacks.status != PF_OK)
        return; /* there may be no free slot */
    for (; memo->slots[slot].stack; slot = (slot + 1) & memo->mask)
        if (memo->slots[slot].stack == stack)
            return; /* the stack was queued twice */
    memo->slots[slot] = (struct memo_slot){tag, stack};
    if (++memo->count * 8 > memo->mask * 5 && !grow(memo))
        dict->stacks.status = PF_NOMEM;
}

/* --- the tree --------------------------------------------------------------------------------- */

static uint32_t *locations_of(const struct pf_stack_memo *memo, const struct queued *item)
{
    return memo->locations + item->start;
}

static struct pf_stack next_node(const struct pf_stack_memo *memo, const struct queued *item)
{
    return (struct pf_stack){item->node, locations_of(memo, item)[item->depth - 1 - item->known]};
}

/* Finds the number of frames from the root that have nodes already, by the hashes, and the last of
 * these nodes. All nodes below a known node are known, so a binary search works. */
static void find_known(const struct pf_stack_memo *memo, struct queued *item)
{
    const uint32_t *tags = memo->tags + item->start;
    size_t low = 0, high = item->depth, near = item->depth < NEAR ? item->depth : NEAR;
    for (size_t i = 0; i < near; i++) {
        item->node = recall(memo, tags[i]);
        item->known = item->depth - i;
        if (item->node)
            return;
        high = item->depth - i - 1;
    }
    item->node = 0;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        uint32_t node = recall(memo, tags[item->depth - middle]);
        if (node)
            item->node = node;
        low = node ? middle : low;
        high = node ? high : middle - 1;
    }
    item->known = low;
}

/* Appends the frames after a new node: they are new too, so no search is needed. */
static void append_rest(struct pf_stack_memo *memo, struct pf_dict *dict, struct queued *item)
{
    bool alone = knows_all(memo, dict);
    size_t count = item->depth - item->known;
    if (count > memo->row_capacity &&
        !pf_grow(&memo->rows, &memo->row_capacity, count, sizeof *memo->rows)) {
        dict->stacks.status = PF_NOMEM;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        memo->rows[i] = next_node(memo, item);
        item->node = i == 0 ? dict->stacks.count : item->node + 1;
        item->known++;
        remember(memo, dict, memo->tags[item->start + item->depth - item->known], item->node);
    }
    if (alone)
        pf_table_append_unindexed(&dict->stacks, memo->rows, (uint32_t)count);
    else
        pf_table_append(&dict->stacks, memo->rows, (uint32_t)count);
}

/* Adds the missing nodes. Another stack of the queue, or another memo, may have made some of them
 * meanwhile. */
static void add_nodes(struct pf_stack_memo *memo, struct pf_dict *dict, struct queued *item)
{
    bool alone = knows_all(memo, dict);
    while (item->known < item->depth && dict->stacks.status == PF_OK) {
        struct pf_stack row = next_node(memo, item);
        uint32_t tag = memo->tags[item->start + item->depth - item->known - 1];
        uint32_t node = alone ? recall_node(memo, dict, tag, &row)
                              : pf_table_find(&dict->stacks, &row);
        if (!node) {
            append_rest(memo, dict, item);
            break;
        }
        item->node = node;
        item->known++;
        remember(memo, dict, tag, node);
    }
    *item->result = dict->stacks.status == PF_OK ? item->node : 0;
}

struct check {
    struct queued *item;
    const uint32_t *location, *end; /* locations not compared yet, towards the root */
    uint32_t node;                  /* the node that must have the first of them */
};

/* Checks that the found nodes have the right locations; if a hash matched by chance, none of the
 * frames is known. Going from a node to its parent is a wait for memory, so all stacks go one step
 * before the first goes the next. */
static void check_known(struct pf_stack_memo *memo, const struct pf_dict *dict)
{
    struct check checks[QUEUE];
    size_t left = 0;
    for (size_t i = 0; i < memo->queued; i++) {
        struct queued *item = &memo->queue[i];
        const uint32_t *locations = locations_of(memo, item);
        if (item->known > 0)
            checks[left++] = (struct check){item, locations + item->depth - item->known,
                                            locations + item->depth, item->node};
    }
    while (left > 0)
        for (size_t i = 0; i < left;) {
            struct check *check = &checks[i];
            const struct pf_stack *node = pf_dict_stack(dict, check->node);
            bool same = node->location == *check->location++;
            check->node = node->parent;
            if (same && check->location < check->end) {
                i++;
                continue;
            }
            if (!same || check->node != 0)
                check->item->node = 0, check->item->known = 0;
            *check = checks[--left];
        }
}

void pf_stack_memo_flush(struct pf_stack_memo *memo, struct pf_dict *dict)
{
    bool alone = knows_all(memo, dict);
    if (!alone)
        pf_table_append(&dict->stacks, &(struct pf_stack){0},
                        0); /* makes the table index the rows that another memo has left out */
    for (size_t i = 0; i < memo->queued; i++) {
        find_known(memo, &memo->queue[i]);
        pf_prefetch(pf_dict_stack(dict, memo->queue[i].node));
    }
    check_known(memo, dict);
    for (size_t i = 0; i < memo->queued && !alone; i++) {
        struct queued *item = &memo->queue[i];
        if (item->known < item->depth) {
            struct pf_stack row = next_node(memo, item);
            pf_table_hint(&dict->stacks, &row);
        }
    }
    for (size_t i = 0; i < memo->queued; i++)
        add_nodes(memo, dict, &memo->queue[i]);
    memo->queued = memo->location_count = 0;
}

/* Copies the locations, and computes their hashes from the root on. */
static bool append_locations(struct pf_stack_memo *memo, const uint32_t *leaf_first, size_t depth)
{
    size_t need = memo->location_count + depth;
    uint64_t hash = memo->seed;
    if ((need > memo->location_capacity &&
         !pf_grow(&memo->locations, &memo->location_capacity, need, sizeof *memo->locations)) ||
        (need > memo->tag_capacity &&
         !pf_grow(&memo->tags, &memo->tag_capacity, need, sizeof *memo->tags)))
        return false;
    memcpy(memo->locations + memo->location_count, leaf_first, depth * sizeof *leaf_first);
    uint32_t *tags = memo->tags + memo->location_count;
    for (size_t i = depth; i-- > 0;) {
        hash = (hash ^ leaf_first[i]) * 0x9fb21c651e98df25u;
        hash ^= hash >> 29;
        tags[i] = (uint32_t)(hash >> 16);
    }
    for (size_t i = 0; i < NEAR && i < depth; i++)
        pf_prefetch(&memo->slots[tags[i] & memo->mask]);
    memo->location_count = need;
    return true;
}

void pf_stack_memo_queue(struct pf_stack_memo *memo, struct pf_dict *dict,
                         const uint32_t *leaf_first, size_t depth, uint32_t *stack)
{
    *stack = 0;
    if (depth == 0)
        return;
    memo->queue[memo->queued] =
        (struct queued){.start = memo->location_count, .depth = depth, .result = stack};
    if (!append_locations(memo, leaf_first, depth)) {
        dict->stacks.status = PF_NOMEM;
        return;
    }
    if (++memo->queued == QUEUE)
        pf_stack_memo_flush(memo, dict);
}

uint32_t pf_stack_memo_intern(struct pf_stack_memo *memo, struct pf_dict *dict,
                              const uint32_t *leaf_first, size_t depth)
{
    uint32_t stack;
    pf_stack_memo_queue(memo, dict, leaf_first, depth, &stack);
    pf_stack_memo_flush(memo, dict);
    return stack;
}

uint32_t pf_stack_depth(const struct pf_dict *dict, uint32_t stack)
{
    uint32_t depth = 0;
    for (; stack; stack = pf_dict_stack(dict, stack)->parent)
        depth++;
    return depth;
}
