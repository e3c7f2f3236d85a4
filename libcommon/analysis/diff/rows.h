/* The rows of a difference: the change of each row between two sides, and whether it is more than
 * chance. */
#ifndef PF_ANALYSIS_DIFF_ROWS_H
#define PF_ANALYSIS_DIFF_ROWS_H

#include "analysis/diff/diff.h"
#include "analysis/diff/moderated.h"
#include "analysis/diff/statistics.h"
#include "analysis/sum/bound.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The test that decides whether a change is real or may be chance (analysis/diff/judge.h). */
enum pf_diff_method {
    PF_DIFF_NOTHING,  /* no test: a side has one run */
    PF_DIFF_WELCH,    /* Welch's t over the runs (pf_test_welch) */
    PF_DIFF_MODERATED /* the moderated t over the logarithms (analysis/diff/moderated.h) */
};

/* PF_DIFF_UNCLEAR: nothing is certain, so the row has no direction. */
enum pf_diff_status {
    PF_DIFF_ADDED,
    PF_DIFF_REMOVED,
    PF_DIFF_MORE,
    PF_DIFF_LESS,
    PF_DIFF_SAME,
    PF_DIFF_UNCLEAR
};

/* The user's terms for verdicts and the gate. */
struct pf_diff_terms {
    double margin; /* --min-delta: changes of the ratio up to 1 + margin are equal */
    double least;  /* --min-percent: smaller rows, in percent of the total, are not tested */
    /* --test: the test if both sides have three runs or more */
    enum pf_diff_test { PF_DIFF_TEST_MODERATED, PF_DIFF_TEST_WELCH } test;
    const struct pf_bound *gate; /* --fail-above; NULL: none */
    bool force;                  /* the gate judges one run a side by the hints */
};

/* Means of the runs of each side, in 1/table->parts of the block's unit. Means of shares are
 * rounded half to even. */
struct pf_diff_means {
    pf_int128 before, after, delta; /* delta = after - before */
};

struct pf_diff_interval {
    double low, high;
};

/* A row, or the total (key 0). */
struct pf_diff_row {
    uint32_t key;
    struct pf_diff_means flat, cum;
    /* share of the total after minus share of the total before, in percentage points */
    double points;
    double ratio; /* after / before; 0 if `before` is 0 */

    /* set by pf_diff_judge: */
    bool tested;  /* false: p and q are PF_NO_TEST, and the intervals mean nothing */
    bool exact;   /* the amounts are exact and the same in all runs of a side: no test is needed */
    double p, q;  /* q: p corrected for many tests (pf_rates_of); of the total: p */
    double shift; /* the difference that was tested: of logarithms, or of amounts */
    double above; /* one-sided q (of the total: p) of a rise above the gate's bound */
    struct pf_diff_interval delta; /* 95 % interval of the difference, in amounts of the block */
    /* 95 % interval of the ratio, of Welch's test -HUGE_VAL and HUGE_VAL if it is unbounded
     * (pf_ratio_interval); means nothing if a side's amount is 0 */
    struct pf_diff_interval ratio_95;
    struct pf_diff_interval ratio_q; /* the interval at the level of the table's verdicts */
    /* '+' more, '-' less, '=' equal, '~' nothing is certain, '.' too small to test */
    char verdict;
    char hint; /* one run a side: '+' or '-' if runs did not vary; 0: no hint */
    enum pf_diff_status status;
};

/* What the runs could show: how much they vary, which rise would be found, and how many runs would
 * find a smaller one. Powers come from moderated.h: probability 0.8, one row changed, significant
 * below p = 0.05 / tested rows, with the variance that the table suggests for a row of this size.
 * All spreads are standard deviations between runs of one side as a share of the amount (0.05: 5
 * %), computed from logarithms; ratios are after / before. A member is 0 if nothing is known of it.
 */
struct pf_diff_advice {
    double total;  /* spread of the totals */
    double rows;   /* median spread of the tested rows */
    double shares; /* the same for the rows' shares of their run's total (--normalize) */
    /* The smallest ratio that would be found in a row of 1 % of the total. Not known where
     * variances differ more between rows than a fit can see: a prior of less than 1 degree of
     * freedom. */
    double rise;
    size_t runs; /* runs a side that would find +10 % in such a row */
    /* With a gate, the smallest ratios that would be found to be above its bound: of the total, and
     * of a row of 1 % of the total. */
    double gate_total, gate_row;
};

struct pf_diff_table {
    enum pf_diff_method method;
    struct pf_diff_row total_row;
    struct pf_diff_row *rows;
    size_t count, all;            /* all: number of rows before any selection */
    size_t tests;                 /* number of tests over which q is computed */
    size_t rose, fell;            /* of all rows, those with the verdicts '+' and '-' */
    struct pf_moderated fit;      /* PF_DIFF_MODERATED */
    struct pf_diff_advice advice; /* PF_DIFF_MODERATED */
    bool hinted;                  /* rows may have hints */
    bool hides_total;             /* the gate left out the total */
    /* PF_BY_FUNCTION: number of function names that were removed from one file or image and added
     * in another */
    size_t moved;
    /* the amount one sample of a side stands for, if `hinted`; 0: samples differ in this, or shares
     * are compared */
    double worth[2];
    /* a mean of `parts` is one of the block's unit; all means are whole numbers in it */
    uint64_t parts;
    /* the same for shown means: 1 for times and shares, which are shown as whole numbers, else
     * `parts` */
    uint64_t shown_parts;
    struct pf_diff_means total;
    bool cum; /* cumulative amounts are compared, not flat ones */
};

/* Makes the rows of a block that have any amount, in order of their keys; pf_diff_judge
 * (analysis/diff/judge.h) completes them. Free the table with pf_diff_table_free. PF_OK; PF_NOMEM;
 * PF_OVERFLOW naming the row; PF_USAGE if the gate does not fit the measure. */
int pf_diff_table_make(struct pf_diff_table *, struct pf_diff *, const struct pf_diff_block *,
                       const struct pf_diff_terms *, struct pf_error *);
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

/* "added", "removed", "more", "less", "same" or "unclear". */
const char *pf_diff_status_name(enum pf_diff_status);

/* The rows that pf_diff_table_only keeps. */
enum pf_diff_only {
    PF_DIFF_ALL,
    PF_DIFF_ONLY_ADDED,
    PF_DIFF_ONLY_REMOVED,
    PF_DIFF_ONLY_MORE,
    PF_DIFF_ONLY_LESS,
    PF_DIFF_ONLY_SAME,
    PF_DIFF_ONLY_UNCLEAR,
    PF_DIFF_ONLY_SIGNIFICANT
};
/* Keeps only these rows; with `drop_negative` also removes rows whose compared amount fell. */
void pf_diff_table_only(struct pf_diff_table *, enum pf_diff_only, bool drop_negative);
/* Keeps only the rows, and the total, that rose significantly by more than the bound of the gate:
 * they have the verdict '+', and q < 0.05, of the total p < 0.025, one-sided against the bound; or
 * the amounts are exact. False, with the rows unchanged, if a side has one run, no exact amount
 * rose, and the terms do not force a verdict. */
bool pf_diff_table_gate(struct pf_diff_table *, const struct pf_diff_block *,
                        const struct pf_diff_terms *);

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
