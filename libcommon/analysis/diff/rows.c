#include "analysis/diff/rows.h"

#include "analysis/merge/columns.h"
#include "analysis/sum/rank.h"
#include "analysis/sum/sort.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    uint64_t pieces;       /* number of pieces in an amount; means are counted in pieces */
    size_t runs[PF_SIDES]; /* by side */
    bool there[PF_SIDES];  /* a run of the side has an amount in the row */
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

/* Sums one column of a row by side. False: no run has an amount in this column. */
static bool sum_row(struct making *making, uint32_t key, bool cum, pf_int128 sums[PF_SIDES])
{
    const struct pf_diff *diff = making->diff;
    bool any = false;

    sums[PF_BEFORE] = sums[PF_AFTER] = 0;
    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &making->block->runs[k];
        const int64_t *column = cum ? run->cum : run->flat;
        enum pf_side side = side_of(diff, k);
        sums[side] += amount_at(making, run, column, key);
        bool there = key < run->count && column[key] != 0;
        making->there[side] = making->there[side] || there;
        any = any || there;
    }
    return any;
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
    const struct pf_diff_means *total = &making->table->total;
    const struct pf_diff_means *means = making->diff->cum ? &row->cum : &row->flat;
    pf_int128 flat[PF_SIDES], cum[PF_SIDES];

    *row = (struct pf_diff_row){.key = key, .p = PF_NO_TEST, .q = PF_NO_TEST, .above = PF_NO_TEST};
    making->there[PF_BEFORE] = making->there[PF_AFTER] = false;
    bool any_flat = sum_row(making, key, false, flat), any_cum = sum_row(making, key, true, cum),
         compared = making->diff->cum ? any_cum : any_flat;
    *any = any_flat || any_cum;
    if (!*any)
        return PF_OK;
    if (!set_means(making, flat, &row->flat) || !set_means(making, cum, &row->cum) ||
        !fits(making, &row->flat) || !fits(making, &row->cum))
        return overflow(making, key);
    row->points = pf_percent(means->after, total->after) - pf_percent(means->before, total->before);
    row->ratio = means->before != 0 ? (double)means->after / (double)means->before : 0;
    /* amounts that are 0 on both sides are equal, also if one side alone has the function */
    row->status = compared ? status_of(means->delta, making->there) : PF_DIFF_SAME;
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
    struct pf_diff_means *total = &making->table->total;
    struct pf_diff_row *row = &making->table->total_row;
    pf_int128 sums[PF_SIDES] = {0};

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &making->block->runs[k];
        sums[side_of(diff, k)] += diff->normalize ? (run->total != 0 ? PF_DIFF_WHOLE : 0)
                                                  : run->total;
    }
    if (!set_means(making, sums, total))
        return false;
    *row = (struct pf_diff_row){.flat = *total,
                                .cum = *total,
                                .p = PF_NO_TEST,
                                .q = PF_NO_TEST,
                                .above = PF_NO_TEST,
                                .status = PF_DIFF_SAME};
    row->ratio = total->before != 0 ? (double)total->after / (double)total->before : 0;
    return true;
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
    table->all = table->count;
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
                       const struct pf_diff_block *block, const struct pf_diff_terms *terms,
                       struct pf_error *error)
{
    struct making making = {.diff = diff, .block = block, .table = table, .error = error};
    int status = terms->gate ? check_bound(diff, block, terms->gate, error) : PF_OK;

    *table = (struct pf_diff_table){.cum = diff->cum};
    for (enum pf_side side = PF_BEFORE; side <= PF_AFTER; side++)
        making.runs[side] = pf_diff_block_runs(diff, block, side - PF_BEFORE);
    if (!set_parts(&making))
        status =
            pf_error_set(error, PF_OVERFLOW,
                         "too many runs: the common denominator of their means overflows 64 bits");
    if (status == PF_OK)
        status = make_rows(&making);
    if (status == PF_OK)
        status = count_moved(&making);
    return status;
}

/* --- choosing and order ----------------------------------------------------------------------- */

static const char *const status_names[] = {"added", "removed", "more", "less", "same", "unclear"};

const char *pf_diff_status_name(enum pf_diff_status status)
{
    return status_names[status];
}

static bool is_one_of(const struct pf_diff_row *row, enum pf_diff_only only)
{
    if (only == PF_DIFF_ONLY_SIGNIFICANT)
        return row->verdict == '+' || row->verdict == '-';
    return only == PF_DIFF_ALL || row->status == (enum pf_diff_status)(only - PF_DIFF_ONLY_ADDED);
}

void pf_diff_table_only(struct pf_diff_table *table, enum pf_diff_only only, bool drop_negative)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->count; i++)
        if (is_one_of(&table->rows[i], only) &&
            (!drop_negative || pf_diff_compared(table, &table->rows[i])->delta >= 0))
            table->rows[kept++] = table->rows[i];
    table->count = kept;
}

/* True if the row rose by more than the bound, and this is more than chance. */
static bool passes_gate(const struct pf_diff_table *table, const struct pf_diff_terms *terms,
                        const struct pf_diff_row *row, double level)
{
    const struct pf_diff_means *means = pf_diff_compared(table, row);

    if (means->delta <= 0 ||
        !pf_bound_passed(terms->gate, means->delta, means->before, table->parts))
        return false;
    if (row->exact || !row->tested)
        return row->exact || (terms->force && row->hint == '+');
    return row->verdict == '+' && row->above >= 0 && row->above < level;
}

/* True if a side has one run, so that a row may have risen and nobody can tell. Exact amounts tell,
 * unless they differ between the runs of the other side. */
static bool leaves_doubt(const struct pf_diff_table *table, const struct pf_diff_block *block,
                         const struct pf_diff_terms *terms)
{
    bool doubt = block->measure.nature != PF_EXACT ||
                 (!table->total_row.exact && table->total_row.verdict != '=');

    if (table->method != PF_DIFF_NOTHING || (terms->force && table->hinted))
        return false;
    for (size_t i = 0; i < table->count && !doubt; i++)
        doubt = !table->rows[i].exact && table->rows[i].verdict != '=';
    return doubt;
}

bool pf_diff_table_gate(struct pf_diff_table *table, const struct pf_diff_block *block,
                        const struct pf_diff_terms *terms)
{
    size_t kept = 0;
    bool total = passes_gate(table, terms, &table->total_row, 0.025), rose = total;

    for (size_t i = 0; i < table->count && !rose; i++)
        rose = passes_gate(table, terms, &table->rows[i], 0.05);
    if (!rose && leaves_doubt(table, block, terms))
        return false;
    for (size_t i = 0; i < table->count; i++)
        if (passes_gate(table, terms, &table->rows[i], 0.05))
            table->rows[kept++] = table->rows[i];
    table->count = kept;
    table->hides_total = !total;
    return true;
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
