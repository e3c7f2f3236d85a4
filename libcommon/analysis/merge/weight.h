/* Weights of inputs: exact rational numbers with one denominator for all. */
#ifndef PF_ANALYSIS_MERGE_WEIGHT_H
#define PF_ANALYSIS_MERGE_WEIGHT_H

#include "base/bytes.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The common denominator has at most 31 bits. */
enum { PF_WEIGHT_DEN_MAX = INT32_MAX };

struct pf_weight {
    int64_t num;
    uint64_t den; /* > 0 */
};

/* An integer, a decimal number or a fraction of two integers, with an optional sign: `2`, `0.25`,
 * `1/3`, `-1`. In lowest terms. PF_OK; PF_USAGE with the reason where the text is not such a
 * number, or the number is too big or too fine. */
int pf_weight_parse(struct pf_weight *, struct pf_bytes, struct pf_error *);

/* Zero-initialise; free with pf_weights_free. */
struct pf_weights {
    struct pf_weight *rows; /* in the order they were added */
    size_t count, capacity;
    uint64_t den; /* pf_weights_join: that of all */
};

void pf_weights_free(struct pf_weights *);
/* PF_OK or PF_NOMEM. */
int pf_weights_add(struct pf_weights *, struct pf_weight);
/* Brings all to one denominator. PF_OK; PF_USAGE where that has more than 31 bits, or where a
 * weight in pieces of it leaves 64. */
int pf_weights_join(struct pf_weights *, struct pf_error *);

#endif
