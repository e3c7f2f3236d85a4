/* Adds the tables of a segment to a dictionary, and maps ids of the segment to ids of the
 * dictionary. */
#ifndef PF_STREAM_INTERN_H
#define PF_STREAM_INTERN_H

#include "base/error.h"
#include "model/tables.h"
#include "stream/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maps ids of one table of the segment. No array is needed while each id is the same in the segment
 * and the dictionary. */
struct pf_idmap {
    uint32_t *ids; /* NULL: all ids are equal */
    size_t capacity;
    uint32_t count; /* next id of the segment */
};

/* Maps an id below map->count. */
static inline uint32_t pf_idmap_get(const struct pf_idmap *map, uint32_t id)
{
    return !map->ids ? id : map->ids[id];
}

/* Maps the segment's next id to `id`. False: out of memory. */
bool pf_idmap_add(struct pf_idmap *, uint32_t id);

/* The number of rows on the path from the root to each row of a dictionary's table, up to row
 * `known`. */
struct pf_depths {
    uint32_t *rows;
    size_t capacity;
    uint32_t known;
};

struct pf_intern {
    /* by table; measures: number + 1, their id in the dictionary's table */
    struct pf_idmap maps[PF_TABLES];
    struct pf_depths depths[2]; /* of stacks; of labels */
    int64_t *columns;           /* scratch */
    size_t columns_capacity;
};

/* Begins a segment: all its tables are empty. Zero-initialise before the first; free with
 * pf_intern_free. */
void pf_intern_start(struct pf_intern *);
void pf_intern_free(struct pf_intern *);

/* Adds the rows of a D frame that pf_sequence_take has accepted; `payload` is inflated. PF_OK,
 * PF_FAILED, PF_UNSUPPORTED, PF_NOMEM; after a failure the rows added so far stay in the
 * dictionary. */
int pf_intern_frame(struct pf_intern *, struct pf_dict *, const struct pf_frame *,
                    const unsigned char *payload, struct pf_error *);

#endif
