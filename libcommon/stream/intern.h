/* The tables of a segment on their way into a dictionary: which id of the segment is which id
 * there. */
#ifndef PF_STREAM_INTERN_H
#define PF_STREAM_INTERN_H

#include "base/error.h"
#include "model/dict.h"
#include "stream/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* While all ids are the same on both sides there is no array: nothing to hold, nothing to look up.
 */
struct pf_idmap {
    uint32_t *ids; /* NULL: id for id the same */
    size_t capacity;
    uint32_t count; /* next id of the segment */
};

static inline uint32_t pf_idmap_get(const struct pf_idmap *map, uint32_t id)
{
    return !map->ids ? id : map->ids[id];
}

/* How many rows of a dictionary's table stand between each and its root, itself included; counted
 * up to row `known`. */
struct pf_depths {
    uint32_t *rows;
    size_t capacity;
    uint32_t known;
};

struct pf_intern {
    struct pf_idmap maps[PF_TABLES]; /* measures: their id in the dictionary's table, number + 1 */
    struct pf_depths depths[2];      /* of stacks, of labels */
    int64_t *columns;                /* scratch */
    size_t columns_capacity;
};

/* Zero-initialised is an empty object without a segment; free with pf_intern_free. */
void pf_intern_start(struct pf_intern *); /* a segment begins: all tables are empty */
void pf_intern_free(struct pf_intern *);

/* Takes the rows of a D frame that pf_sequence_take has let pass. PF_OK, PF_FAILED, PF_UNSUPPORTED,
 * PF_NOMEM; what is in the dictionary when it fails stays there. */
int pf_intern_frame(struct pf_intern *, struct pf_dict *, const struct pf_frame *,
                    const unsigned char *payload, struct pf_error *);

#endif
