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

/* Parses an integer, a decimal number or a fraction of two integers, with an optional sign: `2`,
 * `0.25`, `1/3`, `-1`. The result is in lowest terms. PF_OK; or PF_USAGE with the reason: not such
 * a number, out of range, or a denominator of more than 31 bits. */
int pf_weight_parse(struct pf_weight *, struct pf_bytes, struct pf_error *);

/* The same weight in lowest terms. */
struct pf_weight pf_weight_reduced(struct pf_weight);

/* Zero-initialise; free with pf_weights_free. */
struct pf_weights {
    struct pf_weight *rows; /* in the order of pf_weights_add */
    size_t count, capacity;
    uint64_t den; /* set by pf_weights_join: the common denominator */
};

void pf_weights_free(struct pf_weights *);
/* Appends a weight. PF_OK or PF_NOMEM. */
int pf_weights_add(struct pf_weights *, struct pf_weight);
/* Converts all weights to one denominator. PF_OK; PF_USAGE if this denominator has more than 31
 * bits, or if a numerator overflows 64 bits. */
int pf_weights_join(struct pf_weights *, struct pf_error *);

#endif
