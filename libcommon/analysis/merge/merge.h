/* Merges profiles of many inputs into one: equal records become one record with the sum of the
 * weighted values. Memory grows with the number of distinct records. Times of records are
 * dropped. */
#ifndef PF_ANALYSIS_MERGE_MERGE_H
#define PF_ANALYSIS_MERGE_MERGE_H

#include "analysis/filter/places.h"
#include "analysis/merge/rollup.h"
#include "analysis/merge/scale.h"
#include "analysis/names/evals.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

enum pf_merge_measures {
    PF_MERGE_UNION,     /* all measures; a measure that an input lacks is 0 there */
    PF_MERGE_INTERSECT, /* the measures that all inputs have */
    PF_MERGE_SAME       /* fail if the measures of inputs differ */
};

struct pf_merge_options {
    bool mean;      /* divide sums by the sum of the weights */
    bool saturate;  /* clamp values that overflow 64 bits, instead of failing */
    bool force;     /* add measures up although their units or periods may not fit */
    bool droppable; /* each input is held until it ends, and can be left out */
    enum pf_merge_measures measures;
    enum pf_merge_normalize normalize;
    /* PF_MERGE_AMOUNT: the total of each input, in base units */
    int64_t amount;
    enum pf_granularity granularity;
    /* keys of the labels that keep records apart, separated by commas; "": none; NULL: all */
    const char *labels;
    unsigned replicates; /* K of --replicates; 0: none (analysis/merge/replicates.h) */
    uint64_t pieces;     /* weights are whole numbers of 1 / pieces; > 0 */
    /* final names of evals, found before pf_merge_end; must outlive the merge; NULL: names stay */
    const struct pf_evals *evals;
};

struct pf_merge;

/* `dict` is the dictionary of all batches; it gets new rows. It must outlive the merge, and so must
 * the strings in the options. NULL: out of memory. Free with pf_merge_free. */
struct pf_merge *pf_merge_new(struct pf_dict *dict, const struct pf_merge_options *);
void pf_merge_free(struct pf_merge *); /* NULL is allowed */

/* Begins an input: the next batches belong to it. `weight` is a number of pieces. With
 * options.droppable the input before counts only if pf_merge_input_end succeeded. */
void pf_merge_input(struct pf_merge *, int64_t weight);
/* With options.replicates: the group of the input that has begun, a string; 0: the input continues
 * a run that is already counted. */
void pf_merge_replicate(struct pf_merge *, uint32_t name);
/* Adds a batch of any kind. PF_OK; PF_OVERFLOW, naming record and measure; PF_UNSUPPORTED if a
 * measure cannot be added to that of another input; PF_USAGE if the runs are in other groups than
 * options.replicates makes; PF_NOMEM. */
int pf_merge_add(struct pf_merge *, const struct pf_batch *, struct pf_error *);
/* Ends the input. PF_OK; PF_UNSUPPORTED if it cannot be scaled (options.normalize) or added;
 * PF_OVERFLOW; PF_NOMEM. */
int pf_merge_input_end(struct pf_merge *, struct pf_error *);
/* Call after the last input. Warns if values that are levels, such as memory in use, were summed.
 * PF_OK; PF_UNSUPPORTED if the measures are not as options.measures demands; PF_USAGE if a
 * mean was asked for and the weights sum to 0, or the inputs have numbers of runs; PF_OVERFLOW;
 * PF_NOMEM. */
int pf_merge_end(struct pf_merge *, const struct pf_report *, struct pf_error *);
/* Sums up the small stacks of SAMPLE records (analysis/merge/rollup.h); does nothing if their share
 * is 0 %. Call after pf_merge_end, or not at all. Warns if all records are of other kinds. PF_OK,
 * PF_OVERFLOW or PF_NOMEM. */
int pf_merge_keep_share(struct pf_merge *, const struct pf_rollup *, const struct pf_report *,
                        struct pf_error *);
/* Gives the result. PF_OK and a batch, valid until the next call; PF_EOF; PF_OVERFLOW, naming
 * record and measure; PF_NOMEM. */
int pf_merge_next(struct pf_merge *, struct pf_batch *, struct pf_error *);
/* Call after the last batch of the result. Warns of values that were clamped, and of measures whose
 * rounded values do not add up to the exact sum. */
void pf_merge_report(const struct pf_merge *, const struct pf_report *);

#endif
