#include "analysis/diff/hints.h"

#include <math.h>
#include <stdlib.h>

/* The samples of one run on each side, or of all runs of a side together. */
struct hinting {
    struct pf_diff_table *table;
    const struct pf_diff *diff;
    const struct pf_diff_block *block;
    double runs[PF_SIDES];
    double total_samples[PF_SIDES];
};

static enum pf_side side_of(const struct pf_diff *diff, size_t run)
{
    return PF_BEFORE + diff->runs[run].side;
}

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
static bool find_worths(struct hinting *hinting)
{
    const struct pf_diff *diff = hinting->diff;
    double *worth = hinting->table->worth, units[PF_SIDES] = {0}, unit = 0;
    bool known = true, alike = true;
    int64_t one;

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &hinting->block->runs[k];
        enum pf_side side = side_of(diff, k);
        if (diff->runs[k].left_out || !run->met)
            continue;
        alike = alike && run->unit > 0 && (unit <= 0 || run->unit == unit);
        unit = units[side] = run->unit;
        one = run->worth;
        known = known && (one > 0 || find_worth(run, diff->cum ? run->cum : run->flat, &one)) &&
                (one == 0 || worth[side] <= 0 || worth[side] == (double)one);
        worth[side] = known && one != 0 ? (double)one : worth[side];
    }
    /* a side without samples: its samples would stand for as many raw units as the other side's */
    if (known && worth[PF_BEFORE] <= 0)
        worth[PF_BEFORE] = worth[PF_AFTER] * unit_ratio(units[PF_BEFORE], units[PF_AFTER]);
    else if (known && worth[PF_AFTER] <= 0)
        worth[PF_AFTER] = worth[PF_BEFORE] * unit_ratio(units[PF_AFTER], units[PF_BEFORE]);
    if (!known || worth[PF_BEFORE] <= 0)
        worth[PF_BEFORE] = worth[PF_AFTER] = 0;
    return known || alike;
}

static void collect_totals(struct hinting *hinting)
{
    for (size_t k = 0; k < hinting->diff->run_count; k++) {
        enum pf_side side = side_of(hinting->diff, k);

        if (hinting->diff->runs[k].left_out)
            continue;
        hinting->runs[side]++;
        hinting->total_samples[side] += (double)hinting->block->runs[k].total_samples;
    }
}

/* Tests the numbers of samples of a row, or of the total with key 0. The numbers of runs stand for
 * the lengths of the measurements. */
static void test_row(const struct hinting *hinting, uint32_t key, struct pf_test *test)
{
    const struct pf_diff *diff = hinting->diff;
    double samples[PF_SIDES] = {0}, sums[PF_SIDES] = {0};

    *test = (struct pf_test){.p = PF_NO_TEST};
    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &hinting->block->runs[k];
        const int64_t *column = diff->cum ? run->cum : run->flat;
        enum pf_side side = side_of(diff, k);

        if (diff->runs[k].left_out || key >= run->count)
            continue;
        samples[side] += key > 0 ? (double)run->samples[key] : (double)run->total_samples;
        sums[side] += key > 0 ? (double)column[key] : (double)run->total;
    }
    if (samples[PF_BEFORE] < 0 || samples[PF_AFTER] < 0)
        return;
    const double *worth = hinting->table->worth, *totals = hinting->total_samples;
    struct pf_weighed weighed = {
        .counts = {.before = (int64_t)fmin(samples[PF_BEFORE], 0x1p62),
                   .after = (int64_t)fmin(samples[PF_AFTER], 0x1p62),
                   .total_before = hinting->runs[PF_BEFORE],
                   .total_after = hinting->runs[PF_AFTER]},
        .before = sums[PF_BEFORE],
        .after = sums[PF_AFTER],
        .known = worth[PF_BEFORE] > 0,
        .worth_before = worth[PF_BEFORE],
        .worth_after = worth[PF_AFTER],
    };

    if (!diff->normalize) {
        pf_test_amounts(test, &weighed);
        return;
    }
    weighed.counts.total_before = fmin(totals[PF_BEFORE], 0x1p62);
    weighed.counts.total_after = fmin(totals[PF_AFTER], 0x1p62);
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

int pf_diff_hint(struct pf_diff_table *table, const struct pf_diff *diff,
                 const struct pf_diff_block *block)
{
    struct hinting hinting = {.table = table, .diff = diff, .block = block};
    struct pf_test *tests = calloc(table->count + 1, sizeof *tests);
    double *rates = calloc(table->count + 1, sizeof *rates);
    int status = tests && rates ? PF_OK : PF_NOMEM;
    bool known = block->sampled && (diff->normalize || find_worths(&hinting));

    collect_totals(&hinting);
    for (size_t k = 0; k < table->count && status == PF_OK && known; k++) {
        test_row(&hinting, table->rows[k].key, &tests[k]);
        rates[k] = tests[k].p;
    }
    if (status == PF_OK && known)
        status = pf_rates_of(rates, table->count);
    for (size_t k = 0; k < table->count && status == PF_OK && known; k++)
        set_hint(table, &table->rows[k], &tests[k], rates[k]);
    if (status == PF_OK && known && !diff->normalize) {
        test_row(&hinting, 0, &tests[0]);
        set_hint(table, &table->total_row, &tests[0], tests[0].p);
    }
    free(tests);
    free(rates);
    table->hinted = known;
    return status;
}
