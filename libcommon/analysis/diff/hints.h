/* Hints for a comparison of one run on each side: which rows would be significant if runs did not
 * vary. The numbers of samples are compared by the conditional binomial test (pf_test_counts,
 * pf_test_amounts), with q over all rows. */
#ifndef PF_ANALYSIS_DIFF_HINTS_H
#define PF_ANALYSIS_DIFF_HINTS_H

#include "analysis/diff/rows.h"

/* Sets the hints of the rows with verdict '~', and of the total, to '+' or '-'. No hints if the
 * numbers of samples are not known, or do not tell the amounts because samples of a side stand for
 * different amounts. Sets table->hinted and table->worth. PF_OK or PF_NOMEM. */
int pf_diff_hint(struct pf_diff_table *, const struct pf_diff *, const struct pf_diff_block *);

#endif
