/* Compares images, wherever they are mapped. */
#ifndef PF_MODEL_IMAGES_H
#define PF_MODEL_IMAGES_H

#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* Equal for mappings of the same part of the same image: the identifier (build id), else the
 * name, and the mapped part. No padding. */
struct pf_image_key {
    uint32_t name, by_name; /* string */
    uint64_t size, offset, text_start, text_size;
};

/* False: the memory has no file, so an equal name does not mean an equal image. */
bool pf_image_key(const struct pf_dict *, const struct pf_image *, struct pf_image_key *);

#endif
