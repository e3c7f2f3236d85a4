/* The reverse of intern.h: maps ids of a dictionary to ids of a segment, in order of first use. A
 * row that a used row refers to is used too. Rows that are not used are not written. */
#ifndef PF_STREAM_RENUMBER_H
#define PF_STREAM_RENUMBER_H

#include "model/tables.h"
#include "stream/emit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_renumber_table {
    uint32_t *map; /* by id in the dictionary: the id in the segment; UINT32_MAX: not used yet */
    size_t capacity;
    uint32_t known;  /* number of entries of `map` */
    uint32_t next;   /* next id of the segment */
    uint32_t *fresh; /* dictionary ids of the rows that are used but not written yet, in order */
    size_t fresh_capacity;
    uint32_t fresh_count;
};

/* Zero-initialise; free with pf_renumber_free. */
struct pf_renumber {
    struct pf_renumber_table tables[PF_TABLES];
    uint32_t *path; /* scratch: the new rows from a stack or label set to its root */
    size_t path_capacity;
    int64_t *columns; /* scratch */
    size_t columns_capacity;
    bool failed; /* out of memory; stays */
};

/* Begins a segment: no row is used yet. */
void pf_renumber_start(struct pf_renumber *);
void pf_renumber_free(struct pf_renumber *);

/* The segment's id of a row, which is used from now on. Out of memory: 0, and `failed` is set. */
uint32_t pf_renumber_id(struct pf_renumber *, const struct pf_dict *, enum pf_dict_table,
                        uint32_t id);
/* The same for the ids of a column with `rows` rows; out[] gets the segment's ids. */
void pf_renumber_column(struct pf_renumber *, const struct pf_dict *, enum pf_dict_table,
                        const uint32_t *ids, uint32_t rows, uint32_t *out);
/* Writes D frames for all fresh rows. PF_OK, PF_NOMEM, or the sink's failure. */
int pf_renumber_write(struct pf_renumber *, const struct pf_dict *, struct pf_emit *);

#endif
