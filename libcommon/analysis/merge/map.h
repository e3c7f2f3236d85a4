/* Replaces locations by other locations, and stacks by stacks of the new locations. Every location
 * and every stack is mapped once. No memory is used until a location changes. */
#ifndef PF_ANALYSIS_MERGE_MAP_H
#define PF_ANALYSIS_MERGE_MAP_H

#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A map from dense ids. `to` is NULL as long as every id maps to itself. */
struct pf_merge_ids {
    uint32_t *to; /* NULL: every id maps to itself */
    /* ids below `known` are mapped */
    size_t known, capacity;
};

/* Maps the next id, number `known`, to `to`. False: out of memory. */
bool pf_merge_ids_put(struct pf_merge_ids *, uint32_t to);

/* Maps an id; an id that is not mapped yet stays as it is. */
static inline uint32_t pf_merge_id(const struct pf_merge_ids *ids, uint32_t id)
{
    return ids->to && id < ids->known ? ids->to[id] : id;
}

/* Maps the ids of a column with `rows` rows, all below `known`. Returns `column` itself if every id
 * maps to itself (or `column` is NULL), else `to`, which must have room for `rows` ids. */
const uint32_t *pf_merge_ids_column(const struct pf_merge_ids *, const uint32_t *column,
                                    uint32_t rows, uint32_t *to);

/* Zero-initialise, set dict, place, arg and before; free with pf_merge_map_free. */
struct pf_merge_map {
    struct pf_dict *dict;
    /* Returns the location that replaces `location`; its result must map to itself. May intern. */
    uint32_t (*place)(void *arg, uint32_t location);
    void *arg;
    /* ids that `before` maps to another id occur in no record and are left alone; NULL: all ids
     * occur */
    const struct pf_merge_map *before;
    struct pf_merge_ids locations, stacks;
};

void pf_merge_map_free(struct pf_merge_map *);
/* Maps the locations and stacks that the dictionary got since the last call. PF_OK or PF_NOMEM. */
int pf_merge_map_extend(struct pf_merge_map *);

#endif
