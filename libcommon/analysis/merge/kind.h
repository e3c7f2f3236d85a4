/* The records of one kind in a merge, with their values: records in rows, quantities in columns. */
#ifndef PF_ANALYSIS_MERGE_KIND_H
#define PF_ANALYSIS_MERGE_KIND_H

#include "analysis/merge/columns.h"
#include "analysis/merge/frames.h"
#include "analysis/merge/labels.h"
#include "analysis/sum/records.h"

/* Zero-initialise but for kind, columns.dict and what the owner decides; free with
 * pf_merge_kind_free. */
struct pf_merge_kind {
    enum pf_kind kind;
    unsigned sides; /* 2: each record has a row for either side (record * 2 + side), and values that
                     * do not add up are added as well, for their mean; 0: it has one row */
    struct pf_merge_records records;
    struct pf_merge_columns columns;
};

void pf_merge_kind_free(struct pf_merge_kind *);

/* Where a sum is out of range. */
struct pf_merge_place {
    const struct pf_merge_kind *kind;
    const struct pf_sums *sums; /* NULL: no sum is */
    size_t record;
};

/* The records of the rows of a batch; their places, callees and labels are room for
 * pf_merge_kind_find. */
struct pf_merge_rows {
    uint32_t records[PF_BATCH_ROWS];
    uint32_t places[PF_BATCH_ROWS], callees[PF_BATCH_ROWS], labels[PF_BATCH_ROWS];
};

/* Finds the record of each row, new ones too. `labels` NULL: all labels keep records apart. PF_OK
 * or PF_NOMEM. */
int pf_merge_kind_find(struct pf_merge_kind *, struct pf_merge_frames *,
                       struct pf_merge_labels *labels, const struct pf_batch *,
                       struct pf_merge_rows *);
/* Adds the values of column `number` to the records found: `weight` times, or once where values do
 * not add up; 0: the measure is noted alone. PF_OK; PF_OVERFLOW with the place; as
 * pf_merge_columns_find. */
int pf_merge_kind_add(struct pf_merge_kind *, const struct pf_batch *, uint32_t number,
                      const struct pf_merge_rows *, uint64_t input, int64_t weight,
                      struct pf_merge_place *, struct pf_error *);

/* Adds the records of an input of its own, of all kinds, `times` times to those of all
 * names, to one side of them: as a whole or not at all. PF_OK; PF_OVERFLOW, with the place or
 * with the error set; as pf_merge_columns_find. */
int pf_merge_kinds_add(struct pf_merge_kind all[PF_RECORD_KINDS],
                       const struct pf_merge_kind own[PF_RECORD_KINDS], uint64_t input,
                       unsigned side, pf_int128 times, struct pf_merge_place *, struct pf_error *);

/* Gives records their final places and labels; those that are the same then become one. PF_OK,
 * PF_OVERFLOW and the column, PF_NOMEM. */
int pf_merge_kind_regroup(struct pf_merge_kind *, const struct pf_merge_map *,
                          const struct pf_merge_labels *, const struct pf_sums **);
/* The column of the main measure, of those whose values are added up; NULL: no measure is. */
const struct pf_sums *pf_merge_kind_main(const struct pf_merge_kind *);

#endif
