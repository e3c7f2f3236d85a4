#include "analysis/names/id_map.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_id_map_free(struct pf_id_map *map)
{
    free(map->to);
    *map = (struct pf_id_map){0};
}

bool pf_id_map_reserve(struct pf_id_map *map, size_t count)
{
    return pf_grow_clear(&map->to, &map->capacity, count, sizeof *map->to);
}

bool pf_id_map_put(struct pf_id_map *map, uint32_t from, uint32_t to)
{
    if (!pf_id_map_reserve(map, (size_t)from + 1))
        return false;
    map->to[from] = to + 1;
    return true;
}

void pf_pair_map_free(struct pf_pair_map *map)
{
    pf_table_free(&map->pairs);
    free(map->to);
    *map = (struct pf_pair_map){0};
}

bool pf_pair_map_put(struct pf_pair_map *map, uint32_t a, uint32_t b, uint32_t to)
{
    const uint32_t pair[] = {a, b};

    if (!map->pairs.slots && pf_table_init(&map->pairs, sizeof pair) != PF_OK)
        return false;
    if (!pf_grow(&map->to, &map->capacity, (size_t)map->pairs.count + 1, sizeof *map->to))
        return false;
    uint32_t row = pf_table_intern(&map->pairs, pair);
    bool zero = a == 0 && b == 0;

    if (row == 0 && !zero)
        return false;
    map->zero |= zero;
    map->to[row] = to;
    return true;
}
