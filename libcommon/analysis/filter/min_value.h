/* The least value a record must have to stay: an amount, or a share of the total of its kind. */
#ifndef PF_ANALYSIS_FILTER_MIN_VALUE_H
#define PF_ANALYSIS_FILTER_MIN_VALUE_H

#include "base/error.h"
#include "base/number.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise: every record stays. Free with pf_min_value_free. */
struct pf_min_value {
    const char *text;    /* as given; NULL: nothing was asked for */
    const char *measure; /* a name or KIND:NAME; NULL: the main one of each kind */
    bool percent;        /* `amount` is millionths of a percent */
    bool time;           /* `amount` is nanoseconds, else base units of the measure */
    int64_t amount;
    struct pf_min_total {
        pf_int128 total, fell; /* raw units: of all records, and of those that fell */
        uint64_t records;      /* that fell */
    } * totals;                /* by measure */
    size_t capacity;
};

void pf_min_value_free(struct pf_min_value *);
/* V, V with a suffix (ns us ms s, k M G), or V%. PF_OK or PF_USAGE. */
int pf_min_value_parse(struct pf_min_value *, const char *text, const char *measure,
                       struct pf_error *);

/* Adds the batch to the totals, which a percentage needs before the first pf_min_value_test. PF_OK
 * or PF_NOMEM. */
int pf_min_value_add(struct pf_min_value *, const struct pf_dict *, const struct pf_batch *);
/* keep[i] of every record that is below becomes 0; those that were 1 before are counted as fallen.
 * PF_OK, PF_NOMEM, PF_USAGE when a time was asked for and the measure is none. */
int pf_min_value_test(struct pf_min_value *, const struct pf_dict *, const struct pf_batch *,
                      uint8_t *keep, struct pf_error *);
/* Says how much fell. */
void pf_min_value_report(const struct pf_min_value *, const struct pf_dict *,
                         const struct pf_report *);

#endif
