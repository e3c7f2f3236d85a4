/* Runs inside profiles: every value of a label is a run (profdiff --runs=label:KEY). The records of
 * a side are summed up by frames and labels, and then given back run by run, so memory grows with
 * the distinct records of a side. Groups of runs (model/replicates.h) are the runs of the label
 * `replicate`; each stands for the number of runs that its record counts.
 *
 * A merged profile has 0 in the measures that a record of its inputs lacked. So a run lacks a
 * measure if the run has no record of its kind, or if all its records are 0 in this measure and not
 * all are 0 in another one of the kind. */
#ifndef PF_ANALYSIS_DIFF_LABELLED_H
#define PF_ANALYSIS_DIFF_LABELLED_H

#include "analysis/sum/records.h"
#include "base/error.h"
#include "base/table.h"
#include "model/notes.h"
#include "model/replicates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, set dict, key and drops; free with pf_labelled_free, after which it can be used
 * again with the same dict, key and drops. */
struct pf_labelled {
    struct pf_dict *dict;
    uint32_t key; /* of the label, a string */
    bool drops;   /* the records are given without the label */

    struct pf_labelled_kind {
        struct pf_merge_records records;
        struct pf_labelled_column {
            uint32_t measure;
            int64_t *sums; /* by record; 0 from `count` on */
            size_t count, capacity;
        } * columns;
        size_t column_count, column_capacity;
        uint32_t *order; /* records by run, after pf_labelled_end */
        size_t *ends;    /* by run: end of its records in `order` */
        bool *lacks;     /* by run and column: the run lacks the measure */
    } kinds[PF_RECORD_KINDS];
    struct pf_notes notes; /* metadata and source texts */

    struct pf_table values; /* struct pf_labelled_value: the runs */
    int64_t *runs;          /* by value: number of runs that a record counts; 0: no such record */
    size_t run_capacity;
    uint32_t *of_set; /* row of `values` by label set, plus 1; 0: not known; 1: no such label */
    size_t set_capacity;
    uint64_t records, lacking; /* records so far; records without the label */
    bool grouped;              /* a record counts runs */

    uint32_t *without; /* by label set: the set without the label, plus 1; 0: not known */
    size_t without_capacity;
    uint32_t *sorted; /* the runs in their order, after pf_labelled_end: rows of `values` */
    struct pf_replicates parts;
    struct pf_merge_rows rows;
    struct pf_value_column *given;
    int64_t *numbers;
    size_t given_capacity, number_capacity;
    size_t next; /* position in `order` */
    unsigned at; /* kind being given */
    bool begun;  /* a batch of this kind was given */
};

/* A value of the label. */
struct pf_labelled_value {
    uint32_t text, numeric; /* as in struct pf_label */
    int64_t number;
    uint64_t one; /* always 1, so that no row of a table is all 0 */
};

void pf_labelled_free(struct pf_labelled *);

/* Adds a batch of any kind. PF_OK; PF_NOMEM; PF_OVERFLOW, naming the measure. */
int pf_labelled_add(struct pf_labelled *, const struct pf_batch *, struct pf_error *);
/* Adds the records, metadata and texts of `own`, which has a single input. As pf_labelled_add. */
int pf_labelled_join(struct pf_labelled *, const struct pf_labelled *own, struct pf_error *);

/* Call after the last batch: sorts the runs by value. PF_OK; PF_NOMEM; PF_UNSUPPORTED if records
 * lack the label, or a group has no number of runs. */
int pf_labelled_end(struct pf_labelled *, struct pf_error *);
/* The number of runs. */
size_t pf_labelled_count(const struct pf_labelled *);
/* The value of run `run` as text, valid until the next call; NULL: out of memory. */
const char *pf_labelled_name(const struct pf_labelled *, size_t run, struct pf_buffer *);
/* The number of runs that run `run` stands for: 1, unless it is a group. */
uint64_t pf_labelled_runs(const struct pf_labelled *, size_t run);

/* Begins to give the records of a run. */
void pf_labelled_begin(struct pf_labelled *);
/* Gives the next records of run `run`, with the measures that the run has. The first batch of a
 * kind may have no rows: it declares the measures. PF_OK and a batch, valid until the next call;
 * PF_EOF; PF_NOMEM. */
int pf_labelled_next(struct pf_labelled *, size_t run, struct pf_batch *);
/* Gives the declarations of measures alone, of one kind after the other. PF_OK, PF_EOF or
 * PF_NOMEM. */
int pf_labelled_declared(struct pf_labelled *, struct pf_batch *);

#endif
