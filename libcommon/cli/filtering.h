/* What proffilter does: records are chosen, their frames edited, and written to one file or to one
 * for each part. */
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
    const char *split; /* what the parts are (cli/parts.h); NULL: one output */

    struct pf_inputs *inputs;
    struct pf_dict *dict;
    struct pf_selection selection;
    struct pf_rewrite *rewrite;
    struct pf_output *output; /* one of these two */
    struct pf_parts *parts;
    struct pf_spill *spill; /* the input on its second reading; NULL: it is read once */
    bool chosen, left;      /* a record was chosen; one is left */
};

/* Reads, filters and writes. Failures are printed and raised; exits 2 for a bad expression.
 * `empty`: no record was left; false where nothing could be written. */
void pf_filtering_write(struct pf_filtering *, bool *empty);

#endif
