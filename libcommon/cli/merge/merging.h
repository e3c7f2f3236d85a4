/* The merge of a run: profmerge's options, and the way from inputs with weights to one output. */
#ifndef PF_CLI_MERGE_MERGING_H
#define PF_CLI_MERGE_MERGING_H

#include "cli/merge/weighted.h"
#include "cli/output.h"

struct pf_merge_run {
    struct pf_common *common;
    struct pf_merge_options options;
    struct pf_rollup rollup; /* --keep-share */
};

/* Reads the options of a merge. Exits 2 for a bad argument. */
void pf_merging_read(struct pf_merge_run *, struct pf_common *);

/* Opens inputs to merge; takes ownership of the operands. `part`: the inputs are some of those of
 * the run (pf_inputs_part). Never NULL. */
struct pf_inputs *pf_merging_inputs(struct pf_merge_run *, struct pf_operands *, bool part);

/* Merges the inputs into the output. Set all fields of `weighted` but `merge`. Failures are printed
 * and raise the exit status; the output is then abandoned, or marked as incomplete. */
void pf_merging_write(const struct pf_merge_run *, struct pf_weighted *weighted,
                      struct pf_output *);

#endif
