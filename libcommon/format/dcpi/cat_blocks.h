/* The heads of dcpicat text that a stream was made of, as its metadata have them: a block for each profile, which `name` begins. */
#ifndef PF_FORMAT_DCPI_CAT_BLOCKS_H
#define PF_FORMAT_DCPI_CAT_BLOCKS_H

#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_dcpi_cat_line {
    uint32_t key, value; /* strings */
    size_t block;        /* from 1 */
};

/* Zero-initialise. */
struct pf_dcpi_cat_blocks {
    struct pf_dcpi_cat_line *lines; /* of all blocks, in order */
    size_t count, capacity;
    size_t blocks;
    bool named; /* a `name` was met: the next one begins a block */
};

/* Takes what a META batch says of them. PF_OK or PF_NOMEM. */
int pf_dcpi_cat_blocks_add(struct pf_dcpi_cat_blocks *, const struct pf_dict *, const struct pf_batch *);
void pf_dcpi_cat_blocks_free(struct pf_dcpi_cat_blocks *);

/* The next block of an image (its identifier, in any letter case) behind `block`, which is 0 for the first; 0 when there is none. */
size_t pf_dcpi_cat_blocks_find(const struct pf_dcpi_cat_blocks *, const struct pf_dict *, struct pf_bytes image, size_t block);
/* The first value of a key in a block; empty when there is none. */
struct pf_bytes pf_dcpi_cat_blocks_value(const struct pf_dcpi_cat_blocks *, const struct pf_dict *, size_t block,
                                         struct pf_bytes key);

#endif
