/* The steps of a merge in a tree: names all partial profiles, and finds those that the directory
 * lacks and the run must make. */
#ifndef PF_CLI_MERGE_BRANCHES_H
#define PF_CLI_MERGE_BRANCHES_H

#include "analysis/merge/tree.h"
#include "cli/merge/step.h"
#include "cli/operands.h"

#include <stdbool.h>
#include <stddef.h>

/* Set common, store; free with pf_branches_free. */
struct pf_branches {
    struct pf_common *common;
    struct pf_store *store;
    struct pf_operands operands;  /* owns the names */
    struct pf_step_input *inputs; /* sorted by the name of their leaf; files of a series adjacent */
    size_t count;
    size_t *leaves; /* first input of each leaf; one more: count */
    size_t leaf_count;
    struct pf_merge_tree tree;
    struct pf_branch **levels; /* the steps of each level */
};

/* A group of the tree. A group of one partial needs no merge: the partial is its result. */
struct pf_branch {
    struct pf_step step;
    bool single; /* the group has one partial */
    bool needed; /* the run must make the partial */
};

/* Takes the operands of the run, which must have been expanded, with the weight of each group, and
 * makes the tree. Exits 4 if out of memory. */
struct pf_weights;
void pf_branches_plant(struct pf_branches *, struct pf_operands *, const struct pf_weights *,
                       uint64_t fan_in);
void pf_branches_free(struct pf_branches *);
/* Takes the fingerprints of all inputs, with the index of the store. A failed read ends the
 * program, or with --keep-going marks the input as unknown. */
void pf_branches_fingerprint(struct pf_branches *, struct pf_fingerprints *);
/* Names all steps (pf_step_name), and marks the steps that the last step needs. Call again when an
 * input became unknown or a partial was removed. */
void pf_branches_name(struct pf_branches *);
/* The last step. */
struct pf_step *pf_branches_root(struct pf_branches *);

#endif
