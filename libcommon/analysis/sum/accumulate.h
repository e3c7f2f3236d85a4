/* Sums records by stack, by location, by pair of caller and callee, or by labels, in one pass.
 * Memory grows with the dictionary, not with the number of records. */
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

/* Zero-initialise, set dict, by_labels, slices, wants and arg; free with pf_accumulator_free. Sums
 * are narrow (analysis/sum/ledger.h). Their rows are stacks (SAMPLE), locations (FLAT) or edges
 * (EDGE); with by_labels label sets; with slices SAMPLE rows are the records of the slices. */
struct pf_accumulator {
    const struct pf_dict *dict;
    bool by_labels;
    struct pf_slices *slices; /* borrowed; NULL: SAMPLE sums by stack */
    /* True if the sums of a SAMPLE measure are kept; NULL: only the main measure is. The sums of
     * FLAT and EDGE measures are always kept, because they are small. */
    bool (*wants)(void *arg, uint32_t measure);
    void *arg;

    struct pf_ledger ledger;
    struct pf_preferred {
        uint32_t measure; /* the main SAMPLE measure so far; UINT32_MAX: none */
        struct pf_main_choice choice;
        uint32_t looked; /* number of measures compared; 0: start again */
    } preferred;
    /* self values that pf_own_time_add computed for EDGE measures that have only inclusive
     * values */
    struct pf_sums *derived;
    uint32_t derived_count;
    uint64_t records[PF_RECORD_KINDS];
    pf_int128 eventless; /* samples of the records without a value of any event */
    bool file_scope;     /* pf_file_scope_add has added a call, which is not counted in `records` */
    struct pf_table edges; /* struct pf_edge, by row of EDGE sums; row 0 is unused */
    unsigned char *labels; /* by label set: 1 if a record has the set */
    size_t label_count, label_capacity;

    /* edge (or record of the slices) of each row of the current batch */
    uint32_t pairs[PF_BATCH_ROWS];
    int64_t scaled[PF_BATCH_ROWS];
};

void pf_accumulator_free(struct pf_accumulator *);

/* Adds the rows of a SAMPLE, FLAT or EDGE batch (at most PF_BATCH_ROWS rows); ignores other kinds.
 * PF_OK; PF_NOMEM; PF_OVERFLOW, naming record and measure, if a sum overflows 64 bits; or as
 * pf_quantity_join. */
int pf_accumulator_add(struct pf_accumulator *, const struct pf_batch *, struct pf_error *);

/* Prepares `own` for the sums of one input alone, which pf_accumulator_join adds to `all` when the
 * input has ended. Cannot be used with slices. Free `own` after each input. PF_OK or PF_NOMEM. */
int pf_accumulator_begin(struct pf_accumulator *own, const struct pf_accumulator *all);
/* Adds the sums of an input to those of all inputs. After a failure other than PF_NOMEM no sum has
 * changed. PF_OK; PF_NOMEM; PF_OVERFLOW; or as pf_quantity_join. */
int pf_accumulator_join(struct pf_accumulator *all, const struct pf_accumulator *own,
                        struct pf_error *);
/* Call instead of pf_accumulator_join to leave out an input: measures that no earlier input had
 * cannot become the main measure. PF_OK or PF_NOMEM. */
int pf_accumulator_leave_out(struct pf_accumulator *all);

/* Adds `value` to row `place` of `sums`. PF_OK; PF_NOMEM; PF_OVERFLOW. */
int pf_accumulator_put(struct pf_accumulator *, struct pf_sums *, size_t place, int64_t value,
                       struct pf_error *);
/* Moves all values of row `from` to row `to`, in all kept sums of this kind. PF_OK; PF_NOMEM;
 * PF_OVERFLOW. */
int pf_accumulator_move(struct pf_accumulator *, enum pf_kind, size_t from, size_t to,
                        struct pf_error *);

/* The edge of a row of EDGE sums, valid until an edge is added. */
static inline const struct pf_edge *pf_accumulator_edge(const struct pf_accumulator *accumulator,
                                                        size_t row)
{
    return (const struct pf_edge *)pf_table_row(&accumulator->edges, (uint32_t)row);
}
/* The sums of the measure's quantity; NULL if no record or declaration has mentioned the
 * measure. */
static inline struct pf_sums *pf_accumulator_find(const struct pf_accumulator *accumulator,
                                                  uint32_t measure)
{
    return pf_ledger_of(&accumulator->ledger, measure);
}
/* True if there are records, or calls of pf_file_scope_add. */
bool pf_accumulator_any(const struct pf_accumulator *);
/* Turns the sums of stack nodes into the sums of their subtrees, in place; row 0, the empty stack,
 * keeps its value. Does nothing if the rows are subtrees already. PF_OK; PF_OVERFLOW; PF_NOMEM. */
int pf_sums_subtrees(struct pf_sums *, const struct pf_dict *, struct pf_error *);
/* Turns the sums of subtrees back into those of single nodes. */
void pf_sums_nodes(struct pf_sums *, const struct pf_dict *);
/* Adds `value` to *sum, or for PF_MAX takes the greater of both. False if *sum overflows 64
 * bits. */
static inline bool pf_sums_combine(const struct pf_sums *sums, int64_t *sum, int64_t value)
{
    if (sums->quantity.measure.aggregation == PF_SUM)
        return pf_add64(*sum, value, sum);
    *sum = value > *sum ? value : *sum;
    return true;
}

/* The samples of a measure, in units of the sums `samples`, which count the samples of the profile.
 * An event is a sampled measure other than the number of samples. If a profile has several events
 * (perf), each sample belongs to one of them. Merged records may have several events: then *most is
 * set, and the result is the greatest possible number. */
pf_int128 pf_accumulator_samples(const struct pf_accumulator *, const struct pf_sums *,
                                 const struct pf_sums *samples, bool *most);
/* True if some samples belong to other events than this measure. */
bool pf_accumulator_divides(const struct pf_accumulator *, const struct pf_sums *,
                            const struct pf_sums *samples);

/* The main measure of a kind (model/main_measure.h) among the measures that are kept; UINT32_MAX if
 * there is none. */
uint32_t pf_accumulator_main(const struct pf_accumulator *, enum pf_kind);
/* The main SAMPLE measure. Compares only measures that are new, so that a call for every batch is
 * cheap. */
uint32_t pf_accumulator_preferred(struct pf_accumulator *);
/* True if the measure counts calls: its name and role say so. */
bool pf_measure_calls(const struct pf_dict *, const struct pf_measure *);

#endif
