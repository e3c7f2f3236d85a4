/* The total of a measure for an end frame: the sum, or the maximum, of its values in a segment. */
#ifndef PF_STREAM_TOTAL_H
#define PF_STREAM_TOTAL_H

#include "base/number.h"
#include "stream/columns.h"

#include <stdint.h>

struct pf_total {
    pf_int128 amount;
    uint64_t rows;    /* rows of the blocks that had the column */
    uint32_t measure; /* id in the dictionary */
    uint8_t kind, aggregation;
};

/* Adds the values of a block of at least one row. */
void pf_total_add(struct pf_total *, const int64_t *values, uint32_t rows);
/* The same for values just unpacked from `column`; `stored` is the result of pf_column_values. */
void pf_total_add_column(struct pf_total *, const struct pf_column *, const int64_t *values,
                         uint32_t rows, uint64_t stored);
/* The total over all `records` records of the measure's kind; values of an absent column are 0. */
pf_int128 pf_total_amount(const struct pf_total *, uint64_t records);

#endif
