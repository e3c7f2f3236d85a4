/* proffilter: selects records, edits their frames, and writes one file, or one file for each
 * part. */
#ifndef PF_CLI_FILTERING_H
#define PF_CLI_FILTERING_H

#include "analysis/filter/rewrite.h"
#include "analysis/merge/spill.h"
#include "cli/parts.h"
#include "cli/selection.h"

#include <stdbool.h>

/* Zero-initialise; a program sets the first group. */
struct pf_filtering {
    struct pf_common common;
    const char *split; /* the key of --split (cli/parts.h); NULL: one output */

    struct pf_inputs *inputs;
    struct pf_dict *dict;
    struct pf_selection selection;
    struct pf_replicates replicates;
    struct pf_rewrite *rewrite;
    struct pf_output *output; /* either output or parts */
    struct pf_parts *parts;
    struct pf_spill *spill; /* the input for a second reading; NULL: the input is read once */
    bool chosen, left;      /* a record was selected; a record is left after the edits */
};

/* Reads, filters and writes. Failures are printed and raise the exit status; exits 2 for a bad
 * expression. *empty: no record was left; false if nothing could be written. */
void pf_filtering_write(struct pf_filtering *, bool *empty);

#endif
