/* A map from dense ids to ids that is filled as they are met. */
#ifndef PF_ANALYSIS_ID_MAP_H
#define PF_ANALYSIS_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with pf_id_map_free. */
struct pf_id_map {
    uint32_t *to; /* id + 1; 0 = not met */
    size_t capacity;
};

void pf_id_map_free(struct pf_id_map *);
/* Room for ids below `count`. False: out of memory. */
bool pf_id_map_reserve(struct pf_id_map *, size_t count);
bool pf_id_map_put(struct pf_id_map *, uint32_t from, uint32_t to);

static inline bool pf_id_map_get(const struct pf_id_map *map, uint32_t from, uint32_t *to)
{
    if (from >= map->capacity || map->to[from] == 0)
        return false;
    *to = map->to[from] - 1;
    return true;
}

#endif
