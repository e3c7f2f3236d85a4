/* How the chunks of a DCPI file lie, zero counts included: what its records do not say. It travels as text, `GAP+NUMBER` for each
 * chunk, where GAP is the distance from the end of the chunk before at a step of 1, so that an unchanged profile becomes the
 * same file again. */
#ifndef PF_FORMAT_DCPI_LAYOUT_H
#define PF_FORMAT_DCPI_LAYOUT_H

#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds a chunk to the text; false: out of memory. */
bool pf_dcpi_layout_add(struct pf_buffer *, uint64_t gap, uint32_t number);

/* Texts of one layout, in order: strings of a dictionary. */
struct pf_dcpi_layout {
    uint32_t *texts;
    size_t count, capacity;
};

struct pf_dcpi_chunk {
    uint64_t offset;
    uint32_t number;
};

/* Walks the chunks: zero-initialise, then set `layout` and `dict`. */
struct pf_dcpi_chunks {
    const struct pf_dcpi_layout *layout;
    const struct pf_dict *dict;
    size_t text, at; /* where the next chunk is read */
    uint64_t end;    /* of the chunk before */
};

/* PF_OK and a chunk that lies behind the one before and ends within 32 bits; PF_EOF; PF_FAILED where the text is none of ours. */
int pf_dcpi_chunks_next(struct pf_dcpi_chunks *, struct pf_dcpi_chunk *);

#endif
