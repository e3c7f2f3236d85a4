#include "model/stacks.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* QUEUE: from 8 to 64 are alike where 200,000 stacks all differ.
 * TRIAL: of so many stacks one in WORTH must have been seen before; otherwise the memo is left alone for the next REST. */
enum { FIRST_SLOTS = 4096, QUEUE = 16, TRIAL = 4096, WORTH = 16, REST = 65536 };

struct memo_slot {
    uint32_t tag, stack; /* stack 0 = empty */
};

struct queued {
    size_t start, depth;     /* of its locations */
    uint32_t tag;
    uint32_t *result;
    size_t known;            /* frames from the root on that are nodes already */
    uint32_t node;           /* the last of them */
};

struct pf_stack_memo {
    struct memo_slot *slots;
    size_t mask, count;
    size_t asked, hits;      /* of the trial */
    size_t rest;             /* stacks to go without the memo */
    bool keep;               /* never */
    struct queued queue[QUEUE];
    size_t queued;
    uint32_t *locations;     /* of the queued stacks, each leaf first */
    size_t location_count, location_capacity;
    struct pf_stack *rows;   /* to append at once */
    size_t row_capacity;
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
    free(memo->locations);
    free(memo->rows);
    free(memo);
}

/* --- the memo ----------------------------------------------------------------------------------------------------- */

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

/* A memo in which nothing is found costs more than it saves. */
static void judge(struct pf_stack_memo *memo)
{
    if (memo->keep) {
        memo->rest = 0;
    } else if (memo->rest) {
        memo->rest -= memo->rest < memo->queued ? memo->rest : memo->queued;
        memo->asked = memo->hits = 0;
    } else if (memo->asked >= TRIAL) {
        memo->rest = memo->hits * WORTH < memo->asked ? REST : 0;
        memo->asked = memo->hits = 0;
    }
}

static uint32_t recall(const struct pf_stack_memo *memo, const struct pf_dict *dict, const struct queued *item)
{
    const uint32_t *leaf_first = memo->locations + item->start;
    for (size_t slot = item->tag & memo->mask; memo->slots[slot].stack; slot = (slot + 1) & memo->mask)
        if (memo->slots[slot].tag == item->tag && stack_equals(dict, memo->slots[slot].stack, leaf_first, item->depth))
            return memo->slots[slot].stack;
    return 0;
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

static void remember(struct pf_stack_memo *memo, struct pf_dict *dict, uint32_t tag, uint32_t stack)
{
    size_t slot = tag & memo->mask;
    for (; memo->slots[slot].stack; slot = (slot + 1) & memo->mask)
        if (memo->slots[slot].stack == stack)
            return; /* it was queued twice */
    memo->slots[slot] = (struct memo_slot){tag, stack};
    if (++memo->count * 4 > memo->mask * 3 && !grow(memo))
        dict->stacks.status = PF_NOMEM;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static struct pf_stack next_node(const struct pf_stack_memo *memo, const struct queued *item)
{
    return (struct pf_stack){item->node, memo->locations[item->start + item->depth - 1 - item->known]};
}

/* Follows all stacks in `items` from the root on as far as there are nodes for them, a frame of each in turn. */
static void find_known(const struct pf_stack_memo *memo, const struct pf_dict *dict, struct queued **items, size_t count)
{
    struct queued *active[QUEUE];
    memcpy(active, items, count * sizeof *active);
    while (count) {
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
            struct pf_stack row = next_node(memo, active[i]);
            pf_table_hint(&dict->stacks, &row);
        }
        for (size_t i = 0; i < count; i++) {
            struct pf_stack row = next_node(memo, active[i]);
            uint32_t node = pf_table_find(&dict->stacks, &row);
            if (!node)
                continue;
            active[i]->node = node;
            if (++active[i]->known < active[i]->depth)
                active[left++] = active[i];
        }
        count = left;
    }
}

/* Appends the frames behind a new node: they are new as well, and nothing has to be looked for. */
static void append_rest(struct pf_stack_memo *memo, struct pf_dict *dict, struct queued *item)
{
    size_t count = item->depth - item->known;
    if (!pf_grow(&memo->rows, &memo->row_capacity, count, sizeof *memo->rows)) {
        dict->stacks.status = PF_NOMEM;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        memo->rows[i] = next_node(memo, item);
        item->node = i == 0 ? dict->stacks.count : item->node + 1;
        item->known++;
    }
    pf_table_append(&dict->stacks, memo->rows, (uint32_t)count);
}

/* The nodes that are not there yet. A stack before this one in the queue may have made some of them. */
static void add_nodes(struct pf_stack_memo *memo, struct pf_dict *dict, struct queued *item)
{
    while (item->known < item->depth && dict->stacks.status == PF_OK) {
        struct pf_stack row = next_node(memo, item);
        uint32_t node = pf_table_find(&dict->stacks, &row);
        if (!node) {
            append_rest(memo, dict, item);
            break;
        }
        item->node = node;
        item->known++;
    }
    *item->result = dict->stacks.status == PF_OK ? item->node : 0;
    if (*item->result && !memo->rest)
        remember(memo, dict, item->tag, item->node);
}

void pf_stack_memo_keep(struct pf_stack_memo *memo)
{
    memo->keep = true;
}

void pf_stack_memo_flush(struct pf_stack_memo *memo, struct pf_dict *dict)
{
    struct queued *unknown[QUEUE];
    size_t count = 0;
    for (size_t i = 0; i < memo->queued && !memo->rest; i++)
        pf_prefetch(pf_dict_stack(dict, memo->slots[memo->queue[i].tag & memo->mask].stack));
    for (size_t i = 0; i < memo->queued; i++) {
        *memo->queue[i].result = memo->rest ? 0 : recall(memo, dict, &memo->queue[i]);
        if (!*memo->queue[i].result)
            unknown[count++] = &memo->queue[i];
    }
    memo->asked += memo->queued;
    memo->hits += memo->queued - count;
    find_known(memo, dict, unknown, count);
    for (size_t i = 0; i < count; i++)
        add_nodes(memo, dict, unknown[i]);
    judge(memo);
    memo->queued = memo->location_count = 0;
}

void pf_stack_memo_queue(struct pf_stack_memo *memo, struct pf_dict *dict, const uint32_t *leaf_first, size_t depth,
                         uint32_t *stack)
{
    *stack = 0;
    if (depth == 0)
        return;
    if (memo->location_count + depth > memo->location_capacity &&
        !pf_grow(&memo->locations, &memo->location_capacity, memo->location_count + depth, sizeof *memo->locations)) {
        dict->stacks.status = PF_NOMEM;
        return;
    }
    memcpy(memo->locations + memo->location_count, leaf_first, depth * sizeof *leaf_first);
    memo->queue[memo->queued++] = (struct queued){
        .start = memo->location_count,
        .depth = depth,
        .tag = memo->rest ? 0 : (uint32_t)pf_hash(leaf_first, depth * sizeof *leaf_first),
        .result = stack,
    };
    if (!memo->rest)
        pf_prefetch(&memo->slots[memo->queue[memo->queued - 1].tag & memo->mask]);
    memo->location_count += depth;
    if (memo->queued == QUEUE)
        pf_stack_memo_flush(memo, dict);
}

uint32_t pf_stack_memo_intern(struct pf_stack_memo *memo, struct pf_dict *dict, const uint32_t *leaf_first, size_t depth)
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
