/* Moves a batch from one dictionary to another, with all rows that the first dictionary gained
 * since the last parcel. A parcel is a copy, so another thread may meanwhile extend or free the
 * first dictionary. Unpack parcels in the order of packing: the rows of the second dictionary are
 * then in the same order as if the reader had filled it directly. */
#ifndef PF_MODEL_PARCEL_H
#define PF_MODEL_PARCEL_H

#include "model/tables.h"

#include <stddef.h>
#include <stdint.h>

/* The number of rows of each table that earlier parcels contain. Zero-initialise. */
struct pf_packed {
    uint32_t counts[PF_TABLES];
};

/* Maps ids of the sender to ids of the receiver. Zero-initialise; free with pf_unpacked_free. */
struct pf_unpacked {
    struct pf_unpacked_ids {
        uint32_t *to;
        size_t count, capacity;
    } tables[PF_TABLES];
};
void pf_unpacked_free(struct pf_unpacked *);

struct pf_parcel;

/* Packs a batch and the new rows of the dictionary. `batch` may have neither rows nor columns.
 * NULL: out of memory. */
struct pf_parcel *pf_parcel_pack(struct pf_packed *, const struct pf_dict *,
                                 const struct pf_batch *batch);
void pf_parcel_free(struct pf_parcel *);         /* NULL is allowed */
size_t pf_parcel_size(const struct pf_parcel *); /* in bytes */

/* Copies a batch for a user of the same dictionary; pf_parcel_batch returns the copy, valid as
 * long as the parcel. NULL: out of memory. */
struct pf_parcel *pf_parcel_copy(const struct pf_batch *);
const struct pf_batch *pf_parcel_batch(const struct pf_parcel *);

/* Adds the new rows to the dictionary and converts the ids of the batch. *batch is valid as long as
 * the parcel. Call once for each parcel. PF_OK or PF_NOMEM. */
int pf_parcel_unpack(struct pf_parcel *, struct pf_unpacked *, struct pf_dict *, struct pf_batch *);

#endif
