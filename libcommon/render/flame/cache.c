#include "render/flame/cache.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(struct pf_cache *cache, uint32_t id)
{
    struct pf_error error = {0};

    if (!pf_grow_zeroed(&cache->spans, &cache->count, &cache->capacity, (size_t)id + 1,
                        sizeof *cache->spans))
        return false;
    return cache->sink || pf_sink_open_memory(&cache->sink, &error) == PF_OK;
}

struct pf_bytes pf_cache_text(struct pf_cache *cache, uint32_t id,
                              void (*render)(void *arg, uint32_t id, struct pf_sink *), void *arg)
{
    size_t size;

    if (cache->status != PF_OK)
        return PF_BYTES("");
    if (id >= cache->count || cache->spans[id].start == 0) {
        if (!make_room(cache, id)) {
            cache->status = PF_NOMEM;
            return PF_BYTES("");
        }
        uint64_t start = pf_sink_offset(cache->sink);

        render(arg, id, cache->sink);
        if (pf_sink_flush(cache->sink) != PF_OK) {
            cache->status = PF_NOMEM;
            return PF_BYTES("");
        }
        cache->spans[id] = (struct pf_cache_span){start + 1, pf_sink_offset(cache->sink) - start};
    }
    const char *bytes = pf_sink_memory(cache->sink, &size);

    if (cache->spans[id].size == 0)
        return PF_BYTES("");
    return (struct pf_bytes){bytes + (cache->spans[id].start - 1), (size_t)cache->spans[id].size};
}

void pf_cache_free(struct pf_cache *cache)
{
    pf_sink_abort(cache->sink);
    free(cache->spans);
    memset(cache, 0, sizeof *cache);
}
