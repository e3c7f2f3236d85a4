/* Tests of analysis/diff/statistics.h and special.h: compared with published tables, arithmetic by
 * hand, and the results of a second implementation in tests/reference/statistics.txt. */
#include "analysis/diff/special.h"
#include "analysis/diff/statistics.h"

#include "tap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 64, MANY = 1000000 };

static bool near(double got, double expected, double tolerance)
{
    return got == expected || fabs(got - expected) <= tolerance * fabs(expected);
}

/* True if `got` is the printed number, which is rounded to `digits` decimals. */
static bool printed(double got, double expected, int digits)
{
    return fabs(got - expected) <= 0.5000001 * pow(10, -digits);
}

/* --- published -------------------------------------------------------------------------------- */

/* Abramowitz and Stegun, table 26.10: the t whose magnitude is exceeded with probability 1 - A. */
static void test_student_table(void)
{
    static const struct {
        double freedom, p, t;
    } cases[] = {
        {1, 0.5, 1.000},   {1, 0.1, 6.314},    {1, 0.05, 12.706},  {1, 0.01, 63.657},
        {2, 0.05, 4.303},  {2, 0.01, 9.925},   {3, 0.05, 3.182},   {4, 0.05, 2.776},
        {4, 0.01, 4.604},  {5, 0.05, 2.571},   {8, 0.05, 2.306},   {8, 0.01, 3.355},
        {10, 0.05, 2.228}, {15, 0.1, 1.753},   {20, 0.05, 2.086},  {30, 0.05, 2.042},
        {60, 0.05, 2.000}, {120, 0.05, 1.980}, {120, 0.01, 2.617},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        tap_ok(printed(pf_student_quantile(cases[k].p, cases[k].freedom), cases[k].t, 3),
               "t with %g degrees of freedom exceeds %.3f with probability %g", cases[k].freedom,
               cases[k].t, cases[k].p);
}

/* P(F <= f) = I(m / 2, n / 2) at m f / (m f + n), with the points of 5 % and 1 % in Abramowitz and
 * Stegun, table 26.9. */
static void test_f_table(void)
{
    static const struct {
        double m, n, p, f;
    } cases[] = {{2, 10, 0.05, 4.10}, {5, 5, 0.05, 5.05},  {10, 20, 0.05, 2.35},
                 {4, 30, 0.05, 2.69}, {3, 12, 0.01, 5.95}, {8, 15, 0.01, 4.00}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double edge[2];
        for (int end = 0; end < 2; end++) {
            double f = cases[k].f + (end == 0 ? 0.005 : -0.005), both = cases[k].m * f + cases[k].n;
            edge[end] = pf_beta_tail(cases[k].n / 2, cases[k].m / 2, cases[k].n / both,
                                     cases[k].m * f / both);
        }
        tap_ok(edge[0] <= cases[k].p && cases[k].p <= edge[1],
               "F with %g and %g degrees of freedom exceeds %.2f with probability %g", cases[k].m,
               cases[k].n, cases[k].f, cases[k].p);
    }
}

/* Closed forms: one degree of freedom is Cauchy's distribution; two have 1 - t / sqrt(2 + t^2). */
static void test_closed_forms(void)
{
    tap_ok(near(pf_student_tail(1, 1), 0.5, 1e-15),
           "Cauchy's distribution has half of itself outside of -1 to 1");
    tap_ok(near(pf_student_tail(1e100, 1), 2e-100 / acos(-1), 1e-13),
           "the tail of Cauchy's distribution is 2 / (pi t) for large t");
    tap_ok(near(pf_student_tail(1e140, 2), 1e-280, 1e-13),
           "the tail of two degrees of freedom is 1 / t^2 for large t");
    tap_ok(near(pf_beta_tail(7, 1, 0.25, 0.75), 0x1p-14, 1e-14) &&
               near(pf_beta_tail(1, 7, 0.25, 0.75), 1 - 0.1334838867187500, 1e-14),
           "an incomplete beta with a parameter of 1 is a power");
    tap_ok(near(pf_beta_tail(5000, 5000, 0.5, 0.5), 0.5, 1e-14) &&
               near(pf_beta_tail(0x1p62, 0x1p62, 0.5, 0.5), 0.5, 1e-13),
           "a symmetric incomplete beta is 0.5 at 0.5");
    tap_ok(pf_beta_tail(3, 4, 0, 1) == 0 && pf_beta_tail(3, 4, 1, 0) == 1,
           "an incomplete beta is 0 and 1 at its ends");
    tap_ok(pf_student_tail(0, 5) == 1, "the probability of |t| of at least 0 is 1");
}

/* Student's sleep data (Biometrika 6, 1908), in tenths of hours; the expected numbers are those of
 * R's manual page of t.test. */
static void test_sleep(void)
{
    static const int64_t first[] = {7, -16, -2, -12, -1, 34, 37, 8, 0, 20},
                         second[] = {19, 8, 11, 1, -1, 44, 55, 16, 46, 34};
    struct pf_moments sides[2];
    struct pf_test test;

    pf_moments_of(&sides[0], first, 10);
    pf_moments_of(&sides[1], second, 10);
    pf_test_welch(&test, &sides[0], &sides[1]);
    tap_ok(printed(test.freedom, 17.776, 3) && printed(test.p, 0.07939, 5),
           "Student's sleep data give R's degrees of freedom and p");
    tap_ok(printed(test.low / 10, -0.2054832, 7) && printed(test.high / 10, 3.3654832, 7),
           "and its interval");
}

/* Intervals of ratios that others published. `variance` is that of a mean. The first three: 14 and
 * 7 with standard deviations of 3 and 2 of 6 values each, by GraphPad's calculator (errorProp2), in
 * the README of github.com/DCPROGS/DCSTATS; the fourth is that README's own, with variances of 9
 * and 4. The last: R's rnorm(5, 1, 1) and rnorm(5, 2, 1) after set.seed(12345), by t.test.ratio of
 * the package mratios (mikuhatsune.hatenadiary.com, 12 December 2012), with its degrees of freedom.
 */
static void test_fieller_published(void)
{
    static const struct {
        struct pf_estimate before, after;
        double level, freedom, low, high;
        int digits;
    } cases[] = {
        {{7, 4.0 / 6}, {14, 9.0 / 6}, 0.10, 10, 1.54, 2.64, 2},
        {{7, 4.0 / 6}, {14, 9.0 / 6}, 0.05, 10, 1.46, 2.83, 2},
        {{7, 4.0 / 6}, {14, 9.0 / 6}, 0.01, 10, 1.27, 3.36, 2},
        {{7, 4}, {14, 9}, 0.10, 10, 1.051413, 4.414296, 6},
        {{1.46649534634439, 0.164051468574859},
         {1.26761636060999, 0.0536399977139745},
         0.05,
         6.93823872383847,
         0.4056763,
         2.6170008,
         7},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double t = pf_student_quantile(cases[k].level, cases[k].freedom), low, high;
        bool bounded = pf_ratio_interval(&cases[k].before, &cases[k].after, t, &low, &high);

        tap_ok(bounded && printed(low, cases[k].low, cases[k].digits) &&
                   printed(high, cases[k].high, cases[k].digits),
               "the interval of the ratio is %g to %g", cases[k].low, cases[k].high);
    }
}

static uint64_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* A mean of -500 to 500 in steps of 1/8, and a variance of 0 to 1000. */
static struct pf_estimate random_estimate(uint64_t *state)
{
    double mean = ((double)(random_bits(state) % 8000) - 4000) / 8;

    return (struct pf_estimate){mean, (double)(random_bits(state) % 100000) / 100};
}

/* Fieller's definition, held against the ends themselves. */
static bool is_end(const struct pf_estimate *before, const struct pf_estimate *after, double t,
                   double r)
{
    double away = pow(after->mean - r * before->mean, 2),
           reach = t * t * (after->variance + r * r * before->variance),
           size = pow(after->mean, 2) + pow(r * before->mean, 2);

    return fabs(away - reach) <= 1e-11 * (size + reach);
}

static void test_fieller_laws(void)
{
    uint64_t state = 4;
    size_t bounded = 0, both = 0, wrong = 0;

    for (size_t k = 0; k < 100000; k++) {
        struct pf_estimate before = random_estimate(&state), after = random_estimate(&state);
        double t = 0.5 + (double)(random_bits(&state) % 1000) / 100, ends[2], mirror[2];
        bool has = pf_ratio_interval(&before, &after, t, &ends[0], &ends[1]),
             has_mirror = pf_ratio_interval(&after, &before, t, &mirror[0], &mirror[1]);

        bounded += has;
        both += has && has_mirror;
        wrong += has != (before.mean * before.mean > t * t * before.variance);
        wrong += has &&
                 !(is_end(&before, &after, t, ends[0]) && is_end(&before, &after, t, ends[1]) &&
                   ends[0] <= after.mean / before.mean && after.mean / before.mean <= ends[1]);
        wrong += has && has_mirror &&
                 !(near(mirror[0], 1 / ends[1], 1e-12) && near(mirror[1], 1 / ends[0], 1e-12));
        wrong += has && !has_mirror && !(ends[0] <= 0 && ends[1] >= 0);
        wrong += !has && !(ends[0] == -HUGE_VAL && ends[1] == HUGE_VAL);
    }
    tap_ok(both > 10000 && bounded > both && bounded < 90000 && wrong == 0,
           "%zu of 100000 ratios have intervals by Fieller's definition, %zu mirrored ones",
           bounded, both);
}

/* A bounded interval of a t test holds 1 if and only if the test is not significant. */
static void test_fieller_and_p(void)
{
    uint64_t state = 5;
    size_t bounded = 0, significant = 0, wrong = 0;

    for (size_t k = 0; k < 20000; k++) {
        struct pf_moments sides[2];
        struct pf_test test;
        double level = k % 2 ? 0.05 : 0.001, low, high;

        for (int side = 0; side < 2; side++) {
            struct pf_estimate estimate = random_estimate(&state);

            sides[side] = (struct pf_moments){.runs = 2 + random_bits(&state) % 4,
                                              .mean = fabs(estimate.mean) + 1,
                                              .variance = estimate.variance + 0.01};
        }
        pf_test_welch(&test, &sides[0], &sides[1]);
        if (!pf_test_ratio(&sides[0], &sides[1], level, &low, &high))
            continue;
        bounded++;
        significant += test.p < level;
        wrong += (test.p < level) != (low > 1 || high < 1);
    }
    tap_ok(significant > 2000 && bounded > significant + 2000 && wrong == 0,
           "of %zu intervals of ratios %zu leave out 1: those of significant tests", bounded,
           significant);
}

/* Benjamini and Hochberg's example: 15 tests, of which 4 are significant at 0.05. */
static void test_rates_paper(void)
{
    static const double given[] = {0.0344, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0001,
                                   0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
    double q[sizeof given / sizeof *given];
    bool same = true;

    memcpy(q, given, sizeof q);
    tap_int(pf_rates_of(q, sizeof q / sizeof *q), PF_OK,
            "false discovery rates are computed in place");
    for (size_t k = 0; k < sizeof q / sizeof *q; k++)
        same = same && (q[k] <= 0.05) == (given[k] <= 0.0095);
    tap_ok(same, "the four smallest p of the paper's example have a rate of at most 0.05");
    tap_ok(near(q[3], 0.0095 * 15 / 4, 1e-15) && q[14] == 1,
           "the rate of the fourth p is 15/4 of p, the last rate is 1");
}

/* --- the second implementation ---------------------------------------------------------------- */

static double next(char **at)
{
    return strtod(*at, at);
}

static int64_t whole(char **at)
{
    return strtoll(*at, at, 10);
}

static bool agree(double got, double expected, double tolerance, const char *what)
{
    if (near(got, expected, tolerance))
        return true;
    printf("# %s: expected %.17g, got %.17g\n", what, expected, got);
    return false;
}

static bool check_beta(char *at)
{
    double a = next(&at), b = next(&at), x = next(&at);

    return agree(pf_beta_tail(a, b, x, 1 - x), next(&at), 2e-13, "I");
}

static bool check_student(char *at)
{
    double t = next(&at), freedom = next(&at);

    return agree(pf_student_tail(t, freedom), next(&at), 2e-13, "p");
}

static bool check_quantile(char *at)
{
    double p = next(&at), freedom = next(&at);

    return agree(pf_student_quantile(p, freedom), next(&at), 1e-13, "t");
}

/* Compares a test with a line of results. The ends of the interval are differences, so their
 * tolerance is relative to its width. */
static bool check_test(const struct pf_test *test, char **at)
{
    double difference = next(at), low = next(at), high = next(at), width = 1e-12 * (high - low);
    bool good = agree(test->difference, difference, 1e-12, "difference");

    if (fabs(test->low - low) > width || fabs(test->high - high) > width) {
        printf("# interval: expected %.17g %.17g, got %.17g %.17g\n", low, high, test->low,
               test->high);
        good = false;
    }
    return good && test->tested;
}

static bool check_counts(char *at)
{
    struct pf_counts counts;
    struct pf_test test;
    bool shares;

    counts.before = whole(&at);
    counts.after = whole(&at);
    counts.total_before = (double)whole(&at);
    counts.total_after = (double)whole(&at);
    shares = whole(&at) != 0;
    pf_test_counts(&test, &counts, shares);
    return check_test(&test, &at) && agree(test.p, next(&at), 2e-12, "p");
}

static bool check_welch(char *at)
{
    int64_t values[2][MOST];
    struct pf_moments sides[2];
    struct pf_test test;
    size_t sizes[2] = {(size_t)whole(&at)};

    sizes[1] = (size_t)whole(&at);
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < sizes[side]; k++)
            values[side][k] = whole(&at);
        pf_moments_of(&sides[side], values[side], sizes[side]);
    }
    sides[0].floor = next(&at);
    sides[1].floor = next(&at);
    pf_test_welch(&test, &sides[0], &sides[1]);
    return check_test(&test, &at) && agree(test.freedom, next(&at), 1e-12, "degrees of freedom") &&
           agree(test.p, next(&at), 1e-12, "p");
}

static bool check_shares(char *at)
{
    double shares[MOST];
    struct pf_moments sides[2];
    struct pf_test test;
    size_t size = (size_t)whole(&at);

    for (size_t k = 0; k < 2 * size; k++)
        shares[k] = (double)whole(&at);
    for (size_t k = 0; k < 2 * size; k++)
        shares[k] /= (double)whole(&at);
    for (size_t side = 0; side < 2; side++)
        pf_moments_of_reals(&sides[side], shares + side * size, size);
    pf_test_welch(&test, &sides[0], &sides[1]);
    return check_test(&test, &at) && agree(test.freedom, next(&at), 1e-12, "degrees of freedom") &&
           agree(test.p, next(&at), 1e-12, "p");
}

static bool check_rates(char *at)
{
    double q[MOST];
    size_t count = (size_t)whole(&at);
    bool good = true;

    for (size_t k = 0; k < count; k++)
        q[k] = next(&at);
    good = pf_rates_of(q, count) == PF_OK;
    for (size_t k = 0; k < count; k++)
        good = agree(q[k], next(&at), 1e-15, "q") && good;
    return good;
}

static bool check_summary(char *at)
{
    int64_t values[MOST];
    struct pf_summary summary;
    char sum[PF_INT128_TEXT];
    size_t count = (size_t)whole(&at), length;
    bool good;

    for (size_t k = 0; k < count; k++)
        values[k] = whole(&at);
    pf_summary_of(&summary, values, count);
    length = pf_print_int128(summary.sum, sum);
    at += strspn(at, " ");
    good = strncmp(at, sum, length) == 0 && at[length] == ' ' && summary.count == count;
    at += strcspn(at, " ");
    good = agree(summary.mean, next(&at), DBL_EPSILON, "mean") && good;
    good = agree(summary.sd, next(&at), 1e-14, "sd") && good;
    good = summary.least == whole(&at) && good;
    good = summary.greatest == whole(&at) && good;
    good = summary.range == strtoull(at, &at, 10) && good;
    return agree(summary.normalised, next(&at), 1e-15, "normalised range") && good;
}

static bool check_middle(char *at)
{
    int64_t values[MOST];
    struct pf_middle middle;
    size_t count = (size_t)whole(&at);
    bool good;

    for (size_t k = 0; k < count; k++)
        values[k] = whole(&at);
    pf_middle_of(&middle, values, count);
    good = agree(middle.median, next(&at), DBL_EPSILON, "median");
    return agree(middle.deviation, next(&at), 1e-15, "deviation") && good;
}

static void test_reference(void)
{
    static const struct {
        const char *name, *about;
        bool (*check)(char *at);
    } kinds[] = {
        {"beta", "incomplete betas", check_beta},
        {"student", "tails of t", check_student},
        {"quantile", "quantiles of t", check_quantile},
        {"counts", "tests of two counts", check_counts},
        {"welch", "tests of runs", check_welch},
        {"shares", "tests of shares", check_shares},
        {"rates", "lists of rates", check_rates},
        {"summary", "summaries", check_summary},
        {"middle", "middles", check_middle},
    };
    int seen[sizeof kinds / sizeof *kinds] = {0}, wrong[sizeof kinds / sizeof *kinds] = {0};
    const char *source = getenv("PROFUTILS_SRC");
    char path[4096], *line = NULL;
    size_t size = 0;
    FILE *table;

    snprintf(path, sizeof path, "%s/tests/reference/statistics.txt", source ? source : ".");
    table = fopen(path, "r");
    if (!tap_ok(table, "the table of the second implementation is found in PROFUTILS_SRC"))
        return;
    while (getline(&line, &size, table) > 0)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            size_t length = strlen(kinds[k].name);
            if (strncmp(line, kinds[k].name, length) != 0 || line[length] != ' ')
                continue;
            seen[k]++;
            if (!kinds[k].check(line + length)) {
                wrong[k]++;
                printf("# %s", line);
            }
        }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        tap_ok(seen[k] > 0 && wrong[k] == 0, "%d %s are those of the second implementation",
               seen[k], kinds[k].about);
    free(line);
    fclose(table);
}

/* --- edges ------------------------------------------------------------------------------------ */

static bool is_sound(const struct pf_test *test)
{
    bool numbers = isfinite(test->difference) && isfinite(test->low) && isfinite(test->high) &&
                   isfinite(test->freedom);

    return numbers && test->low <= test->difference && test->difference <= test->high &&
           (test->tested ? test->p >= 0 && test->p <= 1 : test->p == PF_NO_TEST);
}

static void test_no_spread(void)
{
    static const int64_t same[] = {41, 41}, other[] = {42, 42};
    struct pf_moments sides[2];
    struct pf_test test;

    pf_moments_of(&sides[0], same, 2);
    pf_moments_of(&sides[1], same, 2);
    pf_test_welch(&test, &sides[0], &sides[1]);
    tap_ok(test.tested && test.p == 1 && test.low == 0 && test.high == 0,
           "equal runs have the difference 0 and p 1");
    pf_moments_of(&sides[1], other, 2);
    pf_test_welch(&test, &sides[0], &sides[1]);
    tap_ok(!test.tested && test.p == PF_NO_TEST && test.difference == 1,
           "runs without any spread are not tested");
    sides[0].floor = sides[1].floor = 1.0 / 12;
    pf_test_welch(&test, &sides[0], &sides[1]);
    /* t = 1 / sqrt(1/12), two degrees of freedom: p = 1 - t / sqrt(2 + t^2) */
    tap_ok(test.tested && near(test.p, 1 - sqrt(12.0 / 14), 1e-13),
           "runs without spread are tested if their variance has a floor");
    pf_moments_of(&sides[1], other, 1);
    pf_test_welch(&test, &sides[0], &sides[1]);
    tap_ok(!test.tested && test.p == PF_NO_TEST && test.difference == 1,
           "one run on each side is not tested");
}

/* R: t.test(a, 1.05 * b, alternative = "greater"), with var.equal = TRUE the greater p. */
static void test_above(void)
{
    static const int64_t before[] = {1000, 1001}, after[] = {1040, 1075, 1090, 1110, 1130, 1150},
                         more[] = {1100, 1135, 1150, 1170, 1190, 1210};
    struct pf_moments sides[2];

    pf_moments_of(&sides[0], before, 2);
    pf_moments_of(&sides[1], after, 6);
    tap_ok(near(pf_test_above(&sides[0], &sides[1], 1.05, 0), 0.07501634, 1e-7),
           "a rise by over 5 %% with unequal numbers of runs has the greater of two p");
    pf_moments_of(&sides[1], more, 6);
    tap_ok(near(pf_test_above(&sides[0], &sides[1], 1.05, 0), 0.005132768, 1e-7) &&
               pf_test_above(&sides[0], &sides[1], 1, 1e9) > 0.999,
           "a greater rise has a smaller p, and a huge bound p near 1");
    pf_moments_of(&sides[0], before, 1);
    pf_moments_of(&sides[1], more, 1);
    tap_ok(pf_test_above(&sides[0], &sides[1], 1.05, 0) == 0 &&
               pf_test_above(&sides[0], &sides[1], 1.1, 0) == 1,
           "without any spread p is 0 or 1");
}

static void test_extremes(void)
{
    static const int64_t ends[] = {INT64_MIN,        INT64_MIN + 1, -1,       0, 1,
                                   (int64_t)1 << 62, INT64_MAX - 1, INT64_MAX};
    enum { ENDS = sizeof ends / sizeof *ends };
    bool sound = true;

    for (int a = 0; a < ENDS; a++)
        for (int b = 0; b < ENDS; b++)
            for (int c = 0; c < ENDS; c++)
                for (int d = 0; d < ENDS; d++) {
                    int64_t values[2][3] = {{ends[a], ends[b]}, {ends[c], ends[d], ends[d]}};
                    double reals[3] = {(double)ends[d], (double)ends[a], (double)ends[c]};
                    struct pf_moments sides[2], others[2];
                    struct pf_test test;
                    pf_moments_of(&sides[0], values[0], 2);
                    pf_moments_of(&sides[1], values[1], (size_t)(2 + a % 2));
                    pf_test_welch(&test, &sides[0], &sides[1]);
                    sound = sound && is_sound(&test);
                    pf_moments_of_reals(&others[0], reals, 2);
                    pf_moments_of_reals(&others[1], reals, 3);
                    others[0].floor = a;
                    others[1].floor = b;
                    pf_test_welch(&test, &others[0], &others[1]);
                    sound = sound && is_sound(&test);
                }
    tap_ok(sound, "runs at the ends of 64 bits give no NaN, no infinity, and an interval around "
                  "the difference");
    sound = true;
    for (int a = 3; a < ENDS; a++)
        for (int b = 3; b < ENDS; b++)
            for (int c = 3; c < ENDS; c++)
                for (int d = 3; d < ENDS; d++) {
                    struct pf_counts counts = {ends[a], ends[b], (double)ends[c], (double)ends[d]};
                    struct pf_test test;
                    pf_test_counts(&test, &counts, (a + b) % 2 == 0);
                    sound = sound && is_sound(&test);
                    pf_test_counts(&test, &counts, (a + b) % 2 != 0);
                    sound = sound && is_sound(&test);
                }
    tap_ok(sound, "so do counts");
}

static void test_counts_edges(void)
{
    struct pf_test test;

    pf_test_counts(&test, &(struct pf_counts){0, 0, 5, 7}, true);
    tap_ok(!test.tested && test.p == PF_NO_TEST, "a row without samples is not tested");
    pf_test_counts(&test, &(struct pf_counts){0, 3, 0, 7}, true);
    tap_ok(!test.tested && test.p == PF_NO_TEST, "shares of an empty total are not tested");
    pf_test_counts(&test, &(struct pf_counts){30, 10, 3000, 1000}, true);
    tap_ok(test.p == 1 && test.difference == 0, "equal shares have the difference 0 and p 1");
    pf_test_counts(&test, &(struct pf_counts){0, 1000, 0, 0}, false);
    tap_ok(near(test.p, 0x1p-999, 1e-12),
           "0 samples before and 1000 after have the p of 1000 equal tosses of a coin");
    /* the values are two standard deviations apart: the two-sided tail of the normal distribution
     * at 2 */
    pf_test_counts(&test,
                   &(struct pf_counts){((int64_t)1 << 61) - ((int64_t)1 << 31),
                                       ((int64_t)1 << 61) + ((int64_t)1 << 31), 0, 0},
                   false);
    tap_ok(near(test.p, 0.04550026389635842, 1e-6),
           "counts of 2^61 are compared as exactly as doubles can");
}

/* At most 99 of 1099 samples, where one in 11 is expected after; the binomial sums are from
 * Python's fractions. */
static void test_amounts(void)
{
    struct pf_weighed row = {{1000, 99, 1, 1}, 1000, 990, true, 1, 10};
    struct pf_test test, counts;

    pf_test_amounts(&test, &row);
    tap_ok(near(test.p, 0.9771733956639392, 1e-12),
           "a sample that stands for ten times the amount is ten times as rare");
    tap_ok(near(test.difference, -10, 1e-12) && test.low < -10 && test.high > 0,
           "the interval is in amounts and contains the difference");
    row = (struct pf_weighed){{100, 33, 1, 3}, 100, 330, true, 1, 10};
    pf_test_amounts(&test, &row);
    tap_ok(near(test.p, 0.6982022964516562, 1e-12) && near(test.difference, 10, 1e-12),
           "with three runs on a side the interval contains the difference too");
    row = (struct pf_weighed){{10, 10, 1, 1}, 10, 60, false, 0, 0};
    pf_test_amounts(&test, &row);
    tap_ok(test.p == 1 && test.low < 0 && test.high > 50,
           "the same number of samples with other weights is not tested");
    row = (struct pf_weighed){{100, 10, 1, 1}, 100, 900, false, 0, 0};
    pf_test_amounts(&test, &row);
    tap_ok(test.p == 1, "fewer samples with a greater amount are not tested");
    row = (struct pf_weighed){{100, 150, 1, 1}, 600, 900, false, 0, 0};
    pf_test_amounts(&test, &row);
    pf_test_counts(&counts, &row.counts, false);
    tap_ok(near(test.p, counts.p, 1e-12) && near(test.low, 6 * counts.low, 1e-12),
           "equal weights change nothing");
    row = (struct pf_weighed){{5, 5, 1, 1}, 0, 5, false, 0, 0};
    pf_test_amounts(&test, &row);
    tap_ok(!test.tested && test.p == PF_NO_TEST, "samples without an amount are not tested");
}

/* p = 1, 1/MANY, 2/MANY ... in another order: all q are 1. With p divided by 100, all q are
 * 0.01. */
static void test_many_rates(void)
{
    double *q = malloc(MANY * sizeof *q);
    bool good;

    if (!q) {
        tap_ok(false, "there is memory for %d rows", (int)MANY);
        return;
    }
    for (size_t k = 0; k < MANY; k++)
        q[k] = (double)(1 + k * 7919 % MANY) / MANY / 100;
    good = pf_rates_of(q, MANY) == PF_OK;
    for (size_t k = 0; k < MANY; k++)
        good = good && near(q[k], 0.01, 1e-14);
    tap_ok(good, "%d evenly spread p have the same rate", (int)MANY);
    for (size_t k = 0; k < MANY; k++)
        q[k] = k % 4 == 0 ? (double)NAN : k % 4 == 1 ? PF_NO_TEST : k % 4 == 2 ? 1e-9 : 1e-300;
    good = pf_rates_of(q, MANY) == PF_OK;
    for (size_t k = 0; k < MANY; k++)
        good = good &&
               (k % 4 < 2 ? q[k] == PF_NO_TEST : near(q[k], k % 4 == 2 ? 1e-9 : 2e-300, 1e-14));
    tap_ok(good, "rows without a test do not count, and equal p have equal q");
    tap_int(pf_rates_of(q, 0), PF_OK, "no rows have no rates");
    free(q);
}

int main(void)
{
    test_student_table();
    test_f_table();
    test_closed_forms();
    test_sleep();
    test_fieller_published();
    test_fieller_laws();
    test_fieller_and_p();
    test_rates_paper();
    test_reference();
    test_no_spread();
    test_above();
    test_extremes();
    test_counts_edges();
    test_amounts();
    test_many_rates();
    return tap_done();
}
