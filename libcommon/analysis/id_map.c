#include "analysis/id_map.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_id_map_free(struct pf_id_map *map)
{
    free(map->to);
    *map = (struct pf_id_map){0};
}

bool pf_id_map_reserve(struct pf_id_map *map, size_t count)
{
    size_t had = map->capacity;

    if (!pf_grow(&map->to, &map->capacity, count, sizeof *map->to))
        return false;
    memset(map->to + had, 0, (map->capacity - had) * sizeof *map->to);
    return true;
}

bool pf_id_map_put(struct pf_id_map *map, uint32_t from, uint32_t to)
{
    if (!pf_id_map_reserve(map, (size_t)from + 1))
        return false;
    map->to[from] = to + 1;
    return true;
}
