/* The rows of a difference: the change of each row between two sides, and whether it is more than
 * chance. */
#ifndef PF_ANALYSIS_DIFF_ROWS_H
#define PF_ANALYSIS_DIFF_ROWS_H

#include "analysis/diff/diff.h"
#include "analysis/diff/statistics.h"
#include "analysis/sum/bound.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The test that decides whether a change is real or may be chance. */
enum pf_diff_method {
    PF_DIFF_NOTHING, /* no test: a side has one run, and numbers of samples are not known */
    PF_DIFF_EXACT,   /* no test: the amounts are exact counts, so every change is real */
    PF_DIFF_RUNS,    /* Welch's t over the runs (pf_test_welch) */
    /* conditional binomial test on the numbers of samples (pf_test_counts, pf_test_amounts) */
    PF_DIFF_SAMPLES,
    /* not at all: numbers of samples are known, but not the amounts that samples of the sides stand
     * for */
    PF_DIFF_UNLIKE
};

enum pf_diff_status { PF_DIFF_ADDED, PF_DIFF_REMOVED, PF_DIFF_MORE, PF_DIFF_LESS, PF_DIFF_SAME };

/* Means of the runs of each side, in 1/table->parts of the block's unit. Means of shares are
 * rounded half to even. */
struct pf_diff_means {
    pf_int128 before, after, delta; /* delta = after - before */
};

struct pf_diff_row {
    uint32_t key;
    struct pf_diff_means flat, cum;
    /* share of the total after minus share of the total before, in percentage points */
    double points;
    double ratio;        /* after / before; 0 if `before` is 0 */
    struct pf_test test; /* with the interval in amounts of the block */
    double q;            /* p corrected for many tests (pf_rates_of); PF_NO_TEST: not tested */
    bool exact;          /* the amounts are exact counts: every change is real */
    char verdict;        /* '+' more, '-' less, '=' equal, '?' not known */
    enum pf_diff_status status;
};

struct pf_diff_table {
    enum pf_diff_method method;
    struct pf_diff_row *rows;
    size_t count, tests; /* tests: number of rows tested, over which q is computed */
    size_t small;        /* number of rows that pf_diff_table_least left out */
    /* PF_BY_FUNCTION: number of function names that were removed from one file or image and added
     * in another */
    size_t moved;
    /* PF_DIFF_SAMPLES: the amount one sample of a side stands for; 0: samples differ in this, or
     * shares are compared */
    double worth[PF_SIDES];
    /* a mean of `parts` is one of the block's unit; all means are whole numbers in it */
    uint64_t parts;
    /* the same for shown means: 1 for times and shares, which are shown as whole numbers, else
     * `parts` */
    uint64_t shown_parts;
    struct pf_diff_means total;
    pf_int128 margin; /* --min-delta in 1/shown_parts of the block's unit */
    bool cum;         /* cumulative amounts are compared, not flat ones */
};

/* Makes the rows of a block that have any amount, in order of their keys. `margin`: changes smaller
 * than this are equal. Zero-initialise the table; free with pf_diff_table_free. PF_OK; PF_NOMEM;
 * PF_OVERFLOW naming the row; PF_USAGE if `margin` does not fit the measure. */
int pf_diff_table_make(struct pf_diff_table *, struct pf_diff *, const struct pf_diff_block *,
                       const struct pf_bound *margin, struct pf_error *);
void pf_diff_table_free(struct pf_diff_table *);

/* The means that are compared: flat or cumulative. */
static inline const struct pf_diff_means *pf_diff_compared(const struct pf_diff_table *table,
                                                           const struct pf_diff_row *row)
{
    return table->cum ? &row->cum : &row->flat;
}

/* The means as they are shown: times rounded half to even to whole nanoseconds. Their delta is the
 * difference of the rounded means. */
struct pf_diff_means pf_diff_shown_means(const struct pf_diff_table *,
                                         const struct pf_diff_means *);

/* "added", "removed", "more", "less" or "same". */
const char *pf_diff_status_name(enum pf_diff_status);

/* The rows that pf_diff_table_only keeps. */
enum pf_diff_only {
    PF_DIFF_ALL,
    PF_DIFF_ONLY_ADDED,
    PF_DIFF_ONLY_REMOVED,
    PF_DIFF_ONLY_MORE,
    PF_DIFF_ONLY_LESS,
    PF_DIFF_ONLY_SAME,
    PF_DIFF_ONLY_SIGNIFICANT
};
void pf_diff_table_only(struct pf_diff_table *, enum pf_diff_only);
/* Leaves out rows whose compared amount, before plus after, is less than `percent` of the total.
 * Does not change verdicts. */
void pf_diff_table_least(struct pf_diff_table *, double percent);
/* Leaves out rows whose compared amount fell. */
void pf_diff_table_drop_negative(struct pf_diff_table *);
/* Keeps only the rows that rose by more than the bound. A row that was tested, or is exact, must
 * also have the verdict '+'. PF_OK, or PF_USAGE if the bound does not fit the measure. */
int pf_diff_table_gate(struct pf_diff_table *, const struct pf_diff *, const struct pf_diff_block *,
                       const struct pf_bound *, struct pf_error *);

enum pf_diff_sort {
    PF_DIFF_BY_ABS,
    PF_DIFF_BY_DELTA,
    PF_DIFF_BY_RATIO,
    PF_DIFF_BY_Q,
    PF_DIFF_BY_NAME
};
/* Sorts the rows: greatest first, by q the smallest first; equal rows by magnitude of the delta,
 * then by name. PF_OK or PF_NOMEM. */
int pf_diff_table_sort(struct pf_diff_table *, const struct pf_keys *, enum pf_diff_sort);

#endif
