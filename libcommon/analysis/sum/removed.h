/* The amounts that filters removed. A filter ends its output with rows of metadata, one for each
 * measure, origin `profutils`, key `removed`:
 *
 *     KIND NAME UNIT AMOUNT NUM/DEN RECORDS        sample wall nanoseconds 741 10000000/1 741
 *
 * Fields are separated by one space; spaces, '%' and control bytes in NAME and UNIT are written as
 * %XX. AMOUNT is in raw units of NUM / DEN base units (UNIT), and may have 128 bits; for measures
 * whose values are not summed (PF_MAX) it is the greatest value. RECORDS is the number of removed
 * records of this kind; of measures that differ only in scale, the first has it and the others have
 * 0. Each filter of a pipe appends rows, so the total before all filters is the present total plus
 * the sum of the rows. */
#ifndef PF_ANALYSIS_SUM_REMOVED_H
#define PF_ANALYSIS_SUM_REMOVED_H

#include "base/number.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For writing: totals of the removed records. Zero-initialise; free with pf_removed_free. */
struct pf_removed {
    struct pf_removed_amount {
        pf_int128 sum;
        bool noted;
    } * amounts; /* by measure */
    size_t capacity;
    uint64_t records[PF_RECORD_KINDS];
    bool noting;       /* write rows only for measures that pf_removed_note has noted */
    uint32_t *columns; /* memory of the batch of pf_removed_meta */
    size_t column_capacity;
};

void pf_removed_free(struct pf_removed *);
/* Sets all totals to 0, before the next input. */
void pf_removed_clear(struct pf_removed *);
/* Notes the measures of a batch, so that an input's rows name only its own measures although
 * several inputs share a dictionary. PF_OK or PF_NOMEM. */
int pf_removed_note(struct pf_removed *, const struct pf_dict *, const struct pf_batch *);
/* Counts the rows rows[0] to rows[count - 1] of a batch as removed. PF_OK or PF_NOMEM. */
int pf_removed_count(struct pf_removed *, const struct pf_dict *, const struct pf_batch *,
                     const uint32_t *rows, uint32_t count);
/* Makes the rows of metadata for the end of the output; no rows if nothing was removed. The batch
 * is valid until the next call. PF_OK or PF_NOMEM. */
int pf_removed_meta(struct pf_removed *, struct pf_dict *, struct pf_batch *);

/* For reading: the rows that earlier filters wrote. Zero-initialise; free with pf_before_free. */
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
/* Reads the `removed` rows of a batch of metadata. Other rows, and rows that cannot be parsed, are
 * skipped. PF_OK or PF_NOMEM. */
int pf_before_read(struct pf_before *, struct pf_dict *, const struct pf_batch *);
/* Prints a row as the value of a row of metadata, interned as a string; 0: out of memory. */
uint32_t pf_before_print(struct pf_dict *, const struct pf_before_row *);
/* The amount removed of a measure, that is of rows with the same kind, name and unit. *amount is in
 * raw units as measure->num / den says (pass a copy of the measure with another scale to get
 * another unit), rounded half to even if a filter had another scale; beyond 128 bits it is
 * PF_INT128_MAX or -PF_INT128_MAX; for PF_MAX it is the greatest value. *records is the number of
 * records removed. False, with both 0: nothing was removed, or the amount cannot be converted. */
bool pf_before_find(const struct pf_before *, const struct pf_dict *, const struct pf_measure *,
                    pf_int128 *amount, uint64_t *records);

#endif
