/* Copies selected rows of a batch to a new batch. */
#ifndef PF_MODEL_COPIED_ROWS_H
#define PF_MODEL_COPIED_ROWS_H

#include "model/batch.h"

#include <stddef.h>
#include <stdint.h>

/* The memory of the copy. Zero-initialise; free with pf_copied_rows_free. */
struct pf_copied_rows {
    int64_t *memory; /* the value columns, then the numbers, then the ids */
    size_t capacity;
};

void pf_copied_rows_free(struct pf_copied_rows *);
/* Copies the rows rows[0] to rows[count - 1] of a batch of records, in this order. *to may be
 * *from, and the columns of *from may belong to another pf_copied_rows. *to is valid until the next
 * call. PF_OK or PF_NOMEM. */
int pf_copied_rows_take(struct pf_copied_rows *, const struct pf_batch *from, const uint32_t *rows,
                        uint32_t count, struct pf_batch *to);

#endif
