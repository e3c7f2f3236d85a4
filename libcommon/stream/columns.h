/* Columns of the native stream: a minimum, and for each row the distance from the minimum in 0, 1,
 * 2, 4 or 8 bytes. All loops over rows are in columns.c, which is compiled at -O3, because gcc -O2
 * does not vectorise these loops (250 million values a second against 630 to 1180). */
#ifndef PF_STREAM_COLUMNS_H
#define PF_STREAM_COLUMNS_H

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_column {
    uint16_t id;
    uint8_t width;
    uint64_t minimum;
    const unsigned char *data; /* rows * width bytes in the payload */
};

/* The position of a walk over a payload's columns. */
struct pf_columns {
    const unsigned char *bytes;
    size_t size, at; /* size of the columns, and the current position */
    uint32_t rows;
    uint64_t offset; /* offset of the frame, for messages */
    int32_t last;    /* number of the previous column, initially -1 */
    /* set after pf_columns_begin: the first and the last id of columns with PF_COLUMN_MAY_SKIP that
     * are not skipped; 0: none */
    uint16_t known, known_end;
};

/* Starts a walk over a payload of `size` bytes and `rows` rows. With `tail`, other bytes follow the
 * columns from walk->size on; the last value of column 1 is their number. PF_OK, or PF_FAILED or
 * PF_UNSUPPORTED as pf_columns_next. */
int pf_columns_begin(struct pf_columns *, uint32_t rows, uint64_t offset,
                     const unsigned char *payload, size_t size, bool tail, struct pf_error *);
/* Finds the next column: PF_OK; PF_EOF after the last; PF_FAILED or PF_UNSUPPORTED with `error`
 * set. Columns with PF_COLUMN_MAY_SKIP are skipped, except walk->known to
 * walk->known_end. */
int pf_columns_next(struct pf_columns *, struct pf_column *, struct pf_error *);

/* True if all values, taken as unsigned, are below `limit`. */
bool pf_column_below(const struct pf_column *, uint32_t rows, uint64_t limit);
/* The value of a row. */
uint64_t pf_column_value(const struct pf_column *, uint32_t row);
/* Unpack the values of `rows` rows from row `first` on; ids are the low 32 bits of the values.
 * pf_column_values returns the sum of the stored numbers modulo 2^64, which is exact for widths up
 * to 4 bytes and costs almost nothing. */
void pf_column_ids(const struct pf_column *, uint32_t first, uint32_t rows, uint32_t *ids);
uint64_t pf_column_values(const struct pf_column *, uint32_t first, uint32_t rows, int64_t *values);

/* Replaces each ids[i] by map[ids[i]]. */
void pf_column_remap(uint32_t *ids, uint32_t rows, const uint32_t *map);
/* Appends a column of at least one row with the smallest width; appends nothing if all values are
 * 0. If memory runs out, the buffer's `failed` is set. */
void pf_column_append_ids(struct pf_buffer *, uint16_t id, const uint32_t *ids, uint32_t rows);
void pf_column_append_values(struct pf_buffer *, uint16_t id, const int64_t *values, uint32_t rows);

/* The total of a measure for an end frame: the sum, or the maximum, of its values in a segment. */
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
