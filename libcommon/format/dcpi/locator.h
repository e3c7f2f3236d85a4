/* Finds the locations of a profile's addresses, which come in the order of their offsets, and makes those that are new. */
#ifndef PF_FORMAT_DCPI_LOCATOR_H
#define PF_FORMAT_DCPI_LOCATOR_H

#include "codec/shared.h"
#include "format/dcpi/index.h"
#include "model/batch.h"

#include <stddef.h>
#include <stdint.h>

struct pf_dcpi_locator {
    uint32_t image;
    uint64_t start;                /* of the image's text */
    struct pf_dcpi_indexed known;  /* locations of the image that were there; the next one that may be met: */
    size_t next;
    uint64_t next_offset;          /* UINT64_MAX behind the last */
    struct pf_location fresh[PF_BATCH_ROWS]; /* not known; the rows that have them: */
    uint32_t fresh_rows[PF_BATCH_ROWS], fresh_count;
    uint32_t locations[PF_BATCH_ROWS]; /* of the rows of a batch */
};

/* Begins with an image: a row of the dictionary that is there already when identifier (in any letter case), start and size of the text
 * agree, else a new one. `shared` may be NULL when this is the only input. PF_OK or PF_NOMEM. */
int pf_dcpi_locator_open(struct pf_dcpi_locator *, struct pf_dict *, struct pf_shared *, const struct pf_image *);

void pf_dcpi_locator_next(struct pf_dcpi_locator *, const struct pf_dict *);

/* The place of a row of the batch at hand: an offset from the start of the text, greater than any before. */
static inline void pf_dcpi_locator_set(struct pf_dcpi_locator *locator, const struct pf_dict *dict, uint64_t offset, uint32_t row)
{
    while (locator->next_offset < offset)
        pf_dcpi_locator_next(locator, dict);
    if (locator->next_offset == offset && locator->next < locator->known.count) {
        locator->locations[row] = locator->known.locations[locator->next];
        return;
    }
    locator->fresh[locator->fresh_count] = (struct pf_location){.image = locator->image, .address = locator->start + offset};
    locator->fresh_rows[locator->fresh_count++] = row;
}

/* At the end of a batch: `locations` is complete. What fails is the dictionary's status. */
void pf_dcpi_locator_end(struct pf_dcpi_locator *, struct pf_dict *);

#endif
