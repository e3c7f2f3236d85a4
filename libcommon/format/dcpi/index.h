/* The locations that the inputs of a run have given so far, by image, in the order of offsets: where a second file of an image finds
 * those of the first. */
#ifndef PF_FORMAT_DCPI_INDEX_H
#define PF_FORMAT_DCPI_INDEX_H

#include "codec/shared.h"
#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

struct pf_dcpi_indexed {
    const uint32_t *locations; /* in the order of offsets; valid until the next find */
    size_t count;
};

/* Locations of an image that have an address and nothing else. PF_OK or PF_NOMEM. */
int pf_dcpi_index_find(struct pf_shared *, const struct pf_dict *, uint32_t image, struct pf_dcpi_indexed *);

#endif
