#include "analysis/diff/moderated.h"

#include "analysis/diff/special.h"
#include "analysis/diff/statistics.h"
#include "analysis/sum/sort.h"

#include <math.h>
#include <stdlib.h>

/* --- one row ---------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts in place, for an order of summation that does not depend on the order of runs. */
static void sort_runs(double *values, size_t count)
{
    if (count > 32) {
        qsort(values, count, sizeof *values, compare_doubles);
        return;
    }
    for (size_t k = 1; k < count; k++) {
        double value = values[k];
        size_t at = k;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* The mean of sorted values, relative to the first, and the sum of squares around the mean. Both
 * are exactly 0 for equal values. */
static double moments(const double *values, size_t count, double *squares)
{
    double sum = 0, mean;

    for (size_t k = 1; k < count; k++)
        sum += values[k] - values[0];
    mean = sum / (double)count;
    *squares = 0;
    for (size_t k = 0; k < count; k++) {
        double away = values[k] - values[0] - mean;
        *squares += away * away;
    }
    return mean;
}

/* The logarithm of the ratio of the means of sorted amounts, after / before, each mean with `half`
 * added. If before and after are exchanged, only the sign changes. */
static double ratio_of_means(const double *amounts, size_t before, size_t after, double half)
{
    double squares, one = amounts[0] + moments(amounts, before, &squares),
                    other = amounts[before] + moments(amounts + before, after, &squares),
                    part = (other - one) / (one + other + 2 * half);

    /* of near means the difference keeps its digits */
    return fabs(part) < 0.5 ? 2 * atanh(part) * M_LOG2E : log2(other + half) - log2(one + half);
}

void pf_moderated_row_of(struct pf_moderated_row *row, double *amounts, size_t before, size_t after,
                         double quantum)
{
    const size_t runs = before + after;
    double least = HUGE_VAL, most = 0, half, base, means[2], sums[2], squares[2];

    *row = (struct pf_moderated_row){.p = PF_NO_TEST, .ratio = 1, .low = 1, .high = 1};
    for (size_t k = 0; k < runs; k++) {
        amounts[k] = fmin(fmax(amounts[k], 0), 0x1p500);
        least = fmin(least, amounts[k]);
        most = fmax(most, amounts[k]);
    }
    if (before < 1 || after < 1 || runs < 3 || !(most > 0))
        return;
    half = fmin(fmax(quantum / 2, 0x1p-500), 0x1p500);
    base = least + half;
    sort_runs(amounts, before);
    sort_runs(amounts + before, after);
    row->of_means = ratio_of_means(amounts, before, after, half);
    for (size_t k = 0; k < runs; k++)
        amounts[k] = log1p((amounts[k] - least) / base);
    means[0] = amounts[0] + moments(amounts, before, &squares[0]);
    means[1] = amounts[before] + moments(amounts + before, after, &squares[1]);
    /* products in statements of their own: a compiler could fuse one of them with the addition, and
     * the order of the sides would matter */
    sums[0] = means[0] * (double)before;
    sums[1] = means[1] * (double)after;
    row->tested = true;
    row->mean = log2(base) + (sums[0] + sums[1]) / (double)runs * M_LOG2E;
    row->difference = (means[1] - means[0]) * M_LOG2E;
    row->variance = (squares[0] + squares[1]) / (double)(runs - 2) * (M_LOG2E * M_LOG2E);
}

void pf_moderated_agree(struct pf_moderated_row *row)
{
    if (!(row->difference > 0 && row->of_means > 0) && !(row->difference < 0 && row->of_means < 0))
        row->difference = 0;
    else if (fabs(row->of_means) < fabs(row->difference))
        row->difference = row->of_means;
}

/* The least variance of the logarithms of sorted amounts of one side. */
static double least_variance(const double *amounts, size_t runs, double quantum)
{
    double squares, mean = amounts[0] + moments(amounts, runs, &squares),
                    share = M_LOG2E * (quantum / 2) / (fmax(mean, 0) + quantum / 2);

    return share * share;
}

double pf_moderated_least(double *amounts, size_t before, size_t after, double quantum)
{
    double least[2];

    if (before < 1 || after < 1 || before + after < 3)
        return 0;
    sort_runs(amounts, before);
    sort_runs(amounts + before, after);
    least[0] = least_variance(amounts, before, quantum);
    least[1] = least_variance(amounts + before, after, quantum);
    least[0] *= (double)(before - 1); /* as above, no product in a sum */
    least[1] *= (double)(after - 1);
    return (least[0] + least[1]) / (double)(before + after - 2);
}

/* --- the trend -------------------------------------------------------------------------------- */

/* Means and knots closer than this are one: means in logarithms, and means scaled to 0..1. */
static const double apart = 1e-9;

enum { SPLINE = 4 }; /* most columns of the spline */

/* A tested row; points are sorted by mean and variance, which fixes the order of all sums. */
struct point {
    double mean, variance;
    size_t row;
};

struct trend {
    struct point *points;
    size_t count;
    double *expected; /* logarithms of the variances, corrected for their expectation */
    double *scaled;   /* means scaled to 0..1 */
    double *fitted;
    double *columns[SPLINE]; /* columns of the spline; after the fit an orthonormal basis */
    size_t rank;             /* number of columns that the others do not span */
};

static int compare_variances(const void *arg, const void *a, const void *b)
{
    double x = ((const struct point *)a)->variance, y = ((const struct point *)b)->variance;

    (void)arg;
    return (x > y) - (x < y);
}

static int compare_points(const void *arg, const void *a, const void *b)
{
    double x = ((const struct point *)a)->mean, y = ((const struct point *)b)->mean;

    return x != y ? (x > y) - (x < y) : compare_variances(arg, a, b);
}

static void trend_free(struct trend *trend)
{
    free(trend->points);
    free(trend->expected);
}

/* Sets points, expected and scaled. PF_OK or PF_NOMEM. */
static int trend_start(struct trend *trend, const struct pf_moderated_row *rows, size_t count,
                       double residual)
{
    double half = residual / 2, least, range;
    size_t n = 0;

    trend->points = malloc(count * sizeof *trend->points);
    trend->expected = calloc(count, (3 + SPLINE) * sizeof *trend->expected);
    if (!trend->points || !trend->expected)
        return PF_NOMEM;
    for (size_t k = 0; k < count; k++)
        if (rows[k].tested)
            trend->points[n++] = (struct point){rows[k].mean, rows[k].variance, k};
    trend->count = n;
    trend->scaled = trend->expected + n;
    trend->fitted = trend->scaled + n;
    for (size_t k = 0; k < SPLINE; k++)
        trend->columns[k] = trend->fitted + (k + 1) * n;
    if (pf_sort(trend->points, n, sizeof *trend->points, compare_variances, NULL) != PF_OK)
        return PF_NOMEM;
    least = (trend->points[(n - 1) / 2].variance + trend->points[n / 2].variance) / 2;
    least = 1e-5 * (least > 0 ? least : 1);
    if (pf_sort(trend->points, n, sizeof *trend->points, compare_points, NULL) != PF_OK)
        return PF_NOMEM;
    range = trend->points[n - 1].mean - trend->points[0].mean;
    for (size_t k = 0; k < n; k++) {
        trend->expected[k] =
            log(fmax(trend->points[k].variance, least)) - pf_digamma(half) + log(half);
        trend->scaled[k] = range > apart ? (trend->points[k].mean - trend->points[0].mean) / range
                                         : 0;
    }
    return PF_OK;
}

/* Degrees of freedom of the spline: by the number of rows, at most the number of different means.
 */
static size_t spline_freedom(const struct trend *trend)
{
    const size_t n = trend->count, most = n >= 30 ? 4 : n >= 6 ? 3 : 2;
    size_t different = 1;
    double last = trend->scaled[0];

    for (size_t k = 1; k < n && different < most; k++)
        if (trend->scaled[k] > last + apart) {
            last = trend->scaled[k];
            different++;
        }
    return different;
}

/* The function d of Hastie and others, equation 5.5, for 0 <= x <= 1 and the last knot at 1. */
static double bend(double x, double knot)
{
    double away = fmax(x - knot, 0);

    return away * away * away / (1 - knot);
}

/* Fills the columns of a natural cubic spline: 1, x, and one for each inner knot. Returns their
 * number. */
static size_t spline_columns(struct trend *trend)
{
    const size_t n = trend->count, freedom = spline_freedom(trend);
    double knots[SPLINE] = {0};
    size_t inner = 1;

    for (size_t k = 1; k + 1 < freedom; k++) {
        double at = (double)(n - 1) * (double)k / (double)(freedom - 1);
        size_t below = (size_t)at < n - 2 ? (size_t)at : n - 2;
        double knot = trend->scaled[below] +
                      (at - (double)below) * (trend->scaled[below + 1] - trend->scaled[below]);
        if (knot > knots[inner - 1] + apart && knot < 1 - apart)
            knots[inner++] = knot;
    }
    for (size_t k = 0; k < n; k++) {
        double x = trend->scaled[k], last = bend(x, knots[inner - 1]);
        trend->columns[0][k] = 1;
        trend->columns[1][k] = x;
        for (size_t j = 0; j + 1 < inner; j++)
            trend->columns[2 + j][k] = bend(x, knots[j]) - last;
    }
    return freedom < 2 ? 1 : 1 + inner;
}

static double dot_product(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

static void subtract_multiple(double *a, const double *b, size_t count, double times)
{
    for (size_t k = 0; k < count; k++)
        a[k] -= times * b[k];
}

/* Least squares by Gram and Schmidt's method, each column twice (Giraud, Langou and Rozloznik,
 * Computers and Mathematics with Applications 50, 2005). Sets fitted and rank. */
static void trend_fit(struct trend *trend, size_t columns)
{
    const size_t n = trend->count;

    trend->rank = 0;
    for (size_t k = 0; k < columns; k++) {
        double *column = trend->columns[k], *basis = trend->columns[trend->rank];
        double whole = dot_product(column, column, n), length;
        for (int pass = 0; pass < 2; pass++)
            for (size_t j = 0; j < trend->rank; j++)
                subtract_multiple(column, trend->columns[j], n,
                                  dot_product(column, trend->columns[j], n));
        length = dot_product(column, column, n);
        if (!(length > whole * apart * apart))
            continue;
        for (size_t i = 0; i < n; i++)
            basis[i] = column[i] / sqrt(length);
        trend->rank++;
    }
    for (size_t j = 0; j < trend->rank; j++)
        subtract_multiple(trend->fitted, trend->columns[j], n,
                          -dot_product(trend->expected, trend->columns[j], n));
}

/* Sets the prior of the table and of its tested rows; at least 3 rows are tested. */
static int fit_prior(struct pf_moderated *table, struct pf_moderated_row *rows, size_t count)
{
    struct trend trend = {0};
    int status = trend_start(&trend, rows, count, table->residual);

    if (status == PF_OK) {
        double excess = 0, shift = 0;
        trend_fit(&trend, spline_columns(&trend));
        for (size_t k = 0; k < trend.count; k++) {
            double away = trend.expected[k] - trend.fitted[k];
            excess += away * away;
        }
        /* the rank is at most 2 for 3 to 5 rows, 3 for 6 to 29 rows, 4 for more */
        excess = excess / (double)(trend.count - trend.rank) - pf_trigamma(table->residual / 2);
        table->unbounded = !(excess > 1e-100);
        if (!table->unbounded) {
            table->prior = 2 * pf_trigamma_inverse(excess);
            shift = pf_digamma(table->prior / 2) - log(table->prior / 2);
        }
        for (size_t k = 0; k < trend.count; k++)
            rows[trend.points[k].row].prior = exp(trend.fitted[k] + shift);
    }
    trend_free(&trend);
    return status;
}

/* --- the test --------------------------------------------------------------------------------- */

/* 2^x within 2^-1022 and 2^1022. The result for -x is the reciprocal of that for x. */
static double power_of_2(double x)
{
    double value = exp2(fmin(fabs(x), 1022));

    return x < 0 ? 1 / value : value;
}

void pf_moderated_interval(const struct pf_moderated_row *row, double t, double *low, double *high)
{
    double reach = row->tested ? row->error * t : 0;

    *low = power_of_2(row->difference - reach);
    *high = power_of_2(row->difference + reach);
}

static void test_row(const struct pf_moderated *table, struct pf_moderated_row *row,
                     double quantile)
{
    double whole = table->prior + table->residual;

    row->moderated = table->unbounded ? row->prior
                                      : table->prior / whole * row->prior +
                                            table->residual / whole * row->variance;
    row->error = sqrt(row->moderated * (1 / (double)table->before + 1 / (double)table->after));
    row->tested = row->tested && (row->error > 0 || row->difference == 0);
    row->ratio = power_of_2(row->difference);
    pf_moderated_interval(row, quantile, &row->low, &row->high);
    if (!row->tested)
        return;
    row->t = row->difference != 0 ? row->difference / row->error : 0;
    row->p = pf_student_tail(fabs(row->t), table->freedom);
}

int pf_moderated_test(struct pf_moderated *table, struct pf_moderated_row *rows, size_t count,
                      size_t before, size_t after)
{
    double quantile = 0;
    int status = PF_OK;

    *table = (struct pf_moderated){.before = before, .after = after};
    for (size_t k = 0; k < count; k++) {
        table->rows += rows[k].tested;
        rows[k].prior = rows[k].variance;
    }
    if (table->rows > 0) {
        table->residual = (double)(before + after - 2);
        if (table->rows >= 3)
            status = fit_prior(table, rows, count);
        table->freedom = table->residual * (double)table->rows;
        if (!table->unbounded)
            table->freedom = fmin(table->freedom, table->prior + table->residual);
        quantile = pf_student_quantile(0.05, table->freedom);
    }
    for (size_t k = 0; k < count && status == PF_OK; k++)
        if (rows[k].tested) {
            test_row(table, &rows[k], quantile);
            table->rows -= !rows[k].tested;
        }
    return status;
}

double pf_moderated_above(const struct pf_moderated *table, const struct pf_moderated_row *row,
                          double bound)
{
    double away = row->difference - log2(bound), half;

    if (!row->tested)
        return PF_NO_TEST;
    if (away == 0)
        half = 0.5;
    else
        half = row->error > 0 ? pf_student_tail(fabs(away / row->error), table->freedom) / 2 : 0;
    return away >= 0 ? half : 1 - half;
}

double pf_moderated_prior_at(const struct pf_moderated_row *rows, size_t count, double mean)
{
    const struct pf_moderated_row *below = NULL, *above = NULL;

    for (size_t k = 0; k < count; k++) {
        const struct pf_moderated_row *row = &rows[k];
        if (!row->tested)
            continue;
        if (row->mean <= mean && (!below || row->mean > below->mean))
            below = row;
        if (row->mean >= mean && (!above || row->mean < above->mean))
            above = row;
    }
    if (!below || !above)
        return below ? below->prior : above ? above->prior : 0;
    if (!(above->mean > below->mean) || !(below->prior > 0) || !(above->prior > 0))
        return below->prior;
    return below->prior *
           pow(above->prior / below->prior, (mean - below->mean) / (above->mean - below->mean));
}
