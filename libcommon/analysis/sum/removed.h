/* What filters took away. A filter ends its output with rows of metadata, origin `profutils`, key
 * `removed`, one per measure:
 *
 *     KIND NAME UNIT AMOUNT NUM/DEN RECORDS        sample wall nanoseconds 741 10000000/1 741
 *
 * separated by one space each; spaces, '%' and control bytes inside NAME and UNIT are %XX. AMOUNT
 * is in raw units (NUM / DEN of UNIT each) and may have 128 bits; of a measure whose values are not
 * summed (PF_MAX) it is the greatest value. RECORDS is how many records of that kind went; measures
 * that are the same but for their scale share it (one of them says it). Every stage of a pipe adds
 * rows of its own, so the total before all of them is the total at hand plus the sum of the
 * rows. */
#ifndef PF_ANALYSIS_SUM_REMOVED_H
#define PF_ANALYSIS_SUM_REMOVED_H

#include "base/number.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writing: totals of what goes. Zero-initialise; free with pf_removed_free. */
struct pf_removed {
    struct pf_removed_amount {
        pf_int128 sum;
        bool noted;
    } * amounts; /* by measure */
    size_t capacity;
    uint64_t records[PF_RECORD_KINDS];
    bool noting;       /* only measures that were noted have rows */
    uint32_t *columns; /* of the batch pf_removed_meta gives */
    size_t column_capacity;
};

void pf_removed_free(struct pf_removed *);
/* Forgets what was counted, for the next input. */
void pf_removed_clear(struct pf_removed *);
/* Notes the measures of a batch: where several inputs share a dictionary, the rows of one input
 * name its own measures. PF_OK or PF_NOMEM. */
int pf_removed_note(struct pf_removed *, const struct pf_dict *, const struct pf_batch *);
/* Counts the rows `rows[0..count)` of a batch of records as removed. PF_OK or PF_NOMEM. */
int pf_removed_count(struct pf_removed *, const struct pf_dict *, const struct pf_batch *,
                     const uint32_t *rows, uint32_t count);
/* The rows of metadata for the end of the output, interned in `dict`; no rows when nothing was
 * removed. The columns are valid until the next call. PF_OK or PF_NOMEM. */
int pf_removed_meta(struct pf_removed *, struct pf_dict *, struct pf_batch *);

/* Reading: the rows of all stages before. Zero-initialise; free with pf_before_free. */
struct pf_before {
    struct pf_before_row {
        uint32_t name, unit; /* strings of the dictionary */
        uint32_t kind;
        pf_int128 amount;
        uint64_t num, den, records;
    } * rows;
    size_t count, capacity;
};

void pf_before_free(struct pf_before *);
/* Takes the `removed` rows out of a batch of metadata; everything else in it, and rows that cannot
 * be read, are skipped. PF_OK or PF_NOMEM. */
int pf_before_read(struct pf_before *, struct pf_dict *, const struct pf_batch *);
/* A row as it stands in the metadata: a string; 0 when out of memory. */
uint32_t pf_before_print(struct pf_dict *, const struct pf_before_row *);
/* What was removed of the measure (the same kind, name and unit, by their bytes): *amount in raw
 * units as measure->num / den says (so a caller that converts measures to a common scale passes a
 * copy with that), rounded half to even where a stage had another scale, PF_INT128_MAX or its
 * opposite beyond 128 bits; *records of its kind. For PF_MAX the greatest. False, and zeros:
 * nothing was removed, or the amount cannot be expressed. */
bool pf_before_find(const struct pf_before *, const struct pf_dict *, const struct pf_measure *,
                    pf_int128 *amount, uint64_t *records);

#endif
