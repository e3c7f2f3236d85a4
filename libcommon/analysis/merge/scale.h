/* --normalize: the factor that scales an input to the requested total or duration. */
#ifndef PF_ANALYSIS_MERGE_SCALE_H
#define PF_ANALYSIS_MERGE_SCALE_H

#include "analysis/merge/columns.h"
#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

enum pf_merge_normalize {
    PF_MERGE_AS_IT_IS,
    PF_MERGE_TOTAL,    /* each input is scaled to the total of the reference */
    PF_MERGE_DURATION, /* each input is scaled to the duration of the reference */
    PF_MERGE_AMOUNT    /* each input is scaled to a total that the user gives */
};

/* Factors are whole numbers of 1/2^32. */
#define PF_MERGE_SCALE_ONE ((pf_int128)1 << 32)

/* Zero-initialise, then set normalize and amount. */
struct pf_merge_scale {
    enum pf_merge_normalize normalize; /* not PF_MERGE_AS_IT_IS */
    int64_t amount;                    /* PF_MERGE_AMOUNT: the total, in base units */
    /* the rest describes the reference, the first input with weight; known: it is set */
    bool known;
    uint32_t kind, name; /* of its main measure */
    uint64_t num, den;   /* scale of `target`: base units in a raw unit */
    pf_int128 target;    /* its total in raw units, or its duration in nanoseconds */
};

/* Computes the factor of an input, in 1/2^32. `column` has its main measure (NULL: none), or
 * for PF_MERGE_TOTAL the measure of the reference if the input has it; `total` is the total of this
 * column in raw units, `duration` is the duration from the input's metadata in
 * nanoseconds (0 or less: not known). PF_OK; PF_UNSUPPORTED: the input has no total or duration, or
 * lacks the measure of the reference; PF_OVERFLOW: the factor is out of range. */
int pf_merge_scale_input(struct pf_merge_scale *, const struct pf_dict *,
                         const struct pf_sums *column, pf_int128 total, pf_int128 duration,
                         pf_int128 *times, struct pf_error *);

#endif
