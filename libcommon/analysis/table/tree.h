/* The tree of calls: stacks with equal keys joined, with the self and total amount of each node. */
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
    /* it has callees whose cost is not known for calls from here */
    PF_TREE_CUT = 1,
    PF_TREE_NO_SELF = 2 /* its own cost is not known either */
};

/* Nodes have dense ids, parents smaller ones than their children. Node 0 is the root, `all`: its
 * own part is that of records without a stack. Zero-initialise; free with pf_tree_free. */
struct pf_tree {
    struct pf_table nodes; /* struct pf_tree_node */
    /* amounts. Of stacks: a total is self plus the totals of the children (PF_MAX: the greatest) */
    int64_t *self, *total;
    unsigned char *marks; /* enum pf_tree_mark; NULL: none */
    uint32_t *preorder;   /* all nodes, siblings by magnitude of their totals, then by name */
    uint32_t *depth;      /* 0 for the root */
    uint32_t count;
};

void pf_tree_free(struct pf_tree *);

/* Of SAMPLE records: as their stacks say, those that have values. Of EDGE records, without
 * inventing stacks: a function with one caller stands below it with all that is known below itself;
 * one with several callers stands below each of them with what those calls cost, and ends the tree
 * there. Roots are what nobody calls, and one function of each cycle that nobody else calls. A
 * total is what the profile says of the calls, that of the root what 100 % is. PF_USAGE, with a
 * text that says what cannot be known, for FLAT records and for measures without inclusive values.
 * PF_NOMEM, PF_OVERFLOW. */
int pf_tree_make(struct pf_tree *, const struct pf_accumulator *, const struct pf_subject *,
                 struct pf_keys *, struct pf_error *);
/* The part of it for EDGE records: nodes and values without their order. */
int pf_tree_of_edges(struct pf_tree *, const struct pf_accumulator *, const struct pf_subject *,
                     struct pf_keys *, struct pf_error *);

static inline const struct pf_tree_node *pf_tree_row(const struct pf_tree *tree, uint32_t node)
{
    return (const struct pf_tree_node *)pf_table_row(&tree->nodes, node);
}

/* Keeps the `limit` (0: all) heaviest nodes that have at least `percent` of `whole` and whose
 * parents are kept: the others leave preorder. *kept is how many entries it has then. PF_OK or
 * PF_NOMEM. */
int pf_tree_limit(struct pf_tree *, size_t limit, double percent, pf_int128 whole, size_t *kept);

#endif
