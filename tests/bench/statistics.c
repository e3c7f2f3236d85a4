/* Tests how often the tests of analysis/diff/statistics.h are right: draws tables from known
 * distributions and counts their verdicts.
 *
 *     statistics [TABLES]
 *         for each line 1000 tables of 500 functions, unless TABLES says otherwise; status 1 if a
 *         goal is missed */
#include "analysis/diff/statistics.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FUNCTIONS = 500, MOST_RUNS = 30, ROWS = 200000 };

/* --- chance ----------------------------------------------------------------------------------- */

static uint64_t random_state;

/* A number between 0 and 1, excluding both. */
static double uniform(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    return ((double)(pf_hash_mix(random_state) >> 12) + 0.5) * 0x1p-52;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Gamma variate of shape >= 1 and scale 1: Marsaglia and Tsang, A Simple Method for Generating
 * Gamma Variables, 2000. */
static double gamma_variate(double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d), x, v;

    do {
        x = normal();
        v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    } while (v <= 0 || log(uniform()) >= 0.5 * x * x + d - d * v + d * log(v));
    return d * v;
}

/* Poisson variate: Hörmann, The Transformed Rejection Method for Generating Poisson Random
 * Variables, 1993 (PTRS); small means by products of uniform numbers. */
static int64_t poisson(double mean)
{
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, product, k;
    double scale = log(1.1239 + 1.1328 / (b - 3.4)), sure = 0.9277 - 3.6224 / (b - 2);
    int64_t count = 0;

    if (mean < 20) {
        for (product = uniform(); product > exp(-mean); product *= uniform())
            count++;
        return count;
    }
    for (;;) {
        double u = uniform() - 0.5, v = uniform(), inside = 0.5 - fabs(u);
        k = floor((2 * a / inside + b) * u + mean + 0.43);
        if (inside >= 0.07 && v <= sure)
            return (int64_t)k;
        if (k >= 0 && (inside >= 0.013 || v <= inside) &&
            log(v) + scale - log(a / (inside * inside) + b) <= k * log(mean) - mean - lgamma(k + 1))
            return (int64_t)k;
    }
}

/* A random factor of mean 1 and this coefficient of variation, 0 to 1. */
static double spread_factor(double spread)
{
    double shape = 1 / (spread * spread);

    return spread > 0 ? gamma_variate(shape) / shape : 1;
}

/* --- tables ----------------------------------------------------------------------------------- */

struct plan {
    const char *about;
    int runs[2]; /* of each side */
    /* mean of a function, log-uniform in low..high; for one function in ten, if high < 1000, up to
     * 100 * high */
    double low, high;
    double spread; /* of a function between runs, coefficient of variation */
    double common; /* of all functions of a run together, coefficient of variation */
    /* mean weight of a sample, geometric; 0: each weighs 1, and the values are numbers of
     * samples */
    double weight;
    double changed; /* share of the functions that really change */
    double change;  /* a changed function is multiplied or divided by this */
    /* if `shares`, the second side runs this many times as long; else it has this many times as
     * many samples, each worth less; 1: neither */
    double longer;
    bool shares;
    /* TIMED: values are not Poisson variates; WEIGHTS_AS_COUNTS is a wrong method, for
     * comparison */
    enum { SAMPLED, TIMED, WEIGHTS_AS_COUNTS } nature;
    /* the goals: the share of tables with a false verdict (the false discovery rate if functions
     * changed), and the power */
    double most_false, least_power;
};

struct row {
    double mean[2];
    bool changed;
    int64_t samples[2][MOST_RUNS], values[2][MOST_RUNS];
};

static int64_t weigh(int64_t samples, double weight)
{
    int64_t value = 0;

    if (weight <= 0)
        return samples;
    for (int64_t k = 0; k < samples; k++)
        value += 1 + (int64_t)(log(uniform()) / log1p(-1 / weight));
    return value;
}

static void draw(const struct plan *plan, struct row *rows, pf_int128 totals[2][MOST_RUNS])
{
    for (int k = 0; k < FUNCTIONS; k++) {
        double span =
            log(plan->high / plan->low) + (k % 10 == 0 && plan->high < 1000 ? log(100) : 0);
        double mean = plan->low * exp(uniform() * span),
               change = uniform() < 0.5 ? plan->change : 1 / plan->change;
        rows[k].changed = k < FUNCTIONS * plan->changed;
        rows[k].mean[0] = mean;
        rows[k].mean[1] = mean * plan->longer * (rows[k].changed ? change : 1);
    }
    for (int side = 0; side < 2; side++)
        for (int run = 0; run < plan->runs[side]; run++) {
            double together = spread_factor(plan->common);
            totals[side][run] = 0;
            for (int k = 0; k < FUNCTIONS; k++) {
                double mean = rows[k].mean[side] * together * spread_factor(plan->spread);
                rows[k].samples[side][run] = plan->nature == TIMED ? llround(mean) : poisson(mean);
                rows[k].values[side][run] = weigh(rows[k].samples[side][run], plan->weight);
                totals[side][run] += rows[k].values[side][run];
            }
        }
}

static double sum_of(const int64_t *values, int runs)
{
    int64_t sum = 0;

    for (int k = 0; k < runs; k++)
        sum += values[k];
    return (double)sum;
}

static double test_runs(const struct plan *plan, const struct row *row,
                        pf_int128 totals[2][MOST_RUNS])
{
    struct pf_moments sides[2];
    struct pf_test test;

    for (int k = 0; k < 2; k++)
        if (plan->shares)
            pf_moments_of_shares(&sides[k], row->values[k], totals[k], (size_t)plan->runs[k]);
        else
            pf_moments_of(&sides[k], row->values[k], (size_t)plan->runs[k]);
    if (plan->nature == TIMED)
        pf_moments_floor_timed(&sides[0], &sides[1], 1);
    else
        pf_moments_floor_sampled(&sides[0], &sides[1], sum_of(row->samples[0], plan->runs[0]),
                                 sum_of(row->samples[1], plan->runs[1]));
    pf_test_welch(&test, &sides[0], &sides[1]);
    return test.p;
}

static void test_counts(const struct plan *plan, const struct row *rows, double *p)
{
    struct pf_counts totals = {0, 0, 0, 0};
    struct pf_test test;

    for (int k = 0; k < FUNCTIONS; k++) {
        totals.total_before += (double)rows[k].samples[0][0];
        totals.total_after += (double)rows[k].samples[1][0];
    }
    for (int k = 0; k < FUNCTIONS; k++) {
        const int64_t *before = plan->nature == WEIGHTS_AS_COUNTS ? rows[k].values[0]
                                                                  : rows[k].samples[0];
        const int64_t *after = plan->nature == WEIGHTS_AS_COUNTS ? rows[k].values[1]
                                                                 : rows[k].samples[1];
        struct pf_counts counts = {before[0], after[0], totals.total_before, totals.total_after};
        struct pf_weighed row = {{before[0], after[0], 1, 1},
                                 (double)rows[k].values[0][0],
                                 (double)rows[k].values[1][0] / plan->longer,
                                 plan->weight <= 0 || plan->nature == WEIGHTS_AS_COUNTS,
                                 1,
                                 1 / plan->longer};
        if (plan->shares)
            pf_test_counts(&test, &counts, true);
        else
            pf_test_amounts(&test, &row);
        p[k] = test.p;
    }
}

struct tally {
    int tables, tables_with_false;
    /* found and missed changed rows; sum over tables of the share of false verdicts */
    double found, missed, discovery;
};

static void judge(const struct plan *plan, struct tally *tally)
{
    static struct row rows[FUNCTIONS];
    static pf_int128 totals[2][MOST_RUNS];
    double p[FUNCTIONS];
    int wrong = 0, right = 0, changed = 0;

    draw(plan, rows, totals);
    for (int k = 0; k < FUNCTIONS && plan->runs[0] > 1; k++)
        p[k] = test_runs(plan, &rows[k], totals);
    if (plan->runs[0] == 1)
        test_counts(plan, rows, p);
    if (pf_rates_of(p, FUNCTIONS) != PF_OK)
        exit(4);
    for (int k = 0; k < FUNCTIONS; k++) {
        bool found = p[k] >= 0 && p[k] < 0.05;
        wrong += found && !rows[k].changed;
        right += found && rows[k].changed;
        changed += rows[k].changed;
    }
    tally->tables++;
    tally->tables_with_false += wrong > 0;
    tally->found += right;
    tally->missed += changed - right;
    tally->discovery += wrong > 0 ? (double)wrong / (wrong + right) : 0;
}

static bool measure(const struct plan *plan, int tables)
{
    struct tally tally = {0};
    double bad, power;
    bool good;

    /* the same start for each line: adding a line does not change the others */
    random_state = 19081908;
    for (int k = 0; k < tables; k++)
        judge(plan, &tally);
    bad = plan->changed > 0 ? tally.discovery / tally.tables
                            : (double)tally.tables_with_false / tally.tables;
    power = plan->changed > 0 ? tally.found / (tally.found + tally.missed) : 1;
    good = bad <= plan->most_false && power >= plan->least_power;
    printf("%-68s %6.2f %%", plan->about, 100 * bad);
    if (plan->changed > 0)
        printf(" power %.3f", power);
    printf("%s\n", plan->most_false < 1 ? good ? "  goal met" : "  GOAL MISSED" : "");
    fflush(stdout);
    return good;
}

/* clang-format off */
static const struct plan nothing[] = {
    {"5 runs, means 1 to 10000, spread 2 %",
     {5, 5}, 1, 10000, 0.02, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, means 1 to 10000, spread 5 %",
     {5, 5}, 1, 10000, 0.05, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, means 1 to 10000, spread 10 %",
     {5, 5}, 1, 10000, 0.10, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, means 1 to 10000, spread 30 %",
     {5, 5}, 1, 10000, 0.30, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, means 1 to 10000, spread 5 %, runs differ by 10 %",
     {5, 5}, 1, 10000, 0.05, 0.1, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, most means 0.05 to 5, no spread",
     {5, 5}, 0.05, 5, 0, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, most means 0.05 to 5, spread 2 %",
     {5, 5}, 0.05, 5, 0.02, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, most means 0.05 to 5, spread 10 %",
     {5, 5}, 0.05, 5, 0.10, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, most means 0.05 to 5, spread 50 %",
     {5, 5}, 0.05, 5, 0.50, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, shares, most means 0.05 to 5, spread 5 %, 3 times as long",
     {5, 5}, 0.05, 5, 0.05, 0.1, 0, 0, 1, 3, true, SAMPLED, 0.06, 0},
    {"5 runs, shares, means 1 to 10000, spread 5 %, 3 times as long",
     {5, 5}, 1, 10000, 0.05, 0.1, 0, 0, 1, 3, true, SAMPLED, 0.06, 0},
    {"5 runs, ticks of mean 6, most means 0.05 to 5, spread 5 %",
     {5, 5}, 0.05, 5, 0.05, 0, 6, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, ticks of mean 6, means 1 to 1000, spread 5 %",
     {5, 5}, 1, 1000, 0.05, 0, 6, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"2 runs, means 1 to 10000, spread 5 %",
     {2, 2}, 1, 10000, 0.05, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"2 runs, most means 0.05 to 5, spread 5 %",
     {2, 2}, 0.05, 5, 0.05, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"3 runs, most means 0.05 to 5, spread 5 %",
     {3, 3}, 0.05, 5, 0.05, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"3 runs, means 1 to 10000, spread 5 %",
     {3, 3}, 1, 10000, 0.05, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"10 runs, most means 0.05 to 5, spread 5 %",
     {10, 10}, 0.05, 5, 0.05, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"2 against 10 runs, means 1 to 10000, spread 10 %",
     {2, 10}, 1, 10000, 0.1, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"2 against 10 runs, most means 0.05 to 5, spread 10 %",
     {2, 10}, 0.05, 5, 0.1, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"5 against 30 runs, means 1 to 10000, spread 10 %",
     {5, 30}, 1, 10000, 0.1, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"2 runs, times of 1 to 10000, spread 10 %",
     {2, 2}, 1, 10000, 0.1, 0, 0, 0, 1, 1, false, TIMED, 0.06, 0},
    {"5 runs, times of 1 to 10000, spread 10 %",
     {5, 5}, 1, 10000, 0.1, 0, 0, 0, 1, 1, false, TIMED, 0.06, 0},
    {"5 runs, times of 1 to 10000, spread 50 %",
     {5, 5}, 1, 10000, 0.5, 0, 0, 0, 1, 1, false, TIMED, 0.06, 0},
    {"5 runs, most times of 0.05 to 5, spread 10 %",
     {5, 5}, 0.05, 5, 0.1, 0, 0, 0, 1, 1, false, TIMED, 0.06, 0},
    {"3 against 10 runs, times of 1 to 10000, spread 10 %",
     {3, 10}, 1, 10000, 0.1, 0, 0, 0, 1, 1, false, TIMED, 0.06, 0},
    {"1 run, means 1 to 10000",
     {1, 1}, 1, 10000, 0, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"1 run, most means 0.05 to 5",
     {1, 1}, 0.05, 5, 0, 0, 0, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"1 run, shares, means 1 to 10000, 3 times as long",
     {1, 1}, 1, 10000, 0, 0, 0, 0, 1, 3, true, SAMPLED, 0.06, 0},
    {"1 run, shares, most means 0.05 to 5, 3 times as long",
     {1, 1}, 0.05, 5, 0, 0, 0, 0, 1, 3, true, SAMPLED, 0.06, 0},
    {"1 run, means 1 to 10000, samples worth 10 times as much after",
     {1, 1}, 1, 10000, 0, 0, 0, 0, 1, 0.1, false, SAMPLED, 0.06, 0},
    {"1 run, most means 0.05 to 5, samples worth a tenth after",
     {1, 1}, 0.05, 5, 0, 0, 0, 0, 1, 10, false, SAMPLED, 0.06, 0},
    {"1 run, ticks of mean 6, means 1 to 1000, by samples",
     {1, 1}, 1, 1000, 0, 0, 6, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"1 run, ticks of mean 6, most means 0.05 to 5, by samples",
     {1, 1}, 0.05, 5, 0, 0, 6, 0, 1, 1, false, SAMPLED, 0.06, 0},
    {"1 run, ticks of mean 6, means 1 to 1000, ticks taken for samples",
     {1, 1}, 1, 1000, 0, 0, 6, 0, 1, 1, false, WEIGHTS_AS_COUNTS, 1, 0},
    {"1 run, means 1 to 10000, spread 2 %, which one run cannot know",
     {1, 1}, 1, 10000, 0.02, 0, 0, 0, 1, 1, false, SAMPLED, 1, 0},
};

static const struct plan something[] = {
    {"5 runs, spread 2 %",
     {5, 5}, 1000, 100000, 0.02, 0, 0, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0.9},
    {"5 runs, spread 5 %",
     {5, 5}, 1000, 100000, 0.05, 0, 0, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, spread 10 %",
     {5, 5}, 1000, 100000, 0.10, 0, 0, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, all means 1000, spread 2 %",
     {5, 5}, 1000, 1000, 0.02, 0, 0, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0.9},
    {"5 runs, shares, spread 2 %, runs differ by 10 %",
     {5, 5}, 1000, 100000, 0.02, 0.1, 0, 0.1, 1.2, 1, true, SAMPLED, 0.06, 0.9},
    {"3 runs, spread 2 %",
     {3, 3}, 1000, 100000, 0.02, 0, 0, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0},
    {"3 against 10 runs, spread 2 %",
     {3, 10}, 1000, 100000, 0.02, 0, 0, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0},
    {"5 runs, times, spread 2 %",
     {5, 5}, 1000, 100000, 0.02, 0, 0, 0.1, 1.2, 1, false, TIMED, 0.06, 0.9},
    {"1 run, no spread",
     {1, 1}, 1000, 100000, 0, 0, 0, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0.9},
    {"1 run, no spread, samples worth 10 times as much after",
     {1, 1}, 10000, 100000, 0, 0, 0, 0.1, 1.2, 0.1, false, SAMPLED, 0.06, 0.9},
    {"1 run, ticks of mean 6, by samples",
     {1, 1}, 1000, 10000, 0, 0, 6, 0.1, 1.2, 1, false, SAMPLED, 0.06, 0.9},
};
/* clang-format on */

static void show_time(const char *about, clock_t begun)
{
    printf("%-68s %6.0f ns a row\n", about,
           (double)(clock() - begun) / CLOCKS_PER_SEC * 1e9 / ROWS);
}

/* Measures the time for a table of ROWS rows. */
static void measure_speed(void)
{
    static double p[ROWS];
    static int64_t values[ROWS][10];
    struct pf_moments sides[2];
    struct pf_test test;
    clock_t begun;

    for (int k = 0; k < ROWS; k++)
        for (int run = 0; run < 10; run++)
            values[k][run] = poisson(1 + 1000.0 * k / ROWS);
    begun = clock();
    for (int k = 0; k < ROWS; k++) {
        pf_moments_of(&sides[0], values[k], 5);
        pf_moments_of(&sides[1], values[k] + 5, 5);
        pf_moments_floor_sampled(&sides[0], &sides[1], sum_of(values[k], 5),
                                 sum_of(values[k] + 5, 5));
        pf_test_welch(&test, &sides[0], &sides[1]);
        p[k] = test.p;
    }
    show_time("5 runs", begun);
    begun = clock();
    if (pf_rates_of(p, ROWS) != PF_OK)
        exit(4);
    show_time("false discovery rates", begun);
    for (int64_t scale = 1; scale <= 1000000; scale *= 1000) {
        begun = clock();
        for (int k = 0; k < ROWS; k++)
            pf_test_counts(
                &test,
                &(struct pf_counts){.before = values[k][0] * scale, .after = values[k][1] * scale},
                false);
        show_time(scale == 1      ? "1 run, up to 1000 samples a row"
                  : scale == 1000 ? "1 run, up to 1e6 samples a row"
                                  : "1 run, up to 1e9 samples a row",
                  begun);
    }
}

int main(int argc, char **argv)
{
    int tables = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1000;
    bool good = true;

    printf("%d tables of %d functions, nothing changed: tables with a false + or - at q < 0.05\n",
           tables, FUNCTIONS);
    for (size_t k = 0; k < sizeof nothing / sizeof *nothing; k++)
        good = measure(&nothing[k], tables) && good;
    printf("%d tables of %d functions, 10 %% changed by 20 %%, means 1000 to 100000: false among + "
           "and - at q < 0.05\n",
           tables, FUNCTIONS);
    for (size_t k = 0; k < sizeof something / sizeof *something; k++)
        good = measure(&something[k], tables) && good;
    printf("%d rows\n", ROWS);
    measure_speed();
    return good ? 0 : 1;
}
