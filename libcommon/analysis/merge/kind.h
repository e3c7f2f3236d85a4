/* The records of one kind in a merge: a row for each record, a column for each quantity. */
#ifndef PF_ANALYSIS_MERGE_KIND_H
#define PF_ANALYSIS_MERGE_KIND_H

#include "analysis/merge/columns.h"
#include "analysis/merge/frames.h"
#include "analysis/merge/labels.h"
#include "analysis/sum/records.h"

/* Zero-initialise, set kind, sides, columns.dict and the flags of columns; free with
 * pf_merge_kind_free. */
struct pf_merge_kind {
    enum pf_kind kind;
    /* 2: a difference; record r has the rows 2 * r and 2 * r + 1, one for each side, and values of
     * PF_MAX measures are added up too, for their mean. 0: record r has row r. */
    unsigned sides;
    struct pf_merge_records records;
    struct pf_merge_columns columns;
};

void pf_merge_kind_free(struct pf_merge_kind *);

/* The sum that overflowed. */
struct pf_merge_place {
    const struct pf_merge_kind *kind;
    const struct pf_sums *sums; /* the column; NULL: no sum overflowed */
    size_t record;
};

/* Finds the record of each row of the batch, and adds records that are new. `labels` NULL: all
 * labels keep records apart. PF_OK or PF_NOMEM. */
int pf_merge_kind_find(struct pf_merge_kind *, struct pf_merge_frames *,
                       struct pf_merge_labels *labels, const struct pf_batch *,
                       struct pf_merge_rows *);
/* Adds the values of value column `number` to the records found. Values that are summed are
 * multiplied by `weight`; of others (PF_MAX) the greatest counts. Weight 0 only notes that the
 * input has the measure. PF_OK; PF_OVERFLOW with *place set; or as pf_merge_columns_find. */
int pf_merge_kind_add(struct pf_merge_kind *, const struct pf_batch *, uint32_t number,
                      const struct pf_merge_rows *, uint64_t input, int64_t weight,
                      struct pf_merge_place *, struct pf_error *);

/* Adds the records of one input, `own`, multiplied by `times`, to side `side` of the records `all`
 * (0 if the measures have no sides). After a failure other than PF_NOMEM nothing has been added.
 * PF_OK; PF_OVERFLOW with *place or the error set; or as pf_merge_columns_find. */
int pf_merge_kinds_add(struct pf_merge_kind all[PF_RECORD_KINDS],
                       const struct pf_merge_kind own[PF_RECORD_KINDS], uint64_t input,
                       unsigned side, pf_int128 times, struct pf_merge_place *, struct pf_error *);

/* Maps places and labels of the records, and joins records that become equal. `labels` has the
 * sets. PF_OK; PF_OVERFLOW with *failed set to the column; PF_NOMEM. */
int pf_merge_kind_regroup(struct pf_merge_kind *, const struct pf_merge_map *,
                          const struct pf_merge_labels *, const struct pf_sums **);
/* The column of the main measure, chosen among the measures whose values are summed; NULL if no
 * measure is summed. */
const struct pf_sums *pf_merge_kind_main(const struct pf_merge_kind *);

#endif
