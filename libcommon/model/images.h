/* Which images are the same, wherever they are mapped. */
#ifndef PF_MODEL_IMAGES_H
#define PF_MODEL_IMAGES_H

#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* What mappings of the same part of the same image have in common: the identifier (build id), else
 * the name, and which part of it is mapped. No padding. */
struct pf_image_key {
    uint32_t name, by_name; /* string */
    uint64_t size, offset, text_start, text_size;
};

/* False: memory that no file lies behind, which is not the same because it is called the same. */
bool pf_image_key(const struct pf_dict *, const struct pf_image *, struct pf_image_key *);

#endif
