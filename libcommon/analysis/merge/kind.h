/* The records of one kind in a merge, with their values: records in rows, quantities in columns. */
#ifndef PF_ANALYSIS_MERGE_KIND_H
#define PF_ANALYSIS_MERGE_KIND_H

#include "analysis/sum/columns.h"
#include "analysis/merge/frames.h"
#include "analysis/merge/labels.h"
#include "analysis/sum/records.h"

/* Zero-initialise but for columns.dict and columns.force; free with pf_merge_kind_free. */
struct pf_merge_kind {
    enum pf_kind kind;
    struct pf_merge_records records;
    struct pf_merge_columns columns;
    uint32_t *touched;       /* records of the input at hand that have staged values */
    size_t touched_count, touched_capacity;
    uint64_t *touched_by;    /* by record: the last input that did */
    size_t touched_by_count, touched_by_capacity;
    size_t marked;           /* records */
};

void pf_merge_kind_free(struct pf_merge_kind *);

/* Notes that input number `input` (from 1) has these records. PF_OK or PF_NOMEM. */
int pf_merge_kind_touch(struct pf_merge_kind *, const uint32_t *records, uint32_t rows, uint64_t input);
/* Sum of the staged values of a column. */
pf_int128 pf_merge_kind_staged(const struct pf_merge_kind *, const struct pf_merge_column *);
/* Whether all staged values can be added to the sums; else the column and record where they cannot. */
bool pf_merge_kind_fits(const struct pf_merge_kind *, pf_int128 times, const struct pf_merge_column **, uint32_t *record);
/* Adds all staged values, each `times` times, to the sums, where they fit, and forgets them. PF_OK or PF_NOMEM. */
int pf_merge_kind_unstage(struct pf_merge_kind *, pf_int128 times);
/* Notes what there is before an input of which all values will be staged. PF_OK or PF_NOMEM. */
int pf_merge_kind_mark(struct pf_merge_kind *);
/* Nothing of that input is left. */
void pf_merge_kind_drop(struct pf_merge_kind *);

/* Gives records their final places and labels; those that are the same then become one. PF_OK, PF_OVERFLOW and the column,
 * PF_NOMEM. */
int pf_merge_kind_regroup(struct pf_merge_kind *, const struct pf_merge_map *, const struct pf_merge_labels *,
                          const struct pf_merge_column **);
/* The column of the main measure, of those whose values add up; NULL: there are no such measures. */
struct pf_merge_column *pf_merge_kind_main(const struct pf_merge_kind *);

#endif
