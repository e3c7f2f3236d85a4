/* Tests if a difference is more than chance: Welch's t over runs, the conditional binomial test
 * over samples, false discovery rates; and the summary of --stats. The functions keep no state, and
 * no result is NaN or infinite, except for the ends of an unbounded interval. */
#ifndef PF_ANALYSIS_DIFF_STATISTICS_H
#define PF_ANALYSIS_DIFF_STATISTICS_H

#include "base/error.h"
#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of p and q of a row that is not tested. */
#define PF_NO_TEST (-1.0)

/* Mean and variance of the runs of one side in one row, in the unit of their values. The mean is
 * mean + rest, with twice the precision of a double, so that means near 2^62 can be subtracted. */
struct pf_moments {
    size_t runs;
    double mean, rest;
    double variance; /* of the sample, with divisor n - 1; 0 for one run and for equal values */
    double floor;    /* tests use at least this variance; set by the caller */
};

/* Computes the moments of `runs` values, runs >= 1. Deviations from the mean are exact and their
 * squares are summed in doubles: the relative error is about runs * 1e-16 (two-pass algorithm of
 * Chan, Golub and LeVeque, The American Statistician 37, 1983, section 3). */
void pf_moments_of(struct pf_moments *, const int64_t *values, size_t runs);
/* The same for doubles. Their order may change the last digits. */
void pf_moments_of_reals(struct pf_moments *, const double *values, size_t runs);

/* The result of a test of the difference after - before. */
struct pf_test {
    /* false: p is PF_NO_TEST, freedom is 0, and low and high equal `difference` */
    bool tested;
    double difference, low, high; /* difference and its 95 % confidence interval */
    double freedom;               /* degrees of freedom; 0 if the test has none */
    double error;                 /* standard error of the difference; 0 if the test has none */
    double p;                     /* two-sided, 0..1 */
};

/* Welch's t test (Biometrika 34, 1947) with Satterthwaite's degrees of freedom (Biometrics Bulletin
 * 2, 1946). If the sides have different numbers of runs, Student's t test on the pooled variance is
 * done too, and the greater p and the wider interval count. Reason: the variance of a few runs can
 * be small by chance, and Welch's test alone then finds p < 0.0001 too often: in 0.33 % of
 * comparisons of 2 with 10 runs of one normal distribution, and in 0.12 % of 5 with 30, which is 33
 * and 12 times too often. With both tests these are 0.004 % and 0.003 %. (With equal numbers of
 * runs Welch's p is always the greater.) The p values hold if the spread is about equal on both
 * sides or the numbers of runs are equal.
 *
 * Equal means without spread have p 1. Not tested: fewer than 2 runs on a side; or different means
 * when neither side has a spread or a floor, because then the data do not show how large chance is
 * (for an exact measure the caller knows that it is 0). */
void pf_test_welch(struct pf_test *, const struct pf_moments *before,
                   const struct pf_moments *after);

/* One-sided p of the hypothesis that after is at most factor * before + bound, for a test of
 * pf_test_welch that is `tested`: with 1.05 and 0, that the true mean rose by at most 5 %. The t
 * tests are those of pf_test_welch for factor * before and after; the greater p counts. 0 or 1 if
 * neither side has a variance. */
double pf_test_above(const struct pf_moments *before, const struct pf_moments *after, double factor,
                     double bound);

/* A mean and the variance of this mean (not of a run), in one unit and its square. */
struct pf_estimate {
    double mean, variance;
};

/* Fieller's confidence interval of the ratio after / before of two independent means: all ratios r
 * with (after - r before)^2 <= t^2 (variance of after + r^2 variance of before), where `t` is the
 * quantile of Student's t (Fieller, Journal of the Royal Statistical Society B 16, 1954, pages 175
 * to 185). The magnitudes of the means, and t times their standard errors, are 0 or within 1e-100
 * and 1e100.
 *
 * False, with the ends -HUGE_VAL and HUGE_VAL, if the interval is unbounded: `before` is not
 * significantly different from 0, so the ratio may be arbitrarily large. If the sides are exchanged
 * and both intervals are bounded, the ends become their reciprocals (but for the last roundings).
 */
bool pf_ratio_interval(const struct pf_estimate *before, const struct pf_estimate *after, double t,
                       double *low, double *high);

/* The interval of the ratio of the means for a test of pf_test_welch that is `tested`. It uses the
 * same variances and degrees of freedom, so a bounded interval leaves out 1 if and only if p <
 * level (but for rounding). If two t tests were done, the interval reaches to the outer ends of
 * both intervals, and is unbounded if one of them is. Equal means without variance have the
 * ratio 1. */
bool pf_test_ratio(const struct pf_moments *before, const struct pf_moments *after, double level,
                   double *low, double *high);

/* Numbers of samples of each side: in the row, and in total. The totals (or another number that
 * says how long was measured) matter only for tests of shares. No number is negative. */
struct pf_counts {
    int64_t before, after;
    double total_before, total_after;
};

/* The conditional binomial test: given before + after, `after` has a binomial distribution
 * (Przyborowski and Wilenski, Biometrika 31, 1940) with probability 1/2, or if `shares` is set with
 * probability total_after / (total_before + total_after). p is twice the smaller exact tail, at
 * most 1 (the central test of Fay, The R Journal 2(1), 2010). The interval is Wilson's interval for
 * this probability (Journal of the American Statistical Association 22, 1927), converted to a
 * difference of numbers of samples, or of shares. The test of shares takes the totals as given, so
 * p is too great for rows that are a large part of the total. Not tested: a row without samples;
 * shares of a total without samples. */
void pf_test_counts(struct pf_test *, const struct pf_counts *, bool shares);

/* Amounts and numbers of samples of a row. An amount is a number of samples times the worth of a
 * sample: the amount that one sample stands for (a clock's tick, a period). */
struct pf_weighed {
    struct pf_counts counts; /* the totals are the numbers of runs, not 0 */
    double before, after;    /* amounts of the row, summed over the runs of the side */
    /* every sample of a side has the worth below; false: worths vary, in the same way on both
     * sides */
    bool known;
    double worth_before, worth_after;
};

/* Tests amounts by their numbers of samples. Differences and intervals are amounts per run.
 *
 * If worths are known: equal amounts per run need more samples if a sample is worth less, so the
 * part of the row's samples expected after is (runs_after / worth_after) / (runs_before /
 * worth_before + runs_after / worth_after).
 *
 * Else two tests are done, and the greater p and the wider interval count: one test gives all
 * samples the average worth of the row, the other gives the samples of each side the average worth
 * of that side. The first ignores the amounts. The second treats a side's average as certain
 * although chance has a part in it (for weights of a geometric distribution it finds p < 0.05 three
 * times too often).
 *
 * Not tested: as pf_test_counts, and a side with samples but no positive amount, or the reverse. */
void pf_test_amounts(struct pf_test *, const struct pf_weighed *);

/* Replaces each p by its false discovery rate q (Benjamini and Hochberg, Journal of the Royal
 * Statistical Society B 57, 1995, step-up). A value outside 0..1 (PF_NO_TEST, NaN) is not a test
 * and becomes PF_NO_TEST. Equal p have equal q, and q never falls as p rises. PF_OK, or PF_NOMEM
 * with p unchanged. */
int pf_rates_of(double *p, size_t count);

/* Summary of one row over several profiles (--stats). */
struct pf_summary {
    size_t count;
    pf_int128 sum;
    int64_t least, greatest;
    uint64_t range; /* greatest - least */
    double mean;
    double sd;         /* standard deviation with divisor n - 1; 0 for one value */
    double normalised; /* 100 * range / sum; 0 if the sum is 0 */
};

/* Summarises `count` values, count >= 1. Exact but for the last rounding of each double. */
void pf_summary_of(struct pf_summary *, const int64_t *values, size_t count);

/* The middle of several values, and how far they lie from the middle, whatever a few outliers
 * are. */
struct pf_middle {
    double median;
    /* 1.4826 times the median distance from the median: the standard deviation of normal values
     * (Rousseeuw and Croux, Journal of the American Statistical Association 88, 1993) */
    double deviation;
};

/* Computes the middle of `count` values, count >= 1, and sorts the values. Exact but for the last
 * rounding of each double. */
void pf_middle_of(struct pf_middle *, int64_t *values, size_t count);

#endif
