/* Caches the rendered text of dictionary rows: frames and label sets occur in many records. */
#ifndef PF_RENDER_FLAME_CACHE_H
#define PF_RENDER_FLAME_CACHE_H

#include "base/bytes.h"
#include "io/sink.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with pf_cache_free. */
struct pf_cache {
    struct pf_sink *sink; /* all texts, concatenated in memory */
    struct pf_cache_span {
        uint64_t start, size; /* start + 1; 0 = not rendered yet */
    } * spans;                /* by id */
    size_t capacity, count;
    int status; /* PF_OK, or PF_NOMEM, which stays */
};

/* The text of `id`, made by `render` on the first call. Valid until the next call; empty if out
 * of memory. */
struct pf_bytes pf_cache_text(struct pf_cache *, uint32_t id,
                              void (*render)(void *arg, uint32_t id, struct pf_sink *), void *arg);
void pf_cache_free(struct pf_cache *);

#endif
