/* Metadata of NYTProf files: how they are named, and a queue of rows on their way. */
#ifndef PF_FORMAT_NYTPROF_META_H
#define PF_FORMAT_NYTPROF_META_H

#include "format/nytprof/wire.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_nyt_metas {
    uint32_t *origin, *key, *value; /* strings */
    size_t count, given, origin_capacity, key_capacity, value_capacity;
    bool failed;                    /* memory ran out */
};

/* Zero-initialise; free with pf_nyt_metas_free. */
void pf_nyt_metas_add(struct pf_nyt_metas *, uint32_t origin, uint32_t key, uint32_t value);
void pf_nyt_metas_free(struct pf_nyt_metas *);
/* Rows not given yet, up to index `limit`, as a batch; false when there are none. Valid until the next row is added. */
bool pf_nyt_metas_give(struct pf_nyt_metas *, size_t limit, struct pf_batch *);

#endif
