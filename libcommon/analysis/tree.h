/* The tree of calls: stacks with equal keys joined, with what each node costs itself and with all below it. */
#ifndef PF_ANALYSIS_TREE_H
#define PF_ANALYSIS_TREE_H

#include "analysis/accumulate.h"
#include "analysis/key.h"
#include "analysis/subject.h"

#include <stddef.h>
#include <stdint.h>

struct pf_tree_node {
    uint32_t parent, key;
};

/* Nodes have dense ids, parents smaller ones than their children. Node 0 is the root, `all`: its own part is that of records without
 * a stack. Zero-initialise; free with pf_tree_free. */
struct pf_tree {
    struct pf_table nodes;     /* struct pf_tree_node */
    int64_t *self, *total;     /* amounts: a total is self plus the totals of the children (PF_MAX: the greatest) */
    uint32_t *preorder;        /* all nodes, siblings by magnitude of their totals, then by name */
    uint32_t *depth;           /* 0 for the root */
    uint32_t count;
};

void pf_tree_free(struct pf_tree *);

/* Of SAMPLE records; PF_UNSUPPORTED, with a text that says what cannot be known, for others. PF_NOMEM, PF_OVERFLOW. */
int pf_tree_make(struct pf_tree *, const struct pf_accumulator *, const struct pf_subject *, struct pf_keys *, struct pf_error *);

static inline const struct pf_tree_node *pf_tree_row(const struct pf_tree *tree, uint32_t node)
{
    return (const struct pf_tree_node *)pf_table_row(&tree->nodes, node);
}

/* Keeps the `limit` (0: all) heaviest nodes that have at least `percent` of `whole` and whose parents are kept: the others leave
 * preorder. *kept is how many entries it has then. PF_OK or PF_NOMEM. */
int pf_tree_limit(struct pf_tree *, size_t limit, double percent, pf_int128 whole, size_t *kept);

#endif
