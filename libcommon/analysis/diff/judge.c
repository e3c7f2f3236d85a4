#include "analysis/diff/judge.h"

#include "analysis/diff/special.h"
#include "base/memory.h"
#include "base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row is significant if its q is below this, the total if its p is. */
static const double LEVEL = 0.05;

/* The tests, and the amounts that they compare. With --cum, rows of equal amounts are one test. */
struct judging {
    struct pf_diff_table *table;
    const struct pf_diff *diff;
    const struct pf_diff_block *block;
    const struct pf_diff_terms *terms;
    size_t runs[2], all; /* number of runs with the measure by side, of both */
    uint32_t *test_of;   /* by row: the number of its test from 1; 0: not tested */
    struct test {
        struct pf_diff_row *row; /* the first row of these amounts; its results count for all */
        double quantum;
        struct pf_moments moments[2]; /* PF_DIFF_WELCH */
    } * tests;
    struct pf_moderated_row *fitted; /* PF_DIFF_MODERATED: by test */
    size_t count;
    double *amounts; /* by test: the runs before, then the runs after */
    size_t capacity;
    struct pf_table seen; /* --cum: keys of the tests: the amounts run by run, and the quantum */
};

/* --- amounts ---------------------------------------------------------------------------------- */

/* The amounts of a row in all runs, of the total for key 0: those before, then those after.
 * `shares`: as parts of 1 of their run's total. */
static void read_runs(const struct judging *judging, uint32_t key, bool shares, double *amounts)
{
    const struct pf_diff *diff = judging->diff;
    size_t at[2] = {0, judging->runs[0]};

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &judging->block->runs[k];
        pf_int128 amount = pf_diff_amount(diff, run, key);

        if (!run->met)
            continue;
        amounts[at[diff->runs[k].side]++] = !shares           ? (double)amount
                                            : run->total == 0 ? 0
                                                              : (double)amount / (double)run->total;
    }
}

static void read_amounts(const struct judging *judging, uint32_t key, double *amounts)
{
    read_runs(judging, key, judging->diff->normalize, amounts);
}

/* The mean of the totals of all runs. */
static double mean_total(const struct judging *judging)
{
    double sum = 0;

    for (size_t k = 0; k < judging->diff->run_count; k++)
        sum += fabs((double)judging->block->runs[k].total);
    return sum / (double)judging->all;
}

/* The amount of one sample in a row, or of one tick of the clock, or of one raw unit. */
static double quantum_of(const struct judging *judging, uint32_t key)
{
    const struct pf_diff *diff = judging->diff;
    const struct pf_diff_block *block = judging->block;
    double amount = 0, samples = 0, quantum = block->tick * (double)block->scale.parts;

    for (size_t k = 0; k < diff->run_count && block->sampled; k++) {
        amount += fabs((double)pf_diff_amount(diff, &block->runs[k], key));
        samples += fabs((double)pf_diff_samples(&block->runs[k], key));
    }
    if (amount > 0 && samples > 0)
        quantum = amount / samples;
    else if (!(quantum > 0))
        quantum = 1;
    if (!diff->normalize)
        return quantum;
    double total = mean_total(judging);

    return total > 0 ? quantum / total : 1;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What the amounts of a row show without a test. Sorts the amounts of each side. */
struct sight {
    bool any, negative;
    bool equal;  /* both sides have the same amounts, run by run */
    bool steady; /* each side has one amount in all its runs */
};

static struct sight inspect_amounts(const struct judging *judging, double *amounts)
{
    const size_t *runs = judging->runs;
    double *after = amounts + runs[0];
    struct sight sight = {.equal = runs[0] == runs[1]};

    qsort(amounts, runs[0], sizeof *amounts, compare_doubles);
    qsort(after, runs[1], sizeof *after, compare_doubles);
    sight.steady = amounts[0] == amounts[runs[0] - 1] && after[0] == after[runs[1] - 1];
    sight.equal = (sight.equal || sight.steady) && amounts[0] == after[0];
    for (size_t k = 0; k < judging->all; k++) {
        sight.any = sight.any || amounts[k] != 0;
        sight.negative = sight.negative || amounts[k] < 0;
        sight.equal = sight.equal && (sight.steady || k >= runs[0] || amounts[k] == after[k]);
    }
    return sight;
}

/* --- which rows are tested -------------------------------------------------------------------- */

static double size_of(const struct pf_diff_means *means)
{
    return fabs((double)means->before) + fabs((double)means->after);
}

/* Makes a test of a row, or with --cum finds the test of an earlier row with the same key.
 * `amounts`: sorted. `key`: the amounts run by run, and room for the quantum. */
static int add_test(struct judging *judging, size_t k, const double *amounts, double *key)
{
    struct pf_diff_row *row = &judging->table->rows[k];
    size_t size = judging->all * sizeof *amounts;
    double quantum = quantum_of(judging, row->key);
    uint32_t number = (uint32_t)judging->count + 1;

    key[judging->all] = quantum;
    if (judging->diff->cum && (number = pf_table_intern(&judging->seen, key)) == 0)
        return PF_NOMEM;
    judging->test_of[k] = number;
    if (number <= judging->count)
        return PF_OK;
    if (!pf_grow(&judging->amounts, &judging->capacity, judging->count + 1, size))
        return PF_NOMEM;
    memcpy(judging->amounts + judging->count * judging->all, amounts, size);
    judging->tests[judging->count++] = (struct test){.row = row, .quantum = quantum};
    return PF_OK;
}

/* The verdict of a row that needs no test. Rounded means of shares may be equal. */
static char sign_of_delta(const struct pf_diff_means *means)
{
    return means->delta > 0 ? '+' : means->delta < 0 ? '-' : '=';
}

static bool is_exact(const struct judging *judging, const struct sight *sight)
{
    return judging->block->measure.nature == PF_EXACT && sight->steady;
}

/* Sets the verdicts that need no test, and collects the rows to test. */
static int collect_tests(struct judging *judging, bool *negative)
{
    struct pf_diff_table *table = judging->table;
    double least = size_of(&table->total) * judging->terms->least / 100;
    double *amounts = calloc(2 * judging->all + 1, sizeof *amounts);
    int status = amounts ? PF_OK : PF_NOMEM;

    for (size_t k = 0; k < table->count && status == PF_OK; k++) {
        struct pf_diff_row *row = &table->rows[k];
        const struct pf_diff_means *means = pf_diff_compared(table, row);
        double *key = amounts + judging->all;

        read_amounts(judging, row->key, amounts);
        memcpy(key, amounts, judging->all * sizeof *key);
        struct sight sight = inspect_amounts(judging, amounts);

        row->exact = is_exact(judging, &sight);
        row->verdict = sight.equal ? '=' : '~';
        if (row->exact && !sight.equal)
            row->verdict = sign_of_delta(means);
        if (row->exact || !sight.any || table->method == PF_DIFF_NOTHING)
            continue;
        if (size_of(means) < least) {
            row->verdict = sight.equal ? '=' : '.';
            continue;
        }
        *negative = *negative || sight.negative;
        status = add_test(judging, k, amounts, key);
    }
    free(amounts);
    return status;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* A mean as an amount of the block; a share as a part of 1. */
static double amount_of(const struct judging *judging, pf_int128 mean)
{
    double parts = judging->diff->normalize
                       ? PF_DIFF_WHOLE
                       : (double)(judging->table->parts / judging->block->scale.parts);

    return (double)mean / parts;
}

static double unit_of(const struct judging *judging)
{
    return judging->diff->normalize ? PF_DIFF_WHOLE : 1;
}

/* Sets the interval of the delta, to first order that of the logarithms' difference. */
static void set_delta(const struct judging *judging, const struct pf_moderated_row *test,
                      double quantum, double t, struct pf_diff_row *row)
{
    const struct pf_diff_means *means = pf_diff_compared(judging->table, row);
    double before = amount_of(judging, means->before) + quantum / 2,
           after = amount_of(judging, means->after) + quantum / 2,
           delta = amount_of(judging, means->delta), unit = unit_of(judging),
           spread = log(2) * sqrt(test->moderated * (before * before / (double)judging->runs[0] +
                                                     after * after / (double)judging->runs[1]));

    row->delta =
        (struct pf_diff_interval){(delta - t * spread) * unit, (delta + t * spread) * unit};
}

/* Reads the amounts of a test, which are lost. */
static void read_row(const struct judging *judging, double *amounts, double quantum,
                     struct pf_moderated_row *row)
{
    const size_t *runs = judging->runs;
    double least = pf_moderated_least(amounts, runs[0], runs[1], quantum);

    pf_moderated_row_of(row, amounts, runs[0], runs[1], quantum);
    pf_moderated_agree(row);
    row->variance = fmax(row->variance, least);
}

static pf_int128 before_of(const struct judging *judging, const struct pf_diff_row *row)
{
    return pf_diff_compared(judging->table, row)->before;
}

/* The ratio to which a rise by the gate's bound leads from this mean. */
static double gate_ratio(const struct judging *judging, pf_int128 mean, double quantum)
{
    double before = fabs(amount_of(judging, mean)) + quantum / 2,
           rise = amount_of(judging,
                            pf_bound_amount(judging->terms->gate, mean, judging->table->parts));

    return (before + rise) / before;
}

static void set_moderated(const struct judging *judging, const struct pf_moderated *fit,
                          const struct pf_moderated_row *test, double quantum,
                          struct pf_diff_row *row)
{
    row->tested = test->tested;
    row->p = test->p;
    row->shift = test->difference;
    row->ratio_95 = (struct pf_diff_interval){test->low, test->high};
    if (!test->tested)
        return;
    set_delta(judging, test, quantum, pf_student_quantile(LEVEL, fit->freedom), row);
    if (judging->terms->gate)
        row->above =
            pf_moderated_above(fit, test, gate_ratio(judging, before_of(judging, row), quantum));
}

/* Tests the rows, one for each test. */
static int test_moderated(struct judging *judging)
{
    struct pf_moderated *fit = &judging->table->fit;

    judging->fitted = calloc(judging->count + 1, sizeof *judging->fitted);
    if (!judging->fitted)
        return PF_NOMEM;
    for (size_t k = 0; k < judging->count; k++)
        read_row(judging, judging->amounts + k * judging->all, judging->tests[k].quantum,
                 &judging->fitted[k]);
    if (pf_moderated_test(fit, judging->fitted, judging->count, judging->runs[0],
                          judging->runs[1]) != PF_OK)
        return PF_NOMEM;
    for (size_t k = 0; k < judging->count; k++)
        set_moderated(judging, fit, &judging->fitted[k], judging->tests[k].quantum,
                      judging->tests[k].row);
    return PF_OK;
}

/* --- advice ----------------------------------------------------------------------------------- */

/* True if a fit shows which rises would be found: its prior has at least 1 degree of freedom, or
 * the table is too small for a prior. */
static bool has_power(const struct pf_moderated *fit)
{
    return fit->rows > 0 && (fit->unbounded || fit->rows < 3 || fit->prior >= 1);
}

/* The power to find, with the two-sided `p`, a change of a row of this mean logarithm. */
static struct pf_power power_at(const struct pf_moderated *fit, const struct pf_moderated_row *rows,
                                size_t count, double mean, double p)
{
    return (struct pf_power){.table = fit,
                             .variance = pf_moderated_prior_at(rows, count, mean),
                             .p = fmin(0.5, fmax(1e-12, p))};
}

/* Sets *spread to the median spread of the tested rows, or to 0 if no row is tested. */
static int find_spread(const struct pf_moderated_row *rows, size_t count, double *spread)
{
    double *variances = malloc((count + 1) * sizeof *variances);
    size_t tested = 0;

    *spread = 0;
    if (!variances)
        return PF_NOMEM;
    for (size_t k = 0; k < count; k++)
        if (rows[k].tested)
            variances[tested++] = rows[k].variance;
    if (tested > 0) {
        qsort(variances, tested, sizeof *variances, compare_doubles);
        *spread =
            expm1(M_LN2 * (sqrt(variances[(tested - 1) / 2]) + sqrt(variances[tested / 2])) / 2);
    }
    free(variances);
    return PF_OK;
}

/* Sets the median spread of the tested rows' shares. */
static int advise_shares(const struct judging *judging)
{
    double total = mean_total(judging);

    if (!(total > 0))
        return PF_OK;
    struct pf_moderated_row *rows = calloc(judging->count + 1, sizeof *rows);
    double *amounts = calloc(judging->all + 1, sizeof *amounts);
    int status = rows && amounts ? PF_OK : PF_NOMEM;

    for (size_t k = 0; k < judging->count && status == PF_OK; k++) {
        read_runs(judging, judging->tests[k].row->key, true, amounts);
        read_row(judging, amounts, judging->tests[k].quantum / total, &rows[k]);
    }
    if (status == PF_OK)
        status = find_spread(rows, judging->count, &judging->table->advice.shares);
    free(amounts);
    free(rows);
    return status;
}

/* Sets what the fitted tests of rows can show. */
static int advise_rows(const struct judging *judging)
{
    struct pf_diff_advice *advice = &judging->table->advice;
    const struct pf_moderated *fit = &judging->table->fit;
    double total = judging->diff->normalize ? 1 : mean_total(judging),
           quantum = quantum_of(judging, 0), rows = (double)fit->rows,
           mean = log2(total / 100 + quantum / 2); /* of a row of 1 % of the total */
    int status = find_spread(judging->fitted, judging->count, &advice->rows);

    if (has_power(fit) && status == PF_OK) {
        struct pf_power power = power_at(fit, judging->fitted, judging->count, mean, LEVEL / rows);

        advice->rise = pf_power_rise(&power, fit->before, fit->after);
        advice->runs = pf_power_runs(&power, 1.1);
        power = power_at(fit, judging->fitted, judging->count, mean, 2 * LEVEL / rows);
        if (judging->terms->gate)
            advice->gate_row =
                gate_ratio(judging, before_of(judging, &judging->table->total_row) / 100, quantum) *
                pf_power_rise(&power, fit->before, fit->after);
    }
    return status != PF_OK || fit->rows == 0 || judging->diff->normalize ? status
                                                                         : advise_shares(judging);
}

static void advise_total(const struct judging *judging, const struct pf_moderated *fit,
                         const struct pf_moderated_row *test, double quantum)
{
    const struct pf_diff_row *row = &judging->table->total_row;
    struct pf_diff_advice *advice = &judging->table->advice;
    const struct pf_power power = power_at(fit, test, 1, test->mean, LEVEL);

    if (!row->tested)
        return;
    advice->total = expm1(M_LN2 * sqrt(test->variance));
    if (judging->terms->gate && has_power(fit))
        advice->gate_total = gate_ratio(judging, before_of(judging, row), quantum) *
                             pf_power_rise(&power, fit->before, fit->after);
}

/* Tests the total alone: a table of one row, whose test is Student's t on the logarithms. */
static int moderate_total(struct judging *judging, double *amounts)
{
    struct pf_diff_row *row = &judging->table->total_row;
    double quantum = quantum_of(judging, 0);
    struct pf_moderated_row test;
    struct pf_moderated fit;

    read_row(judging, amounts, quantum, &test);
    if (pf_moderated_test(&fit, &test, 1, judging->runs[0], judging->runs[1]) != PF_OK)
        return PF_NOMEM;
    set_moderated(judging, &fit, &test, quantum, row);
    row->ratio_q = row->ratio_95;
    advise_total(judging, &fit, &test, quantum);
    return PF_OK;
}

/* --- Welch's test ----------------------------------------------------------------------------- */

static int compare_ints(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Sets the moments of both sides: of whole amounts exactly, of shares and totals from doubles. Runs
 * are taken in increasing order, so that their order does not matter. */
static bool find_moments(const struct judging *judging, uint32_t key, double *reals,
                         struct pf_moments moments[2])
{
    const struct pf_diff *diff = judging->diff;
    int64_t *amounts = malloc(judging->all * sizeof *amounts);
    size_t at[2] = {0, judging->runs[0]};

    if (!amounts)
        return false;
    for (size_t k = 0; k < diff->run_count && key > 0; k++)
        if (judging->block->runs[k].met)
            amounts[at[diff->runs[k].side]++] =
                (int64_t)pf_diff_amount(diff, &judging->block->runs[k], key);
    for (size_t side = 0; side < 2; side++) {
        size_t first = side * judging->runs[0], runs = judging->runs[side];

        qsort(amounts + first, key > 0 ? runs : 0, sizeof *amounts, compare_ints);
        if (key > 0 && !diff->normalize)
            pf_moments_of(&moments[side], amounts + first, runs);
        else
            pf_moments_of_reals(&moments[side], reals + first, runs);
        moments[side].floor = pow(quantum_of(judging, key) / 2, 2);
    }
    free(amounts);
    return true;
}

/* One-sided p of a rise above the gate's bound from this mean. */
static double p_above_gate(const struct judging *judging, pf_int128 mean,
                           const struct pf_moments moments[2])
{
    const struct pf_bound *gate = judging->terms->gate;
    double percent = (double)gate->amount / 1e8;

    if (gate->percent)
        return pf_test_above(&moments[0], &moments[1], mean < 0 ? 1 - percent : 1 + percent, 0);
    return pf_test_above(&moments[0], &moments[1], 1,
                         amount_of(judging, pf_bound_amount(gate, mean, judging->table->parts)));
}

/* Tests one row, or the total with key 0. `reals`: its sorted amounts. Sets the moments. */
static int welch_row(const struct judging *judging, struct pf_diff_row *row, double *reals,
                     struct pf_moments moments[2])
{
    double unit = unit_of(judging);
    struct pf_test test;

    if (!find_moments(judging, row->key, reals, moments))
        return PF_NOMEM;
    pf_test_welch(&test, &moments[0], &moments[1]);
    row->tested = test.tested;
    row->p = test.p;
    row->shift = test.difference;
    row->delta = (struct pf_diff_interval){test.low * unit, test.high * unit};
    if (!test.tested)
        return PF_OK;
    pf_test_ratio(&moments[0], &moments[1], LEVEL, &row->ratio_95.low, &row->ratio_95.high);
    row->ratio_q = row->ratio_95;
    if (judging->terms->gate)
        row->above = p_above_gate(judging, before_of(judging, row), moments);
    return PF_OK;
}

/* Tests the rows, one for each test. */
static int test_welch(struct judging *judging)
{
    int status = PF_OK;

    for (size_t k = 0; k < judging->count && status == PF_OK; k++)
        status = welch_row(judging, judging->tests[k].row, judging->amounts + k * judging->all,
                           judging->tests[k].moments);
    return status;
}

/* --- all tests together ----------------------------------------------------------------------- */

/* The level of the intervals at the table's q: of the tests found significant, 95 % of the
 * intervals at this level hold the true ratio (Benjamini and Yekutieli, Journal of the American
 * Statistical Association 100, 2005). */
static double table_level(const double *rates, size_t tests, size_t tested)
{
    size_t found = 0;

    for (size_t k = 0; k < tests; k++)
        found += rates[k] >= 0 && rates[k] < LEVEL;
    found = found > 0 ? found : 1;
    return fmax(1e-12, LEVEL * (double)found / (double)tested);
}

/* Sets q of the tested rows, and the intervals at the level of the table. */
static void set_rates(struct judging *judging, const double *rates, const double *above)
{
    const struct pf_diff_table *table = judging->table;
    double level = table_level(rates, judging->count, table->tests), t = 0;

    if (table->method == PF_DIFF_MODERATED)
        t = pf_student_quantile(level, table->fit.freedom);
    for (size_t k = 0; k < judging->count; k++) {
        const struct test *test = &judging->tests[k];
        struct pf_diff_row *row = test->row;

        row->q = rates[k];
        row->above = above[k];
        if (row->tested && table->method == PF_DIFF_MODERATED)
            pf_moderated_interval(&judging->fitted[k], t, &row->ratio_q.low, &row->ratio_q.high);
        else if (row->tested)
            pf_test_ratio(&test->moments[0], &test->moments[1], level, &row->ratio_q.low,
                          &row->ratio_q.high);
    }
}

/* Gives the results of each test to all rows with its amounts. */
static void share_results(struct judging *judging)
{
    for (size_t k = 0; k < judging->table->count; k++) {
        struct pf_diff_row *row = &judging->table->rows[k];

        if (judging->test_of[k] == 0)
            continue;
        const struct pf_diff_row *first = judging->tests[judging->test_of[k] - 1].row;

        row->tested = first->tested;
        row->p = first->p;
        row->q = first->q;
        row->shift = first->shift;
        row->above = first->above;
        row->delta = first->delta;
        row->ratio_95 = first->ratio_95;
        row->ratio_q = first->ratio_q;
    }
}

static int test_rows(struct judging *judging)
{
    struct pf_diff_table *table = judging->table;
    double *rates = calloc(judging->count + 1, sizeof *rates),
           *above = calloc(judging->count + 1, sizeof *above);
    bool good = rates && above &&
                (table->method == PF_DIFF_WELCH ? test_welch(judging) : test_moderated(judging)) ==
                    PF_OK;

    for (size_t k = 0; k < judging->count && good; k++) {
        rates[k] = judging->tests[k].row->p;
        above[k] = judging->tests[k].row->above;
        table->tests += judging->tests[k].row->tested;
    }
    good = good && pf_rates_of(rates, judging->count) == PF_OK &&
           pf_rates_of(above, judging->count) == PF_OK;
    if (good && table->tests > 0)
        set_rates(judging, rates, above);
    if (good)
        share_results(judging);
    good = good && (table->method == PF_DIFF_WELCH || advise_rows(judging) == PF_OK);
    free(rates);
    free(above);
    return good ? PF_OK : PF_NOMEM;
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* The sign of a change, if the difference of the means and the test agree on it; else 0. */
static int sign_of(const struct pf_diff_table *table, const struct pf_diff_row *row)
{
    pf_int128 delta = pf_diff_compared(table, row)->delta;

    if (row->shift > 0 && delta > 0)
        return 1;
    return row->shift < 0 && delta < 0 ? -1 : 0;
}

/* Sets the verdict of a row or the total. `q`: q of a row, p of the total. */
static void set_verdict(const struct judging *judging, double q, struct pf_diff_row *row)
{
    const struct pf_diff_means *means = pf_diff_compared(judging->table, row);
    double margin = 1 + judging->terms->margin;
    int sign = sign_of(judging->table, row);

    if (!row->tested || row->verdict == '=')
        return;
    if (q < LEVEL && sign != 0)
        row->verdict = sign > 0 ? '+' : '-';
    else if (q >= LEVEL && means->before != 0 && means->after != 0 &&
             row->ratio_95.low >= 1 / margin && row->ratio_95.high <= margin)
        row->verdict = '=';
}

/* Sets the status: a row is more or less only if its verdict is + or -. */
static void set_status(struct pf_diff_row *row)
{
    if (row->status == PF_DIFF_ADDED || row->status == PF_DIFF_REMOVED)
        return;
    row->status = row->verdict == '+'   ? PF_DIFF_MORE
                  : row->verdict == '-' ? PF_DIFF_LESS
                  : row->verdict == '=' ? PF_DIFF_SAME
                                        : PF_DIFF_UNCLEAR;
}

static void count_verdict(struct pf_diff_table *table, const struct pf_diff_row *row)
{
    table->rose += row->verdict == '+';
    table->fell += row->verdict == '-';
}

/* --- hints ------------------------------------------------------------------------------------ */

/* Finds the amount that each sample of the run stands for; 0 if the run has no samples. False:
 * samples differ in this. */
static bool find_worth(const struct pf_diff_amounts *run, const int64_t *amounts, int64_t *worth)
{
    *worth = 0;
    for (size_t key = 1; key < run->count; key++) {
        int64_t samples = run->samples[key], amount = amounts[key];
        if (samples == 0 && amount == 0)
            continue;
        if (samples <= 0 || amount <= 0 || amount % samples != 0 ||
            (*worth != 0 && amount / samples != *worth))
            return false;
        *worth = amount / samples;
    }
    return true;
}

static double unit_ratio(double unit, double other)
{
    return unit > 0 && other > 0 ? unit / other : 1;
}

/* Finds the amount one sample stands for on each side (table->worth). False if numbers of samples
 * say nothing of amounts: samples of a side differ in their amounts, and the raw units of the runs
 * are not all known to be equal. */
static bool find_worths(struct judging *judging)
{
    const struct pf_diff *diff = judging->diff;
    double *worth = judging->table->worth, units[2] = {0}, unit = 0;
    bool known = true, alike = true;
    int64_t one;

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &judging->block->runs[k];
        unsigned side = diff->runs[k].side;
        if (!run->met)
            continue;
        alike = alike && run->unit > 0 && (unit <= 0 || run->unit == unit);
        unit = units[side] = run->unit;
        one = run->worth;
        known = known && (one > 0 || find_worth(run, diff->cum ? run->cum : run->flat, &one)) &&
                (one == 0 || worth[side] <= 0 || worth[side] == (double)one);
        worth[side] = known && one != 0 ? (double)one : worth[side];
    }
    /* a side without samples: its samples would stand for as many raw units as the other side's */
    if (known && worth[0] <= 0)
        worth[0] = worth[1] * unit_ratio(units[0], units[1]);
    else if (known && worth[1] <= 0)
        worth[1] = worth[0] * unit_ratio(units[1], units[0]);
    if (!known || worth[0] <= 0)
        worth[0] = worth[1] = 0;
    return known || alike;
}

/* Sums up the numbers of samples and the amounts of a row by side, of the total for key 0. */
static void sum_sides(const struct judging *judging, uint32_t key, double samples[2],
                      double amounts[2])
{
    samples[0] = samples[1] = amounts[0] = amounts[1] = 0;
    for (size_t k = 0; k < judging->diff->run_count; k++) {
        const struct pf_diff_amounts *run = &judging->block->runs[k];
        unsigned side = judging->diff->runs[k].side;

        samples[side] += (double)pf_diff_samples(run, key);
        amounts[side] += (double)pf_diff_amount(judging->diff, run, key);
    }
}

/* Tests the numbers of samples of a row, or of the total with key 0. The numbers of runs stand for
 * the lengths of the measurements. */
static void test_samples(const struct judging *judging, uint32_t key, struct pf_test *test)
{
    const double *worth = judging->table->worth;
    double samples[2], amounts[2], totals[2];

    *test = (struct pf_test){.p = PF_NO_TEST};
    sum_sides(judging, key, samples, amounts);
    if (samples[0] < 0 || samples[1] < 0)
        return;
    struct pf_weighed weighed = {
        .counts = {.before = (int64_t)fmin(samples[0], 0x1p62),
                   .after = (int64_t)fmin(samples[1], 0x1p62),
                   .total_before = (double)judging->runs[0],
                   .total_after = (double)judging->runs[1]},
        .before = amounts[0],
        .after = amounts[1],
        .known = worth[0] > 0,
        .worth_before = worth[0],
        .worth_after = worth[1],
    };

    if (!judging->diff->normalize) {
        pf_test_amounts(test, &weighed);
        return;
    }
    sum_sides(judging, 0, totals, amounts);
    weighed.counts.total_before = fmin(totals[0], 0x1p62);
    weighed.counts.total_after = fmin(totals[1], 0x1p62);
    pf_test_counts(test, &weighed.counts, true);
}

/* A row whose amounts and numbers of samples change in opposite directions has no hint. */
static void set_hint(const struct pf_diff_table *table, struct pf_diff_row *row,
                     const struct pf_test *test, double q)
{
    pf_int128 delta = pf_diff_compared(table, row)->delta;

    if (row->verdict != '~' || !test->tested || q >= 0.05)
        return;
    row->hint = test->difference > 0 && delta > 0   ? '+'
                : test->difference < 0 && delta < 0 ? '-'
                                                    : 0;
}

/* Hints which rows would be significant if runs did not vary: the numbers of samples are compared
 * by the conditional binomial test, with q over all rows. No hints if the numbers of samples are
 * not known, or do not tell the amounts because samples of a side stand for different amounts. */
static int set_hints(struct judging *judging)
{
    struct pf_diff_table *table = judging->table;
    struct pf_test *tests, total;
    double *rates;
    int status;

    table->hinted = judging->block->sampled && (judging->diff->normalize || find_worths(judging));
    if (!table->hinted)
        return PF_OK;
    tests = calloc(table->count + 1, sizeof *tests);
    rates = calloc(table->count + 1, sizeof *rates);
    for (size_t k = 0; k < table->count && tests && rates; k++) {
        test_samples(judging, table->rows[k].key, &tests[k]);
        rates[k] = tests[k].p;
    }
    status = tests && rates ? pf_rates_of(rates, table->count) : PF_NOMEM;
    for (size_t k = 0; k < table->count && status == PF_OK; k++)
        set_hint(table, &table->rows[k], &tests[k], rates[k]);
    if (!judging->diff->normalize) {
        test_samples(judging, 0, &total);
        set_hint(table, &table->total_row, &total, total.p);
    }
    free(tests);
    free(rates);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static enum pf_diff_method method_of(const struct judging *judging)
{
    size_t runs = judging->runs[0] < judging->runs[1] ? judging->runs[0] : judging->runs[1];

    if (runs < 2)
        return PF_DIFF_NOTHING;
    return runs == 2 || judging->terms->test == PF_DIFF_TEST_WELCH ? PF_DIFF_WELCH
                                                                   : PF_DIFF_MODERATED;
}

/* Judges the total alone; its q is its p. Shares have the same total in all runs. */
static int judge_total(struct judging *judging)
{
    struct pf_diff_row *row = &judging->table->total_row;
    double *amounts = calloc(judging->all, sizeof *amounts);
    struct pf_moments moments[2];
    int status = PF_OK;

    if (!amounts)
        return PF_NOMEM;
    read_amounts(judging, 0, amounts);
    struct sight sight = inspect_amounts(judging, amounts);

    row->exact = is_exact(judging, &sight);
    row->verdict = sight.equal || judging->diff->normalize ? '=' : '~';
    if (row->exact && !sight.equal)
        row->verdict = sign_of_delta(pf_diff_compared(judging->table, row));
    else if (!row->exact && sight.any && !judging->diff->normalize &&
             judging->table->method == PF_DIFF_MODERATED && !sight.negative)
        status = moderate_total(judging, amounts);
    else if (!row->exact && sight.any && !judging->diff->normalize &&
             judging->table->method != PF_DIFF_NOTHING)
        status = welch_row(judging, row, amounts, moments);
    row->q = row->p;
    set_verdict(judging, row->p, row);
    set_status(row);
    free(amounts);
    return status;
}

static int judge_rows(struct judging *judging)
{
    struct pf_diff_table *table = judging->table;
    bool negative = false;
    int status = collect_tests(judging, &negative);

    if (negative && table->method == PF_DIFF_MODERATED)
        table->method = PF_DIFF_WELCH;
    if (status == PF_OK && table->method != PF_DIFF_NOTHING)
        status = test_rows(judging);
    for (size_t k = 0; k < table->count && status == PF_OK; k++) {
        set_verdict(judging, table->rows[k].q, &table->rows[k]);
        set_status(&table->rows[k]);
        count_verdict(table, &table->rows[k]);
    }
    return status;
}

/* Without runs on a side nothing is certain. */
static void judge_nothing(struct pf_diff_table *table)
{
    for (size_t k = 0; k <= table->count; k++) {
        struct pf_diff_row *row = k < table->count ? &table->rows[k] : &table->total_row;

        row->verdict = '~';
        set_status(row);
    }
}

static int judge_both(struct judging *judging)
{
    int status = judge_rows(judging);

    if (status == PF_OK)
        status = judge_total(judging);
    if (status == PF_OK && judging->table->method == PF_DIFF_NOTHING)
        status = set_hints(judging);
    return status;
}

int pf_diff_judge(struct pf_diff_table *table, const struct pf_diff *diff,
                  const struct pf_diff_block *block, const struct pf_diff_terms *terms,
                  struct pf_error *error)
{
    struct judging judging = {.table = table, .diff = diff, .block = block, .terms = terms};
    int status = PF_OK;

    for (unsigned side = 0; side < 2; side++)
        judging.runs[side] = pf_diff_block_runs(diff, block, side);
    judging.all = judging.runs[0] + judging.runs[1];
    table->method = method_of(&judging);
    judging.test_of = calloc(table->count + 1, sizeof *judging.test_of);
    judging.tests = calloc(table->count + 1, sizeof *judging.tests);
    if (!judging.test_of || !judging.tests ||
        (diff->cum &&
         pf_table_init(&judging.seen, (judging.all + 1) * sizeof *judging.amounts) != PF_OK))
        status = PF_NOMEM;
    if (judging.runs[0] == 0 || judging.runs[1] == 0)
        judge_nothing(table);
    else if (status == PF_OK)
        status = judge_both(&judging);
    pf_table_free(&judging.seen);
    free(judging.test_of);
    free(judging.amounts);
    free(judging.tests);
    free(judging.fitted);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}
