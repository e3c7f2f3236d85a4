#include "analysis/diff/judge.h"

#include "analysis/diff/beta.h"
#include "analysis/diff/hints.h"
#include "base/memory.h"
#include "base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row is significant if its q is below this, the total if its p is. */
static const double LEVEL = 0.05;

/* Rows that are tested, and their amounts. With --cum, rows of equal amounts are one test. */
struct judging {
    struct pf_diff_table *table;
    const struct pf_diff *diff;
    const struct pf_diff_block *block;
    const struct pf_diff_terms *terms;
    size_t runs[2], all; /* number of runs by side, of both */
    uint32_t *test_of;   /* by row: the number of the test from 1; 0: not tested */
    double *amounts;     /* by test: the runs before, then the runs after */
    double *quanta;      /* by test */
    size_t tests, capacity, quantum_capacity;
    struct pf_table seen; /* --cum: keys of the tests: the amounts run by run, and the quantum */
};

/* --- amounts ---------------------------------------------------------------------------------- */

static int64_t raw_amount(const struct pf_diff *diff, const struct pf_diff_amounts *run,
                          uint32_t key)
{
    const int64_t *column = diff->cum ? run->cum : run->flat;

    return key < run->count ? column[key] : 0;
}

/* The amounts of a row in all runs, of the total for key 0: those before, then those after.
 * `shares`: as parts of 1 of their run's total. */
static void read_runs(const struct judging *judging, uint32_t key, bool shares, double *amounts)
{
    const struct pf_diff *diff = judging->diff;
    size_t at[2] = {0, judging->runs[0]};

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &judging->block->runs[k];
        pf_int128 amount = key > 0 ? raw_amount(diff, run, key) : run->total;

        if (diff->runs[k].left_out)
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
        if (!judging->diff->runs[k].left_out)
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
        const struct pf_diff_amounts *run = &block->runs[k];

        if (diff->runs[k].left_out || !run->met)
            continue;
        amount += key > 0 ? fabs((double)raw_amount(diff, run, key)) : fabs((double)run->total);
        samples += key == 0           ? fabs((double)run->total_samples)
                   : key < run->count ? fabs((double)run->samples[key])
                                      : 0;
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

static struct sight look(const struct judging *judging, double *amounts)
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

/* The number of the test with this key, from 1: a new one, or with --cum that of an earlier row
 * with the same key. 0: out of memory. */
static uint32_t number_of(struct judging *judging, const double *key)
{
    uint32_t next = (uint32_t)judging->tests + 1, known = next;

    if (judging->diff->cum)
        known = pf_table_intern(&judging->seen, key);
    return known;
}

/* `amounts`: sorted. `key`: the amounts run by run, and room for the quantum. */
static int add_test(struct judging *judging, size_t row, const double *amounts, double *key)
{
    size_t size = judging->all * sizeof *amounts;
    double quantum = quantum_of(judging, judging->table->rows[row].key);
    uint32_t number;

    key[judging->all] = quantum;
    number = number_of(judging, key);
    if (number == 0)
        return PF_NOMEM;
    judging->test_of[row] = number;
    if (number <= judging->tests)
        return PF_OK;
    if (!pf_grow(&judging->amounts, &judging->capacity, judging->tests + 1, size) ||
        !pf_grow(&judging->quanta, &judging->quantum_capacity, judging->tests + 1,
                 sizeof *judging->quanta))
        return PF_NOMEM;
    memcpy(judging->amounts + judging->tests * judging->all, amounts, size);
    judging->quanta[judging->tests++] = quantum;
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
static int collect(struct judging *judging, bool *negative)
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
        struct sight sight = look(judging, amounts);

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

static void set_moderated(const struct judging *judging, const struct pf_moderated *fit,
                          const struct pf_moderated_row *test, double quantum,
                          struct pf_diff_row *row)
{
    row->tested = test->tested;
    row->p = test->p;
    row->shift = test->difference;
    row->above = PF_NO_TEST;
    row->ratio_95 = (struct pf_diff_interval){test->low, test->high};
    if (test->tested)
        set_delta(judging, test, quantum, pf_student_quantile(LEVEL, fit->freedom), row);
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

/* The ratio to which a rise by the gate's bound leads from this mean. */
static double gate_ratio(const struct judging *judging, pf_int128 mean, double quantum)
{
    double before = fabs(amount_of(judging, mean)) + quantum / 2,
           rise = amount_of(judging,
                            pf_bound_amount(judging->terms->gate, mean, judging->table->parts));

    return (before + rise) / before;
}

/* Tests the total alone: a table of one row, whose test is Student's t on the logarithms. */
static int moderate_total(struct judging *judging, double *amounts)
{
    struct pf_diff_row *row = &judging->table->total_row;
    struct pf_diff_advice *advice = &judging->table->advice;
    double quantum = quantum_of(judging, 0);
    struct pf_moderated_row test;
    struct pf_moderated fit;

    read_row(judging, amounts, quantum, &test);
    if (pf_moderated_test(&fit, &test, 1, judging->runs[0], judging->runs[1]) != PF_OK)
        return PF_NOMEM;
    set_moderated(judging, &fit, &test, quantum, row);
    row->ratio_q = row->ratio_95;
    if (row->tested)
        advice->total = expm1(M_LN2 * sqrt(test.variance));
    if (judging->terms->gate && row->tested) {
        double bound = gate_ratio(judging, pf_diff_compared(judging->table, row)->before, quantum);

        row->above = pf_moderated_above(&fit, &test, bound);
        advice->gate_total = pf_advice_above(&fit, &test, 1, test.mean, bound, LEVEL / 2);
    }
    return PF_OK;
}

/* --- advice ----------------------------------------------------------------------------------- */

/* The mean logarithm of a row of 1 % of the total. */
static double mean_of_percent(const struct judging *judging)
{
    double total = judging->diff->normalize ? 1 : mean_total(judging);

    return log2(total / 100 + quantum_of(judging, 0) / 2);
}

/* Sets the median spread of the tested rows' shares. */
static int advise_shares(const struct judging *judging, struct pf_diff_advice *advice)
{
    double total = mean_total(judging);

    if (!(total > 0))
        return PF_OK;
    struct pf_moderated_row *rows = calloc(judging->tests + 1, sizeof *rows);
    double *amounts = calloc(judging->all + 1, sizeof *amounts);
    int status = rows && amounts ? PF_OK : PF_NOMEM;

    for (size_t k = 0; k < judging->table->count && status == PF_OK; k++) {
        uint32_t number = judging->test_of[k];

        if (number == 0 || rows[number - 1].tested)
            continue;
        read_runs(judging, judging->table->rows[k].key, true, amounts);
        read_row(judging, amounts, judging->quanta[number - 1] / total, &rows[number - 1]);
    }
    if (status == PF_OK)
        status = pf_advice_spread(rows, judging->tests, &advice->shares);
    free(amounts);
    free(rows);
    return status;
}

/* Sets what the fitted tests of rows can show. */
static int advise(const struct judging *judging, const struct pf_moderated_row *tests)
{
    struct pf_diff_table *table = judging->table;
    const struct pf_moderated *fit = &table->fit;
    const struct pf_bound *gate = judging->terms->gate;
    double mean = mean_of_percent(judging);
    int status = pf_advice_spread(tests, judging->tests, &table->advice.rows);

    if (fit->rows == 0 || status != PF_OK)
        return status;
    pf_advice_power(&table->advice, fit, tests, judging->tests, mean);
    if (gate)
        table->advice.gate_row = pf_advice_above(
            fit, tests, judging->tests, mean,
            gate_ratio(judging, pf_diff_compared(table, &table->total_row)->before / 100,
                       quantum_of(judging, 0)),
            0.05 / (double)fit->rows);
    return judging->diff->normalize ? PF_OK : advise_shares(judging, &table->advice);
}

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

static int moderate(struct judging *judging)
{
    struct pf_diff_table *table = judging->table;
    size_t before = judging->runs[0], after = judging->runs[1];
    struct pf_moderated_row *tests = calloc(judging->tests + 1, sizeof *tests);
    double *rates = calloc(judging->tests + 1, sizeof *rates),
           *above = calloc(judging->tests + 1, sizeof *above);
    bool good = tests && rates && above;

    for (size_t k = 0; k < judging->tests && good; k++)
        read_row(judging, judging->amounts + k * judging->all, judging->quanta[k], &tests[k]);
    good = good && pf_moderated_test(&table->fit, tests, judging->tests, before, after) == PF_OK;
    for (size_t k = 0; k < judging->tests && good; k++)
        rates[k] = tests[k].p;
    good = good && pf_rates_of(rates, judging->tests) == PF_OK;
    double t = good && table->fit.rows > 0
                   ? pf_student_quantile(table_level(rates, judging->tests, table->fit.rows),
                                         table->fit.freedom)
                   : 0;

    for (size_t k = 0; k < judging->tests && good; k++)
        above[k] = PF_NO_TEST;
    for (size_t k = 0; k < table->count && good; k++) {
        struct pf_diff_row *row = &table->rows[k];
        uint32_t number = judging->test_of[k];

        if (number == 0)
            continue;
        const struct pf_moderated_row *test = &tests[number - 1];

        set_moderated(judging, &table->fit, test, judging->quanta[number - 1], row);
        row->q = rates[number - 1];
        if (test->tested)
            pf_moderated_interval(test, t, &row->ratio_q.low, &row->ratio_q.high);
        if (judging->terms->gate && test->tested)
            above[number - 1] =
                pf_moderated_above(&table->fit, test,
                                   gate_ratio(judging, pf_diff_compared(table, row)->before,
                                              judging->quanta[number - 1]));
    }
    good = good && pf_rates_of(above, judging->tests) == PF_OK;
    for (size_t k = 0; k < table->count && good; k++)
        table->rows[k].above = judging->test_of[k] ? above[judging->test_of[k] - 1] : PF_NO_TEST;
    table->tests = good ? table->fit.rows : 0;
    good = good && advise(judging, tests) == PF_OK;
    free(tests);
    free(rates);
    free(above);
    return good ? PF_OK : PF_NOMEM;
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
        if (!diff->runs[k].left_out)
            amounts[at[diff->runs[k].side]++] = raw_amount(diff, &judging->block->runs[k], key);
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

/* Welch's test of a row, and what it compared. */
struct welch_test {
    struct pf_moments moments[2];
    struct pf_test result;
};

static struct pf_diff_interval ratio_at(const struct welch_test *test, double level)
{
    struct pf_diff_interval ratio;

    pf_test_ratio(&test->moments[0], &test->moments[1], level, &ratio.low, &ratio.high);
    return ratio;
}

/* One-sided p of a rise above the gate's bound from this mean. */
static double p_above_gate(const struct judging *judging, pf_int128 mean,
                           const struct welch_test *welch)
{
    const struct pf_bound *gate = judging->terms->gate;
    double percent = (double)gate->amount / 1e8;

    if (gate->percent)
        return pf_test_above(&welch->moments[0], &welch->moments[1],
                             mean < 0 ? 1 - percent : 1 + percent, 0);
    return pf_test_above(&welch->moments[0], &welch->moments[1], 1,
                         amount_of(judging, pf_bound_amount(gate, mean, judging->table->parts)));
}

/* Tests one row, or the total with key 0. `reals`: its sorted amounts. */
static int welch_row(struct judging *judging, struct pf_diff_row *row, double *reals,
                     struct welch_test *welch)
{
    const struct pf_test *test = &welch->result;
    double unit = unit_of(judging);

    if (!find_moments(judging, row->key, reals, welch->moments))
        return PF_NOMEM;
    pf_test_welch(&welch->result, &welch->moments[0], &welch->moments[1]);
    row->tested = test->tested;
    row->p = test->p;
    row->shift = test->difference;
    row->above = PF_NO_TEST;
    row->delta = (struct pf_diff_interval){test->low * unit, test->high * unit};
    if (test->tested)
        row->ratio_95 = row->ratio_q = ratio_at(welch, LEVEL);
    if (judging->terms->gate && test->tested)
        row->above = p_above_gate(judging, pf_diff_compared(judging->table, row)->before, welch);
    return PF_OK;
}

static int welch_total(struct judging *judging, double *amounts)
{
    struct welch_test test;

    return welch_row(judging, &judging->table->total_row, amounts, &test);
}

static int welch(struct judging *judging)
{
    struct pf_diff_table *table = judging->table;
    double *rates = calloc(judging->tests + 1, sizeof *rates),
           *above = calloc(judging->tests + 1, sizeof *above);
    struct welch_test *tests = calloc(judging->tests + 1, sizeof *tests);
    int status = rates && above && tests ? PF_OK : PF_NOMEM;
    size_t tested = 0;
    double level;

    for (size_t k = 0; k < table->count && status == PF_OK; k++) {
        uint32_t number = judging->test_of[k];

        if (number == 0)
            continue;
        status = welch_row(judging, &table->rows[k], judging->amounts + (number - 1) * judging->all,
                           &tests[number - 1]);
        rates[number - 1] = table->rows[k].p;
        above[number - 1] = table->rows[k].above;
    }
    for (size_t k = 0; k < judging->tests; k++)
        tested += tests[k].result.tested;
    if (status == PF_OK)
        status = pf_rates_of(rates, judging->tests);
    if (status == PF_OK)
        status = pf_rates_of(above, judging->tests);
    level = tested > 0 ? table_level(rates, judging->tests, tested) : LEVEL;
    for (size_t k = 0; k < table->count && status == PF_OK; k++) {
        struct pf_diff_row *row = &table->rows[k];
        uint32_t number = judging->test_of[k];

        if (number == 0 || !row->tested)
            continue;
        row->q = rates[number - 1];
        row->above = above[number - 1];
        row->ratio_q = ratio_at(&tests[number - 1], level);
    }
    table->tests = tested;
    free(tests);
    free(rates);
    free(above);
    return status;
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
    int status = PF_OK;

    if (!amounts)
        return PF_NOMEM;
    read_amounts(judging, 0, amounts);
    struct sight sight = look(judging, amounts);

    row->exact = is_exact(judging, &sight);
    row->verdict = sight.equal || judging->diff->normalize ? '=' : '~';
    if (row->exact && !sight.equal)
        row->verdict = sign_of_delta(pf_diff_compared(judging->table, row));
    else if (!row->exact && sight.any && !judging->diff->normalize &&
             judging->table->method == PF_DIFF_MODERATED && !sight.negative)
        status = moderate_total(judging, amounts);
    else if (!row->exact && sight.any && !judging->diff->normalize &&
             judging->table->method != PF_DIFF_NOTHING)
        status = welch_total(judging, amounts);
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
    int status = collect(judging, &negative);

    if (negative && table->method == PF_DIFF_MODERATED)
        table->method = PF_DIFF_WELCH;
    if (status == PF_OK && table->method == PF_DIFF_MODERATED)
        status = moderate(judging);
    else if (status == PF_OK && table->method == PF_DIFF_WELCH)
        status = welch(judging);
    for (size_t k = 0; k < table->count && status == PF_OK; k++) {
        set_verdict(judging, table->rows[k].q, &table->rows[k]);
        set_status(&table->rows[k]);
        count_verdict(table, &table->rows[k]);
    }
    return status;
}

int pf_diff_judge(struct pf_diff_table *table, const struct pf_diff *diff,
                  const struct pf_diff_block *block, const struct pf_diff_terms *terms,
                  struct pf_error *error)
{
    struct judging judging = {.table = table, .diff = diff, .block = block, .terms = terms};
    int status = PF_OK;

    for (unsigned side = 0; side < 2; side++)
        judging.runs[side] = pf_diff_runs(diff, side);
    judging.all = judging.runs[0] + judging.runs[1];
    table->method = method_of(&judging);
    judging.test_of = calloc(table->count + 1, sizeof *judging.test_of);
    if (!judging.test_of ||
        (diff->cum &&
         pf_table_init(&judging.seen, (judging.all + 1) * sizeof *judging.amounts) != PF_OK))
        status = PF_NOMEM;
    if (status == PF_OK && judging.runs[0] > 0 && judging.runs[1] > 0)
        status = judge_rows(&judging);
    if (status == PF_OK && judging.runs[0] > 0 && judging.runs[1] > 0)
        status = judge_total(&judging);
    if (status == PF_OK && table->method == PF_DIFF_NOTHING)
        status = pf_diff_hint(table, diff, block);
    pf_table_free(&judging.seen);
    free(judging.test_of);
    free(judging.amounts);
    free(judging.quanta);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}
