/* Walks a tree of rows in preorder, siblings in order of their ids. Time is linear in the number of
 * nodes, in whatever order they were made. */
#ifndef PF_ANALYSIS_SUM_WALK_H
#define PF_ANALYSIS_SUM_WALK_H

#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_walk_links {
    uint32_t first, next; /* first child; next sibling; 0: none */
};

/* Zero-initialise; free with pf_walk_free. */
struct pf_walk {
    const struct pf_table *nodes;
    struct pf_walk_links *links; /* by node; links[0].first is the first root */
    uint32_t node;               /* the current node; 0 before the first and after the last */
    uint32_t depth;              /* depth of the current node; 1 for a root */
};

/* Prepares a walk over the rows 1 to count - 1 of a table. A row must begin with the id of its
 * parent, a uint32_t that is less than the row's own id (0 for a root), as the stacks of a
 * dictionary do. The table is borrowed and may grow meanwhile. PF_OK or PF_NOMEM. */
int pf_walk_init(struct pf_walk *, const struct pf_table *nodes, uint32_t count);
void pf_walk_free(struct pf_walk *);

/* The parent of a node; 0 for a root. */
static inline uint32_t pf_walk_parent(const struct pf_walk *walk, uint32_t node)
{
    return *(const uint32_t *)pf_table_row(walk->nodes, node);
}

/* Moves to the next node and returns it; 0 at the end. */
static inline uint32_t pf_walk_next(struct pf_walk *walk)
{
    uint32_t next = walk->links[walk->node].first;

    walk->depth++;
    while (next == 0 && walk->node != 0) {
        next = walk->links[walk->node].next;
        walk->node = pf_walk_parent(walk, walk->node);
        walk->depth--;
    }
    walk->node = next;
    /* siblings may be far apart in memory */
    pf_prefetch(&walk->links[walk->links[next].next]);
    pf_prefetch(pf_table_row(walk->nodes, walk->links[next].next));
    return next;
}

/* The path from the root to the current node of a walk. Each node has a tag, for example the key of
 * its function, and the path knows how often each tag is on it, so that callers count recursion
 * once. Zero-initialise; free with pf_path_free. */
struct pf_path {
    uint32_t *tags; /* root first */
    size_t depth, capacity;
    uint32_t *open; /* by tag: how often the tag is on the path */
    size_t open_count;
    bool again; /* a node above the last entered node has the same tag */
};

void pf_path_free(struct pf_path *);

/* Makes room for a path of `depth` nodes and for the tag. PF_OK or PF_NOMEM. */
int pf_path_reserve(struct pf_path *, uint32_t depth, uint32_t tag);

/* Enters the current node of a walk; sets path->again. Enter nodes in the order of the walk. If a
 * node is not entered, enter no node below it. PF_OK or PF_NOMEM. */
static inline int pf_path_enter(struct pf_path *path, const struct pf_walk *walk, uint32_t tag)
{
    if ((walk->depth > path->capacity || tag >= path->open_count) &&
        pf_path_reserve(path, walk->depth, tag) != PF_OK)
        return PF_NOMEM;
    while (path->depth >= walk->depth)
        path->open[path->tags[--path->depth]]--;
    path->tags[path->depth++] = tag;
    path->again = path->open[tag]++ > 0;
    return PF_OK;
}

#endif
