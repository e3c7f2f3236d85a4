/* Compares images without the addresses at which they are mapped. */
#ifndef PF_MODEL_IMAGES_H
#define PF_MODEL_IMAGES_H

#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* A key that is equal for mappings of the same part of the same image. It has the identifier (build
 * id), or without identifier the name, and the mapped part. No padding. */
struct pf_image_key {
    uint32_t name, by_name; /* string: identifier or name; by_name: 1: it is a name */
    uint64_t size, offset, text_start, text_size;
};

/* Makes the key of an image. False: the mapped memory is not a file, so an equal name does not mean
 * an equal image. */
bool pf_image_key(const struct pf_dict *, const struct pf_image *, struct pf_image_key *);

#endif
