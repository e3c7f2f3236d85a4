/* The verdicts of functions for a picture of a difference: the judged rows of the table of
 * cumulative amounts, one table for each measure compared. */
#ifndef PF_ANALYSIS_DIFF_VERDICTS_H
#define PF_ANALYSIS_DIFF_VERDICTS_H

#include "analysis/diff/rows.h"

/* Zero-initialise; free with pf_verdicts_free. */
struct pf_verdicts {
    const struct pf_diff *diff;
    struct pf_diff_table *tables; /* by block; no rows if no run has the block's measure */
};

/* Judges the rows of all blocks. Call after pf_diff_finish; the comparison is borrowed, compares
 * cumulative amounts by function or by name, and must outlive the verdicts. The terms have no gate.
 * PF_OK; or as pf_diff_table_make and pf_diff_judge. */
int pf_verdicts_make(struct pf_verdicts *, struct pf_diff *, const struct pf_diff_terms *,
                     struct pf_error *);
void pf_verdicts_free(struct pf_verdicts *);

/* The table of the SAMPLE measure with this name, in which functions are equal by the same fields
 * (enum pf_by). NULL: no table has this measure and these fields. Valid as long as the verdicts. */
const struct pf_diff_table *pf_verdicts_table(const struct pf_verdicts *, struct pf_bytes measure,
                                              enum pf_by);
/* The row of a function, whose key has strings of `dict`. NULL: the table has no row of the
 * function. */
const struct pf_diff_row *pf_verdicts_row(const struct pf_verdicts *, const struct pf_diff_table *,
                                          const struct pf_dict *dict, const struct pf_key *);

#endif
