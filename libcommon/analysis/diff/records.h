/* The difference of two sides as records. For each measure NAME of the runs the result has
 * NAME.before and NAME.after, the means of the runs of each side that have the measure, and
 * NAME.delta, their difference.
 * If the means of a measure are not whole numbers of its raw unit, they are counted in a fraction
 * of this unit (pf_unit_parts) that makes all of them whole. Shares are rounded half to even, and
 * so are means that would overflow 64 bits in such a fraction. Records are equal if a merge would
 * add them up (analysis/merge/frames.h), also after their functions are joined. */
#ifndef PF_ANALYSIS_DIFF_RECORDS_H
#define PF_ANALYSIS_DIFF_RECORDS_H

#include "analysis/merge/frames.h"
#include "analysis/merge/kind.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, set the members up to `evals`, call pf_diff_records_init; free with
 * pf_diff_records_free. */
struct pf_diff_records {
    struct pf_dict *dict;
    enum pf_kind kind; /* of the records compared; PF_RECORD_KINDS: all kinds */
    /* compare shares, in 1/PF_DIFF_WHOLE (analysis/diff/diff.h), of the run's total that is 100 %
     * in tables of the measure (pf_subject_choose) */
    bool normalize;
    bool join_builds;   /* join the functions of two builds (analysis/diff/builds.h) */
    bool drop_negative; /* leave out records whose main measure fell */
    /* whether to compare a measure; NULL: compare all */
    bool (*named)(void *arg, uint32_t measure);
    void *arg;
    /* final names of evals, found before the first pf_diff_records_next; must outlive this; NULL:
     * names stay */
    const struct pf_evals *evals;

    struct pf_facts facts, run_facts; /* of all runs; of the current run */
    struct pf_merge_frames frames;
    struct pf_accumulator wholes; /* if `normalize`: sums of the current run, for its totals */
    /* sums of the current run, if it may have main::RUNTIME: of flat records and edges; of
     * samples */
    struct pf_accumulator calls, stacks;
    struct pf_merge_kind own[PF_RECORD_KINDS]; /* the current run */
    struct pf_merge_kind all[PF_RECORD_KINDS]; /* the sums of earlier runs, by side */
    struct pf_diff_column {
        /* the means are counted in 1/parts of a raw unit; 0: they are rounded to raw units */
        uint64_t parts;
        uint32_t measures[PF_SIDES];
    } * columns[PF_RECORD_KINDS];
    size_t runs[PF_SIDES];     /* number of runs that count, by side */
    struct pf_diff_met {       /* by column of `all`: */
        size_t runs[PF_SIDES]; /* number of runs that have the measure, by side */
        bool *has;             /* by run: it has the measure; false from `count` on */
        size_t count, capacity;
    } * met[PF_RECORD_KINDS];
    size_t met_count[PF_RECORD_KINDS], met_capacity[PF_RECORD_KINDS];
    /* the values of a side are counted in 1/parts of a raw unit; 0 stands for 1 */
    uint64_t parts[PF_SIDES];
    struct pf_merge_rows rows; /* records of the current batch */

    bool begun; /* reading the result: the sides are joined, the measures declared */
    /* kind being given */
    enum pf_kind at;
    bool declared;
    size_t next; /* next record of this kind */
    int64_t *values;
    struct pf_value_column *given;
    size_t given_count;
    const struct pf_sums *main; /* main column of this kind */
    /* metadata to give: meta_count origins, then keys, then values */
    uint32_t *meta;
    size_t meta_count, meta_given;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_diff_records_init(struct pf_diff_records *);
void pf_diff_records_free(struct pf_diff_records *);

/* Adds a batch to the current run. PF_OK; PF_NOMEM; PF_OVERFLOW, naming record and measure;
 * PF_UNSUPPORTED if an earlier run has a measure of this name in another unit; or as
 * pf_quantity_join. */
int pf_diff_records_add(struct pf_diff_records *, const struct pf_batch *, struct pf_error *);
/* Adds metadata that an earlier run was given too. As pf_diff_records_add. */
int pf_diff_records_add_again(struct pf_diff_records *, const struct pf_batch *, struct pf_error *);
/* Ends the current run, which belongs to side PF_BEFORE or PF_AFTER, is the sum of `runs` runs, and
 * counts as their mean. If the numbers of runs differ, parts[side] is set before the side's first
 * run (pf_diff_parts). With `keep` false the run counts for nothing. As pf_diff_records_add. */
int pf_diff_records_end(struct pf_diff_records *, enum pf_side, uint64_t runs, bool keep,
                        struct pf_error *);
/* True if a run with `keep` has a compared measure. */
bool pf_diff_records_any(const struct pf_diff_records *);
/* Call after the last run. PF_OK and a batch, valid until the next call; PF_EOF; PF_OVERFLOW;
 * PF_NOMEM. */
int pf_diff_records_next(struct pf_diff_records *, struct pf_batch *, struct pf_error *);

#endif
