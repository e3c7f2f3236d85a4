/* What the reader sums: statements by line, callers, and the tree of calls. */
#include "format/nytprof/sums.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- amounts of time -------------------------------------------------------------------------- */

/* The profiler's times are sums of quotients, whose last bits are wrong: an amount this near to a
 * whole number of ticks is whole. */
static const double TICK_ERROR = 1e-6, RELATIVE_ERROR = 0x1p-50;
static const double LIMIT = 0x1p63;

/* The nearest whole number; false when it overflows 64 bits, and for NaN. */
static bool nearest_whole(double value, int64_t *whole)
{
    double rounded = nearbyint(value);
    if (!(rounded > -LIMIT && rounded < LIMIT))
        return false;
    *whole = (int64_t)rounded;
    return true;
}

static void add_whole(int64_t *sum, double value, bool *left)
{
    int64_t whole;
    if (!nearest_whole(value, &whole) || !pf_add64(*sum, whole, sum))
        *left = true;
}

static void add_both(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit, double ticks,
                     double fine)
{
    double error = fabs(ticks) * RELATIVE_ERROR;
    if (!(fabs(ticks - nearbyint(ticks)) <= (error > TICK_ERROR ? error : TICK_ERROR)))
        unit->broken = true;
    add_whole(&amount->ticks, ticks, &unit->ticks_left);
    add_whole(&amount->fine, fine, &unit->fine_left);
}

/* Adds an amount in ticks, with a fraction. */
static void add_ticks(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit,
                      struct pf_nyt_clock clock, double ticks)
{
    double fine = clock.ticks_per_sec ? ticks / (double)clock.ticks_per_sec * 1e12 : ticks * 1e6;
    add_both(amount, unit, ticks, fine);
}

static void add_seconds(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit,
                        struct pf_nyt_clock clock, double seconds)
{
    if (clock.ticks_per_sec == 0)
        unit->broken = true;
    add_both(amount, unit, seconds * (double)clock.ticks_per_sec, seconds * 1e12);
}

static void add_amount(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit,
                       struct pf_nyt_amount other)
{
    if (!pf_add64(amount->ticks, other.ticks, &amount->ticks))
        unit->ticks_left = true;
    if (!pf_add64(amount->fine, other.fine, &amount->fine))
        unit->fine_left = true;
}

/* --- statements by line ----------------------------------------------------------------------- */

enum { FIRST_BITS = 8 };

int pf_nyt_lines_init(struct pf_nyt_lines *lines)
{
    *lines = (struct pf_nyt_lines){.shift = 64 - FIRST_BITS, .count = 1};
    lines->slots = calloc((size_t)1 << FIRST_BITS, sizeof *lines->slots);
    /* Row 0 takes the statements that come after memory ran out. */
    if (pf_grow(&lines->rows, &lines->capacity, 1, sizeof *lines->rows))
        lines->rows[0] = (struct pf_nyt_line){0};
    int status = pf_table_init(&lines->blocks, sizeof(struct pf_nyt_block));
    return lines->slots && lines->rows ? status : PF_NOMEM;
}

void pf_nyt_lines_free(struct pf_nyt_lines *lines)
{
    free(lines->rows);
    free(lines->slots);
    free(lines->sums);
    pf_table_free(&lines->blocks);
    *lines = (struct pf_nyt_lines){0};
}

static size_t slot_count(const struct pf_nyt_lines *lines)
{
    return (size_t)1 << (64 - lines->shift);
}

/* The slot of the line, or the empty slot for it. */
static size_t probe(const struct pf_nyt_lines *lines, uint32_t fid, uint32_t line)
{
    size_t mask = slot_count(lines) - 1, slot = pf_nyt_lines_slot(lines, fid, line);
    for (;; slot = (slot + 1) & mask) {
        const struct pf_nyt_line *row = &lines->rows[lines->slots[slot]];
        if (lines->slots[slot] == 0 || (row->fid == fid && row->line == line))
            return slot;
    }
}

static bool grow_lines(struct pf_nyt_lines *lines)
{
    if (lines->count > UINT32_MAX - 1 ||
        !pf_grow(&lines->rows, &lines->capacity, lines->count + 1, sizeof *lines->rows))
        return false;
    if (4 * lines->count < slot_count(lines))
        return true;
    uint32_t *slots = calloc(2 * slot_count(lines), sizeof *slots);
    if (!slots)
        return false;
    free(lines->slots);
    lines->slots = slots;
    lines->shift--;
    for (size_t i = 1; i < lines->count; i++)
        slots[probe(lines, lines->rows[i].fid, lines->rows[i].line)] = (uint32_t)i;
    return true;
}

struct pf_nyt_line *pf_nyt_lines_add_new(struct pf_nyt_lines *lines, uint32_t fid, uint32_t line)
{
    size_t slot = probe(lines, fid, line);
    if (lines->slots[slot] != 0)
        return &lines->rows[lines->slots[slot]];
    if (!grow_lines(lines)) {
        lines->failed = true;
        return &lines->rows[0];
    }
    lines->slots[probe(lines, fid, line)] = (uint32_t)lines->count;
    lines->rows[lines->count] = (struct pf_nyt_line){.fid = fid, .line = line};
    return &lines->rows[lines->count++];
}

void pf_nyt_lines_add_block(struct pf_nyt_lines *lines, struct pf_nyt_block block, uint32_t ticks,
                            unsigned count)
{
    /* The table `blocks` cannot hold a row of zeros. */
    if (block.fid == 0 && block.line == 0 && block.block == 0 && block.sub == 0) {
        pf_nyt_lines_add(lines, 0, 0, ticks, count);
        return;
    }
    uint32_t id = pf_table_intern(&lines->blocks, &block);
    if (id == 0 ||
        !pf_grow_clear(&lines->sums, &lines->sum_capacity, (size_t)id + 1, sizeof *lines->sums)) {
        lines->failed = true;
        return;
    }
    lines->sums[id].count += count;
    if (!pf_add64(lines->sums[id].ticks, (int32_t)ticks, &lines->sums[id].ticks))
        lines->left = true;
}

/* --- callers ---------------------------------------------------------------------------------- */

int pf_nyt_edges_init(struct pf_nyt_edges *edges)
{
    *edges = (struct pf_nyt_edges){0};
    return pf_table_init(&edges->rows, sizeof(struct pf_nyt_edge));
}

void pf_nyt_edges_free(struct pf_nyt_edges *edges)
{
    pf_table_free(&edges->rows);
    free(edges->sums);
}

void pf_nyt_edges_add(struct pf_nyt_edges *edges, const struct pf_nyt_edge *edge,
                      struct pf_nyt_clock clock, uint32_t calls,
                      const double seconds[PF_NYT_EDGE_TIMES], uint32_t depth)
{
    uint32_t id = pf_table_intern(&edges->rows, edge);
    if (edges->rows.status != PF_OK ||
        !pf_grow_clear(&edges->sums, &edges->capacity, (size_t)id + 1, sizeof *edges->sums)) {
        edges->failed = true;
        return;
    }
    struct pf_nyt_edge_sums *sums = &edges->sums[id];
    sums->calls += calls; /* 32 bits each: 2^31 records fit 64 bits */
    sums->depth = depth > sums->depth ? depth : sums->depth;
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        add_seconds(&sums->times[k], &edges->units[k], clock, seconds[k]);
}

/* --- the tree of calls ------------------------------------------------------------------------ */

enum {
    FIRST_BUCKETS = 64,
    /* A record of a few bytes can name any depth. So nodes for unknown subs are limited:
     * UNKNOWN_MAX, and UNKNOWN_PER_RETURN more for each return. */
    UNKNOWN_MAX = 65536,
    UNKNOWN_PER_RETURN = 4
};

int pf_nyt_tree_init(struct pf_nyt_tree *tree)
{
    *tree =
        (struct pf_nyt_tree){.count = 1, .bucket_mask = FIRST_BUCKETS - 1, .seed = pf_hash_seed()};
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

static uint32_t *bucket(struct pf_nyt_tree *tree, uint32_t parent, uint32_t name)
{
    return &tree->buckets[pf_hash_key((uint64_t)parent << 32 | name, tree->seed) &
                          tree->bucket_mask];
}

static void add_to_bucket(struct pf_nyt_tree *tree, uint32_t node)
{
    uint32_t *head = bucket(tree, tree->nodes[node].parent, tree->nodes[node].name);
    tree->nodes[node].chain = *head;
    *head = node;
}

static void remove_from_bucket(struct pf_nyt_tree *tree, uint32_t node)
{
    uint32_t *at = bucket(tree, tree->nodes[node].parent, tree->nodes[node].name);
    while (*at != node)
        at = &tree->nodes[*at].chain;
    *at = tree->nodes[node].chain;
}

static bool more_buckets(struct pf_nyt_tree *tree)
{
    size_t count = tree->bucket_mask + 1;
    uint32_t *buckets = calloc(2 * count, sizeof *buckets), *old = tree->buckets;
    if (!buckets)
        return false;
    tree->buckets = buckets;
    tree->bucket_mask = 2 * count - 1;
    for (size_t i = 0; i < count; i++)
        for (uint32_t node = old[i], next; node; node = next) {
            next = tree->nodes[node].chain;
            add_to_bucket(tree, node);
        }
    free(old);
    return true;
}

/* A new node without a parent. 0, and sets `failed`: out of memory. */
static uint32_t new_node(struct pf_nyt_tree *tree)
{
    uint32_t node = (uint32_t)tree->free;
    if (node) {
        tree->free = tree->nodes[node].next;
    } else {
        if (tree->count == UINT32_MAX ||
            !pf_grow(&tree->nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes) ||
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

/* Makes a node without a parent the last child of `parent`. */
static void link_child(struct pf_nyt_tree *tree, uint32_t parent, uint32_t child)
{
    struct pf_nyt_node *nodes = tree->nodes;
    uint32_t last = nodes[parent].last_child;
    nodes[child].parent = parent;
    nodes[child].next = last ? nodes[last].next : child;
    if (last)
        nodes[last].next = child;
    nodes[parent].last_child = child;
    add_to_bucket(tree, child);
}

static uint32_t find_child(struct pf_nyt_tree *tree, uint32_t parent, uint32_t name)
{
    uint32_t node = *bucket(tree, parent, name);
    while (node && (tree->nodes[node].parent != parent || tree->nodes[node].name != name))
        node = tree->nodes[node].chain;
    return node;
}

static uint32_t get_child(struct pf_nyt_tree *tree, uint32_t parent, uint32_t name)
{
    uint32_t node = find_child(tree, parent, name);
    if (!node && (node = new_node(tree)) != 0) {
        tree->nodes[node].name = name;
        link_child(tree, parent, node);
    }
    return node;
}

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

/* Moves the children of `from`, a node without a parent, to `to` and frees `from`. Uses a list of
 * pairs, because chains of calls may be too deep for recursion. */
static void join_children(struct pf_nyt_tree *tree, uint32_t to, uint32_t from)
{
    size_t depth = 0;
    if (!push_pair(tree, &depth, to, from))
        return;
    while (depth > 0) {
        from = tree->pairs[--depth];
        to = tree->pairs[--depth];
        uint32_t last = tree->nodes[from].last_child, node = last ? tree->nodes[last].next : 0,
                 next;
        for (bool more = node != 0; more; node = next) {
            next = tree->nodes[node].next;
            more = node != last;
            uint32_t same = find_child(tree, to, tree->nodes[node].name);
            remove_from_bucket(tree, node);
            if (!same) {
                link_child(tree, to, node);
                continue;
            }
            tree->nodes[same].calls += tree->nodes[node].calls;
            add_amount(&tree->nodes[same].self, &tree->unit, tree->nodes[node].self);
            if (!push_pair(tree, &depth, same, node))
                return;
        }
        free_node(tree, from);
    }
}

/* Adds a chain of `levels` unknown subs below a node. Returns the last. */
static uint32_t unknown_below(struct pf_nyt_tree *tree, uint32_t node, uint32_t levels)
{
    for (; levels > 0 && !tree->failed; levels--) {
        if (tree->unknown >= UNKNOWN_MAX + UNKNOWN_PER_RETURN * tree->returns) {
            tree->shortened = true;
            break;
        }
        tree->unknown++;
        node = get_child(tree, node, 0);
    }
    return node;
}

static uint32_t push_level(struct pf_nyt_tree *tree, uint32_t depth)
{
    uint32_t node = new_node(tree);
    if (!node || !pf_grow(&tree->levels, &tree->level_capacity, tree->level_count + 1,
                          sizeof *tree->levels)) {
        tree->failed = true;
        return 0;
    }
    tree->levels[tree->level_count++] = (struct level){depth, node};
    return node;
}

/* Moves the subs of all levels deeper than `depth` to `depth`, below unknown subs. Removes the
 * level and returns its node, whose children are the subs of the level; 0: the level is empty. */
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
        join_children(tree, unknown_below(tree, above->node, top.depth - above->depth), top.node);
    }
    return 0;
}

void pf_nyt_tree_return(struct pf_nyt_tree *tree, uint32_t depth, uint32_t name,
                        struct pf_nyt_clock clock, double self_ticks)
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
        /* The node of the deeper level has the called subs as children: it becomes the sub. */
        node = called;
        tree->nodes[node].name = name;
        link_child(tree, level, node);
    } else if (called) {
        join_children(tree, node, called);
    } else if (!node) {
        node = get_child(tree, level, name);
    }
    if (tree->failed)
        return;
    tree->nodes[node].calls++;
    add_ticks(&tree->nodes[node].self, &tree->unit, clock, self_ticks);
}

void pf_nyt_tree_end_process(struct pf_nyt_tree *tree)
{
    uint32_t called = fold_levels(tree, 1);
    if (called)
        join_children(tree, 0, called);
}
