/* What the runs of a comparison could show: how much they vary, which rise would be found, and how
 * many runs would find a smaller one. Powers come from moderated.h: probability 0.8, one row
 * changed, significant below p = 0.05 / tested rows, with the variance that the table suggests for
 * a row of this size. */
#ifndef PF_ANALYSIS_DIFF_ADVICE_H
#define PF_ANALYSIS_DIFF_ADVICE_H

#include "analysis/diff/moderated.h"

/* All spreads are standard deviations between runs of one side as a share of the amount (0.05: 5
 * %), computed from logarithms; ratios are after / before. A member is 0 if nothing is known of it.
 */
struct pf_diff_advice {
    double total;  /* spread of the totals */
    double rows;   /* median spread of the tested rows */
    double shares; /* the same for the rows' shares of their run's total (--normalize) */
    /* The smallest ratio that would be found in a row of 1 % of the total. Not known where
     * variances differ more between rows than a fit can see: a prior of less than 1 degree of
     * freedom. */
    double rise;
    size_t runs; /* runs a side that would find +10 % in such a row */
    /* With a gate, the smallest ratios that would be found to be above its bound: of the total, and
     * of a row of 1 % of the total. */
    double gate_total, gate_row;
};

/* Sets *spread to the median spread of the tested rows, or to 0 if no row is tested. PF_OK or
 * PF_NOMEM. */
int pf_advice_spread(const struct pf_moderated_row *, size_t count, double *spread);

/* Sets `rise` and `runs` from a fitted table; `mean` is the mean logarithm of a row of 1 % of the
 * total. Returns whether they are known. */
bool pf_advice_power(struct pf_diff_advice *, const struct pf_moderated *,
                     const struct pf_moderated_row *, size_t count, double mean);

/* The smallest ratio that would be found to be above the ratio `bound` with the one-sided `p`, by a
 * row of this mean logarithm; 0 if it is not known. */
double pf_advice_above(const struct pf_moderated *, const struct pf_moderated_row *, size_t count,
                       double mean, double bound, double p);

#endif
