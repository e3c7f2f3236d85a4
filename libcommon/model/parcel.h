/* A batch on its way from one dictionary to another, with all rows the first has gained since the
 * parcel before it. What lies in it is a copy: the dictionary it comes from may grow, or go, in
 * another thread. Parcels of a dictionary are unpacked in the order they were packed in; then the
 * other dictionary has its rows in the same order as if the reader had worked on it. */
#ifndef PF_MODEL_PARCEL_H
#define PF_MODEL_PARCEL_H

#include "model/batch.h"
#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

enum { PF_PARCEL_TABLES = 7 };

/* How much of a dictionary went with parcels so far. Zero-initialise. */
struct pf_packed {
    uint32_t counts[PF_PARCEL_TABLES];
};

/* Which id of the sender is which here. Zero-initialise; free with pf_unpacked_free. */
struct pf_unpacked {
    struct pf_unpacked_ids {
        uint32_t *to;
        size_t count, capacity;
    } tables[PF_PARCEL_TABLES];
};
void pf_unpacked_free(struct pf_unpacked *);

struct pf_parcel;

/* `batch` may be without rows and columns: only what the dictionary gained goes then. NULL: out of
 * memory. */
struct pf_parcel *pf_parcel_pack(struct pf_packed *, const struct pf_dict *,
                                 const struct pf_batch *batch);
void pf_parcel_free(struct pf_parcel *);         /* NULL is allowed */
size_t pf_parcel_size(const struct pf_parcel *); /* bytes it holds */

/* A copy of a batch for whoever has the same dictionary, and that copy, valid as long as the
 * parcel. NULL: out of memory. */
struct pf_parcel *pf_parcel_copy(const struct pf_batch *);
const struct pf_batch *pf_parcel_batch(const struct pf_parcel *);

/* Once. Adds the gained rows to the dictionary, and gives the batch in its ids, valid as long as
 * the parcel. PF_OK or PF_NOMEM. */
int pf_parcel_unpack(struct pf_parcel *, struct pf_unpacked *, struct pf_dict *, struct pf_batch *);

#endif
