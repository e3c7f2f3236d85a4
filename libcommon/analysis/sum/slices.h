/* Keeps records apart by the values of one label, so that a view can select some of them later. A
 * slice is a set of values: a record with the sections `req` and `db` is in the slice {req, db},
 * however often and in whatever order the sections are open. */
#ifndef PF_ANALYSIS_SUM_SLICES_H
#define PF_ANALYSIS_SUM_SLICES_H

#include "analysis/names/key.h"
#include "analysis/sum/records.h"

#include <stddef.h>
#include <stdint.h>

struct pf_slices {
    struct pf_keys keys; /* the values of the label */
    /* struct pf_slice: the greatest value, and the slice of the others; slice 0 has no value */
    struct pf_table sets;
    uint32_t *of_labels; /* by label set: slice + 1; 0: not known yet */
    size_t label_count, label_capacity;
    uint32_t *values; /* scratch: values of a slice that come after a new value */
    size_t value_capacity;
    uint32_t *path; /* scratch: label sets not yet looked at, the longest chain first */
    size_t path_capacity;
    uint32_t *found; /* slice of each row of the current batch */
    /* SAMPLE records by stack and slice; the slice is in the key's `labels` */
    struct pf_merge_records records;
};

/* The values of slice `parent` and one more; the values of a set ascend. */
struct pf_slice {
    uint32_t parent, value; /* value: a key of slices->keys */
};

/* `label`: the label's key, a string. PF_OK or PF_NOMEM; free in any case. */
int pf_slices_init(struct pf_slices *, struct pf_dict *, uint32_t label);
void pf_slices_free(struct pf_slices *);

/* Stores the number of the record (stack and slice) of each row of a SAMPLE batch in records[].
 * PF_OK or PF_NOMEM. */
int pf_slices_find(struct pf_slices *, const struct pf_batch *, uint32_t *records);

/* The row of a slice, which is not slice 0. */
static inline const struct pf_slice *pf_slices_row(const struct pf_slices *slices, uint32_t slice)
{
    return (const struct pf_slice *)pf_table_row(&slices->sets, slice);
}

#endif
