/* Runs beside each other: for each row of a table what it cost in each run. Runs are read in turn,
 * each is summed up on its own and kept as one number a row; memory is rows by runs. Rows are of
 * frames that a merge takes for the same (analysis/merge/frames.h). Which string evals are one is
 * known at the end only: where there are texts of some, sums by stack are kept until then. */
#ifndef PF_ANALYSIS_DIFF_DIFF_H
#define PF_ANALYSIS_DIFF_DIFF_H

#include "analysis/names/evals.h"
#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"
#include "analysis/sum/subject.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shares (--normalize) are whole parts of a billion of the run's total. */
enum { PF_DIFF_WHOLE = 1000000000 };

/* One run in one block: amounts of the block's scale by key, before pf_diff_finish in parts of
 * their own; keys from `count` on are 0. */
struct pf_diff_amounts {
    bool met; /* the run has the measure */
    int64_t *flat, *cum;
    /* numbers of samples in the column compared; NULL: they are not known */
    int64_t *samples;
    size_t count;
    pf_int128 total, total_samples;
    uint64_t parts; /* so many of an amount are one of what the scale names */
    /* where samples are counted in parts: the amount one is; 0: that is to be found */
    int64_t worth;
    double unit; /* a raw unit in what the scale names; 0: they are of several lengths */
    /* period / period_parts events are one, of amounts that are not events yet; 0 = none */
    uint64_t period;
    uint64_t period_parts;
    bool events;
};

/* A table: one measure. */
struct pf_diff_block {
    /* as the first run has it; `kind` PF_RECORD_KINDS: no run has had it */
    struct pf_measure measure;
    uint32_t column;       /* string: the measure of the column compared */
    uint32_t name;         /* string: the same, or the measure asked for by name */
    struct pf_scale scale; /* of amounts */
    bool events;           /* amounts of the first run are events, not counts */
    double tick;           /* the longest raw unit, in what the scale names */
    /* the numbers of samples are known in all runs that have the measure */
    bool sampled;
    struct pf_diff_amounts *runs; /* by run */
    size_t run_capacity;
};

/* Zero-initialise and set the first group; pf_diff_init; free with pf_diff_free. */
struct pf_diff {
    struct pf_dict *dict;
    enum pf_by by;
    uint32_t label;    /* PF_BY_LABEL: key, a string */
    enum pf_kind kind; /* PF_RECORD_KINDS: found out by the first run that has records */
    enum pf_unit unit;
    bool cum;       /* the column compared is cum, not flat */
    bool normalize; /* shares are compared */
    /* Measures asked for: which ones name number `name` means. No names: the main measure. */
    bool (*named)(void *arg, unsigned name, uint32_t measure);
    void *arg;
    unsigned name_count;

    struct pf_facts facts, run_facts; /* of all runs, of the run at hand */
    struct pf_keys keys;
    struct pf_merge_texts texts; /* of evals */
    struct pf_merge_evals evals;
    struct pf_accumulator *accumulator; /* of the run at hand */
    struct pf_diff_run {
        unsigned side;
        bool left_out; /* it is damaged */
        /* kept until it is known which evals are one; NULL: it is not */
        struct pf_accumulator *accumulator;
    } * runs;
    size_t run_count, run_capacity;
    struct pf_diff_block *blocks;
    size_t block_count;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_diff_init(struct pf_diff *);
void pf_diff_free(struct pf_diff *);

/* A run of a side begins. PF_OK or PF_NOMEM. */
int pf_diff_begin(struct pf_diff *, unsigned side, struct pf_error *);
/* Adds a batch of any kind to it. As pf_accumulator_add. */
int pf_diff_add(struct pf_diff *, const struct pf_batch *, struct pf_error *);
/* It ends. `keep` false, or a failure: it counts for nothing. PF_OK; PF_NOMEM; PF_OVERFLOW;
 * PF_UNSUPPORTED when its amounts cannot be compared with those of the runs before; PF_USAGE as
 * pf_subject_choose. A run without a measure of that name does not fail: `met` stays
 * false. */
int pf_diff_end(struct pf_diff *, bool keep, struct pf_error *);
/* After the last run: joins rows that turn out to be one and brings all runs to one unit. PF_OK,
 * PF_OVERFLOW or PF_NOMEM. */
int pf_diff_finish(struct pf_diff *, struct pf_error *);

/* Runs of a side that count. */
size_t pf_diff_runs(const struct pf_diff *, unsigned side);
/* amount / total in parts of PF_DIFF_WHOLE, rounded half to even; 0 where the total is. */
int64_t pf_diff_share(pf_int128 amount, pf_int128 total);

#endif
