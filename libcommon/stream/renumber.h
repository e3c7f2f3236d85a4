/* The reverse of intern.h: ids of a dictionary become ids of a segment, in order of first use.
 * Rows that a used row refers to are included; unused rows are not. */
#ifndef PF_STREAM_RENUMBER_H
#define PF_STREAM_RENUMBER_H

#include "model/dict.h"
#include "stream/emit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_renumber_table {
    uint32_t
        *map; /* id in the segment, indexed by id in the dictionary; UINT32_MAX: not used yet */
    size_t capacity;
    uint32_t known;  /* entries of map */
    uint32_t next;   /* id of the segment */
    uint32_t *fresh; /* ids in the dictionary of rows that are not written yet, in order */
    size_t fresh_capacity;
    uint32_t fresh_count;
};

/* Zero-initialise; free with pf_renumber_free. */
struct pf_renumber {
    struct pf_renumber_table tables[PF_TABLES];
    uint32_t *path; /* the new rows from a stack or label set towards its root */
    size_t path_capacity;
    int64_t *columns; /* scratch */
    size_t columns_capacity;
    bool failed; /* out of memory; stays */
};

/* A segment begins: nothing is used yet. */
void pf_renumber_start(struct pf_renumber *);
void pf_renumber_free(struct pf_renumber *);

/* The segment's id of a row. Out of memory: 0, and `failed` is set. */
uint32_t pf_renumber_id(struct pf_renumber *, const struct pf_dict *, enum pf_stream_table,
                        uint32_t id);
/* The same for a column. */
void pf_renumber_column(struct pf_renumber *, const struct pf_dict *, enum pf_stream_table,
                        const uint32_t *ids, uint32_t rows, uint32_t *out);
/* Writes D frames for all rows that are fresh. PF_OK, PF_NOMEM, or the sink's failure. */
int pf_renumber_write(struct pf_renumber *, const struct pf_dict *, struct pf_emit *);

#endif
