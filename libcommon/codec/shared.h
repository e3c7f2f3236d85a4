/* State shared by the inputs of one run. Example: sections that are open at the end of a
 * StatProfiler file continue in the next file. Each format has at most one object here. */
#ifndef PF_CODEC_SHARED_H
#define PF_CODEC_SHARED_H

#include <stddef.h>

struct pf_shared;

struct pf_shared *pf_shared_new(void); /* NULL: out of memory */
void pf_shared_free(struct pf_shared *);

/* The object of `owner`, which is any address unique to the format. The first call allocates `size`
 * zeroed bytes; pf_shared_free calls `destroy` with the object and then frees it. NULL: out of
 * memory. */
void *pf_shared_get(struct pf_shared *, const void *owner, size_t size, void (*destroy)(void *));

#endif
