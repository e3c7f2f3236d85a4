#include "format/nytprof/map.h"

#include "base/memory.h"

#include <stdlib.h>

/* Never all zero. */
struct pair {
    uint32_t a_plus_1, b;
};

int pf_nyt_map_init(struct pf_nyt_map *map)
{
    *map = (struct pf_nyt_map){0};
    return pf_table_init(&map->keys, sizeof(struct pair));
}

void pf_nyt_map_free(struct pf_nyt_map *map)
{
    pf_table_free(&map->keys);
    free(map->values);
}

uint64_t *pf_nyt_map_entry(struct pf_nyt_map *map, uint32_t a, uint32_t b)
{
    uint32_t id = pf_table_intern(&map->keys, &(struct pair){a + 1, b});

    if (id == 0 || !pf_grow_zeroed(&map->values, &map->count, &map->capacity, (size_t)id + 1, sizeof *map->values))
        return NULL;
    return &map->values[id];
}

uint64_t pf_nyt_map_get(const struct pf_nyt_map *map, uint32_t a, uint32_t b)
{
    uint32_t id = pf_table_find(&map->keys, &(struct pair){a + 1, b});
    return id < map->count ? map->values[id] : 0;
}
