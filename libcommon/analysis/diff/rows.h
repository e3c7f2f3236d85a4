/* Rows of a difference: what changed between two sides, and whether it is real. */
#ifndef PF_ANALYSIS_DIFF_ROWS_H
#define PF_ANALYSIS_DIFF_ROWS_H

#include "analysis/diff/diff.h"
#include "analysis/diff/statistics.h"
#include "analysis/sum/bound.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tells a change from chance. */
enum pf_diff_method {
    PF_DIFF_NOTHING, /* one run on a side, and numbers of samples are not known */
    PF_DIFF_EXACT,   /* counts that chance has no part in */
    PF_DIFF_RUNS,    /* Welch's t over the runs */
    PF_DIFF_SAMPLES, /* conditional binomial on the numbers of samples */
    /* as nothing: numbers of samples are known, but not what one of either side stands for */
    PF_DIFF_UNLIKE
};

enum pf_diff_status { PF_DIFF_ADDED, PF_DIFF_REMOVED, PF_DIFF_MORE, PF_DIFF_LESS, PF_DIFF_SAME };

/* Means of the runs of a side, in parts of the table; of shares rounded half to even. */
struct pf_diff_means {
    pf_int128 before, after, delta; /* delta = after - before */
};

struct pf_diff_row {
    uint32_t key;
    struct pf_diff_means flat, cum;
    double points;       /* share of the total after minus share of the total before, in percent */
    double ratio;        /* after / before; where `before` is not 0 */
    struct pf_test test; /* interval in amounts */
    double q;            /* PF_NO_TEST: none */
    bool exact;          /* any change is real */
    char verdict;        /* + - = ? */
    enum pf_diff_status status;
};

struct pf_diff_table {
    enum pf_diff_method method;
    struct pf_diff_row *rows;
    size_t count, tests; /* tests: rows that q is over */
    size_t small;        /* rows that pf_diff_table_least has left out */
    /* PF_BY_FUNCTION: names of rows removed, that rows with another file or image added have too */
    size_t moved;
    /* PF_DIFF_SAMPLES: what each sample of a side stands for; 0: samples differ in that, or
     * shares */
    double worth[PF_SIDES];
    /* so many of a mean are one of the block's unit: all means are whole numbers of them */
    uint64_t parts;
    /* the same of what is shown: 1 of times and shares, which are whole, else `parts` */
    uint64_t shown_parts;
    struct pf_diff_means total;
    pf_int128 margin; /* what --min-delta comes to, in shown parts */
    bool cum;         /* which column is compared */
};

/* Rows of a block with anything but zeros, in order of their keys. Zero-initialise; free with
 * pf_diff_table_free. Operand 0 is before, 1 after. PF_OK; PF_NOMEM; PF_OVERFLOW with the row;
 * PF_USAGE where `margin` does not fit the measure. */
int pf_diff_table_make(struct pf_diff_table *, struct pf_diff *, const struct pf_diff_block *,
                       const struct pf_bound *margin, struct pf_error *);
void pf_diff_table_free(struct pf_diff_table *);

static inline const struct pf_diff_means *pf_diff_compared(const struct pf_diff_table *table,
                                                           const struct pf_diff_row *row)
{
    return table->cum ? &row->cum : &row->flat;
}

/* Means as they are shown: times rounded to whole nanoseconds, half to even, with the difference of
 * what is shown. */
struct pf_diff_means pf_diff_shown_means(const struct pf_diff_table *,
                                         const struct pf_diff_means *);

/* "added", ... */
const char *pf_diff_status_name(enum pf_diff_status);

/* Leaves the rows asked for. */
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
/* Leaves out rows whose amount compared is less than `percent` of the total, both sides taken
 * together. Verdicts stay as they are. */
void pf_diff_table_least(struct pf_diff_table *, double percent);
/* Leaves out rows that fell. */
void pf_diff_table_drop_negative(struct pf_diff_table *);
/* Leaves the rows that rose by more than the bound, with verdict + where there can be one. PF_OK,
 * or PF_USAGE where the bound does not fit the measure. */
int pf_diff_table_gate(struct pf_diff_table *, const struct pf_diff *, const struct pf_diff_block *,
                       const struct pf_bound *, struct pf_error *);

enum pf_diff_sort {
    PF_DIFF_BY_ABS,
    PF_DIFF_BY_DELTA,
    PF_DIFF_BY_RATIO,
    PF_DIFF_BY_Q,
    PF_DIFF_BY_NAME
};
/* Greatest first, q smallest first; equal rows by magnitude, then name. PF_OK or PF_NOMEM. */
int pf_diff_table_sort(struct pf_diff_table *, const struct pf_keys *, enum pf_diff_sort);

#endif
