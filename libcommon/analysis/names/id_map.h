/* Maps from ids to ids, filled on demand. */
#ifndef PF_ANALYSIS_NAMES_ID_MAP_H
#define PF_ANALYSIS_NAMES_ID_MAP_H

#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A map from dense ids. Zero-initialise; free with pf_id_map_free. */
struct pf_id_map {
    uint32_t *to; /* id + 1; 0: no entry */
    size_t capacity;
};

void pf_id_map_free(struct pf_id_map *);
/* Makes room for ids below `count`. False: out of memory. */
bool pf_id_map_reserve(struct pf_id_map *, size_t count);
/* Adds or replaces an entry. False: out of memory. */
bool pf_id_map_put(struct pf_id_map *, uint32_t from, uint32_t to);

/* Sets *to to the entry of `from`. False: the map has no such entry, *to is unchanged. */
static inline bool pf_id_map_get(const struct pf_id_map *map, uint32_t from, uint32_t *to)
{
    if (from >= map->capacity || map->to[from] == 0)
        return false;
    *to = map->to[from] - 1;
    return true;
}

/* A map from pairs of ids; fastest if most pairs differ in `a`. Zero-initialise; free with
 * pf_pair_map_free. */
struct pf_pair_map {
    struct pf_table pairs;
    uint32_t *to; /* by row of `pairs`; to[0] belongs to the pair of zeros */
    size_t capacity;
    bool zero; /* the pair of zeros has an entry */
};

void pf_pair_map_free(struct pf_pair_map *);
/* Adds or replaces an entry. False: out of memory. */
bool pf_pair_map_put(struct pf_pair_map *, uint32_t a, uint32_t b, uint32_t to);

/* Sets *to to the entry of the pair. False: the map has no such entry, *to is unchanged. */
static inline bool pf_pair_map_get(const struct pf_pair_map *map, uint32_t a, uint32_t b,
                                   uint32_t *to)
{
    uint32_t row = pf_table_find(&map->pairs, (const uint32_t[]){a, b});

    if (row == 0 && !(map->zero && a == 0 && b == 0))
        return false;
    *to = map->to[row];
    return true;
}

#endif
