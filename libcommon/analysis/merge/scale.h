/* --normalize: the factor that brings an input to the size asked for. */
#ifndef PF_ANALYSIS_MERGE_SCALE_H
#define PF_ANALYSIS_MERGE_SCALE_H

#include "analysis/merge/columns.h"
#include "analysis/merge/merge.h"

/* Factors are whole numbers of pieces of 1/2^32. */
#define PF_MERGE_SCALE_ONE ((pf_int128)1 << 32)

/* Zero-initialise. */
struct pf_merge_scale {
    bool known;          /* the first input was met; what it is held against: */
    uint32_t kind, name; /* of the measure */
    uint64_t num, den;   /* of which raw units the total was given in */
    pf_int128 target;    /* its total, or nanoseconds */
};

/* The factor of an input with this main column (NULL: none) and total of it, in raw units;
 * `duration` is what its metadata tell, 0 or less: nothing. PF_OK; PF_UNSUPPORTED where there is
 * nothing to scale by; PF_OVERFLOW where the factor is out of range. */
int pf_merge_scale_input(struct pf_merge_scale *, const struct pf_merge_options *,
                         const struct pf_dict *, const struct pf_sums *, pf_int128 total,
                         pf_int128 duration, pf_int128 *times, struct pf_error *);

#endif
