/* --normalize: the factor that brings an input to the size asked for. */
#ifndef PF_ANALYSIS_MERGE_SCALE_H
#define PF_ANALYSIS_MERGE_SCALE_H

#include "analysis/merge/columns.h"
#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

enum pf_merge_normalize {
    PF_MERGE_AS_IT_IS,
    PF_MERGE_TOTAL,    /* each input is scaled to the total of the first */
    PF_MERGE_DURATION, /* each input is scaled to the duration of the first */
    PF_MERGE_AMOUNT    /* each input is scaled to a total that the user gives */
};

/* Factors are whole numbers of pieces of 1/2^32. */
#define PF_MERGE_SCALE_ONE ((pf_int128)1 << 32)

/* Zero-initialise, then set the first two. */
struct pf_merge_scale {
    enum pf_merge_normalize normalize; /* not PF_MERGE_AS_IT_IS */
    int64_t amount;                    /* PF_MERGE_AMOUNT: the total, in base units */
    /* of the first input, which the others are scaled to */
    bool known;
    uint32_t kind, name; /* of its main measure */
    uint64_t num, den;   /* raw units of its total */
    pf_int128 target;    /* its total, or its duration in nanoseconds */
};

/* Computes the factor of an input, in pieces. `column` is its main measure (NULL: none), `total`
 * the total of that in raw units, `duration` nanoseconds from its metadata (0 or less: not known).
 * PF_OK; PF_UNSUPPORTED: nothing to scale by; PF_OVERFLOW: the factor is out of range. */
int pf_merge_scale_input(struct pf_merge_scale *, const struct pf_dict *,
                         const struct pf_sums *column, pf_int128 total, pf_int128 duration,
                         pf_int128 *times, struct pf_error *);

#endif
