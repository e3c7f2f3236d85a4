/* Rows of metadata that a reader is about to give. */
#ifndef PF_FORMAT_DCPI_META_H
#define PF_FORMAT_DCPI_META_H

#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct pf_dcpi_meta {
    uint32_t *columns[3]; /* origin, key, value */
    size_t count, given, capacity[3];
};

void pf_dcpi_meta_free(struct pf_dcpi_meta *);
/* A string as it is, known to be UTF-8 where it is. */
uint32_t pf_dcpi_string(struct pf_dict *, struct pf_bytes);
/* False: out of memory. */
bool pf_dcpi_meta_add(struct pf_dcpi_meta *, struct pf_dict *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* The next rows as a batch, valid until more are added; false when all are given. */
bool pf_dcpi_meta_give(struct pf_dcpi_meta *, struct pf_batch *);

#endif
