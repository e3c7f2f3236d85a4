/* A map from pairs of numbers to numbers. */
#ifndef PF_FORMAT_NYTPROF_MAP_H
#define PF_FORMAT_NYTPROF_MAP_H

#include "base/table.h"

#include <stddef.h>
#include <stdint.h>

struct pf_nyt_map {
    struct pf_table keys;
    uint64_t *values; /* by id of a key */
    size_t count, capacity;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_map_init(struct pf_nyt_map *);
void pf_nyt_map_free(struct pf_nyt_map *);

/* Where the value of a pair stands: 0 when the pair is new. `a` is not UINT32_MAX. NULL when memory ran out. Valid until the next
 * call. */
uint64_t *pf_nyt_map_entry(struct pf_nyt_map *, uint32_t a, uint32_t b);
/* The value, 0 when there is none. */
uint64_t pf_nyt_map_get(const struct pf_nyt_map *, uint32_t a, uint32_t b);

#endif
