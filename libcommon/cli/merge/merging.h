/* A merge of inputs with weights: profmerge's options, and the way from the inputs to one output.
 */
#ifndef PF_CLI_MERGE_MERGING_H
#define PF_CLI_MERGE_MERGING_H

#include "analysis/merge/merge.h"
#include "cli/merge/manifest.h"
#include "cli/merge/weighted.h"
#include "cli/output.h"

struct pf_merge_run {
    struct pf_common *common;
    struct pf_merge_options options;
    struct pf_rollup rollup; /* --keep-share */

    /* set by the caller after pf_merging_read: `manifest` before pf_merging_open, the others before
     * pf_merging_write; zero: not used */
    struct pf_weights weights;    /* of each group of inputs (pf_inputs_group) */
    struct pf_manifest *manifest; /* gets a row for each input; NULL: no manifest */
    /* the row of each group of inputs in the manifest; NULL: the number of the input is its row */
    const size_t *rows;
    /* true: leave out an input that is not complete; false: count its records before the damage */
    bool whole;
    /* Called at the end of each input; `failure` of the input says why the input is not complete.
     * PF_OK, or an error that leaves the input out. NULL: no input is checked. */
    int (*check)(void *arg, const struct pf_input *, struct pf_error *);
    void *arg;

    struct pf_inputs *inputs; /* set by pf_merging_open */
    struct pf_merge *merge;
    bool begun;   /* pf_merge_input was called for the current input */
    bool dropped; /* the current input is left out, for `reason` */
    struct pf_error reason;
    /* with --replicates: number + 1 of the first input of the last series that was counted as a
     * run; the other files of this series are not runs of their own; 0: none yet */
    unsigned counted;
};

/* Reads the options of a merge. Exits 2 for a bad argument. */
void pf_merging_read(struct pf_merge_run *, struct pf_common *);
/* Opens inputs to merge; takes ownership of the operands. `part`: the inputs are some of those of
 * the run (PF_WANT_PART). */
void pf_merging_open(struct pf_merge_run *, struct pf_operands *, bool part);
/* Merges the inputs into the output. With --keep-going an input that cannot be added is reported
 * and left out. Failures are printed and raise the exit status; the output is then abandoned, or
 * marked as incomplete. */
void pf_merging_write(struct pf_merge_run *, struct pf_output *);
/* Closes the inputs and frees the weights. */
void pf_merging_close(struct pf_merge_run *);

#endif
