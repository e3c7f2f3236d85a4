/* How often profdiff's verdicts are right: draws tables from known distributions, judges them with
 * the functions that profdiff uses, and counts wrong and right verdicts.
 *
 *     statistics [TABLES]
 *         1000 tables of 500 rows for each figure, unless TABLES says otherwise; all rows are
 *         tested, as with --min-percent=0, where the line does not say another part; status 1 if a
 *         goal is missed
 *     statistics --dump=DIR TABLES
 *         only tables with changes that the moderated t test judges; writes each to DIR as TSV for
 *         limma.R, and to DIR/plans.tsv what the tables are and the figures */
#include "analysis/diff/statistics.h"
#include "analysis/diff/moderated.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 500, MOST_RUNS = 30, MANY_ROWS = 200000 };

static const double LEVEL = 0.05;

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

/* A number of samples with this mean and variance / mean. Below 1: a timer over contiguous work,
 * whose samples vary less than Poisson's; 1: Poisson; above 1: a negative binomial. Means below 20
 * are always Poisson's. */
static int64_t count_samples(double mean, double dispersion)
{
    if (mean < 20 || dispersion == 1)
        return poisson(mean);
    if (dispersion > 1)
        return poisson(mean * spread_factor(sqrt((dispersion - 1) / mean)));
    /* rounding adds 1/12 to the variance */
    return llround(fmax(0, mean + sqrt(mean * dispersion - 1.0 / 12) * normal()));
}

/* --- tables ----------------------------------------------------------------------------------- */

enum nature {
    SAMPLED, /* amounts are numbers of samples, or sums of weights */
    MIXED,   /* SAMPLED; variance / mean is 0.03 to 0.1 in half of the rows, else 5 to 10 */
    TIMED,   /* amounts are times, in whole ticks of the clock */
    TICKS    /* SAMPLED, but a wrong method counts each tick of a weight as a sample */
};

enum change {
    NOTHING,
    BY_A_FIFTH, /* one row in ten is multiplied or divided by 1.2 */
    ADDED       /* one row in 50 is added or removed, and is 1 % of the total where it exists */
};

enum { CELLS = 4 };

/* One line of the result. Members that are 0 have no effect. */
struct plan {
    const char *about;
    /* mean of a row, log-uniform in low..high; for one row in ten, if high < 1000, up to
     * 100 * high */
    double low, high;
    double spread; /* of a row between runs, coefficient of variation */
    double common; /* of all rows of a run together, coefficient of variation */
    double slow;   /* one run in ten is slower by this part as a whole */
    double drift;  /* from the first run to the last, rows become slower by this part on average */
    bool apart;    /* all runs of one side before those of the other; else they alternate */
    enum nature nature;
    double weight; /* mean weight of a sample, geometric; 0: each weighs 1 */
    /* with `shares`, the second side runs this many times as long; else it has this many times as
     * many samples, each worth less */
    double longer;
    bool shares;
    enum change change;
    double least;        /* rows below this percentage of the total are not tested: --min-percent */
    bool open;           /* for comparison, or two kinds in one: no goal */
    double power[CELLS]; /* goals by numbers of runs */
};

struct row {
    double mean[2];
    double dispersion, drift;
    int change; /* sign of the real change */
    int64_t samples[2][MOST_RUNS], values[2][MOST_RUNS];
};

struct table {
    int runs[2];
    struct row rows[ROWS];
    double totals[2][MOST_RUNS];
    /* set by the tests: */
    double q[ROWS];
    int sign[ROWS]; /* of the tested difference; 0: unlike that of the means */
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

/* Chooses the means of the rows. */
static void draw_rows(const struct plan *plan, struct row *rows)
{
    double total = 0, longer = plan->longer > 0 ? plan->longer : 1;

    for (int k = 0; k < ROWS; k++) {
        double span =
            log(plan->high / plan->low) + (k % 10 == 0 && plan->high < 1000 ? log(100) : 0);
        double mean = plan->low * exp(uniform() * span);

        rows[k].dispersion = plan->nature != MIXED ? 1
                             : uniform() < 0.5     ? 0.03 * exp(uniform() * log(0.1 / 0.03))
                                                   : 5 * exp(uniform() * log(10.0 / 5));
        rows[k].drift = plan->drift * 2 * uniform();
        rows[k].change = plan->change == NOTHING                        ? 0
                         : k < ROWS / (plan->change == ADDED ? 50 : 10) ? 1 - 2 * (k % 2)
                                                                        : 0;
        rows[k].mean[0] = mean;
        rows[k].mean[1] = mean * longer * pow(1.2, rows[k].change);
        total += mean;
    }
    for (int k = 0; k < ROWS && plan->change == ADDED; k++)
        if (rows[k].change != 0) {
            rows[k].mean[rows[k].change > 0] = total / 100;
            rows[k].mean[rows[k].change < 0] = 0;
        }
}

static void draw(const struct plan *plan, struct table *table)
{
    draw_rows(plan, table->rows);
    for (int side = 0; side < 2; side++)
        for (int run = 0; run < table->runs[side]; run++) {
            int last = table->runs[0] + table->runs[1] - 1,
                place = plan->apart ? side * table->runs[0] + run : 2 * run + side;
            double together = spread_factor(plan->common);

            if (plan->slow > 0 && uniform() < 0.1)
                together *= 1 + plan->slow;
            table->totals[side][run] = 0;
            for (int k = 0; k < ROWS; k++) {
                struct row *row = &table->rows[k];
                double mean = row->mean[side] * together * spread_factor(plan->spread) *
                              (1 + row->drift * place / last);

                row->samples[side][run] =
                    plan->nature == TIMED ? llround(mean) : count_samples(mean, row->dispersion);
                row->values[side][run] = weigh(row->samples[side][run], plan->weight);
                table->totals[side][run] += (double)row->values[side][run];
            }
        }
}

/* --- tests ------------------------------------------------------------------------------------ */

static double sum_of(const int64_t *values, int runs)
{
    double sum = 0;

    for (int k = 0; k < runs; k++)
        sum += (double)values[k];
    return sum;
}

/* Sets the amounts of a row, those before and then those after; returns the amount of a sample or
 * tick. */
static double read_amounts(const struct plan *plan, const struct table *table,
                           const struct row *row, double *amounts)
{
    double samples = 0, values = 0, total = 0, quantum;
    int count = 0;

    for (int side = 0; side < 2; side++) {
        samples += sum_of(row->samples[side], table->runs[side]);
        values += sum_of(row->values[side], table->runs[side]);
        for (int run = 0; run < table->runs[side]; run++) {
            total += table->totals[side][run];
            amounts[count++] =
                (double)row->values[side][run] / (plan->shares ? table->totals[side][run] : 1);
        }
    }
    quantum = plan->nature == TIMED || samples <= 0 ? 1 : values / samples;
    return plan->shares ? quantum * count / total : quantum;
}

/* 1 or -1 if both differences have this sign, else 0. */
static int common_sign(double one, double other)
{
    return one > 0 && other > 0 ? 1 : one < 0 && other < 0 ? -1 : 0;
}

static double mean_of(const double *amounts, int count)
{
    double sum = 0;

    for (int k = 0; k < count; k++)
        sum += amounts[k];
    return sum / count;
}

/* True if the row is smaller than the plan tests. */
static bool is_small(const struct plan *plan, const struct table *table, const double *amounts)
{
    double row =
               mean_of(amounts, table->runs[0]) + mean_of(amounts + table->runs[0], table->runs[1]),
           total = mean_of(table->totals[0], table->runs[0]) +
                   mean_of(table->totals[1], table->runs[1]);

    return row < (plan->shares ? 2 : total) * plan->least / 100;
}

/* Three runs or more on each side. */
static void test_moderated(const struct plan *plan, struct table *table)
{
    static struct pf_moderated_row tests[ROWS];
    size_t before = (size_t)table->runs[0], after = (size_t)table->runs[1];
    double delta[ROWS];
    struct pf_moderated fit;

    for (int k = 0; k < ROWS; k++) {
        double amounts[2 * MOST_RUNS];
        double quantum = read_amounts(plan, table, &table->rows[k], amounts);

        delta[k] = mean_of(amounts + before, table->runs[1]) - mean_of(amounts, table->runs[0]);
        if (is_small(plan, table, amounts)) /* rows of zeros are not tested */
            memset(amounts, 0, sizeof amounts);
        double least = pf_moderated_least(amounts, before, after, quantum);
        pf_moderated_row_of(&tests[k], amounts, before, after, quantum);
        pf_moderated_agree(&tests[k]);
        tests[k].variance = fmax(tests[k].variance, least);
    }
    if (pf_moderated_test(&fit, tests, ROWS, before, after) != PF_OK)
        exit(4);
    for (int k = 0; k < ROWS; k++) {
        table->q[k] = tests[k].p;
        table->sign[k] = common_sign(tests[k].difference, delta[k]);
    }
}

/* Two runs on a side. */
static void test_welch(const struct plan *plan, struct table *table)
{
    for (int k = 0; k < ROWS; k++) {
        double amounts[2 * MOST_RUNS];
        double quantum = read_amounts(plan, table, &table->rows[k], amounts);
        struct pf_moments sides[2];
        struct pf_test test;

        pf_moments_of_reals(&sides[0], amounts, (size_t)table->runs[0]);
        pf_moments_of_reals(&sides[1], amounts + table->runs[0], (size_t)table->runs[1]);
        sides[0].floor = sides[1].floor = quantum * quantum / 4;
        pf_test_welch(&test, &sides[0], &sides[1]);
        table->q[k] = is_small(plan, table, amounts) ? PF_NO_TEST : test.p;
        table->sign[k] = common_sign(test.difference, test.difference);
    }
}

/* One run on each side: hints. */
static void test_counts(const struct plan *plan, struct table *table)
{
    double totals[2] = {0, 0}, worth = plan->longer > 0 ? 1 / plan->longer : 1;

    for (int side = 0; side < 2; side++)
        for (int k = 0; k < ROWS; k++)
            totals[side] += (double)table->rows[k].samples[side][0];
    for (int k = 0; k < ROWS; k++) {
        const struct row *row = &table->rows[k];
        bool ticks = plan->nature == TICKS;
        int64_t before = ticks ? row->values[0][0] : row->samples[0][0],
                after = ticks ? row->values[1][0] : row->samples[1][0];
        struct pf_counts counts = {before, after, totals[0], totals[1]};
        struct pf_weighed weighed = {{before, after, 1, 1},
                                     (double)row->values[0][0],
                                     (double)row->values[1][0] * worth,
                                     plan->weight <= 0 || ticks,
                                     1,
                                     worth};
        struct pf_test test;

        if (plan->shares)
            pf_test_counts(&test, &counts, true);
        else
            pf_test_amounts(&test, &weighed);
        table->q[k] = test.p;
        table->sign[k] = common_sign(test.difference, test.difference);
    }
}

static int fewest(const int *runs)
{
    return runs[0] < runs[1] ? runs[0] : runs[1];
}

static void judge(const struct plan *plan, struct table *table)
{
    if (fewest(table->runs) == 1)
        test_counts(plan, table);
    else if (fewest(table->runs) == 2)
        test_welch(plan, table);
    else
        test_moderated(plan, table);
    if (pf_rates_of(table->q, ROWS) != PF_OK)
        exit(4);
}

/* --- counting --------------------------------------------------------------------------------- */

struct tally {
    int tables, tables_with_false;
    double found, changed; /* rows */
    double discovery;      /* sum over tables of the share of false verdicts among verdicts */
};

static void count(const struct table *table, struct tally *tally)
{
    int wrong = 0, right = 0;

    for (int k = 0; k < ROWS; k++) {
        bool found = table->q[k] >= 0 && table->q[k] < LEVEL && table->sign[k] != 0;

        right += found && table->sign[k] == table->rows[k].change;
        wrong += found && table->sign[k] != table->rows[k].change;
        tally->changed += table->rows[k].change != 0;
    }
    tally->tables++;
    tally->tables_with_false += wrong > 0;
    tally->found += right;
    tally->discovery += wrong > 0 ? (double)wrong / (wrong + right) : 0;
}

static FILE *create(const char *directory, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(3);
    }
    return file;
}

static void finish(FILE *file)
{
    if (ferror(file) || fclose(file) != 0) {
        perror("statistics");
        exit(3);
    }
}

/* Writes the amounts in samples, ticks or shares of the mean total, so that limma too adds 0.5. A
 * row's name begins with the sign of its change, or with '='. */
static void dump_table(const struct plan *plan, const struct table *table, const char *directory,
                       int cell, int number)
{
    char name[64];

    snprintf(name, sizeof name, "%d-%d.tsv", cell, number);
    FILE *file = create(directory, name);

    for (int k = 0; k < ROWS; k++) {
        double amounts[2 * MOST_RUNS];
        double quantum = read_amounts(plan, table, &table->rows[k], amounts);

        fprintf(file, "%c%d", "-=+"[table->rows[k].change + 1], k);
        for (int run = 0; run < table->runs[0] + table->runs[1]; run++)
            fprintf(file, "\t%.17g", amounts[run] / quantum);
        fputc('\n', file);
    }
    finish(file);
}

/* Where --dump writes. */
struct dump {
    const char *directory; /* NULL: nowhere */
    FILE *plans;
    int cells;
};

struct result {
    double wrong; /* share of tables with a false verdict; if rows changed, of false verdicts */
    double power;
};

/* Draws and judges the tables of one plan with these numbers of runs. */
static struct result measure(const struct plan *plan, const int *runs, int tables,
                             struct dump *dump)
{
    static struct table table;
    struct tally tally = {0};
    struct result result = {0};

    /* the same start for each figure: a new line does not change the others */
    random_state = 19081908;
    memcpy(table.runs, runs, sizeof table.runs);
    for (int k = 0; k < tables; k++) {
        draw(plan, &table);
        judge(plan, &table);
        count(&table, &tally);
        if (dump->directory)
            dump_table(plan, &table, dump->directory, dump->cells, k);
    }
    result.wrong = plan->change != NOTHING ? tally.discovery / tally.tables
                                           : (double)tally.tables_with_false / tally.tables;
    result.power = plan->change != NOTHING ? tally.found / tally.changed : 0;
    if (dump->directory)
        fprintf(dump->plans, "%d\t%s, %s\t%d\t%d\t%d\t%.17g\t%.17g\n", dump->cells++,
                plan->change == ADDED ? "added" : "changed", plan->about, runs[0], runs[1], tables,
                result.wrong, result.power);
    return result;
}

/* --- what is measured ------------------------------------------------------------------------- */

/* The greatest part of tables with a false sign, or of signs that are false. */
static double most_wrong(const struct plan *plan, const int *runs)
{
    if (plan->change != NOTHING || fewest(runs) < 3)
        return 0.06;
    return fewest(runs) == 3 ? 0.12 : 0.08;
}

/* clang-format off */
static const struct plan nothing[] = {
    {"spread 2 %", 1, 10000, .spread = 0.02},
    {"spread 5 %", 1, 10000, .spread = 0.05},
    {"spread 10 %", 1, 10000, .spread = 0.1},
    {"spread 30 %", 1, 10000, .spread = 0.3},
    {"spread 5 %, runs differ by 10 %", 1, 10000, .spread = 0.05, .common = 0.1},
    {"most means 0.05 to 5, no spread", 0.05, 5, .spread = 0},
    {"most means 0.05 to 5, spread 10 %", 0.05, 5, .spread = 0.1},
    {"most means 0.05 to 5, spread 50 %", 0.05, 5, .spread = 0.5},
    {"samples weigh 6 ticks, means 1 to 1000, spread 5 %", 1, 1000, .spread = 0.05, .weight = 6},
    {"samples weigh 6 ticks, most means 0.05 to 5, spread 5 %", 0.05, 5, .spread = 0.05, .weight = 6},
    {"shares, runs differ by 10 %, spread 5 %", 1, 10000, .spread = 0.05, .common = 0.1, .shares = true},
    {"shares, runs differ by 10 %, 3 times as long", 1, 10000, .spread = 0.05, .common = 0.1, .shares = true, .longer = 3},
    {"shares, most means 0.05 to 5, 3 times as long", 0.05, 5, .spread = 0.05, .common = 0.1, .shares = true, .longer = 3},
    {"the same, only rows of at least 0.2 % of the total", 0.05, 5, .spread = 0.05, .common = 0.1, .shares = true, .longer = 3, .least = 0.2},
    {"times, spread 10 %", 1, 10000, .spread = 0.1, .nature = TIMED},
    {"the same, only rows of at least 0.2 % of the total", 1, 10000, .spread = 0.1, .nature = TIMED, .least = 0.2},
    {"times, spread 50 %", 1, 10000, .spread = 0.5, .nature = TIMED},
    {"times, most means 0.05 to 5, spread 10 %", 0.05, 5, .spread = 0.1, .nature = TIMED},
    {"the same, only rows of at least 0.2 % of the total", 0.05, 5, .spread = 0.1, .nature = TIMED, .least = 0.2},
    {"variance/mean 0.03 to 0.1 and 5 to 10, means 20 to 10000", 20, 10000, .nature = MIXED},
    {"variance/mean 0.03 to 0.1 and 5 to 10, Poisson's below 20", 1, 10000, .nature = MIXED},
    {"one run in ten 30 % slower, spread 5 %", 1, 10000, .spread = 0.05, .slow = 0.3},
    {"one run in ten 30 % slower, spread 2 %, means from 1000", 1000, 100000, .spread = 0.02, .slow = 0.3},
    {"one run in ten 30 % slower, variance/mean 0.03 to 10", 20, 10000, .slow = 0.3, .nature = MIXED, .open = true},
    {"drift by 10 %, alternated, spread 5 %", 1, 10000, .spread = 0.05, .drift = 0.1},
    {"drift by 10 %, alternated, variance/mean 0.03 to 10", 20, 10000, .drift = 0.1, .nature = MIXED},
    {"drift by 10 %, one side after the other, spread 5 %", 1, 10000, .spread = 0.05, .drift = 0.1, .apart = true, .open = true},
};

static const struct plan unequal[] = {
    {"spread 10 %", 1, 10000, .spread = 0.1},
    {"the same, only rows of at least 0.2 % of the total", 1, 10000, .spread = 0.1, .least = 0.2},
    {"most means 0.05 to 5, spread 10 %", 0.05, 5, .spread = 0.1},
    {"the same, only rows of at least 0.2 % of the total", 0.05, 5, .spread = 0.1, .least = 0.2},
    {"times, spread 10 %", 1, 10000, .spread = 0.1, .nature = TIMED},
    {"the same, only rows of at least 0.2 % of the total", 1, 10000, .spread = 0.1, .nature = TIMED, .least = 0.2},
    {"variance/mean 0.03 to 0.1 and 5 to 10, means 20 to 10000", 20, 10000, .nature = MIXED},
};

static const struct plan single[] = {
    {"samples", 1, 10000, .spread = 0},
    {"samples, most means 0.05 to 5", 0.05, 5, .spread = 0},
    {"shares, most means 0.05 to 5, 3 times as long", 0.05, 5, .shares = true, .longer = 3},
    {"samples worth 10 times as much after", 1, 10000, .longer = 0.1},
    {"samples weigh 6 ticks, means 1 to 1000", 1, 1000, .weight = 6},
    {"the same, each tick counted as a sample", 1, 1000, .weight = 6, .nature = TICKS, .open = true},
    {"spread 2 %, which one run cannot show", 1, 10000, .spread = 0.02, .open = true},
};

static const struct plan something[] = {
    {"spread 2 %", 1000, 100000, .spread = 0.02, .change = BY_A_FIFTH, .power = {0.99, 0.99, 0.99}},
    {"spread 5 %", 1000, 100000, .spread = 0.05, .change = BY_A_FIFTH, .power = {0.9, 0.99, 0.99}},
    {"spread 10 %", 1000, 100000, .spread = 0.1, .change = BY_A_FIFTH, .power = {0, 0.38, 0.38}},
    {"spread 5 %, times", 1000, 100000, .spread = 0.05, .nature = TIMED, .change = BY_A_FIFTH, .power = {0.9, 0.99, 0.99}},
    {"spread 5 %, shares, runs differ by 10 %", 1000, 100000, .spread = 0.05, .common = 0.1, .shares = true, .change = BY_A_FIFTH, .power = {0.9, 0.99, 0.99}},
    {"variance/mean 0.03 to 0.1 and 5 to 10, means 20 to 10000", 20, 10000, .nature = MIXED, .change = BY_A_FIFTH},
    {"spread 5 %, one run in ten 30 % slower", 1000, 100000, .spread = 0.05, .slow = 0.3, .change = BY_A_FIFTH},
    {"spread 5 %, drift by 10 %, alternated", 1000, 100000, .spread = 0.05, .drift = 0.1, .change = BY_A_FIFTH},
};

static const struct plan added[] = {
    {"spread 5 %", 1, 10000, .spread = 0.05, .change = ADDED, .power = {0, 0.8, 0.8}},
    {"most means 0.05 to 5 (1 % is 32 samples), spread 10 %", 0.05, 5, .spread = 0.1, .change = ADDED, .power = {0, 0.8, 0.8}},
    {"most means 0.01 to 1 (1 % is 6 samples), spread 10 %", 0.01, 1, .spread = 0.1, .change = ADDED, .power = {0, 0.8, 0.8}},
    {"variance/mean 0.03 to 0.1 and 5 to 10, means 20 to 10000", 20, 10000, .nature = MIXED, .change = ADDED, .power = {0, 0.8, 0.8}},
    {"spread 5 %, one run in ten 30 % slower", 1, 10000, .spread = 0.05, .slow = 0.3, .change = ADDED, .power = {0, 0.8, 0.8}},
};

static const struct plan single_changed[] = {
    {"no spread", 1000, 100000, .change = BY_A_FIFTH, .power = {0.9}},
    {"samples worth 10 times as much after", 10000, 100000, .longer = 0.1, .change = BY_A_FIFTH, .power = {0.9}},
    {"samples weigh 6 ticks", 1000, 10000, .weight = 6, .change = BY_A_FIFTH, .power = {0.9}},
};
/* clang-format on */

static const int usual[CELLS][2] = {{3, 3}, {5, 5}, {10, 10}},
                 others[CELLS][2] = {{2, 2}, {2, 10}, {3, 10}, {5, 30}}, one[CELLS][2] = {{1, 1}};

struct group {
    const char *title;
    const int (*runs)[2];
    const struct plan *plans;
    size_t count;
};

#define GROUP(title, runs, plans) \
    { \
        title, runs, plans, sizeof(plans) / sizeof *(plans) \
    }
static const struct group groups[] = {
    GROUP("nothing changed, means 1 to 10000: tables with a sign", usual, nothing),
    GROUP("the same, other numbers of runs", others, unequal),
    GROUP("the same, hints of one run a side", one, single),
    GROUP("10 % of rows changed by 20 %, means 1000 to 100000: power (false)", usual, something),
    GROUP("2 % of rows added or removed, 1 % of the total each: power (false)", usual, added),
    GROUP("10 % of rows changed by 20 %, hints of one run a side: power (false)", one,
          single_changed),
};

/* Prints one line. True if its goals are met. */
static bool show_plan(const struct plan *plan, const int (*runs)[2], int tables, struct dump *dump)
{
    bool missed[CELLS] = {0}, good = true;

    printf("  %-58s", plan->about);
    for (int k = 0; k < CELLS && runs[k][0] > 0; k++) {
        struct result result = measure(plan, runs[k], tables, dump);

        missed[k] = !plan->open &&
                    (result.wrong > most_wrong(plan, runs[k]) || result.power < plan->power[k]);
        good = good && !missed[k];
        if (plan->change != NOTHING)
            printf(" %.3f (%4.1f %%)", result.power, 100 * result.wrong);
        else
            printf("%12.1f %%", 100 * result.wrong);
        fflush(stdout);
    }
    printf("  %s", plan->open ? "no goal" : good ? "goals met" : "MISSED:");
    for (int k = 0; k < CELLS; k++)
        if (missed[k])
            printf(" %d+%d", runs[k][0], runs[k][1]);
    printf("\n");
    fflush(stdout);
    return good;
}

static bool show_group(const struct group *group, int tables, struct dump *dump)
{
    bool good = true;

    printf("%-60s", group->title);
    for (int k = 0; k < CELLS && group->runs[k][0] > 0; k++)
        printf("%8d + %2d ", group->runs[k][0], group->runs[k][1]);
    printf("\n");
    for (size_t k = 0; k < group->count; k++)
        good = show_plan(&group->plans[k], group->runs, tables, dump) && good;
    return good;
}

/* --- speed ------------------------------------------------------------------------------------ */

static double seconds_since(clock_t begun)
{
    return (double)(clock() - begun) / CLOCKS_PER_SEC;
}

/* Measures the moderated t test of tables of `rows` rows, from amounts to q. */
static void measure_moderated(size_t rows, size_t runs, int times)
{
    struct pf_moderated_row *tests = calloc(rows, sizeof *tests);
    double *amounts = calloc(rows * 2 * runs, sizeof *amounts), *p = calloc(rows, sizeof *p),
           seconds = 0;
    struct pf_moderated fit;

    if (!tests || !amounts || !p)
        exit(4);
    for (int time = 0; time < times; time++) {
        for (size_t k = 0; k < rows * 2 * runs; k++)
            amounts[k] = (double)poisson(1 + 1000.0 * (double)k / (double)(rows * 2 * runs));
        clock_t begun = clock();

        for (size_t k = 0; k < rows; k++)
            pf_moderated_row_of(&tests[k], amounts + k * 2 * runs, runs, runs, 1);
        if (pf_moderated_test(&fit, tests, rows, runs, runs) != PF_OK)
            exit(4);
        for (size_t k = 0; k < rows; k++)
            p[k] = tests[k].p;
        if (pf_rates_of(p, rows) != PF_OK)
            exit(4);
        seconds += seconds_since(begun);
    }
    printf("  moderated t, %6zu rows, %2zu runs a side: %8.3f ms, %4.0f ns a row\n", rows, runs,
           seconds / times * 1e3, seconds / times / (double)rows * 1e9);
    free(tests);
    free(amounts);
    free(p);
}

static void measure_counts(int64_t scale)
{
    clock_t begun = clock();
    struct pf_test test;

    for (int k = 0; k < MANY_ROWS; k++)
        pf_test_counts(&test,
                       &(struct pf_counts){.before = k % 999 * scale, .after = k % 1001 * scale},
                       false);
    printf("  hint, up to %7lld samples a side in a row: %4.0f ns a row\n",
           (long long)(1000 * scale), seconds_since(begun) / MANY_ROWS * 1e9);
}

/* --- all -------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct dump dump = {.cells = 0};
    bool dumps = argc > 1 && strncmp(argv[1], "--dump=", 7) == 0, good = true;
    const char *number = argc > 1 + dumps ? argv[1 + dumps] : "1000";
    int tables = (int)strtol(number, NULL, 10);

    if (tables < 1) {
        fprintf(stderr, "statistics: '%s' is not a number of tables\n", number);
        return 2;
    }
    if (dumps) {
        dump.directory = argv[1] + 7;
        dump.plans = create(dump.directory, "plans.tsv");
    }
    printf("%d tables of %d rows for each figure\n", tables, ROWS);
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (!dumps || (groups[k].runs == usual && groups[k].plans != nothing))
            good = show_group(&groups[k], tables, &dump) && good;
    if (dumps) {
        finish(dump.plans);
        return good ? 0 : 1;
    }
    printf("speed\n");
    measure_moderated(500, 5, 20);
    measure_moderated(500, 10, 20);
    measure_moderated(MANY_ROWS, 10, 1);
    measure_counts(1);
    measure_counts(1000);
    return good ? 0 : 1;
}
