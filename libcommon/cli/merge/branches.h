/* The steps of a merge in a tree: names all partial profiles, and finds those that the directory
 * lacks and the run must make.
 *
 * The leaves of the tree are the inputs, sorted by name; at each level neighbours form groups, and
 * each group is merged into one partial profile. The hash of a name decides where a group begins,
 * so groups depend neither on the number of the inputs nor on their contents. An input more or less
 * changes at most two groups of a level, and an input with other contents changes one group of each
 * level. */
#ifndef PF_CLI_MERGE_BRANCHES_H
#define PF_CLI_MERGE_BRANCHES_H

#include "cli/merge/step.h"
#include "cli/operands.h"

#include <stdbool.h>
#include <stddef.h>

/* A group of the tree. A group of one partial needs no merge: the partial is its result. */
struct pf_branch {
    struct pf_step step; /* merges step.count inputs, or as many steps of the level below */
    const char *name;    /* of the first leaf */
    size_t level;        /* 0: merges inputs */
    size_t first;        /* position of the first step below */
    bool needed;         /* the run must make the partial */
};

/* Set common, store, fan_in; free with pf_branches_free. */
struct pf_branches {
    struct pf_common *common;
    struct pf_store *store;
    uint64_t fan_in;              /* mean number of members of a group; >= 2 */
    struct pf_operands operands;  /* owns the names */
    struct pf_step_input *inputs; /* sorted by the name of their leaf; files of a series adjacent */
    size_t count;
    struct pf_branch *steps; /* by level; the last step is the only one of its level */
    size_t step_count, step_capacity;
};

/* Takes the operands of the run, which must have been expanded, with the weight of each group, and
 * makes the tree. Exits 4 if out of memory. */
struct pf_weights;
void pf_branches_plant(struct pf_branches *, struct pf_operands *, const struct pf_weights *);
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
