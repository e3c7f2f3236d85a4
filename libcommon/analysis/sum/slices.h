/* Slices of a profile: its records apart by the values of one label, so that a view may take some
 * of them later. A slice is a set of values: a record of the sections `req` and `db` is in the
 * slice of both, however often and in whatever order they are open. */
#ifndef PF_ANALYSIS_SUM_SLICES_H
#define PF_ANALYSIS_SUM_SLICES_H

#include "analysis/names/key.h"
#include "analysis/sum/records.h"

#include <stddef.h>
#include <stdint.h>

struct pf_slices {
    struct pf_keys keys; /* the values */
    /* struct pf_slice, each a set of which it is the last value; slice 0: no value */
    struct pf_table sets;
    uint32_t *of_labels; /* by label set: slice + 1; 0 = not looked at */
    size_t label_count, label_capacity;
    uint32_t *values; /* of the slice at hand that go behind a new one */
    size_t value_capacity;
    uint32_t *path; /* label sets that are not looked at yet, the largest first */
    size_t path_capacity;
    uint32_t *found; /* slice of each row of the batch at hand */
    /* SAMPLE records by stack and slice, which stands in `labels` */
    struct pf_merge_records records;
};

/* One value more than `parent`; values of a set ascend. */
struct pf_slice {
    uint32_t parent, value; /* value: a key of `keys` */
};

/* `label`: the string that is the label's key. PF_OK or PF_NOMEM; free in any case. */
int pf_slices_init(struct pf_slices *, struct pf_dict *, uint32_t label);
void pf_slices_free(struct pf_slices *);

/* The number of the record, by stack and slice, of each row of a SAMPLE batch. PF_OK or
 * PF_NOMEM. */
int pf_slices_find(struct pf_slices *, const struct pf_batch *, uint32_t *records);

static inline const struct pf_slice *pf_slices_row(const struct pf_slices *slices, uint32_t slice)
{
    return (const struct pf_slice *)pf_table_row(&slices->sets, slice);
}

#endif
