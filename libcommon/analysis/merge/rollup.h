/* Sums up the small stacks of a merge: --keep-share. A node of the calling-context tree is small if
 * its cumulative amount of the main measure, over all labels, is below a share of the total. The
 * topmost small nodes under one parent become one frame `(other)` there, with the values of all
 * measures and labels of their subtrees, so that the amounts of all other nodes stay exact. */
#ifndef PF_ANALYSIS_MERGE_ROLLUP_H
#define PF_ANALYSIS_MERGE_ROLLUP_H

#include "analysis/merge/kind.h"
#include "analysis/sum/bound.h"

struct pf_rollup {
    struct pf_bound share; /* a percentage of the total */
    /* the result will be sorted (canonical.h): of several candidates the main measure is the first
     * in the sorted order; false: the first in the order of the columns */
    bool sorted;
    const char *const *measures; /* names of the measures that are written */
    unsigned measure_count;      /* 0: all are written */
};

/* Sums up the small stacks of SAMPLE records. The main measure is that of the written result.
 * Amounts are magnitudes: a negative value counts like a positive one, so that large differences
 * that cancel each other out are not small. Without a main measure, or with a total of 0, no stack
 * is small. The dictionary gets the new stacks. PF_OK; PF_OVERFLOW with *failed set to the column
 * whose sum overflows 128 bits; PF_NOMEM. */
int pf_merge_rollup(struct pf_merge_kind *samples, const struct pf_rollup *,
                    const struct pf_sums **failed);

#endif
