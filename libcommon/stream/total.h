/* What an end frame says of a measure: the sum, or the maximum, of its values over a segment. */
#ifndef PF_STREAM_TOTAL_H
#define PF_STREAM_TOTAL_H

#include "base/number.h"
#include "stream/columns.h"

#include <stdint.h>

struct pf_total {
    pf_int128 amount;
    uint64_t rows;    /* of blocks that had the column */
    uint32_t measure; /* id in the dictionary */
    uint8_t kind, aggregation;
};

/* Adds the column of a block of at least one row. */
void pf_total_add(struct pf_total *, const int64_t *values, uint32_t rows);
/* The same where the values have just been unpacked from `column`, and `stored` is what
 * pf_column_values gave. */
void pf_total_add_column(struct pf_total *, const struct pf_column *, const int64_t *values,
                         uint32_t rows, uint64_t stored);
/* The amount over all `records` of the measure's kind: where the column was absent, values are 0.
 */
pf_int128 pf_total_amount(const struct pf_total *, uint64_t records);

#endif
