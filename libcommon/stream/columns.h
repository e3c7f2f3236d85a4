/* Columns of the native stream: a minimum and for each row what is added to it, in 0, 1, 2, 4 or 8
 * bytes. The loops over rows stand here, in one file that is compiled at -O3 (gcc -O2 does not
 * vectorise them: 250 M values a second against 630-1180). */
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

/* Where the walk over a payload's columns stands. */
struct pf_columns {
    const unsigned char *bytes;
    size_t size, at; /* bytes of columns, and how many are passed */
    uint32_t rows;
    uint64_t offset; /* of the frame, for messages */
    int32_t last;    /* number of the column before, -1 at the begin */
    uint16_t known;  /* set after pf_columns_begin: a column with PF_COLUMN_MAY_SKIP that is given
                      * all  the same; 0: none */
};

/* Starts a walk over a payload of `size` bytes. `tail`: bytes follow the columns, and column 1 says
 * in its last row how many; they begin at walk->size. PF_OK or PF_FAILED. */
int pf_columns_begin(struct pf_columns *, uint32_t rows, uint64_t offset,
                     const unsigned char *payload, size_t size, bool tail, struct pf_error *);
/* The next column that is not to be skipped: PF_OK, PF_EOF behind the last, or PF_FAILED or
 * PF_UNSUPPORTED with `error` set. */
int pf_columns_next(struct pf_columns *, struct pf_column *, struct pf_error *);

/* Whether all values, taken as unsigned, are below `limit`. */
bool pf_column_below(const struct pf_column *, uint32_t rows, uint64_t limit);
/* The value of one row. */
uint64_t pf_column_value(const struct pf_column *, uint32_t row);
/* Values of `rows` rows from row `first`; ids are the low 32 bits. The latter gives the sum of the
 * stored numbers, modulo 2^64: of those of up to 4 bytes it is exact, and costs next to nothing
 * beside the unpacking. */
void pf_column_ids(const struct pf_column *, uint32_t first, uint32_t rows, uint32_t *ids);
uint64_t pf_column_values(const struct pf_column *, uint32_t first, uint32_t rows, int64_t *values);

/* ids[i] = map[ids[i]]. */
void pf_column_remap(uint32_t *ids, uint32_t rows, const uint32_t *map);
/* Sum and greatest value; rows is at least 1 for the latter. */
pf_int128 pf_column_sum(const int64_t *values, uint32_t rows);
int64_t pf_column_max(const int64_t *values, uint32_t rows);

/* Appends the column as narrow as it goes; nothing when all values are 0. Failures stand in the
 * buffer. */
void pf_column_append_ids(struct pf_buffer *, uint16_t id, const uint32_t *ids, uint32_t rows);
void pf_column_append_values(struct pf_buffer *, uint16_t id, const int64_t *values, uint32_t rows);

#endif
