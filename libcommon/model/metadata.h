/* Rows of metadata that a reader is about to give. */
#ifndef PF_MODEL_METADATA_H
#define PF_MODEL_METADATA_H

#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct pf_metadata {
    uint32_t *columns[3]; /* origin, key, value */
    size_t count, given, capacity[3];
};

void pf_metadata_free(struct pf_metadata *);
/* Bytes as they are, known to be UTF-8 where they are. False: out of memory. */
bool pf_metadata_add(struct pf_metadata *, struct pf_dict *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* The same for a number in decimal. */
bool pf_metadata_add_number(struct pf_metadata *, struct pf_dict *, const char *origin, const char *key, int64_t value);
/* The next rows as a batch, valid until more are added; false when all are given. */
bool pf_metadata_give(struct pf_metadata *, struct pf_batch *);

#endif
