/* The moderated t test of a table of runs, known as limma-trend: rows of a table have similar
 * variances, so each row's variance is combined with the variance that the whole table suggests for
 * rows of its size. Sources: Smyth, Statistical Applications in Genetics and Molecular Biology 3
 * (2004), article 3, sections 4 to 6 (fit and test); Sartor et al., BMC Bioinformatics 7:538 (2006)
 * and Law et al., Genome Biology 15:R29 (2014) (the trend).
 *
 * Usage: pf_moderated_row_of for each row, perhaps pf_moderated_least and pf_moderated_agree, then
 * pf_moderated_test for all rows together, then pf_rates_of (statistics.h) with their p. A table of
 * one or two rows gets Student's t test of the logarithms. pf_power_... tell what the test can
 * find.
 *
 * The functions keep no state, and no result is NaN or infinite. Neither the order of rows nor the
 * order of the runs of a side changes any bit of a result. If before and after are exchanged,
 * `difference` and `t` change their signs, the ratio and its ends become their reciprocals (but for
 * the last rounding), and nothing else changes. */
#ifndef PF_ANALYSIS_DIFF_MODERATED_H
#define PF_ANALYSIS_DIFF_MODERATED_H

#include <stdbool.h>
#include <stddef.h>

/* One row. All logarithms have base 2; the logarithm of a run is log2(amount + quantum / 2). A
 * ratio is after / before, of geometric means of amount + quantum / 2. */
struct pf_moderated_row {
    /* set by pf_moderated_row_of: */
    bool tested;       /* false: p is PF_NO_TEST, t is 0, and low and high equal `ratio` */
    double mean;       /* mean logarithm of all runs */
    double difference; /* mean logarithm after minus before, see pf_moderated_agree */
    double of_means;   /* logarithm of the ratio of the means of amount + quantum / 2 */
    /* of the logarithms, pooled over both sides; 0 if each side is constant. The caller may raise
     * the variance before pf_moderated_test, see pf_moderated_least */
    double variance;

    /* set by pf_moderated_test: */
    double prior;     /* variance that the table suggests; without a prior `variance` */
    double moderated; /* variance used by the test: weighted mean of `variance` and `prior` */
    double error;     /* standard error of the difference */
    double t;         /* difference / error */
    double p;         /* two-sided, 0..1, or PF_NO_TEST */
    /* ratio and its 95 % confidence interval; each is within 2^-1022 and 2^1022 */
    double ratio, low, high;
};

/* The fit of a table: the same for all its rows. */
struct pf_moderated {
    size_t before, after; /* numbers of runs */
    size_t rows;          /* rows tested */
    double residual;      /* degrees of freedom of a row's variance: before + after - 2 */
    /* degrees of freedom of the prior, as a weight against `residual`; 0: no prior, because fewer
     * than 3 rows are tested, or `unbounded` is set */
    double prior;
    /* rows differ from the trend by no more than chance: the moderated variance is the prior
     * variance, whose degrees of freedom are infinite */
    bool unbounded;
    /* degrees of freedom of t: prior + residual, at most residual * rows, as in limma; 0: no row
     * is tested */
    double freedom;
};

/* Sets the first part of a row from the amounts of its runs: `before` amounts, then `after` ones.
 * No amount is negative; quantum > 0 is the amount of one sample, one tick or one count, so that an
 * amount of 0 has a logarithm. Amounts and quantum have any unit, the same one; amounts above 2^500
 * count as 2^500, a quantum outside 2^-499 to 2^501 as the nearer end. A row is not tested if
 * all amounts are 0, if a side has no runs, or if there are fewer than 3 runs in all.
 *
 * The amounts are scratch: they are replaced. Logarithms are computed relative to the smallest
 * amount of the row and summed in increasing order: the error of a logarithm is about 1e-16 of its
 * distance from the smallest one, so that small differences of great amounts keep their digits, and
 * equal amounts have exactly the variance 0. */
void pf_moderated_row_of(struct pf_moderated_row *, double *amounts, size_t before, size_t after,
                         double quantum);

/* Returns the least variance that a row of these amounts should have: amounts come in steps of the
 * quantum, so runs that fall on the same step still differ. The variance of a side's amounts is at
 * least quantum^2 / 4, as in pf_test_welch, and that of their logarithms, to first order, at least
 * the square of log2(e) (quantum / 2) / (mean + quantum / 2); the result is pooled over both sides.
 * In amounts of many quanta this is far below any real variance: 1e-6 of 500 quanta.
 *
 * Without this floor rows of a few ticks are found to differ when nothing changed: in 66 % of
 * simulated tables of 500 rows at 3 runs a side, and limma does the same; with the floor in 7 %
 * (tests/bench/statistics.c). The amounts are sorted by side. */
double pf_moderated_least(double *amounts, size_t before, size_t after, double quantum);

/* Makes `difference` the smaller of the two estimates of a change, `difference` and `of_means`; 0
 * if their signs are unlike. Call before pf_moderated_test.
 *
 * The mean logarithm of a few samples lies below the logarithm of their mean, to first order by
 * half of their relative variance (Jensen's inequality), and is skewed to the left as the mean is
 * to the right. Bias and skew cancel only between sides that are alike: not if the runs of one side
 * are longer, and have more samples for the same share, or if one side has more runs. Two sides
 * differ if both estimates say so. Of tables of rows of few samples in which nothing changed, this
 * gives a sign in 4 % instead of 15 % (shares, one side 3 times as long, 10 and 10 runs). Where
 * relative variances are small, both estimates are nearly the same (tests/bench/README.md). */
void pf_moderated_agree(struct pf_moderated_row *);

/* Fits the prior to the rows with `tested` and sets the second part of all rows. `before` and
 * `after` are the numbers of runs given to pf_moderated_row_of.
 *
 * The logarithm of a variance s2 with d degrees of freedom, plus log(d / 2) - psi(d / 2), has the
 * logarithm of the true variance as its mean and psi'(d / 2) + psi'(prior / 2) as its variance. Its
 * trend by the mean logarithm of the row is a natural cubic spline with 4, 3 and 2 degrees of
 * freedom from 30, 6 and 3 rows (Hastie, Tibshirani and Friedman, The Elements of Statistical
 * Learning, 2nd edition, 5.2.1), inner knots at quantiles of type 7 (Hyndman and Fan, The American
 * Statistician 50, 1996), fitted by least squares. Before the fit, variances are raised to 1e-5 of
 * their median, or to 1e-5 if the median is 0, so that variances of 0 have a logarithm. Means and
 * knots closer than 1e-9 are one.
 *
 * A row that differs without any variance, in a table without a prior, becomes one that is not
 * tested, because the runs do not show how large chance is (as in pf_test_welch).
 *
 * PF_OK; PF_NOMEM with the second parts of the rows not set. */
int pf_moderated_test(struct pf_moderated *, struct pf_moderated_row *rows, size_t count,
                      size_t before, size_t after);

/* Sets the confidence interval of the row's ratio to another level: `t` is
 * pf_student_quantile(1 - level, freedom) for the table's freedom. */
void pf_moderated_interval(const struct pf_moderated_row *, double t, double *low, double *high);

/* One-sided p of the hypothesis that the true ratio is at most `bound` > 0 (McCarthy and Smyth,
 * Bioinformatics 25, 2009, "treat", with the tail of one side only); PF_NO_TEST for a row that is
 * not tested. With the bound 1 and a ratio above 1 this is p / 2. */
double pf_moderated_above(const struct pf_moderated *, const struct pf_moderated_row *,
                          double bound);

/* The prior variance for a row with this mean logarithm: that of the tested rows, with its
 * logarithm interpolated between the rows of the next smaller and the next greater mean; beyond all
 * rows that of the outermost one. 0 if no row is tested. */
double pf_moderated_prior_at(const struct pf_moderated_row *rows, size_t count, double mean);

/* A row in a fresh comparison of the programs that a table compared (power.c). */
struct pf_power {
    const struct pf_moderated *table; /* its `prior`, `unbounded` and `rows` count */
    /* Variance of the logarithms of the runs of one side. With a prior: the prior variance at the
     * row's mean (pf_moderated_prior_at), and the row's own variance is about as far from this as
     * those of other rows are. Without a prior: the row's own variance, taken as the true one. */
    double variance;
    double p; /* two-sided p below which the row is significant; 1e-12 <= p <= 0.5 */
};

enum { PF_POWER_RUNS = 100000 }; /* greatest number of runs that pf_power_runs considers */

/* The probability that a row is found to be greater if its mean logarithm is greater by `change`
 * >= 0, with these numbers of runs, at least 1 each and 3 in all. The chance to find it smaller is
 * not added.
 *
 * Without a prior, or with an unbounded one, t has the noncentral t distribution, computed from its
 * definition as a mean of normal tails over chi-square (Johnson, Kotz and Balakrishnan, Continuous
 * Univariate Distributions 2, 2nd edition, chapter 31). With a prior of f degrees of freedom and d
 * residual ones, Smyth's model (article cited above, section 4) makes t the sum of
 * Student's t with f + d degrees of freedom and, independent of it, change / sqrt(variance (1 /
 * before + 1 / after)) * sqrt(B (f + d) / f), where B has the beta distribution of f / 2 and d / 2.
 * Means are computed with the trapezoidal rule. With 3 runs a side and more the absolute error is
 * below 0.003 for priors of at least 1 degree of freedom and without a prior, else below 0.04. */
double pf_power_of(const struct pf_power *, size_t before, size_t after, double change);

/* The smallest ratio above 1 that is found with probability 0.8; 1 if the variance is 0, at most
 * 2^1022. With 3 runs a side and more the relative error of its logarithm is below 0.01 for priors
 * of at least 1 degree of freedom and without a prior, else below 0.06.
 *
 * Simulated tables of 30 and 100 rows with 3, 5 and 10 runs a side need a logarithm within 7 % of
 * this one if the true variance and prior are given. With the variance and the prior of a fit, the
 * median of 9 tables is within 3 % (unbounded prior), 12 % (prior of 4 to 50) and 22 % (1 and 2).
 * Below 1 the fit sees far less than the tails of the variances, and the rise is too small. */
double pf_power_rise(const struct pf_power *, size_t before, size_t after);

/* The smallest number of runs a side, at least 3, with which a rise to `ratio` > 1 is found with
 * probability 0.8; 0 if PF_POWER_RUNS are too few. */
size_t pf_power_runs(const struct pf_power *, double ratio);

#endif
