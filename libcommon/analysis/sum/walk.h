/* Walks a tree of rows in preorder, siblings by their ids. The time is linear in the number of
 * nodes, whatever the order of their ids. */
#ifndef PF_ANALYSIS_SUM_WALK_H
#define PF_ANALYSIS_SUM_WALK_H

#include "base/memory.h"
#include "base/table.h"

#include <stdint.h>

struct pf_walk_links {
    uint32_t first, next; /* node below, sibling; 0 = none */
};

/* Zero-initialise; free with pf_walk_free. */
struct pf_walk {
    const struct pf_table *nodes;
    struct pf_walk_links *links; /* by node; those of 0 have the first root */
    uint32_t node;               /* the one at hand; 0 before the first and after the last */
    uint32_t depth;              /* of it: 1 for a root */
};

/* Readies a walk over nodes 1 to count - 1 of a table whose rows begin with the id of the parent, a
 * uint32_t less than the row's own (0 for a root): the stacks of a dictionary, say. The table is
 * borrowed; it may grow. PF_OK or PF_NOMEM. */
int pf_walk_init(struct pf_walk *, const struct pf_table *nodes, uint32_t count);
void pf_walk_free(struct pf_walk *);

static inline uint32_t pf_walk_parent(const struct pf_walk *walk, uint32_t node)
{
    return *(const uint32_t *)pf_table_row(walk->nodes, node);
}

/* The next node, 0 at the end. */
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
    /* a sibling may have been made long before or after */
    pf_prefetch(&walk->links[walk->links[next].next]);
    pf_prefetch(pf_table_row(walk->nodes, walk->links[next].next));
    return next;
}

#endif
