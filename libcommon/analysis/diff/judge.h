/* Judges the rows of a difference by their runs: tests, verdicts, hints, and advice about more
 * runs.
 *
 * The smaller side decides. With three runs or more, the moderated t test
 * (analysis/diff/moderated.h) compares the logarithms of the amounts. With two runs, with negative
 * amounts, or if asked for, Welch's t test compares the amounts; the variance of a side is at least
 * quantum^2 / 4. With one run nothing is tested: runs vary, and one run does not show how much;
 * hints say which changes would be significant if runs did not vary. The quantum of a row is the
 * amount of one of its samples, else one tick of the clock, else 1 raw unit.
 *
 * Exact amounts that are the same in all runs of a side need no test: every change is real. */
#ifndef PF_ANALYSIS_DIFF_JUDGE_H
#define PF_ANALYSIS_DIFF_JUDGE_H

#include "analysis/diff/rows.h"

/* Sets the tests, the verdicts and the hints of all rows and of the total, whose other members are
 * set. PF_OK, PF_NOMEM, or PF_USAGE if the gate does not fit the measure. */
int pf_diff_judge(struct pf_diff_table *, const struct pf_diff *, const struct pf_diff_block *,
                  const struct pf_diff_terms *, struct pf_error *);

#endif
