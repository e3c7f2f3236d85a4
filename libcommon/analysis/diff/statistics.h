/* Whether a difference is more than chance: Welch's t over runs, the conditional binomial over
 * samples, false discovery rates, and the summary of --stats. Nothing here keeps state, and no
 * result is NaN or infinite. */
#ifndef PF_ANALYSIS_DIFF_STATISTICS_H
#define PF_ANALYSIS_DIFF_STATISTICS_H

#include "base/error.h"
#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands for p and q where there was no test. */
#define PF_NO_TEST (-1.0)

/* The runs of one side in one row, in the unit of their values. mean + rest is the mean to twice
 * the precision of a double, so that means near 2^62 can be subtracted. */
struct pf_moments {
    size_t runs;
    double mean, rest;
    double variance; /* with n - 1; 0 for one run and when all values are equal */
    /* a test takes no smaller variance than this; 0 until one of the functions below sets it */
    double floor;
};

/* runs >= 1, any int64 values. Deviations from the mean are exact, their squares are summed in
 * doubles: relative error about runs * 1e-16 (the two-pass algorithm of Chan, Golub and LeVeque,
 * The American Statistician 37, 1983, section 3). */
void pf_moments_of(struct pf_moments *, const int64_t *values, size_t runs);
/* The same for values[k] / totals[k]; the share of nothing (total 0) is 0. */
void pf_moments_of_shares(struct pf_moments *, const int64_t *values, const pf_int128 *totals,
                          size_t runs);

/* Sampled amounts: sets the floors to Poisson's variance. Values (or shares) that come from
 * `before` and `after` samples, counted over all runs of the side. A sum of a Poisson number of
 * samples has at least the variance mean^2 / number of samples, whatever the weights of the samples
 * are (Ross, Introduction to Probability Models, 10th edition, section 5.4.2, with E[W^2] >=
 * E[W]^2). */
void pf_moments_floor_sampled(struct pf_moments *before, struct pf_moments *after,
                              double samples_before, double samples_after);
/* Timed amounts, which are whole numbers of `unit`: the variance of rounding, unit^2 / 12
 * (Sheppard, Proceedings of the London Mathematical Society 29, 1898), so that equal readings of a
 * coarse clock do not pass for certainty. */
void pf_moments_floor_timed(struct pf_moments *before, struct pf_moments *after, double unit);

/* What a test says of after - before. */
struct pf_test {
    /* false: p is PF_NO_TEST, freedom 0, and low and high are `difference` */
    bool tested;
    double difference, low, high; /* with the 95 % interval */
    double freedom;               /* degrees of freedom; 0 where the test has none */
    double p;                     /* two-sided, 0..1 */
};

/* Welch's t (Biometrika 34, 1947) with Satterthwaite's degrees of freedom (Biometrics Bulletin 2,
 * 1946). With unequal numbers of runs Student's t on the pooled variance is taken as well, and the
 * more doubtful of both counts (with equal numbers that is always Welch's): Welch's t alone finds p
 * < 0.0001 in 0.33 % of comparisons of 2 with 10 runs of one normal distribution, and in 0.12 % of
 * 5 with 30, that is 33 and 12 times too often, because the variance of the few runs is small by
 * chance; with both it is 0.004 % and 0.003 %. Honest for runs of about equal spread on both sides,
 * or equal numbers of them. Equal means without spread: p 1. Not tested: fewer than 2 runs on a
 * side, or different means where neither side has a spread or a floor: then the data say nothing of
 * how far chance reaches (of an exact measure the caller knows that it does not reach at all). */
void pf_test_welch(struct pf_test *, const struct pf_moments *before,
                   const struct pf_moments *after);

/* One run a side: numbers of samples in the row, and of all samples (or what else says how long was
 * counted), which only tests of shares look at. None is negative. */
struct pf_counts {
    int64_t before, after;
    double total_before, total_after;
};

/* Given the row's before + after, `after` is binomial (Przyborowski and Wilenski, Biometrika 31,
 * 1940): with probability 1/2, or with `shares` total_after / (total_before + total_after). p is
 * twice the smaller exact tail, at most 1: the central test of Fay (The R Journal 2(1), 2010). The
 * interval is Wilson's (Journal of the American Statistical Association 22, 1927) of that
 * probability, as difference of the numbers of samples, or with `shares` of the shares. With shares
 * it errs on the safe side for rows that are a large part of the total, which it takes as given.
 * Not tested: a row without samples; shares of a total without samples. */
void pf_test_counts(struct pf_test *, const struct pf_counts *, bool shares);

/* The same of amounts, which are numbers of samples times what a sample stands for, its worth (a
 * clock's tick, a period). */
struct pf_weighed {
    struct pf_counts counts; /* totals: numbers of runs, not 0 */
    double before, after;    /* amounts of the row, over all runs of the side */
    /* each sample of a side has the worth below; else samples of one side have many, and of both
     * the same */
    bool known;
    double worth_before, worth_after;
};

/* Known worths: where a side's runs have the same amount as those of the other, its samples are the
 * more the less one is worth, so that of the row's samples the part runs_after / worth_after of
 * runs_before / worth_before + runs_after / worth_after is expected after. Else numbers of samples
 * are compared as if each were worth what the row's are on average, and again with each side's own
 * average; the more doubtful of both counts, and the interval is that of both together: the first
 * one knows nothing of amounts, and the second one takes for certain an average that chance has a
 * part in (of weights as those of a geometric distribution it finds p < 0.05 three times too
 * often). Differences and intervals are amounts a run. Not tested: as pf_test_counts, and what has
 * samples but no positive amount, or the reverse. */
void pf_test_amounts(struct pf_test *, const struct pf_weighed *);

/* False discovery rates in place: p becomes q (Benjamini and Hochberg, Journal of the Royal
 * Statistical Society B 57, 1995, step-up). A value outside 0..1 (PF_NO_TEST, NaN) does not count
 * as a test and becomes PF_NO_TEST. Equal p have equal q, and q never falls as p rises. PF_OK,
 * or PF_NOMEM with p untouched. */
int pf_rates_of(double *p, size_t count);

/* A row over many sets. */
struct pf_summary {
    size_t count;
    pf_int128 sum;
    int64_t least, greatest;
    uint64_t range; /* greatest - least */
    double mean;
    double sd;         /* with n - 1; there is none for one set: 0 */
    double normalised; /* 100 * range / sum; there is none for a sum of 0: 0 */
};

/* count >= 1; exact but for the last rounding of each double. */
void pf_summary_of(struct pf_summary *, const int64_t *values, size_t count);

#endif
