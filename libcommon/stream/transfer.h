/* Copies batches to another dictionary, whose rows come in the order of first use: the order that a
 * native stream of the batches has. Rows that are not used are not copied. */
#ifndef PF_STREAM_TRANSFER_H
#define PF_STREAM_TRANSFER_H

#include "model/batch.h"
#include "stream/intern.h"
#include "stream/renumber.h"

/* Set `from` and `to`, both borrowed, the rest zero; free with pf_transfer_free. While batches are
 * copied, `to` may gain other rows, but no stacks. */
struct pf_transfer {
    const struct pf_dict *from;
    struct pf_dict *to;
    struct pf_renumber renumber;     /* numbers the rows used */
    struct pf_idmap maps[PF_TABLES]; /* from these numbers to ids of `to` */
    uint32_t *rooms[PF_ID_COLUMNS];  /* columns of the last batch */
    size_t room_capacity[PF_ID_COLUMNS];
    struct pf_value_column *columns;
    size_t column_capacity;
};

void pf_transfer_free(struct pf_transfer *);

/* Replaces the ids of the batch, which are of `from`, by ids of `to`. The columns of ids are valid
 * until the next call, the others stay the caller's. Source texts must have no name_string. PF_OK
 * or PF_NOMEM; after PF_NOMEM the batch is damaged. */
int pf_transfer_batch(struct pf_transfer *, struct pf_batch *);

#endif
