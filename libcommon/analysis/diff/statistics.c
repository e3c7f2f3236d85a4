#include "analysis/diff/statistics.h"

#include "analysis/diff/special.h"
#include "analysis/sum/sort.h"

#include <math.h>
#include <stdlib.h>

/* --- runs ------------------------------------------------------------------------------------- */

void pf_moments_of(struct pf_moments *moments, const int64_t *values, size_t runs)
{
    pf_int128 count = (pf_int128)runs, sum = 0, whole, rest;
    double squares = 0;

    for (size_t k = 0; k < runs; k++)
        sum += values[k];
    whole = sum / count;
    rest = sum % count;
    *moments = (struct pf_moments){.runs = runs, .mean = (double)whole};
    moments->rest = (double)(whole - (pf_int128)moments->mean) + (double)rest / (double)runs;
    if (runs < 2)
        return;
    for (size_t k = 0; k < runs; k++) {
        double away = (double)((values[k] - whole) * count - rest) / (double)runs;
        squares += away * away;
    }
    moments->variance = squares / (double)(runs - 1);
}

void pf_moments_of_reals(struct pf_moments *moments, const double *values, size_t runs)
{
    double sum = 0, squares = 0, away;

    /* relative to the first value: then equal values have exactly this mean and variance 0 */
    for (size_t k = 1; k < runs; k++)
        sum += values[k] - values[0];
    away = sum / (double)runs;
    *moments = (struct pf_moments){.runs = runs, .mean = values[0] + away};
    moments->rest = values[0] - moments->mean + away;
    if (runs < 2)
        return;
    for (size_t k = 0; k < runs; k++) {
        double distance = values[k] - values[0] - away;
        squares += distance * distance;
    }
    moments->variance = squares / (double)(runs - 1);
}

/* A t test: the variances of the two means, and the degrees of freedom. */
struct spread {
    double variance[2], freedom;
};

/* Sets Welch's test and, for unequal numbers of runs, Student's. Returns their number; 0: neither
 * side has a variance. Both sides are treated alike, so that exchanged sides have the same bits. */
static size_t spreads_of(const struct pf_moments *before, const struct pf_moments *after,
                         struct spread spreads[2])
{
    double runs[2] = {(double)before->runs, (double)after->runs};
    double variance[2] = {fmax(before->variance, before->floor),
                          fmax(after->variance, after->floor)};
    double mean[2] = {variance[0] / runs[0], variance[1] / runs[1]}, both = mean[0] + mean[1];
    double part[2], pooled[2];

    if (!(both > 0))
        return 0;
    for (int side = 0; side < 2; side++) {
        part[side] = mean[side] / both * (mean[side] / both) / (runs[side] - 1);
        pooled[side] = (runs[side] - 1) * variance[side] / (runs[0] + runs[1] - 2);
    }
    spreads[0] = (struct spread){{mean[0], mean[1]}, 1 / (part[0] + part[1])};
    spreads[1].freedom = runs[0] + runs[1] - 2;
    for (int side = 0; side < 2; side++)
        spreads[1].variance[side] = (pooled[0] + pooled[1]) / runs[side];
    return before->runs != after->runs ? 2 : 1;
}

/* Adds a t test to the result: the greater p and the wider interval count. */
static void add_t_test(struct pf_test *test, const struct spread *spread)
{
    double error = sqrt(spread->variance[0] + spread->variance[1]),
           p = pf_student_tail(fabs(test->difference) / error, spread->freedom),
           reach = error * pf_student_quantile(0.05, spread->freedom);

    if (!test->tested || p > test->p) {
        test->error = error;
        test->freedom = spread->freedom;
        test->p = p;
    }
    test->tested = true;
    test->low = fmin(test->low, test->difference - reach);
    test->high = fmax(test->high, test->difference + reach);
}

void pf_test_welch(struct pf_test *test, const struct pf_moments *before,
                   const struct pf_moments *after)
{
    double difference = (after->mean - before->mean) + (after->rest - before->rest);
    struct spread spreads[2];
    size_t count;

    *test = (struct pf_test){
        .difference = difference, .low = difference, .high = difference, .p = PF_NO_TEST};
    if (before->runs < 2 || after->runs < 2)
        return;
    count = spreads_of(before, after, spreads);
    if (count == 0) {
        test->tested = difference == 0;
        test->p = test->tested ? 1 : PF_NO_TEST;
        return;
    }
    for (size_t k = 0; k < count; k++)
        add_t_test(test, &spreads[k]);
}

double pf_test_above(const struct pf_moments *before, const struct pf_moments *after, double factor,
                     double bound)
{
    const struct pf_moments scaled = {.runs = before->runs,
                                      .mean = before->mean * factor,
                                      .rest = before->rest * factor,
                                      .variance = before->variance * factor * factor,
                                      .floor = before->floor * factor * factor};
    double rise = (after->mean - scaled.mean) + (after->rest - scaled.rest) - bound, p = 0;
    struct spread spreads[2];
    size_t count = spreads_of(&scaled, after, spreads);

    if (count == 0)
        return rise > 0 ? 0 : 1;
    for (size_t k = 0; k < count; k++) {
        double error = sqrt(spreads[k].variance[0] + spreads[k].variance[1]),
               tail = pf_student_tail(fabs(rise) / error, spreads[k].freedom) / 2;

        p = fmax(p, rise >= 0 ? tail : 1 - tail);
    }
    return p;
}

bool pf_ratio_interval(const struct pf_estimate *before, const struct pf_estimate *after, double t,
                       double *low, double *high)
{
    double reach[2] = {t * sqrt(before->variance), t * sqrt(after->variance)};
    double size[2] = {fabs(before->mean), fabs(after->mean)};
    /* the ends are the roots of below r^2 - 2 product r + above */
    double below = (size[0] - reach[0]) * (size[0] + reach[0]),
           above = (size[1] - reach[1]) * (size[1] + reach[1]),
           product = before->mean * after->mean, root, one, other;

    *low = -HUGE_VAL;
    *high = HUGE_VAL;
    if (!(below > 0))
        return false;
    /* product^2 - below above, without the difference */
    root = hypot(after->mean * reach[0], sqrt(below) * reach[1]);
    root = product < 0 ? product - root : product + root;
    one = root / below;
    other = root != 0 ? above / root : 0;
    *low = fmin(one, other);
    *high = fmax(one, other);
    return true;
}

bool pf_test_ratio(const struct pf_moments *before, const struct pf_moments *after, double level,
                   double *low, double *high)
{
    struct spread spreads[2];
    size_t count = spreads_of(before, after, spreads);
    bool bounded = true;

    *low = count > 0 ? HUGE_VAL : 1;
    *high = count > 0 ? -HUGE_VAL : 1;
    for (size_t k = 0; k < count; k++) {
        struct pf_estimate sides[2] = {{before->mean + before->rest, spreads[k].variance[0]},
                                       {after->mean + after->rest, spreads[k].variance[1]}};
        double t = pf_student_quantile(level, spreads[k].freedom), ends[2];

        bounded = pf_ratio_interval(&sides[0], &sides[1], t, &ends[0], &ends[1]) && bounded;
        *low = fmin(*low, ends[0]);
        *high = fmax(*high, ends[1]);
    }
    return bounded;
}

/* --- samples of one run a side ---------------------------------------------------------------- */

/* p of the binomial distribution with before + after trials and probability `chance` (`against` is
 * 1 - chance): twice the smaller of P(at most `after`) and P(at least `after`), at most 1. The
 * tails are incomplete beta functions (DLMF 8.17.5). */
static double binomial_p(double before, double after, double chance, double against)
{
    bool more = after * against > before * chance;
    double tail = 1;

    /* both tails include `after` itself: if one is less than a half, the other is more */
    for (int side = 0; side < 2 && tail >= 0.5; side++, more = !more)
        if (more && after > 0)
            tail = fmin(tail, pf_beta_tail(after, before + 1, chance, against));
        else if (!more && before > 0)
            tail = fmin(tail, pf_beta_tail(before, after + 1, against, chance));
    return fmin(1, 2 * tail);
}

void pf_test_counts(struct pf_test *test, const struct pf_counts *counts, bool shares)
{
    double before = (double)counts->before, after = (double)counts->after, count = before + after;
    double scale[2] = {1, 1}, chance = 0.5, against = 0.5, square, middle, reach, low, high;

    *test = (struct pf_test){.p = PF_NO_TEST};
    if (shares && (counts->total_before <= 0 || counts->total_after <= 0))
        return;
    if (shares) {
        double total = counts->total_before + counts->total_after;
        chance = counts->total_after / total;
        against = counts->total_before / total;
        scale[0] = counts->total_before;
        scale[1] = counts->total_after;
    }
    test->difference = shares ? after / scale[1] - before / scale[0]
                              : (double)(counts->after - counts->before);
    test->low = test->high = test->difference;
    if (count <= 0)
        return;
    test->tested = true;
    test->p = binomial_p(before, after, chance, against);
    /* square of the 0.975 quantile of the normal distribution */
    square = 1.959963984540054 * 1.959963984540054;
    middle = (after + square / 2) / (count + square);
    reach = sqrt(square * (before * (after / count) + square / 4)) / (count + square);
    low = middle - reach;
    high = middle + reach;
    /* if a side has no samples, an end of the interval equals the difference; rounding must not
     * move it */
    test->low = fmin(test->difference, count * (low / scale[1] - (1 - low) / scale[0]));
    test->high = fmax(test->difference, count * (high / scale[1] - (1 - high) / scale[0]));
}

static void test_worths(struct pf_test *test, const struct pf_weighed *row, double worth_before,
                        double worth_after)
{
    struct pf_counts counts = row->counts;

    counts.total_before /= worth_before;
    counts.total_after /= worth_after;
    pf_test_counts(test, &counts, true);
}

void pf_test_amounts(struct pf_test *test, const struct pf_weighed *row)
{
    double before = (double)row->counts.before, after = (double)row->counts.after, average, own[2];
    struct pf_test other;

    *test = (struct pf_test){.p = PF_NO_TEST};
    if ((before > 0) != (row->before > 0) || (after > 0) != (row->after > 0) || before + after <= 0)
        return;
    if (row->known) {
        test_worths(test, row, row->worth_before, row->worth_after);
        return;
    }
    average = (row->before + row->after) / (before + after);
    own[0] = before > 0 ? row->before / before : average;
    own[1] = after > 0 ? row->after / after : average;
    test_worths(&other, row, average, average);
    test_worths(test, row, own[0], own[1]);
    test->p = test->difference * other.difference < 0 ? 1 : fmax(test->p, other.p);
    test->low = fmin(test->low, other.low);
    test->high = fmax(test->high, other.high);
}

/* --- many tests ------------------------------------------------------------------------------- */

struct ordered {
    double p;
    size_t index;
};

static int compare_ordered(const void *arg, const void *a, const void *b)
{
    double x = ((const struct ordered *)a)->p, y = ((const struct ordered *)b)->p;

    (void)arg;
    return (x > y) - (x < y);
}

int pf_rates_of(double *p, size_t count)
{
    struct ordered *rows = malloc((count + 1) * sizeof *rows);
    size_t tests = 0;
    double rate = 1;

    if (!rows)
        return PF_NOMEM;
    for (size_t k = 0; k < count; k++)
        if (p[k] >= 0 && p[k] <= 1)
            rows[tests++] = (struct ordered){p[k], k};
    if (pf_sort(rows, tests, sizeof *rows, compare_ordered, NULL) != PF_OK) {
        free(rows);
        return PF_NOMEM;
    }
    for (size_t k = 0; k < count; k++)
        if (!(p[k] >= 0 && p[k] <= 1))
            p[k] = PF_NO_TEST;
    for (size_t k = tests; k-- > 0;) {
        rate = fmin(rate, rows[k].p * (double)tests / (double)(k + 1));
        p[rows[k].index] = rate;
    }
    free(rows);
    return PF_OK;
}

/* --- many sets -------------------------------------------------------------------------------- */

void pf_summary_of(struct pf_summary *summary, const int64_t *values, size_t count)
{
    struct pf_moments moments;

    pf_moments_of(&moments, values, count);
    *summary = (struct pf_summary){.count = count, .least = values[0], .greatest = values[0]};
    for (size_t k = 0; k < count; k++) {
        summary->sum += values[k];
        summary->least = values[k] < summary->least ? values[k] : summary->least;
        summary->greatest = values[k] > summary->greatest ? values[k] : summary->greatest;
    }
    summary->range = (uint64_t)summary->greatest - (uint64_t)summary->least;
    summary->mean = moments.mean + moments.rest;
    summary->sd = sqrt(moments.variance);
    if (summary->sum != 0)
        summary->normalised = 100.0 * (double)summary->range / (double)summary->sum;
}

static int compare_values(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void pf_middle_of(struct pf_middle *middle, int64_t *values, size_t count)
{
    const size_t low = (count - 1) / 2, high = count / 2;
    size_t left = high, right = high; /* the values left..right - 1 are the nearest ones */
    pf_int128 twice, distances = 0;   /* twice the median; the sum of the two middle distances */

    qsort(values, count, sizeof *values, compare_values);
    twice = (pf_int128)values[low] + values[high];
    for (size_t k = 0; k <= high; k++) {
        pf_int128 below = left > 0 ? twice - 2 * (pf_int128)values[left - 1] : 0,
                  above = right < count ? 2 * (pf_int128)values[right] - twice : 0;
        bool down = right == count || (left > 0 && below < above);
        pf_int128 distance = down ? below : above; /* twice the distance */

        left -= down;
        right += !down;
        distances += (k == low ? distance : 0) + (k == high ? distance : 0);
    }
    middle->median = (double)twice / 2;
    middle->deviation = 1.4826 * (double)distances / 4;
}
