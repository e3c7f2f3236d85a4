/* State shared by the inputs of one run: sections that are open at the end of a StatProfiler
 * file continue in the next file. Each format keeps one object here. */
#ifndef PF_CODEC_SHARED_H
#define PF_CODEC_SHARED_H

#include <stddef.h>

struct pf_shared;

struct pf_shared *pf_shared_new(void); /* NULL: out of memory */
void pf_shared_free(struct pf_shared *);

/* The object of `owner` (any address unique to the format): `size` zeroed bytes, allocated on
 * the first call; `destroy` is called for the object at the end. NULL: out of memory. */
void *pf_shared_get(struct pf_shared *, const void *owner, size_t size, void (*destroy)(void *));

#endif
