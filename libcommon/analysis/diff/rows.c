#include "analysis/diff/rows.h"

#include "analysis/merge/columns.h"
#include "analysis/sum/rank.h"
#include "analysis/sum/sort.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double significant = 0.05;

void pf_diff_table_free(struct pf_diff_table *table)
{
    free(table->rows);
    *table = (struct pf_diff_table){0};
}

/* Working state while rows are made: the amounts of one row in all runs, by side. */
struct making {
    struct pf_diff *diff;
    const struct pf_diff_block *block;
    struct pf_diff_table *table;
    uint64_t pieces; /* number of pieces in an amount; means are counted in pieces */
    /* all by side: */
    size_t runs[PF_SIDES];
    int64_t *amounts[PF_SIDES]; /* amounts of the compared column, by run */
    pf_int128 *totals[PF_SIDES];
    double samples[PF_SIDES], total_samples[PF_SIDES];
    pf_int128 sums[PF_SIDES]; /* of `amounts` */
    bool there[PF_SIDES];     /* a run of the side has an amount in the row */
    struct pf_error *error;
};

static int overflow(const struct making *making, uint32_t key)
{
    struct pf_buffer scratch = {0};
    struct pf_bytes measure = pf_dict_string(making->diff->dict, making->block->measure.name);
    struct pf_bytes name = pf_keys_name(&making->diff->keys, key, &scratch, NULL);

    pf_error_set(making->error, PF_OVERFLOW,
                 "the difference of measure '%s' for '%s' overflows 64 bits", pf_clip(measure).text,
                 pf_clip(name).text);
    pf_buffer_free(&scratch);
    return PF_OVERFLOW;
}

/* Checks that the bound fits the measure. A bound in time does not fit shares. */
static int check_bound(const struct pf_diff *diff, const struct pf_diff_block *block,
                       const struct pf_bound *bound, struct pf_error *error)
{
    static const struct pf_scale shares = {.name = {"shares", 6}};

    return pf_bound_check(bound, diff->normalize ? &shares : &block->scale, error);
}

static enum pf_side side_of(const struct pf_diff *diff, size_t run)
{
    return PF_BEFORE + diff->runs[run].side;
}

/* --- sums of a row ---------------------------------------------------------------------------- */

static int64_t amount_at(const struct making *making, const struct pf_diff_amounts *run,
                         const int64_t *column, uint32_t key)
{
    int64_t amount = key < run->count ? column[key] : 0;

    return making->diff->normalize ? pf_diff_share(amount, run->total) : amount;
}

/* Collects one column of a row: its sums by side, and for the compared column the amounts of the
 * runs too. */
static void collect(struct making *making, uint32_t key, bool cum, pf_int128 sums[PF_SIDES])
{
    const struct pf_diff *diff = making->diff;
    size_t counts[PF_SIDES] = {0};

    sums[PF_BEFORE] = sums[PF_AFTER] = 0;
    making->there[PF_BEFORE] = making->there[PF_AFTER] = false;
    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &making->block->runs[k];
        const int64_t *column = cum ? run->cum : run->flat;
        enum pf_side side = side_of(diff, k);
        if (diff->runs[k].left_out)
            continue;
        sums[side] += amount_at(making, run, column, key);
        making->there[side] = making->there[side] || (key < run->count && column[key] != 0);
        if (cum != diff->cum)
            continue;
        making->amounts[side][counts[side]++] = key < run->count ? column[key] : 0;
        making->samples[side] += key < run->count && run->samples ? (double)run->samples[key] : 0;
    }
}

/* The mean in 1/table->parts: the sum divided by the number of runs. False if it overflows 128
 * bits. */
static bool mean_of(const struct making *making, enum pf_side side, pf_int128 sum, pf_int128 *mean)
{
    pf_int128 runs = making->runs[side] > 0 ? (pf_int128)making->runs[side] : 1;

    if (!making->diff->normalize)
        return !__builtin_mul_overflow(sum, (pf_int128)making->pieces / runs, mean);
    *mean = pf_divide128(sum, runs);
    return true;
}

static bool set_means(const struct making *making, const pf_int128 sums[PF_SIDES],
                      struct pf_diff_means *means)
{
    return mean_of(making, PF_BEFORE, sums[PF_BEFORE], &means->before) &&
           mean_of(making, PF_AFTER, sums[PF_AFTER], &means->after) &&
           !__builtin_sub_overflow(means->after, means->before, &means->delta);
}

/* True if the difference fits in 64 bits, as amounts do. */
static bool fits(const struct making *making, const struct pf_diff_means *means)
{
    int64_t delta;

    return pf_scale64(means->delta, 1, making->pieces, &delta);
}

struct pf_diff_means pf_diff_shown_means(const struct pf_diff_table *table,
                                         const struct pf_diff_means *means)
{
    pf_int128 pieces = (pf_int128)(table->parts / table->shown_parts);
    struct pf_diff_means shown = {.before = pf_divide128(means->before, pieces),
                                  .after = pf_divide128(means->after, pieces)};

    shown.delta = shown.after - shown.before;
    return shown;
}

/* --- tests ------------------------------------------------------------------------------------ */

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
static bool find_worths(struct making *making)
{
    const struct pf_diff *diff = making->diff;
    double *worth = making->table->worth, units[PF_SIDES] = {0}, unit = 0;
    bool known = true, alike = true;
    int64_t one;

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &making->block->runs[k];
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

static enum pf_diff_method method_of(struct making *making)
{
    const struct pf_diff_block *block = making->block;
    bool many = making->runs[PF_BEFORE] >= 2 && making->runs[PF_AFTER] >= 2;

    if (many)
        return PF_DIFF_RUNS;
    if (block->measure.nature == PF_EXACT)
        return PF_DIFF_EXACT;
    if (!block->sampled)
        return PF_DIFF_NOTHING;
    return making->diff->normalize || find_worths(making) ? PF_DIFF_SAMPLES : PF_DIFF_UNLIKE;
}

static void scale_test(struct pf_test *test, double factor)
{
    double low = test->low * factor, high = test->high * factor;

    test->difference *= factor;
    test->low = fmin(low, high);
    test->high = fmax(low, high);
}

/* The clock's unit in compared amounts. For shares, which have a unit for each side, the
 * greater. */
static double clock_unit(const struct making *making)
{
    double least = 0, tick = making->block->tick * (double)making->block->scale.parts;

    if (!making->diff->normalize)
        return tick;
    for (enum pf_side side = PF_BEFORE; side <= PF_AFTER; side++) {
        double total = 0;
        for (size_t k = 0; k < making->runs[side]; k++)
            total += fabs((double)making->totals[side][k]) / (double)making->runs[side];
        least = least == 0 || (total > 0 && total < least) ? total : least;
    }
    return least > 0 ? tick / least : 0;
}

static void set_floors(const struct making *making, struct pf_moments moments[PF_SIDES])
{
    const struct pf_measure *measure = &making->block->measure;

    if (measure->aggregation == PF_MAX)
        return;
    if (measure->nature == PF_SAMPLED && making->block->sampled)
        pf_moments_floor_sampled(&moments[PF_BEFORE], &moments[PF_AFTER],
                                 making->samples[PF_BEFORE], making->samples[PF_AFTER]);
    else if (measure->nature == PF_TIMED)
        pf_moments_floor_timed(&moments[PF_BEFORE], &moments[PF_AFTER], clock_unit(making));
}

static void test_runs(const struct making *making, struct pf_diff_row *row)
{
    struct pf_moments moments[PF_SIDES];

    for (enum pf_side side = PF_BEFORE; side <= PF_AFTER; side++)
        if (making->diff->normalize)
            pf_moments_of_shares(&moments[side], making->amounts[side], making->totals[side],
                                 making->runs[side]);
        else
            pf_moments_of(&moments[side], making->amounts[side], making->runs[side]);
    row->exact = making->block->measure.nature == PF_EXACT && moments[PF_BEFORE].variance == 0 &&
                 moments[PF_AFTER].variance == 0;
    set_floors(making, moments);
    if (!row->exact)
        pf_test_welch(&row->test, &moments[PF_BEFORE], &moments[PF_AFTER]);
    if (making->diff->normalize)
        scale_test(&row->test, PF_DIFF_WHOLE);
}

/* Tests the numbers of samples: the samples of all runs of a side together. The numbers of runs
 * stand for the lengths of the measurements. */
static void test_samples(const struct making *making, struct pf_diff_row *row)
{
    const double *worth = making->table->worth;
    struct pf_weighed weighed = {
        .counts = {.before = (int64_t)fmin(making->samples[PF_BEFORE], 0x1p62),
                   .after = (int64_t)fmin(making->samples[PF_AFTER], 0x1p62)},
        .before = (double)making->sums[PF_BEFORE],
        .after = (double)making->sums[PF_AFTER],
        .known = worth[PF_BEFORE] > 0,
        .worth_before = worth[PF_BEFORE],
        .worth_after = worth[PF_AFTER],
    };
    const double *totals = making->total_samples;

    if (weighed.counts.before < 0 || weighed.counts.after < 0)
        return;
    weighed.counts.total_before = making->diff->normalize ? fmin(totals[PF_BEFORE], 0x1p62)
                                                          : (double)making->runs[PF_BEFORE];
    weighed.counts.total_after = making->diff->normalize ? fmin(totals[PF_AFTER], 0x1p62)
                                                         : (double)making->runs[PF_AFTER];
    if (!making->diff->normalize) {
        pf_test_amounts(&row->test, &weighed);
    } else {
        pf_test_counts(&row->test, &weighed.counts, true);
        scale_test(&row->test, PF_DIFF_WHOLE);
    }
}

static bool equal_means(const struct making *making, const struct pf_diff_row *row)
{
    pf_int128 before, after;

    if (making->diff->normalize && row->test.tested)
        return row->test.difference == 0;
    if (__builtin_mul_overflow(making->sums[PF_BEFORE], (pf_int128)making->runs[PF_AFTER],
                               &before) ||
        __builtin_mul_overflow(making->sums[PF_AFTER], (pf_int128)making->runs[PF_BEFORE], &after))
        return false;
    return before == after;
}

static void test_row(const struct making *making, struct pf_diff_row *row)
{
    row->test = (struct pf_test){.p = PF_NO_TEST};
    row->exact = making->table->method == PF_DIFF_EXACT;
    if (!making->there[PF_BEFORE] && !making->there[PF_AFTER])
        return; /* the compared column has no amount in this row */
    if (making->table->method == PF_DIFF_RUNS)
        test_runs(making, row);
    else if (making->table->method == PF_DIFF_SAMPLES)
        test_samples(making, row);
}

/* --- rows ------------------------------------------------------------------------------------- */

static enum pf_diff_status status_of(pf_int128 delta, const bool there[PF_SIDES])
{
    if (there[PF_BEFORE] != there[PF_AFTER])
        return there[PF_AFTER] ? PF_DIFF_ADDED : PF_DIFF_REMOVED;
    return delta > 0 ? PF_DIFF_MORE : delta < 0 ? PF_DIFF_LESS : PF_DIFF_SAME;
}

/* Makes the row of a key. *any: the row has an amount. */
static int make_row(struct making *making, uint32_t key, struct pf_diff_row *row, bool *any)
{
    const bool cum = making->diff->cum;
    const struct pf_diff_means *total = &making->table->total;
    const struct pf_diff_means *means = cum ? &row->cum : &row->flat;
    pf_int128 other[PF_SIDES];
    bool there[PF_SIDES];

    *row = (struct pf_diff_row){.key = key, .q = PF_NO_TEST};
    making->samples[PF_BEFORE] = making->samples[PF_AFTER] = 0;
    collect(making, key, !cum, other);
    memcpy(there, making->there, sizeof there);
    collect(making, key, cum, making->sums);
    there[PF_BEFORE] = there[PF_BEFORE] || making->there[PF_BEFORE];
    there[PF_AFTER] = there[PF_AFTER] || making->there[PF_AFTER];
    *any = there[PF_BEFORE] || there[PF_AFTER];
    if (!*any)
        return PF_OK;
    if (!set_means(making, cum ? other : making->sums, &row->flat) ||
        !set_means(making, cum ? making->sums : other, &row->cum) || !fits(making, &row->flat) ||
        !fits(making, &row->cum))
        return overflow(making, key);
    row->points = pf_percent(means->after, total->after) - pf_percent(means->before, total->before);
    row->ratio = means->before != 0 ? (double)means->after / (double)means->before : 0;
    row->status = status_of(means->delta, there);
    test_row(making, row);
    row->verdict = equal_means(making, row) ? '=' : '?';
    return PF_OK;
}

/* Sets the verdict of a row whose means differ, once q is known. `margin` is an amount of the
 * block, as the ends of the interval are. */
static void set_verdict(const struct pf_diff_table *table, double margin, struct pf_diff_row *row)
{
    pf_int128 delta = pf_diff_compared(table, row)->delta;

    if (row->verdict == '=')
        return;
    if (row->exact)
        row->verdict = delta > 0 ? '+' : delta < 0 ? '-' : '=';
    else if (row->test.tested && row->q < significant && row->test.difference > 0 && delta >= 0)
        row->verdict = '+';
    else if (row->test.tested && row->q < significant && row->test.difference < 0 && delta <= 0)
        row->verdict = '-';
    else if (row->test.tested && row->test.low >= -margin && row->test.high <= margin)
        row->verdict = '=';
}

static int set_rates(struct pf_diff_table *table, struct pf_error *error)
{
    double *rates = calloc(table->count + 1, sizeof *rates);

    if (!rates)
        return pf_error_nomem(error);
    for (size_t i = 0; i < table->count; i++) {
        rates[i] = table->rows[i].test.tested ? table->rows[i].test.p : PF_NO_TEST;
        table->tests += table->rows[i].test.tested;
    }
    if (pf_rates_of(rates, table->count) != PF_OK) {
        free(rates);
        return pf_error_nomem(error);
    }
    for (size_t i = 0; i < table->count; i++)
        table->rows[i].q = rates[i];
    free(rates);
    return PF_OK;
}

/* Sets table->moved. Rows with the same function name differ in file or image. */
static int count_moved(struct making *making)
{
    struct pf_diff_table *table = making->table;
    const struct pf_keys *keys = &making->diff->keys;
    unsigned char *met;

    if (making->diff->by != PF_BY_FUNCTION)
        return PF_OK;
    met = calloc(making->diff->dict->strings.count, 1);
    if (!met)
        return pf_error_nomem(making->error);
    for (size_t i = 0; i < table->count; i++) {
        uint32_t name = pf_keys_row(keys, table->rows[i].key)->name;
        enum pf_diff_status status = table->rows[i].status;

        if (name == 0 || (status != PF_DIFF_ADDED && status != PF_DIFF_REMOVED))
            continue;
        table->moved += met[name] ==
                        (status == PF_DIFF_ADDED ? 1 << PF_DIFF_REMOVED : 1 << PF_DIFF_ADDED);
        met[name] |= (unsigned char)(1 << status);
    }
    free(met);
    return PF_OK;
}

static bool set_totals(struct making *making)
{
    const struct pf_diff *diff = making->diff;
    size_t counts[PF_SIDES] = {0};
    pf_int128 sums[PF_SIDES] = {0};

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &making->block->runs[k];
        enum pf_side side = side_of(diff, k);
        if (diff->runs[k].left_out)
            continue;
        making->totals[side][counts[side]++] = run->total;
        making->total_samples[side] += (double)run->total_samples;
        sums[side] += diff->normalize ? (run->total != 0 ? PF_DIFF_WHOLE : 0) : run->total;
    }
    return set_means(making, sums, &making->table->total);
}

static int make_rows(struct making *making)
{
    struct pf_diff_table *table = making->table;
    uint32_t keys = making->diff->keys.table.count;
    int status = PF_OK;

    if (!set_totals(making))
        return pf_error_set(making->error, PF_OVERFLOW, "the totals of the runs overflow 128 bits");
    table->rows = calloc(keys, sizeof *table->rows);
    if (!table->rows)
        return pf_error_nomem(making->error);
    for (uint32_t key = 1; key < keys && status == PF_OK; key++) {
        bool any;
        status = make_row(making, key, &table->rows[table->count], &any);
        table->count += any;
    }
    return status;
}

/* Sets the parts in which means are counted. False: their number overflows 64 bits. */
static bool set_parts(struct making *making)
{
    const struct pf_diff *diff = making->diff;
    const struct pf_scale *scale = &making->block->scale;
    struct pf_diff_table *table = making->table;
    bool fits_in = true;

    making->pieces = table->parts = table->shown_parts = 1;
    if (diff->normalize)
        return true;
    for (enum pf_side side = PF_BEFORE; side <= PF_AFTER; side++)
        fits_in = (making->runs[side] == 0 ||
                   pf_parts_join(making->pieces, making->runs[side], &making->pieces)) &&
                  fits_in;
    fits_in = fits_in && !__builtin_mul_overflow(making->pieces, scale->parts, &table->parts);
    if (!fits_in)
        making->pieces = table->parts = 1;
    table->shown_parts = scale->time ? 1 : table->parts;
    return fits_in;
}

int pf_diff_table_make(struct pf_diff_table *table, struct pf_diff *diff,
                       const struct pf_diff_block *block, const struct pf_bound *margin,
                       struct pf_error *error)
{
    struct making making = {.diff = diff, .block = block, .table = table, .error = error};
    int status = check_bound(diff, block, margin, error);

    *table = (struct pf_diff_table){.cum = diff->cum};
    for (enum pf_side side = PF_BEFORE; side <= PF_AFTER; side++) {
        making.runs[side] = pf_diff_runs(diff, side - PF_BEFORE);
        making.amounts[side] = calloc(making.runs[side] + 1, sizeof *making.amounts[side]);
        making.totals[side] = calloc(making.runs[side] + 1, sizeof *making.totals[side]);
        if (!making.amounts[side] || !making.totals[side])
            status = pf_error_nomem(error);
    }
    if (!set_parts(&making))
        status =
            pf_error_set(error, PF_OVERFLOW,
                         "too many runs: the common denominator of their means overflows 64 bits");
    table->method = method_of(&making);
    if (status == PF_OK)
        status = make_rows(&making);
    if (status == PF_OK)
        status = count_moved(&making);
    if (status == PF_OK)
        status = set_rates(table, error);
    if (block->measure.nature == PF_EXACT && table->tests == 0)
        table->method = PF_DIFF_EXACT; /* all runs of a side have equal amounts */
    table->margin = pf_bound_amount(margin, pf_diff_shown_means(table, &table->total).before,
                                    table->shown_parts);
    for (size_t i = 0; i < table->count && status == PF_OK; i++)
        set_verdict(table,
                    (double)table->margin * (double)block->scale.parts / (double)table->shown_parts,
                    &table->rows[i]);
    for (enum pf_side side = PF_BEFORE; side <= PF_AFTER; side++) {
        free(making.amounts[side]);
        free(making.totals[side]);
    }
    return status;
}

/* --- choosing and order ----------------------------------------------------------------------- */

static const char *const status_names[] = {"added", "removed", "more", "less", "same"};

const char *pf_diff_status_name(enum pf_diff_status status)
{
    return status_names[status];
}

static bool significant_row(const struct pf_diff_row *row)
{
    return row->verdict == '+' || row->verdict == '-';
}

void pf_diff_table_only(struct pf_diff_table *table, enum pf_diff_only only)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->count && only != PF_DIFF_ALL; i++)
        if (only == PF_DIFF_ONLY_SIGNIFICANT
                ? significant_row(&table->rows[i])
                : table->rows[i].status == (enum pf_diff_status)(only - PF_DIFF_ONLY_ADDED))
            table->rows[kept++] = table->rows[i];
    table->count = only != PF_DIFF_ALL ? kept : table->count;
}

static double size_of(const struct pf_diff_means *means)
{
    return fabs((double)means->before) + fabs((double)means->after);
}

void pf_diff_table_least(struct pf_diff_table *table, double percent)
{
    double least = size_of(&table->total) * percent / 100;
    size_t kept = 0;

    for (size_t i = 0; i < table->count; i++)
        if (size_of(pf_diff_compared(table, &table->rows[i])) >= least)
            table->rows[kept++] = table->rows[i];
    table->small = table->count - kept;
    table->count = kept;
}

void pf_diff_table_drop_negative(struct pf_diff_table *table)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->count; i++)
        if (pf_diff_compared(table, &table->rows[i])->delta >= 0)
            table->rows[kept++] = table->rows[i];
    table->count = kept;
}

int pf_diff_table_gate(struct pf_diff_table *table, const struct pf_diff *diff,
                       const struct pf_diff_block *block, const struct pf_bound *bound,
                       struct pf_error *error)
{
    size_t kept = 0;
    int status = check_bound(diff, block, bound, error);

    for (size_t i = 0; i < table->count && status == PF_OK; i++) {
        const struct pf_diff_row *row = &table->rows[i];
        const struct pf_diff_means *means = pf_diff_compared(table, row);
        bool may_tell = row->exact || row->test.tested;
        if (means->delta > 0 && pf_bound_passed(bound, means->delta, means->before, table->parts) &&
            (!may_tell || row->verdict == '+'))
            table->rows[kept++] = *row;
    }
    table->count = kept;
    return status;
}

struct order {
    const struct pf_diff_table *table;
    const struct pf_keys *keys;
    enum pf_diff_sort sort;
};

static int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

/* The ratio for sorting: infinite for a row that was 0 before. */
static double ratio_rank(const struct pf_diff_means *means, double ratio)
{
    return means->before != 0 ? ratio
           : means->after > 0 ? HUGE_VAL
           : means->after < 0 ? -HUGE_VAL
                              : 1;
}

static int compare_rows(const void *arg, const void *x, const void *y)
{
    const struct order *order = arg;
    const struct pf_diff_row *a = x, *b = y;
    const struct pf_diff_means *left = pf_diff_compared(order->table, a),
                               *right = pf_diff_compared(order->table, b);
    int result = 0;

    if (order->sort == PF_DIFF_BY_DELTA)
        result = left->delta > right->delta ? -1 : left->delta < right->delta;
    else if (order->sort == PF_DIFF_BY_RATIO)
        result = -compare_doubles(ratio_rank(left, a->ratio), ratio_rank(right, b->ratio));
    else if (order->sort == PF_DIFF_BY_Q)
        result = compare_doubles(a->q < 0 ? 2 : a->q, b->q < 0 ? 2 : b->q);
    if (result == 0 && order->sort != PF_DIFF_BY_NAME)
        result = pf_compare_amounts(left->delta, right->delta);
    return result != 0 ? result : pf_keys_compare(order->keys, a->key, b->key);
}

int pf_diff_table_sort(struct pf_diff_table *table, const struct pf_keys *keys,
                       enum pf_diff_sort sort)
{
    const struct order order = {table, keys, sort};

    return pf_sort(table->rows, table->count, sizeof *table->rows, compare_rows, &order);
}
