/* What places become, and with them the stacks they stand in: every location and every node of the
 * calling-context tree is mapped once. No map is made until a place changes. */
#ifndef PF_ANALYSIS_MERGE_MAP_H
#define PF_ANALYSIS_MERGE_MAP_H

#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A map from dense ids that is not there while every id stays as it is. */
struct pf_merge_ids {
    uint32_t *to; /* NULL: all as they are */
    size_t known, capacity;
};

/* The id `known` becomes `to`. False: out of memory. */
bool pf_merge_ids_put(struct pf_merge_ids *, uint32_t to);

static inline uint32_t pf_merge_id(const struct pf_merge_ids *ids, uint32_t id)
{
    return ids->to && id < ids->known ? ids->to[id] : id;
}

/* What the ids of a column become: the column itself where all stay as they are, else `to`, which
 * has room for `rows`. */
const uint32_t *pf_merge_ids_column(const struct pf_merge_ids *, const uint32_t *column,
                                    uint32_t rows, uint32_t *to);

/* Zero-initialise but for the first four; free with pf_merge_map_free. */
struct pf_merge_map {
    struct pf_dict *dict;
    /* What a location becomes; what it becomes stays as it is. May intern. */
    uint32_t (*place)(void *arg, uint32_t location);
    void *arg;
    /* what this one sends elsewhere is not met any more; NULL: all are */
    const struct pf_merge_map *before;
    struct pf_merge_ids locations, stacks;
};

void pf_merge_map_free(struct pf_merge_map *);
/* Maps the rows that the dictionary has got since the last time. PF_OK or PF_NOMEM. */
int pf_merge_map_extend(struct pf_merge_map *);

#endif
