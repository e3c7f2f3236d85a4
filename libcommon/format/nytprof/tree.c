#include "format/nytprof/tree.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BUCKETS = 64,
    /* A record of a few bytes can name any depth: so many levels of subs nobody saw are gone down, and some more for each return. */
    UNKNOWN_MAX = 65536,
    UNKNOWN_PER_RETURN = 4
};

int pf_nyt_tree_init(struct pf_nyt_tree *tree)
{
    *tree = (struct pf_nyt_tree){.count = 1, .bucket_mask = FIRST_BUCKETS - 1, .seed = pf_hash_seed()};
    tree->buckets = calloc(FIRST_BUCKETS, sizeof *tree->buckets);
    if (!tree->buckets || !pf_grow(&tree->nodes, &tree->capacity, 1, sizeof *tree->nodes))
        return PF_NOMEM;
    tree->nodes[0] = (struct pf_nyt_node){0};
    return PF_OK;
}

void pf_nyt_tree_free(struct pf_nyt_tree *tree)
{
    free(tree->nodes);
    free(tree->buckets);
    free(tree->levels);
    free(tree->pairs);
    *tree = (struct pf_nyt_tree){0};
}

/* ---- Nodes and their children ---- */

static uint32_t *bucket(struct pf_nyt_tree *tree, uint32_t parent, uint32_t name)
{
    return &tree->buckets[pf_hash_mix(((uint64_t)parent << 32 | name) ^ tree->seed) & tree->bucket_mask];
}

static void enter(struct pf_nyt_tree *tree, uint32_t node)
{
    uint32_t *head = bucket(tree, tree->nodes[node].parent, tree->nodes[node].name);
    tree->nodes[node].chain = *head;
    *head = node;
}

static void leave(struct pf_nyt_tree *tree, uint32_t node)
{
    uint32_t *at = bucket(tree, tree->nodes[node].parent, tree->nodes[node].name);
    while (*at != node)
        at = &tree->nodes[*at].chain;
    *at = tree->nodes[node].chain;
}

static bool more_buckets(struct pf_nyt_tree *tree)
{
    size_t mask = tree->bucket_mask * 2 + 1;
    uint32_t *buckets = calloc(mask + 1, sizeof *buckets), *old = tree->buckets;
    if (!buckets)
        return false;
    tree->buckets = buckets;
    for (size_t i = 0; i <= tree->bucket_mask; i++)
        for (uint32_t node = old[i], next; node; node = next) {
            next = tree->nodes[node].chain;
            uint64_t key = (uint64_t)tree->nodes[node].parent << 32 | tree->nodes[node].name;
            uint32_t *head = &buckets[pf_hash_mix(key ^ tree->seed) & mask];
            tree->nodes[node].chain = *head;
            *head = node;
        }
    tree->bucket_mask = mask;
    free(old);
    return true;
}

/* A node that is nobody's child yet; 0 and `failed` when memory ran out. */
static uint32_t new_node(struct pf_nyt_tree *tree)
{
    uint32_t node = (uint32_t)tree->free;
    if (node) {
        tree->free = tree->nodes[node].next;
    } else {
        if (tree->count == UINT32_MAX || !pf_grow(&tree->nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes) ||
            (tree->count > tree->bucket_mask && !more_buckets(tree))) {
            tree->failed = true;
            return 0;
        }
        node = (uint32_t)tree->count++;
    }
    tree->nodes[node] = (struct pf_nyt_node){0};
    return node;
}

static void free_node(struct pf_nyt_tree *tree, uint32_t node)
{
    tree->nodes[node].next = (uint32_t)tree->free;
    tree->free = node;
}

/* Makes a node without parent the last child of another. */
static void link_child(struct pf_nyt_tree *tree, uint32_t parent, uint32_t child)
{
    struct pf_nyt_node *nodes = tree->nodes;
    uint32_t last = nodes[parent].last_child;
    nodes[child].parent = parent;
    nodes[child].next = last ? nodes[last].next : child;
    if (last)
        nodes[last].next = child;
    nodes[parent].last_child = child;
    enter(tree, child);
}

static uint32_t find_child(struct pf_nyt_tree *tree, uint32_t parent, uint32_t name)
{
    uint32_t node = *bucket(tree, parent, name);
    while (node && (tree->nodes[node].parent != parent || tree->nodes[node].name != name))
        node = tree->nodes[node].chain;
    return node;
}

static uint32_t child(struct pf_nyt_tree *tree, uint32_t parent, uint32_t name)
{
    uint32_t node = find_child(tree, parent, name);
    if (!node && (node = new_node(tree)) != 0) {
        tree->nodes[node].name = name;
        link_child(tree, parent, node);
    }
    return node;
}

/* ---- Joining ---- */

static bool push_pair(struct pf_nyt_tree *tree, size_t *depth, uint32_t to, uint32_t from)
{
    if (!pf_grow(&tree->pairs, &tree->pair_capacity, *depth + 2, sizeof *tree->pairs)) {
        tree->failed = true;
        return false;
    }
    tree->pairs[(*depth)++] = to;
    tree->pairs[(*depth)++] = from;
    return true;
}

/* The children of `from` become those of `to`; `from`, a node without parent, is free then. Chains may be as deep as calls are. */
static void join(struct pf_nyt_tree *tree, uint32_t to, uint32_t from)
{
    size_t depth = 0;
    if (!push_pair(tree, &depth, to, from))
        return;
    while (depth > 0) {
        from = tree->pairs[--depth];
        to = tree->pairs[--depth];
        uint32_t last = tree->nodes[from].last_child, node = last ? tree->nodes[last].next : 0, next;
        for (bool more = node != 0; more; node = next) {
            next = tree->nodes[node].next;
            more = node != last;
            uint32_t same = find_child(tree, to, tree->nodes[node].name);
            leave(tree, node);
            if (!same) {
                link_child(tree, to, node);
                continue;
            }
            tree->nodes[same].calls += tree->nodes[node].calls;
            pf_nyt_amount_add(&tree->nodes[same].self, &tree->unit, tree->nodes[node].self);
            if (!push_pair(tree, &depth, same, node))
                return;
        }
        free_node(tree, from);
    }
}

/* ---- Levels ---- */

/* A sub nobody saw, so many levels below a node. */
static uint32_t unknown_below(struct pf_nyt_tree *tree, uint32_t node, uint32_t levels)
{
    for (; levels > 0 && !tree->failed; levels--) {
        if (tree->unknown >= UNKNOWN_MAX + UNKNOWN_PER_RETURN * tree->returns) {
            tree->shortened = true;
            break;
        }
        tree->unknown++;
        node = child(tree, node, 0);
    }
    return node;
}

static uint32_t push_level(struct pf_nyt_tree *tree, uint32_t depth)
{
    uint32_t node = new_node(tree);
    if (!node || !pf_grow(&tree->levels, &tree->level_capacity, tree->level_count + 1, sizeof *tree->levels)) {
        tree->failed = true;
        return 0;
    }
    tree->levels[tree->level_count++] = (struct level){depth, node};
    return node;
}

/* Brings all that is deeper than `depth` to this depth, below subs nobody saw. Gives the level's node, which then is the caller's; 0
 * when there is none. */
static uint32_t fold_levels(struct pf_nyt_tree *tree, uint32_t depth)
{
    while (tree->level_count > 0 && !tree->failed) {
        struct level top = tree->levels[tree->level_count - 1];
        if (top.depth < depth)
            return 0;
        tree->level_count--;
        if (top.depth == depth)
            return top.node;
        struct level *above = tree->level_count > 0 ? &tree->levels[tree->level_count - 1] : NULL;
        if (!above || above->depth < depth) {
            if (!push_level(tree, depth))
                return 0;
            above = &tree->levels[tree->level_count - 1];
        }
        join(tree, unknown_below(tree, above->node, top.depth - above->depth), top.node);
    }
    return 0;
}

void pf_nyt_tree_return(struct pf_nyt_tree *tree, uint32_t depth, uint32_t name, struct pf_nyt_clock clock, double self_ticks)
{
    depth = depth > 0 ? depth : 1;
    tree->returns++;
    uint32_t called = fold_levels(tree, depth + 1);
    const struct level *top = tree->level_count > 0 ? &tree->levels[tree->level_count - 1] : NULL;
    uint32_t level = top && top->depth == depth ? top->node : push_level(tree, depth);
    if (tree->failed)
        return;
    uint32_t node = find_child(tree, level, name);
    if (!node && called) {
        /* What it called stays where it is: the node becomes the sub. */
        node = called;
        tree->nodes[node].name = name;
        link_child(tree, level, node);
    } else if (called) {
        join(tree, node, called);
    } else if (!node) {
        node = child(tree, level, name);
    }
    if (tree->failed)
        return;
    tree->nodes[node].calls++;
    pf_nyt_amount_add_ticks(&tree->nodes[node].self, &tree->unit, clock, self_ticks);
}

void pf_nyt_tree_settle(struct pf_nyt_tree *tree)
{
    uint32_t called = fold_levels(tree, 1);
    if (called)
        join(tree, 0, called);
}
