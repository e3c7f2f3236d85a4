/* What the inputs of one run tell each other: the sections a StatProfiler process had open at the
 * end of one file go on in the next. A format keeps one object of its own here. */
#ifndef PF_CODEC_SHARED_H
#define PF_CODEC_SHARED_H

#include <stddef.h>

struct pf_shared;

struct pf_shared *pf_shared_new(void); /* NULL: out of memory */
void pf_shared_free(struct pf_shared *);

/* The object kept under `owner` (any address unique to the format), `size` zeroed bytes made on the
 * first call; `destroy` is called with it at the end. NULL: out of memory. */
void *pf_shared_get(struct pf_shared *, const void *owner, size_t size, void (*destroy)(void *));

#endif
