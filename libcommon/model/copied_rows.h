/* Copies selected rows of a batch to a new batch. */
#ifndef PF_MODEL_COPIED_ROWS_H
#define PF_MODEL_COPIED_ROWS_H

#include "model/batch.h"

#include <stddef.h>
#include <stdint.h>

/* The memory of the copy. Zero-initialise; free with pf_copied_rows_free. */
struct pf_copied_rows {
    uint32_t *ids[4];
    int64_t *time, *values;
    struct pf_value_column *columns;
    size_t id_capacity[4], time_capacity, value_capacity, column_capacity;
};

void pf_copied_rows_free(struct pf_copied_rows *);
/* Copies the rows rows[0] to rows[count - 1] of a batch of records, in this order. *to may be
 * *from, and the columns of *from may belong to another pf_copied_rows. *to is valid until the next
 * call. PF_OK or PF_NOMEM. */
int pf_copied_rows_take(struct pf_copied_rows *, const struct pf_batch *from, const uint32_t *rows,
                        uint32_t count, struct pf_batch *to);

#endif
