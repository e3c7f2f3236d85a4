#include "analysis/merge/map.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_merge_map_free(struct pf_merge_map *map)
{
    free(map->locations.to);
    free(map->stacks.to);
}

bool pf_merge_ids_put(struct pf_merge_ids *ids, uint32_t to)
{
    bool first = !ids->to;

    if (first && to == ids->known) {
        ids->known++;
        return true;
    }
    if (!pf_grow(&ids->to, &ids->capacity, ids->known + 1, sizeof *ids->to))
        return false;
    for (size_t i = 0; first && i < ids->known; i++)
        ids->to[i] = (uint32_t)i;
    ids->to[ids->known++] = to;
    return true;
}

const uint32_t *pf_merge_ids_column(const struct pf_merge_ids *ids, const uint32_t *column,
                                    uint32_t rows, uint32_t *to)
{
    if (!ids->to || !column)
        return column;
    for (uint32_t i = 0; i < rows; i++)
        to[i] = ids->to[column[i]];
    return to;
}

static bool occurs(const struct pf_merge_map *map, size_t id, bool stack)
{
    const struct pf_merge_map *before = map->before;

    return !before || pf_merge_id(stack ? &before->stacks : &before->locations, (uint32_t)id) == id;
}

static uint32_t map_location(struct pf_merge_map *map, uint32_t location)
{
    return location != 0 && occurs(map, location, false) ? map->place(map->arg, location)
                                                         : location;
}

/* `apart`: the new stack surely differs from all others, so that no lookup is needed. */
static uint32_t map_stack(struct pf_merge_map *map, uint32_t stack, bool apart)
{
    struct pf_stack row = *pf_dict_stack(map->dict, stack);

    if (!occurs(map, stack, true))
        return stack;
    uint32_t parent = pf_merge_id(&map->stacks, row.parent),
             location = pf_merge_id(&map->locations, row.location);

    if (parent == row.parent && location == row.location)
        return stack;
    return apart ? pf_table_append_unindexed(&map->dict->stacks,
                                             &(struct pf_stack){parent, location}, 1)
                 : pf_dict_add_frame(map->dict, parent, location);
}

int pf_merge_map_extend(struct pf_merge_map *map)
{
    struct pf_dict *dict = map->dict;
    /* If each location that changes becomes a new location of its own, different stacks stay
     * different. */
    bool good = true, apart = map->locations.known == 0;

    while (good && map->locations.known < dict->locations.count) {
        uint32_t location = (uint32_t)map->locations.known, next = dict->locations.count,
                 to = map_location(map, location);
        apart = apart && (to == location || to == next);
        good = pf_merge_ids_put(&map->locations, to);
    }
    if (!map->locations.to)
        map->stacks.known = dict->stacks.count;
    while (good && map->stacks.known < dict->stacks.count)
        good = pf_merge_ids_put(&map->stacks, map_stack(map, (uint32_t)map->stacks.known, apart));
    return good && pf_dict_status(dict) == PF_OK ? PF_OK : PF_NOMEM;
}
