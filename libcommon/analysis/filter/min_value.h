/* Removes records with small values: below an amount, or below a share of the total of their
 * kind. */
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
    const char *text;    /* as given; NULL: no limit */
    const char *measure; /* NAME or KIND:NAME; NULL: the main measure of each kind */
    bool percent;        /* `amount` is millionths of a percent */
    bool time;           /* `amount` is nanoseconds, else base units of the measure */
    int64_t amount;
    struct pf_min_total {
        pf_int128 total, fell; /* raw units: of all records, and of removed records */
        uint64_t records;      /* of removed records */
    } * totals;                /* by measure */
    size_t capacity;
};

void pf_min_value_free(struct pf_min_value *);
/* Parses V, V with a suffix (ns us ms s, k M G), or V%, and stores the limit. `text` and `measure`
 * must outlive it. PF_OK or PF_USAGE. */
int pf_min_value_parse(struct pf_min_value *, const char *text, const char *measure,
                       struct pf_error *);

/* Adds a batch to the totals. If the limit is a percentage, add all batches before the first
 * pf_min_value_test. PF_OK or PF_NOMEM. */
int pf_min_value_add(struct pf_min_value *, const struct pf_dict *, const struct pf_batch *);
/* Sets keep[i] to 0 for every record below the limit; a record whose keep[i] was not 0 counts as
 * removed. A negative value counts by its magnitude. PF_OK; PF_NOMEM; PF_USAGE if the limit is a
 * time and the measure is not. */
int pf_min_value_test(struct pf_min_value *, const struct pf_dict *, const struct pf_batch *,
                      uint8_t *keep, struct pf_error *);
/* Warns of the removed records: their number and their share of the total. */
void pf_min_value_report(const struct pf_min_value *, const struct pf_dict *,
                         const struct pf_report *);

#endif
