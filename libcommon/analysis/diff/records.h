/* The difference of two sides record by record, as records: for each measure NAME of the runs the
 * measures NAME.before, NAME.after (means per run) and NAME.delta, their difference. Where
 * the means of a measure are not whole numbers of its raw unit, they are counted in a part of that
 * unit (pf_unit_parts) that makes all of them whole. Shares, and means that would overflow 64 bits
 * in such parts, are rounded half to even. Records are equal where a merge would add them up
 * (analysis/merge/frames.h). */
#ifndef PF_ANALYSIS_DIFF_RECORDS_H
#define PF_ANALYSIS_DIFF_RECORDS_H

#include "analysis/merge/frames.h"
#include "analysis/merge/kind.h"
#include "analysis/sum/facts.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise and set the first group; pf_diff_records_init; free with pf_diff_records_free. */
struct pf_diff_records {
    struct pf_dict *dict;
    enum pf_kind kind;  /* of the records taken; PF_RECORD_KINDS: all */
    bool normalize;     /* shares of the run's total, analysis/diff/diff.h */
    bool drop_negative; /* records whose main measure fell are left out */
    bool (*named)(void *arg, uint32_t measure); /* measures taken; NULL: all */
    void *arg;

    struct pf_facts facts;
    struct pf_diff_scope *scope;
    struct pf_merge_frames frames;
    struct pf_merge_texts texts; /* of evals */
    struct pf_merge_evals evals;
    struct pf_merge_kind own[PF_RECORD_KINDS]; /* the run at hand */
    struct pf_merge_kind all[PF_RECORD_KINDS]; /* the runs before it, by side */
    struct pf_diff_column {
        uint64_t parts; /* that the means are counted in; 0: they are rounded */
        uint32_t measures[PF_SIDES];
    } * columns[PF_RECORD_KINDS];
    size_t runs[PF_SIDES];     /* of before and after */
    struct pf_merge_rows rows; /* of the batch at hand */

    bool announced; /* giving: the metadata are out */
    enum pf_kind at;
    bool declared;
    size_t next; /* record */
    int64_t *values;
    struct pf_value_column *given;
    size_t given_count;
    const struct pf_sums *main; /* of the kind at hand */
    uint32_t *meta;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_diff_records_init(struct pf_diff_records *);
void pf_diff_records_free(struct pf_diff_records *);

/* Adds a batch to the run at hand. PF_OK; PF_NOMEM; PF_OVERFLOW naming record and measure;
 * PF_UNSUPPORTED when a run before had a measure of that name in another unit; or as
 * pf_quantity_join. */
int pf_diff_records_add(struct pf_diff_records *, const struct pf_batch *, struct pf_error *);
/* The run at hand, of PF_BEFORE or PF_AFTER, ends; `keep` false: it counts for nothing. As
 * pf_diff_records_add. */
int pf_diff_records_end(struct pf_diff_records *, enum pf_side, bool keep, struct pf_error *);
/* Whether any run that counts has one of the measures taken. */
bool pf_diff_records_any(const struct pf_diff_records *);
/* After the last run: PF_OK and a batch that is valid until the next call, PF_EOF, PF_OVERFLOW or
 * PF_NOMEM. */
int pf_diff_records_next(struct pf_diff_records *, struct pf_batch *, struct pf_error *);

#endif
