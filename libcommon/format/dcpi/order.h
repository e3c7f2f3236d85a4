/* Locations in the order of images and offsets from the start of their text. */
#ifndef PF_FORMAT_DCPI_ORDER_H
#define PF_FORMAT_DCPI_ORDER_H

#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset of a location from the start of its image's text. */
static inline uint64_t pf_dcpi_offset(const struct pf_dict *dict, uint32_t location)
{
    const struct pf_location *row = pf_dict_location(dict, location);

    return row->address - pf_dict_image(dict, row->image)->text_start;
}

/* Sorts locations; `image` (may be NULL) gives each image's place in the order, else its id is. Stretches that are in order are merged, so
 * what comes of a few files is cheap. Those of one place stay in the order they have. False: out of memory. */
bool pf_dcpi_order(uint32_t *locations, size_t count, const struct pf_dict *, const uint32_t *image);

#endif
