/* Sums of records by stack, location, pair of caller and callee, or labels. One pass; memory is
 * proportional to the dictionary. */
#ifndef PF_ANALYSIS_SUM_ACCUMULATE_H
#define PF_ANALYSIS_SUM_ACCUMULATE_H

#include "analysis/sum/ledger.h"
#include "model/batch.h"
#include "model/main_measure.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_slices;

struct pf_edge {
    uint32_t caller, callee; /* locations */
};

/* Zero-initialise and set what the caller decides; free with pf_accumulator_free. Sums are narrow;
 * their rows are stacks (SAMPLE), locations (FLAT) or edges (EDGE), or label sets or records where
 * the accumulator goes by labels or slices. */
struct pf_accumulator {
    const struct pf_dict *dict;
    bool by_labels;
    struct pf_slices *slices; /* borrowed: SAMPLE sums go by its records; NULL: by stack */
    /* Whether sums of this SAMPLE measure are asked for by name; NULL: those of the main measure
     * are. All FLAT and EDGE measures are kept: their sums are small. */
    bool (*wants)(void *arg, uint32_t measure);
    void *arg;

    struct pf_ledger ledger;
    struct pf_preferred {
        uint32_t measure; /* the main SAMPLE measure so far */
        struct pf_main_choice choice;
        uint32_t looked; /* measures looked at; 0 = start again */
    } preferred;
    /* pf_own_time_add: own values of EDGE measures that have inclusive ones alone */
    struct pf_sums *derived;
    uint32_t derived_count;
    uint64_t records[PF_RECORD_KINDS];
    bool file_scope;       /* pf_file_scope_add has added a call, to which no record belongs */
    struct pf_table edges; /* struct pf_edge; row 0: nobody calls nobody */
    unsigned char *labels; /* by label set: 1 where a record has it */
    size_t label_count, label_capacity;

    uint32_t pairs[PF_BATCH_ROWS]; /* edge of each row of the batch at hand */
    int64_t scaled[PF_BATCH_ROWS];
};

void pf_accumulator_free(struct pf_accumulator *);

/* Adds the rows of a SAMPLE, FLAT or EDGE batch (of at most PF_BATCH_ROWS rows); other kinds are
 * skipped. PF_OK; PF_NOMEM; PF_OVERFLOW, with the record and the measure, when a sum leaves 64
 * bits; or as pf_quantity_join. */
int pf_accumulator_add(struct pf_accumulator *, const struct pf_batch *, struct pf_error *);

/* Begins the sums of one input alone, to be added to those of all when it has ended. Not with
 * slices. Free it before it begins again. PF_OK or PF_NOMEM. */
int pf_accumulator_begin(struct pf_accumulator *own, const struct pf_accumulator *all);
/* Adds the input completely, or not at all after a failure. PF_OK; PF_NOMEM; PF_OVERFLOW; or the
 * result of pf_quantity_join. */
int pf_accumulator_join(struct pf_accumulator *all, const struct pf_accumulator *own,
                        struct pf_error *);
/* Leaves out the input: measures that no earlier input had cannot become the main measure. PF_OK
 * or PF_NOMEM. */
int pf_accumulator_leave_out(struct pf_accumulator *all);

/* Adds to one of the sums. PF_OK; PF_NOMEM; PF_OVERFLOW. */
int pf_accumulator_put(struct pf_accumulator *, struct pf_sums *, size_t place, int64_t value,
                       struct pf_error *);
/* Moves what a stack, edge or place of this kind (or record of the slices) has to another: all its
 * sums that are kept. PF_OK; PF_NOMEM; PF_OVERFLOW. */
int pf_accumulator_move(struct pf_accumulator *, enum pf_kind, size_t from, size_t to,
                        struct pf_error *);

/* The sums of a measure's quantity; NULL when no record or declaration mentioned it. */
static inline struct pf_sums *pf_accumulator_find(const struct pf_accumulator *accumulator,
                                                  uint32_t measure)
{
    return pf_ledger_of(&accumulator->ledger, measure);
}
/* Turns sums of stack nodes into sums of whole subtrees, in place (the empty stack keeps its own);
 * nothing where they are that already. PF_OVERFLOW, PF_NOMEM. */
int pf_sums_subtrees(struct pf_sums *, const struct pf_dict *, struct pf_error *);
/* The way back. */
void pf_sums_nodes(struct pf_sums *, const struct pf_dict *);
/* *sum + value, or the greater of both for PF_MAX; false when it overflows 64 bits. */
static inline bool pf_sums_combine(const struct pf_sums *sums, int64_t *sum, int64_t value)
{
    if (sums->quantity.measure.aggregation == PF_SUM)
        return pf_add64(*sum, value, sum);
    *sum = value > *sum ? value : *sum;
    return true;
}

/* The main measure of a kind (model/main_measure.h), of those that are kept; UINT32_MAX if the kind
 * has no measure. */
uint32_t pf_accumulator_main(const struct pf_accumulator *, enum pf_kind);
/* The same of SAMPLE measures while records come: looks at measures that are new only. */
uint32_t pf_accumulator_preferred(struct pf_accumulator *);
/* Whether the measure counts calls: its name and role say so. */
bool pf_measure_calls(const struct pf_dict *, const struct pf_measure *);

#endif
