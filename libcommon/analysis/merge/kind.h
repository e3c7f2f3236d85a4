/* The records of one kind in a merge, with their values: records in rows, quantities in columns. */
#ifndef PF_ANALYSIS_MERGE_KIND_H
#define PF_ANALYSIS_MERGE_KIND_H

#include "analysis/merge/columns.h"
#include "analysis/merge/frames.h"
#include "analysis/merge/labels.h"
#include "analysis/sum/records.h"

/* Zero-initialise but for kind, columns.dict and columns.force; free with pf_merge_kind_free. */
struct pf_merge_kind {
    enum pf_kind kind;
    struct pf_merge_records records;
    struct pf_merge_columns columns;
};

void pf_merge_kind_free(struct pf_merge_kind *);

/* Where a sum leaves 128 bits: its column, and the record if there is one. */
struct pf_merge_place {
    const struct pf_sums *sums;
    size_t record;
};

/* What becomes of the records of one input when they are added to those of all: nothing has changed yet. Zero-initialise; free with
 * pf_merge_plan_free. */
struct pf_merge_plan {
    struct pf_merge_columns columns; /* of all, with the input's measures, without rows */
    struct pf_member *members;       /* by column of the input */
    uint32_t *records;               /* by record of the input: its number among all */
};

void pf_merge_plan_free(struct pf_merge_plan *);
/* Plans to add an input, `times` times. PF_OK; PF_OVERFLOW, and the place or, for an error that is set, sums NULL; as
 * pf_merge_columns_find. A plan that is not carried out leaves new records behind: pf_merge_records_truncate. */
int pf_merge_kind_plan(struct pf_merge_plan *, struct pf_merge_kind *all, const struct pf_merge_kind *own, uint64_t input,
                       pf_int128 times, struct pf_merge_place *, struct pf_error *);
/* Carries it out. PF_OK or PF_NOMEM. */
int pf_merge_kind_join(struct pf_merge_kind *all, const struct pf_merge_kind *own, struct pf_merge_plan *, pf_int128 times);

/* Gives records their final places and labels; those that are the same then become one. PF_OK, PF_OVERFLOW and the column,
 * PF_NOMEM. */
int pf_merge_kind_regroup(struct pf_merge_kind *, const struct pf_merge_map *, const struct pf_merge_labels *,
                          const struct pf_sums **);
/* The column of the main measure, of those whose values add up; NULL: there are no such measures. */
const struct pf_sums *pf_merge_kind_main(const struct pf_merge_kind *);

#endif
