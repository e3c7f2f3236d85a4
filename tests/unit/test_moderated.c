/* Tests of analysis/diff/moderated.h and special.h: compared with published tables,
 * identities, and the results of a second implementation in tests/reference/moderated.txt. */
#include "analysis/diff/moderated.h"
#include "analysis/diff/special.h"
#include "analysis/diff/statistics.h"

#include "tap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_RUNS = 64, MOST_ROWS = 400 };

static const double euler = 0.57721566490153286061, pi = 3.14159265358979323846;

static bool near(double got, double expected, double tolerance)
{
    return got == expected || fabs(got - expected) <= tolerance * fabs(expected);
}

static bool agree(double got, double expected, double tolerance, const char *what)
{
    if (near(got, expected, tolerance))
        return true;
    printf("# %s: expected %.17g, got %.17g\n", what, expected, got);
    return false;
}

/* --- psi and its derivative ------------------------------------------------------------------- */

/* Abramowitz and Stegun, table 6.1. */
static void test_psi_table(void)
{
    static const struct {
        double x, psi, trigamma;
    } cases[] = {
        {1.00, -0.5772156649, 1.6449340668}, {1.25, -0.2274535334, 1.1973291545},
        {1.50, 0.0364899740, 0.9348022005},  {1.75, 0.2474724535, 0.7641018699},
        {2.00, 0.4227843351, 0.6449340668},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        tap_ok(fabs(pf_digamma(cases[k].x) - cases[k].psi) <= 0.51e-10 &&
                   fabs(pf_trigamma(cases[k].x) - cases[k].trigamma) <= 0.51e-10,
               "psi(%g) is %.10f, its derivative %.10f", cases[k].x, cases[k].psi,
               cases[k].trigamma);
}

/* DLMF 5.4.12 to 5.4.18 and 5.15.1; Catalan's constant. */
static void test_psi_values(void)
{
    static const double catalan = 0.91596559417721901505;
    double sum = 0, squares = 0;
    bool good = true;

    tap_ok(near(pf_digamma(0.5), -euler - 2 * log(2), 1e-15) &&
               near(pf_digamma(0.25), -euler - pi / 2 - 3 * log(2), 1e-15),
           "psi of a half and of a quarter are known");
    tap_ok(near(pf_trigamma(0.5), pi * pi / 2, 1e-15) &&
               near(pf_trigamma(0.25), pi * pi + 8 * catalan, 1e-15) &&
               near(pf_trigamma(0.75), pi * pi - 8 * catalan, 1e-14),
           "so are the derivatives");
    for (int n = 1; n <= 100; n++) {
        good = good && fabs(pf_digamma(n) - (sum - euler)) <= 4e-15 * fmax(1, fabs(sum - euler)) &&
               near(pf_trigamma(n), pi * pi / 6 - squares, 1e-13);
        sum += 1.0 / n;
        squares += 1.0 / n / n;
    }
    tap_ok(good, "psi(n) is the harmonic number of n - 1 less Euler's constant, and its derivative "
                 "has the sum of 1/k^2");
}

static void test_psi_identities(void)
{
    bool twice = true, mirror = true, next = true;

    for (double x = 0.01; x < 60; x *= 1.07) {
        double both = (pf_digamma(x) + pf_digamma(x + 0.5)) / 2 + log(2);
        twice = twice && fabs(pf_digamma(2 * x) - both) <= 4e-15 * fmax(1, fabs(pf_digamma(x)));
        next = next && near(pf_trigamma(x) - 1 / x / x, pf_trigamma(x + 1),
                            1e-15 * pf_trigamma(x) / pf_trigamma(x + 1));
    }
    for (double x = 0.01; x < 0.505; x += 0.01) {
        double sine = sin(pi * x);
        mirror = mirror &&
                 near(pf_trigamma(x) + pf_trigamma(1 - x), pi * pi / (sine * sine), 1e-14);
    }
    tap_ok(twice, "psi keeps the duplication formula");
    tap_ok(mirror, "its derivative keeps the reflection formula");
    tap_ok(next, "its derivative keeps the recurrence");
}

static void test_inverse(void)
{
    bool good = true;

    for (double value = 1e-100; value <= 1e100; value *= 1.9)
        good = good && near(pf_trigamma(pf_trigamma_inverse(value)), value, 4e-15);
    tap_ok(good, "the inverse of psi' is one, from 1e-100 to 1e100");
    tap_ok(near(pf_trigamma_inverse(pi * pi / 6), 1, 1e-15) &&
               near(pf_trigamma_inverse(pi * pi / 2), 0.5, 1e-15),
           "it knows the values at 1 and a half");
}

/* --- the second implementation ---------------------------------------------------------------- */

static double next(char **at)
{
    return strtod(*at, at);
}

/* The rows of a table and their expected results. */
struct table {
    struct pf_moderated all;
    struct pf_moderated_row rows[MOST_ROWS];
    double expected[MOST_ROWS][5]; /* p, ratio, low, high, prior; p is PF_NO_TEST if not tested */
    size_t count, before, after;
    double prior, freedom;
    bool unbounded;
    double furthest; /* greatest relative error of all tables */
};

static void start_table(struct table *table, char *at)
{
    table->count = 0;
    table->before = (size_t)next(&at);
    table->after = (size_t)next(&at);
    next(&at);
    at += strspn(at, " ");
    table->unbounded = *at == '-';
    at += table->unbounded;
    table->prior = table->unbounded ? 0 : next(&at);
    table->freedom = next(&at);
}

static void read_row(struct table *table, char *at)
{
    double amounts[MOST_RUNS], quantum = next(&at), *expected = table->expected[table->count];

    for (size_t k = 0; k < table->before + table->after; k++)
        amounts[k] = next(&at);
    at += strspn(at, " ");
    expected[0] = PF_NO_TEST;
    for (size_t k = 0; k < 5 && *at != '-'; k++)
        expected[k] = next(&at);
    pf_moderated_row_of(&table->rows[table->count++], amounts, table->before, table->after,
                        quantum);
}

static bool check_result(struct table *table, double got, double expected, const char *what)
{
    if (expected < 1e-300) /* below the results of pf_student_tail */
        return got < 1e-290;
    table->furthest = fmax(table->furthest, fabs(got / expected - 1));
    return agree(got, expected, 1e-11, what);
}

static bool check_table(struct table *table)
{
    bool good = pf_moderated_test(&table->all, table->rows, table->count, table->before,
                                  table->after) == PF_OK &&
                table->all.unbounded == table->unbounded;

    good = agree(table->all.prior, table->prior, 1e-11, "prior degrees of freedom") && good;
    good = agree(table->all.freedom, table->freedom, 1e-11, "degrees of freedom") && good;
    for (size_t k = 0; k < table->count; k++) {
        const struct pf_moderated_row *row = &table->rows[k];
        const double *expected = table->expected[k];
        good = row->tested == (expected[0] >= 0) && good;
        if (!row->tested || expected[0] < 0)
            continue;
        good = check_result(table, row->p, expected[0], "p") && good;
        good = check_result(table, row->ratio, expected[1], "ratio") && good;
        good = check_result(table, row->low, expected[2], "low") && good;
        good = check_result(table, row->high, expected[3], "high") && good;
        good = check_result(table, row->prior, expected[4], "prior") && good;
    }
    return good;
}

static bool check_psi(const char *name, char *at)
{
    double x = next(&at), expected = next(&at);

    if (strcmp(name, "digamma") == 0)
        return fabs(pf_digamma(x) - expected) <= 1e-13 * fmax(1, fabs(expected));
    return agree(strcmp(name, "inverse") == 0 ? pf_trigamma_inverse(x) : pf_trigamma(x), expected,
                 1e-13, name);
}

static bool check_power(char *at)
{
    struct pf_moderated table = {.prior = next(&at), .rows = 1000000};
    struct pf_power power = {.table = &table, .variance = 1};
    size_t runs = (size_t)next(&at) + 2, before = (runs + 1) / 2, after = runs / 2;
    double error = sqrt(1 / (double)before + 1 / (double)after), shift;

    table.rows = table.prior > 0 ? table.rows : 1;
    power.p = next(&at);
    shift = next(&at);
    return agree(pf_power_of(&power, before, after, shift * error), next(&at), 2e-6, "power");
}

struct seen {
    int psi, powers, tables, wrong;
};

static void check_line(struct table *table, char *line, struct seen *seen)
{
    char *at = strchr(line, ' ');

    if (!at)
        return;
    *at++ = '\0';
    if (strcmp(line, "row") == 0) {
        read_row(table, at);
        return;
    }
    if (strcmp(line, "table") == 0) {
        start_table(table, at);
        seen->tables++;
    } else if (strcmp(line, "power") == 0) {
        seen->wrong += !check_power(at);
        seen->powers++;
    } else {
        seen->wrong += !check_psi(line, at);
        seen->psi++;
    }
}

static void test_reference(void)
{
    static struct table table;
    const char *source = getenv("PROFUTILS_SRC");
    char path[4096], *line = NULL;
    struct seen seen = {0};
    size_t size = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/reference/moderated.txt", source ? source : ".");
    file = fopen(path, "r");
    if (!tap_ok(file, "the table of the second implementation is found in PROFUTILS_SRC"))
        return;
    while (getline(&line, &size, file) > 0) {
        if (strncmp(line, "row", 3) != 0 && table.count > 0) {
            seen.wrong += !check_table(&table);
            table.count = 0;
        }
        check_line(&table, line, &seen);
    }
    tap_ok(seen.psi > 40 && seen.powers > 9 && seen.tables > 40 && seen.wrong == 0,
           "%d values of psi, %d of the power and %d tables are those of the second implementation",
           seen.psi, seen.powers, seen.tables);
    printf("# greatest relative error in the tables: %.1e\n", table.furthest);
    free(line);
    fclose(file);
}

/* --- one row ---------------------------------------------------------------------------------- */

/* With quantum 1 the logarithms are 1, 2, 3 and 3, 4, 5: variance 1, difference 2, t^2 = 6.
 * Student's distribution with 4 degrees of freedom has P(|T| > t) = 1 - s (1 + (1 - s^2) / 2), s^2
 * = t^2 / (4
 * + t^2) (Abramowitz and Stegun 26.7.4). */
static void test_alone(void)
{
    double amounts[] = {3.5, 7.5, 1.5, 31.5, 15.5, 7.5}, low, high;
    struct pf_moderated_row row;
    struct pf_moderated table;

    pf_moderated_row_of(&row, amounts, 3, 3, 1);
    tap_ok(row.tested && near(row.mean, 3, 1e-15) && near(row.difference, 2, 1e-15) &&
               near(row.variance, 1, 1e-15),
           "a row has the mean, difference and variance of its logarithms");
    tap_int(pf_moderated_test(&table, &row, 1, 3, 3), PF_OK, "one row is tested");
    tap_ok(table.rows == 1 && table.prior == 0 && !table.unbounded && table.freedom == 4 &&
               near(row.p, 1 - sqrt(0.6) * 1.2, 1e-14) && near(row.ratio, 4, 1e-15),
           "one row alone gets Student's t test");
    pf_moderated_interval(&row, pf_student_quantile(0.05, 4), &low, &high);
    /* Abramowitz and Stegun, table 26.10: 2.776 */
    tap_ok(low == row.low && high == row.high &&
               fabs(log2(high) - 2 - 2.776445 * sqrt(2.0 / 3)) < 1e-6 &&
               near(low * high, 16, 1e-14),
           "its interval is that of Student's t, also by pf_moderated_interval");
    pf_moderated_interval(&row, pf_student_quantile(0.001, 4), &low, &high);
    tap_ok(low < row.low && high > row.high && near(low * high, 16, 1e-14),
           "a higher level has a wider interval");
    tap_ok(near(pf_moderated_above(&table, &row, 1), row.p / 2, 1e-15) &&
               near(pf_moderated_above(&table, &row, 4), 0.5, 1e-14) &&
               near(pf_moderated_above(&table, &row, row.low), 0.025, 1e-13) &&
               near(pf_moderated_above(&table, &row, row.high), 0.975, 1e-13),
           "the one-sided p is p/2 at the bound 1, 0.5 at the ratio, 0.025 at the low end");
}

/* The quantum is 2, so 1 is added to each amount. */
static void test_agree(void)
{
    static const struct {
        double amounts[6], logarithms, means, agreed; /* powers of 2 to the three differences */
        const char *about;
    } cases[] = {
        /* logarithms 0, 0, 3 and 2, 2, 2; means 0, 0, 7 and 3, 3, 3, plus 1: 10/3 and 4 */
        {{0, 0, 7, 3, 3, 3}, 2, 1.2, 1.2, "the change of the means counts where it is smaller"},
        {{3, 3, 3, 0, 0, 7}, 0.5, 1 / 1.2, 1 / 1.2, "and mirrored where the sides are exchanged"},
        /* logarithms 1, 1, 1 and 1, 1, 4; means plus 1: 2 and 20/3 */
        {{1, 1, 1, 1, 1, 15}, 2, 10 / 3.0, 2, "the change of the logarithms counts if smaller"},
        /* logarithms 0, 0, 6 and 3, 3, 3; means plus 1: 22 and 8 */
        {{0, 0, 63, 7, 7, 7}, 2, 4 / 11.0, 1, "unlike changes of both are no change"},
        {{0, 0, 0, 3, 3, 3}, 4, 4, 4, "steady sides have one change"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pf_moderated_row row;
        double amounts[6];

        memcpy(amounts, cases[k].amounts, sizeof amounts);
        pf_moderated_row_of(&row, amounts, 3, 3, 2);
        bool good = near(exp2(row.difference), cases[k].logarithms, 1e-14) &&
                    near(exp2(row.of_means), cases[k].means, 1e-14);
        pf_moderated_agree(&row);
        tap_ok(good && near(exp2(row.difference), cases[k].agreed, 1e-14), "%s", cases[k].about);
    }
}

static void test_untested(void)
{
    double zeros[6] = {0}, steps[6] = {4, 4, 4, 5, 5, 5}, same[6] = {4, 4, 4, 4, 4, 4},
           two[2] = {1, 2};
    struct pf_moderated_row rows[3];
    struct pf_moderated table;

    pf_moderated_row_of(&rows[0], zeros, 3, 3, 1);
    pf_moderated_row_of(&rows[1], steps, 3, 3, 1);
    pf_moderated_row_of(&rows[2], same, 3, 3, 1);
    tap_int(pf_moderated_test(&table, rows, 1, 3, 3), PF_OK, "a table of zeros is accepted");
    tap_ok(table.rows == 0 && table.freedom == 0 && rows[0].p == PF_NO_TEST && rows[0].ratio == 1,
           "a row of zeros is not tested");
    tap_ok(pf_moderated_above(&table, &rows[0], 1.05) == PF_NO_TEST,
           "such a row has no one-sided p");
    pf_moderated_test(&table, rows, 3, 3, 3);
    tap_ok(table.rows == 1 && !rows[1].tested && rows[1].p == PF_NO_TEST &&
               near(rows[1].ratio, 5.5 / 4.5, 1e-15) && rows[1].low == rows[1].ratio,
           "two rows: a difference without any variance is not tested");
    tap_ok(rows[2].tested && rows[2].p == 1 && rows[2].t == 0 && rows[2].high == 1,
           "equal runs have p 1");
    pf_moderated_row_of(&rows[0], two, 1, 1, 1);
    tap_ok(!rows[0].tested, "two runs are not tested");
    tap_int(pf_moderated_test(&table, rows, 0, 3, 3), PF_OK, "no rows are accepted");
}

/* Three rows with constant sides: all variances are raised to 1e-5, which has no spread, so the
 * prior is unbounded: log variance log(1e-5) - psi(2) + log(2) (psi(2) = 1 - Euler's constant). */
static void test_constant(void)
{
    struct pf_moderated_row rows[3];
    struct pf_moderated table;
    bool good = true;

    for (int k = 0; k < 3; k++) {
        double amounts[6] = {10, 10, 10, 10 + k, 10 + k, 10 + k};
        pf_moderated_row_of(&rows[k], amounts, 3, 3, 1);
        good = good && rows[k].variance == 0;
    }
    tap_ok(good, "constant sides have no variance");
    pf_moderated_test(&table, rows, 3, 3, 3);
    tap_ok(table.unbounded && table.prior == 0 && table.freedom == 12 &&
               near(rows[1].moderated, 1e-5 * exp(euler - 1) * 2, 1e-13) && rows[1].p < 1e-6 &&
               rows[0].p == 1,
           "three rows without variance are tested with the variance 1e-5");
}

/* --- laws ------------------------------------------------------------------------------------- */

/* A linear congruential generator (Knuth, The Art of Computer Programming 2, 3.3.4). */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

enum { ROWS = 59, BEFORE = 5, AFTER = 7, RUNS = BEFORE + AFTER };

static void make_amounts(double amounts[ROWS][RUNS])
{
    uint64_t state = 1;

    for (int i = 0; i < ROWS; i++) {
        double level = exp(12 * draw(&state)), spread = draw(&state) * draw(&state);
        for (int k = 0; k < RUNS; k++)
            amounts[i][k] = i % 9 == 4 && k < BEFORE ? 0
                            : i % 7 == 2
                                ? level
                                : floor(level * (1 + spread * (draw(&state) - 0.5)) + i % 3 * k);
    }
}

/* Tests the rows of `amounts`, which stay: row i of the result is row (i * step) % ROWS, run k of a
 * side is run k + turn of the side; `swap`: before and after are exchanged. */
static void test_turned(const double amounts[ROWS][RUNS], int step, int turn, bool swap,
                        struct pf_moderated_row rows[ROWS], struct pf_moderated *table)
{
    const int first = swap ? AFTER : BEFORE;
    struct pf_moderated_row turned[ROWS];

    for (int i = 0; i < ROWS; i++) {
        double scratch[RUNS];
        for (int k = 0; k < BEFORE; k++)
            scratch[(swap ? AFTER : 0) + k] = amounts[i * step % ROWS][(k + turn) % BEFORE];
        for (int k = 0; k < AFTER; k++)
            scratch[(swap ? 0 : BEFORE) + k] =
                amounts[i * step % ROWS][BEFORE + (k + turn) % AFTER];
        pf_moderated_row_of(&turned[i], scratch, (size_t)first, (size_t)(RUNS - first), 1);
        if (i * step % ROWS % 2 == 0)
            pf_moderated_agree(&turned[i]);
    }
    pf_moderated_test(table, turned, ROWS, (size_t)first, (size_t)(RUNS - first));
    for (int i = 0; i < ROWS; i++)
        rows[i * step % ROWS] = turned[i];
}

static bool same_numbers(const struct pf_moderated_row *a, const struct pf_moderated_row *b)
{
    return a->tested == b->tested && a->mean == b->mean && a->variance == b->variance &&
           a->prior == b->prior && a->moderated == b->moderated && a->error == b->error &&
           a->p == b->p;
}

static bool same_row(const struct pf_moderated_row *a, const struct pf_moderated_row *b)
{
    return same_numbers(a, b) && a->difference == b->difference && a->of_means == b->of_means &&
           a->t == b->t && a->ratio == b->ratio && a->low == b->low && a->high == b->high;
}

static bool mirrored(const struct pf_moderated_row *a, const struct pf_moderated_row *b)
{
    return same_numbers(a, b) && a->difference == -b->difference && a->of_means == -b->of_means &&
           a->t == -b->t &&
           (a->difference < 0 || a->ratio == 1 / b->ratio || b->ratio == 1 / a->ratio) &&
           near(a->ratio, 1 / b->ratio, DBL_EPSILON) && near(a->low, 1 / b->high, DBL_EPSILON) &&
           near(a->high, 1 / b->low, DBL_EPSILON);
}

static void test_orders(void)
{
    struct pf_moderated_row rows[ROWS], others[ROWS];
    struct pf_moderated table, other;
    double amounts[ROWS][RUNS];
    bool same = true, mirror = true;

    make_amounts(amounts);
    test_turned(amounts, 1, 0, false, rows, &table);
    for (int step = 1; step < 19; step++) {
        test_turned(amounts, step, step % 5, false, others, &other);
        same = same && table.prior == other.prior && table.freedom == other.freedom;
        for (int i = 0; i < ROWS; i++)
            same = same && same_row(&rows[i], &others[i]);
    }
    tap_ok(table.prior > 0 && same, "the order of rows and of runs changes no bit of the result");
    test_turned(amounts, 5, 3, true, others, &other);
    mirror = table.prior == other.prior && table.freedom == other.freedom;
    for (int i = 0; i < ROWS; i++)
        mirror = mirror && mirrored(&rows[i], &others[i]);
    tap_ok(mirror, "exchanged sides mirror the result, and p stays the same");
}

static void test_prior_at(void)
{
    struct pf_moderated_row rows[4] = {{.tested = true, .mean = 5, .prior = 4},
                                       {.tested = true, .mean = 1, .prior = 1},
                                       {.tested = false, .mean = 2, .prior = 9},
                                       {.tested = true, .mean = 3, .prior = 16}};

    tap_ok(pf_moderated_prior_at(rows, 4, 0) == 1 && pf_moderated_prior_at(rows, 4, 9) == 4 &&
               pf_moderated_prior_at(rows, 4, 3) == 16,
           "the prior variance at a row's mean is the row's, beyond all rows the outermost one's");
    tap_ok(near(pf_moderated_prior_at(rows, 4, 2), 4, 1e-15) &&
               near(pf_moderated_prior_at(rows, 4, 4), 8, 1e-15),
           "between rows its logarithm is interpolated");
    tap_ok(pf_moderated_prior_at(rows + 2, 1, 2) == 0, "without tested rows it is 0");
}

/* --- edges ------------------------------------------------------------------------------------ */

static bool is_sound(const struct pf_moderated *table, const struct pf_moderated_row *row)
{
    const double numbers[] = {row->mean,      row->difference, row->variance, row->prior,
                              row->moderated, row->error,      row->t,        row->p,
                              row->ratio,     row->low,        row->high,     table->prior,
                              table->freedom, table->residual};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!isfinite(numbers[k]))
            return false;
    return 0 < row->low && row->low <= row->ratio && row->ratio <= row->high &&
           (row->tested ? row->p >= 0 && row->p <= 1 : row->p == PF_NO_TEST);
}

static void test_extremes(void)
{
    static const double ends[] = {0, DBL_TRUE_MIN, 1e-300, 1e-20,  1, 1 + 1e-15,
                                  3, 0x1p53,       0x1p63, DBL_MAX};
    enum { ENDS = sizeof ends / sizeof *ends };
    struct pf_moderated_row rows[MOST_ROWS];
    struct pf_moderated table;
    uint64_t state = 3;
    bool sound = true;

    for (int round = 0; round < 3000 && sound; round++) {
        size_t count = 1 + (size_t)(draw(&state) * draw(&state) * 60),
               before = 1 + (size_t)(draw(&state) * 5), after = 2 + (size_t)(draw(&state) * 40);
        int kinds = 1 + (int)(draw(&state) * ENDS), first = (int)(draw(&state) * ENDS);
        for (size_t i = 0; i < count; i++) {
            double amounts[MOST_RUNS], quantum = ends[1 + (int)(draw(&state) * (ENDS - 1))];
            for (size_t k = 0; k < before + after; k++)
                amounts[k] = ends[(first + (int)(draw(&state) * kinds)) % ENDS];
            pf_moderated_row_of(&rows[i], amounts, before, after, quantum);
            sound = sound && isfinite(rows[i].of_means);
            if (round % 2 == 1)
                pf_moderated_agree(&rows[i]);
        }
        sound = sound && pf_moderated_test(&table, rows, count, before, after) == PF_OK;
        for (size_t i = 0; i < count; i++) {
            double bound = pf_moderated_above(&table, &rows[i], 1.05);
            sound = sound && is_sound(&table, &rows[i]) && bound >= PF_NO_TEST && bound <= 1;
            pf_moderated_interval(&rows[i], 1e12, &rows[i].low, &rows[i].high);
            sound = sound && is_sound(&table, &rows[i]);
        }
    }
    tap_ok(sound, "amounts at the ends of doubles give no NaN, no infinity, and an interval around "
                  "the ratio");
}

/* --- power ------------------------------------------------------------------------------------ */

/* R's manual page of power.t.test: 20 runs a side, difference and deviation 1: 0.8689528. Cohen,
 * Statistical Power Analysis for the Behavioral Sciences, 2nd edition, table 2.4.1: numbers of runs
 * for the power 0.8. */
static void test_power_tables(void)
{
    static const struct {
        double p, change;
        size_t runs;
    } cases[] = {{0.05, 0.5, 64}, {0.05, 0.8, 26}, {0.05, 1.0, 17},
                 {0.01, 0.5, 96}, {0.01, 0.8, 39}, {0.05, 0.2, 394}};
    const struct pf_moderated table = {.rows = 1};
    struct pf_power power = {.table = &table, .variance = 1, .p = 0.05};

    tap_ok(fabs(pf_power_of(&power, 20, 20, 1) - 0.8689528) < 0.6e-7,
           "the power without a prior is R's");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        power.p = cases[k].p;
        tap_int((int64_t)pf_power_runs(&power, exp2(cases[k].change)), (int64_t)cases[k].runs,
                "the number of runs is Cohen's");
    }
}

static void test_power_laws(void)
{
    const struct pf_moderated alone = {.rows = 1}, loose = {.prior = 2.5, .rows = 100},
                              tight = {.prior = 40, .rows = 4},
                              sure = {.unbounded = true, .rows = 60},
                              almost = {.prior = 1e30, .rows = 60};
    const struct pf_power cases[] = {{&alone, 0.01, 0.05},
                                     {&loose, 0.02, 0.0005},
                                     {&tight, 0.02, 0.001},
                                     {&sure, 0.001, 0.001},
                                     {&almost, 0.001, 0.001}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double rise = pf_power_rise(&cases[k], 5, 4);
        size_t runs = pf_power_runs(&cases[k], 1.1);
        tap_ok(rise > 1 && fabs(pf_power_of(&cases[k], 5, 4, log2(rise)) - 0.8) < 1e-5 &&
                   rise == pf_power_rise(&cases[k], 4, 5),
               "the smallest rise, of %.3f, is found with probability 0.8", rise);
        tap_ok(runs >= 3 && pf_power_of(&cases[k], runs, runs, log2(1.1)) >= 0.8 &&
                   (runs == 3 || pf_power_of(&cases[k], runs - 1, runs - 1, log2(1.1)) < 0.8),
               "%zu runs find a rise of 10 %%, and one less does not", runs);
        tap_ok(near(pf_power_of(&cases[k], 5, 4, 0), cases[k].p / 2, 1e-5),
               "a row that does not change is found to be greater with probability p / 2");
    }
}

static void test_power_edges(void)
{
    const struct pf_moderated alone = {.rows = 1}, vague = {.prior = 1e-3, .rows = 400};
    struct pf_power power = {.table = &alone, .variance = 0, .p = 0.05};

    tap_ok(pf_power_rise(&power, 3, 3) == 1 && pf_power_runs(&power, 1.1) == 3,
           "without variance every rise is found");
    power.variance = 1e6;
    tap_ok(pf_power_runs(&power, 1.0001) == 0 && pf_power_rise(&power, 1, 2) <= 0x1p1022,
           "a rise that no number of runs finds needs 0 runs");
    power = (struct pf_power){.table = &vague, .variance = 1, .p = 1e-12};
    tap_ok(isfinite(pf_power_rise(&power, 1, 2)) && pf_power_runs(&power, 1.1) <= PF_POWER_RUNS,
           "a prior that says nothing gives finite numbers");
}

int main(void)
{
    test_psi_table();
    test_psi_values();
    test_psi_identities();
    test_inverse();
    test_reference();
    test_alone();
    test_agree();
    test_untested();
    test_constant();
    test_orders();
    test_prior_at();
    test_extremes();
    test_power_tables();
    test_power_laws();
    test_power_edges();
    return tap_done();
}
