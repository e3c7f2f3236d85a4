/* Compares runs: the amount of each row of a table in each run. Runs are read one after another;
 * each run is summed up alone and then kept as one number a row, so memory grows with rows times
 * runs. Rows are functions, lines, labels ... (enum pf_by), with frames made equal as in a merge
 * (analysis/merge/frames.h). Equal string evals can be found only after the last run, so if the
 * inputs have source texts of evals, the sums by stack are kept until then. */
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

/* Shares (--normalize) are whole billionths of the run's total. */
enum { PF_DIFF_WHOLE = 1000000000 };

/* A run may stand for the mean of several runs: the group of a replicate (model/replicates.h).
 * Means of groups are whole numbers of 1/pf_diff_parts of the amounts' unit; if the least common
 * multiple of the numbers of runs is greater than PF_DIFF_PARTS_MAX, they are rounded half to even
 * to 1/PF_DIFF_PARTS_MAX. (In a table, times are rounded to nanoseconds.) Returns the new `parts`:
 * begin with 1, and call for each number of runs (above 0). */
enum { PF_DIFF_PARTS_MAX = 1000000 };
uint64_t pf_diff_parts(uint64_t parts, uint64_t runs);

/* One run in one block. Amounts are whole numbers of `measure` before pf_diff_finish, which
 * converts all runs to parts of the unit of the block's scale (block->scale.parts). */
struct pf_diff_amounts {
    bool met; /* the run has the measure */
    /* by key; keys from `count` on are 0 */
    int64_t *flat, *cum;
    /* by key: number of samples in the flat or cumulative amount, whichever is compared; NULL:
     * not known */
    int64_t *samples;
    size_t count;
    pf_int128 total, total_samples;
    /* the amount of one sample, if samples are counted in parts; 0: find it from the amounts */
    int64_t worth;
    double unit; /* length of a raw unit in units of the scale; 0: raw units of several lengths */
    /* before pf_diff_finish, an amount of 1 is num / den units of the scale; a unit that is a count
     * is period / period_parts events */
    struct pf_measure measure;
    bool events; /* the amounts are events */
};

/* A table: one measure in all runs. */
struct pf_diff_block {
    /* of the first run that has it; kind PF_RECORD_KINDS: no run has had it */
    struct pf_measure measure;
    uint32_t column;       /* string: name of the measure that the compared column shows */
    uint32_t name;         /* string: name of the measure the user asked for, else as `column` */
    struct pf_scale scale; /* unit of the amounts */
    bool events;           /* the amounts of the first run are events, not counts */
    /* the common unit, to which pf_diff_finish converts the amounts of all runs */
    struct pf_quantity common;
    double tick; /* the longest raw unit of all runs, in units of the scale */
    /* numbers of samples are known for all runs that have the measure */
    bool sampled;
    struct pf_diff_amounts *runs; /* by run */
    size_t run_capacity;
};

/* Zero-initialise, set the members up to `evals`, call pf_diff_init; free with pf_diff_free. */
struct pf_diff {
    struct pf_dict *dict;
    enum pf_by by;
    uint32_t label; /* PF_BY_LABEL: the label's key, a string */
    /* kind of the records compared; PF_RECORD_KINDS: chosen by the first run that has records */
    enum pf_kind kind;
    enum pf_unit unit;
    bool cum;       /* compare cumulative amounts, not flat ones */
    bool normalize; /* compare shares of the run's total */
    /* Measures asked for: whether name number `name` (below name_count) means the measure.
     * name_count 0: the main measure. */
    bool (*named)(void *arg, unsigned name, uint32_t measure);
    void *arg;
    unsigned name_count;
    /* whether PF_BY_FUNCTION and PF_BY_LINE join the functions of a program that has one name
     * before and another after (analysis/diff/builds.h) */
    enum pf_diff_images { PF_DIFF_IMAGES_JOINED, PF_DIFF_IMAGES_APART } images;
    /* final names of evals, found before pf_diff_finish; must outlive this; NULL: names stay */
    const struct pf_evals *evals;

    struct pf_facts facts, run_facts; /* of all runs; of the current run */
    struct pf_diff_there {
        bool *has; /* by number of the measure: the side's records have the measure */
        size_t count, capacity;
    } there[2];
    /* after pf_diff_finish: the names (strings) of the image before and after whose functions were
     * joined; 0: no functions were joined */
    uint32_t joined_images[2];
    struct pf_keys keys;
    struct pf_accumulator *accumulator; /* sums of the current run */
    struct pf_diff_run {
        /* 0: before, 1: after */
        unsigned side;
        /* number of runs in the amounts, which are sums until pf_diff_finish, then means */
        uint64_t runs;
        /* the run has no records and waits until another run has chosen the kind */
        bool waits;
        /* sums by stack, kept if the run waits, or if evals may have to be joined; else NULL */
        struct pf_accumulator *accumulator;
    } * runs;
    size_t run_count, run_capacity;
    struct pf_diff_block *blocks;
    size_t block_count;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_diff_init(struct pf_diff *);
void pf_diff_free(struct pf_diff *);

/* Begins a run of side 0 (before) or 1 (after), which is the sum of `runs` runs and counts as their
 * mean. PF_OK or PF_NOMEM. */
int pf_diff_begin(struct pf_diff *, unsigned side, uint64_t runs, struct pf_error *);
/* Adds a batch of any kind to the current run. As pf_accumulator_add. */
int pf_diff_add(struct pf_diff *, const struct pf_batch *, struct pf_error *);
/* Adds metadata that an earlier run was given too: they describe both. PF_OK or PF_NOMEM. */
int pf_diff_add_again(struct pf_diff *, const struct pf_batch *, struct pf_error *);
/* Ends the current run. With `keep` false, or after a failure, forgets the run. PF_OK; PF_NOMEM;
 * PF_OVERFLOW; PF_UNSUPPORTED if its amounts cannot be compared with those of earlier runs;
 * PF_USAGE as pf_subject_choose. A run that lacks a measure does not fail: its `met` stays false,
 * and it does not count in the block of that measure. */
int pf_diff_end(struct pf_diff *, bool keep, struct pf_error *);
/* Removes the run that ended last; its metadata stay in `facts`. */
void pf_diff_drop(struct pf_diff *);
/* Call after the last run: joins rows that turn out to be equal and brings all runs to one unit.
 * PF_OK, PF_OVERFLOW or PF_NOMEM. */
int pf_diff_finish(struct pf_diff *, struct pf_error *);

/* Number of runs of a side; and number of those that have the measure of the block. The block
 * leaves out a run without the measure, because its amounts are unknown and not 0. */
size_t pf_diff_runs(const struct pf_diff *, unsigned side);
size_t pf_diff_block_runs(const struct pf_diff *, const struct pf_diff_block *, unsigned side);
/* True if the side has records with the measure of the block, whatever their amounts are. */
bool pf_diff_side_has(const struct pf_diff *, const struct pf_diff_block *, unsigned side);
/* The amount of a row in a run that is compared, flat or cumulative; of the total for key 0. */
static inline pf_int128 pf_diff_amount(const struct pf_diff *diff,
                                       const struct pf_diff_amounts *run, uint32_t key)
{
    const int64_t *column = diff->cum ? run->cum : run->flat;

    return key == 0 ? run->total : key < run->count ? column[key] : 0;
}
/* The number of samples in this amount. Call only if the block is `sampled`. */
static inline pf_int128 pf_diff_samples(const struct pf_diff_amounts *run, uint32_t key)
{
    return key == 0 ? run->total_samples : key < run->count ? run->samples[key] : 0;
}
/* amount / total in 1/PF_DIFF_WHOLE, rounded half to even; 0 if `total` is 0. Shares outside of
 * -INT64_MAX to INT64_MAX count as the nearer end. */
int64_t pf_diff_share(pf_int128 amount, pf_int128 total);

#endif
