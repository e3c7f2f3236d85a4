#include "analysis/names/id_map.h"

#include "base/hash.h"
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
    free(map->slots);
    *map = (struct pf_pair_map){0};
}

/* The slot of a pair, or the empty slot for it. */
static struct pf_pair_slot *find_slot(const struct pf_pair_map *map, uint32_t a, uint32_t b)
{
    size_t slot = (size_t)pf_hash_key((uint64_t)a << 32 | b, map->seed) & map->mask;

    while (map->slots[slot].to != 0 && (map->slots[slot].a != a || map->slots[slot].b != b))
        slot = (slot + 1) & map->mask;
    return &map->slots[slot];
}

bool pf_pair_map_get(const struct pf_pair_map *map, uint32_t a, uint32_t b, uint32_t *to)
{
    const struct pf_pair_slot *slot = map->slots ? find_slot(map, a, b) : NULL;

    if (!slot || slot->to == 0)
        return false;
    *to = slot->to - 1;
    return true;
}

static bool double_slots(struct pf_pair_map *map)
{
    struct pf_pair_map grown = {.mask = map->slots ? 2 * map->mask + 1 : 1023,
                                .count = map->count,
                                .seed = map->slots ? map->seed : pf_hash_seed()};

    if (grown.mask >= SIZE_MAX / sizeof *grown.slots ||
        (grown.slots = calloc(grown.mask + 1, sizeof *grown.slots)) == NULL)
        return false;
    for (size_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].to != 0)
            *find_slot(&grown, map->slots[i].a, map->slots[i].b) = map->slots[i];
    free(map->slots);
    *map = grown;
    return true;
}

bool pf_pair_map_put(struct pf_pair_map *map, uint32_t a, uint32_t b, uint32_t to)
{
    if ((!map->slots || map->count > map->mask / 2) && !double_slots(map))
        return false;
    *find_slot(map, a, b) = (struct pf_pair_slot){a, b, to + 1};
    map->count++;
    return true;
}
