/* The tree of calls: stacks with equal keys are joined; each node has a self and a total amount. */
#ifndef PF_ANALYSIS_TABLE_TREE_H
#define PF_ANALYSIS_TABLE_TREE_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/subject.h"

#include <stddef.h>
#include <stdint.h>

struct pf_tree_node {
    uint32_t parent, key;
};

enum pf_tree_mark {
    /* the node has callees, but their cost in calls from this node is not known */
    PF_TREE_CUT = 1,
    PF_TREE_NO_SELF = 2 /* the self cost of the node is not known either */
};

/* Nodes have dense ids; a parent has a smaller id than its children. Node 0 is the root, `all`; its
 * self amount is that of records without a stack. Zero-initialise; free with pf_tree_free. */
struct pf_tree {
    struct pf_table nodes; /* struct pf_tree_node */
    /* amounts. For SAMPLE a total is self plus the totals of the children (PF_MAX: the greatest of
     * them) */
    int64_t *self, *total;
    unsigned char *marks; /* enum pf_tree_mark; NULL: none */
    uint32_t *preorder;   /* all nodes, siblings by magnitude of their totals, then by name */
    uint32_t *depth;      /* 0 for the root */
    uint32_t count;
};

void pf_tree_free(struct pf_tree *);

/* Makes the tree. SAMPLE: from the stacks of the records that have values.
 *
 * EDGE: no stacks are invented. A function with one caller is put below this caller, with all that
 * is known below the function. A function with several callers is put below each of them, with the
 * cost of these calls, and the tree ends there. Roots are functions without a caller, and one
 * function of each cycle that is called only from within. The total of a node is the cost of the
 * calls in the profile; the total of `all` is 100 %.
 *
 * PF_OK; PF_USAGE, with a text that says what is not known, for FLAT records and for measures
 * without inclusive values; PF_NOMEM; PF_OVERFLOW. */
int pf_tree_make(struct pf_tree *, const struct pf_accumulator *, const struct pf_subject *,
                 struct pf_keys *, struct pf_error *);
/* For pf_tree_make: the tree of EDGE records, without preorder and depth. */
int pf_tree_of_edges(struct pf_tree *, const struct pf_accumulator *, const struct pf_subject *,
                     struct pf_keys *, struct pf_error *);

/* Parent and key of a node. */
static inline const struct pf_tree_node *pf_tree_row(const struct pf_tree *tree, uint32_t node)
{
    return (const struct pf_tree_node *)pf_table_row(&tree->nodes, node);
}

/* Keeps the `limit` (0: all) heaviest nodes that have at least `percent` of `whole` and whose
 * parents are kept; removes the others from tree->preorder. *kept is the number of nodes left in
 * it. PF_OK or PF_NOMEM. */
int pf_tree_limit(struct pf_tree *, size_t limit, double percent, pf_int128 whole, size_t *kept);

#endif
