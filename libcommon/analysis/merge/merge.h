/* Profiles of many inputs into one: equal records once, with the sums of their weighted values.
 * Memory is proportional to what is distinct. Times of records are dropped. */
#ifndef PF_ANALYSIS_MERGE_MERGE_H
#define PF_ANALYSIS_MERGE_MERGE_H

#include "analysis/filter/places.h"
#include "analysis/merge/scale.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

enum pf_merge_measures {
    PF_MERGE_UNION,     /* all; absent is 0 */
    PF_MERGE_INTERSECT, /* those all inputs have */
    PF_MERGE_SAME       /* inputs whose measures differ are refused */
};

struct pf_merge_options {
    bool mean;      /* sums are divided by the sum of the weights */
    bool saturate;  /* what overflows 64 bits becomes the greatest (least) number there is */
    bool force;     /* measures that may not be what they seem are added all the same */
    bool droppable; /* inputs that cannot be added are to be left out (pf_merge_input_drop) */
    enum pf_merge_measures measures;
    enum pf_merge_normalize normalize;
    int64_t amount;
    enum pf_granularity granularity;
    /* keys, separated by commas, of the labels that keep records apart; "" = none; NULL = all */
    const char *labels;
    uint64_t pieces; /* weights are given in pieces of 1 / pieces; > 0 */
};

struct pf_merge;

/* `dict` is the one of all batches, may get new rows, and outlives this, as do the texts of the
 * options. NULL: out of memory. */
struct pf_merge *pf_merge_new(struct pf_dict *dict, const struct pf_merge_options *);
void pf_merge_free(struct pf_merge *); /* NULL is allowed */

/* The batches that follow are of another input; its weight, in pieces. */
void pf_merge_input(struct pf_merge *, int64_t weight);
/* Takes a batch of any kind. PF_OK; PF_OVERFLOW naming record and measure; PF_UNSUPPORTED where
 * measures cannot be added; PF_NOMEM. */
int pf_merge_add(struct pf_merge *, const struct pf_batch *, struct pf_error *);
/* The input has ended. PF_OK; PF_UNSUPPORTED where it cannot be scaled; PF_OVERFLOW; PF_NOMEM. */
int pf_merge_input_end(struct pf_merge *, struct pf_error *);
/* The input at hand, which could not be added, is left out as if it had never been given. With
 * options.droppable, before the next one. */
void pf_merge_input_drop(struct pf_merge *);
/* All inputs were given. PF_OK; PF_UNSUPPORTED where their measures are not as asked for; PF_USAGE
 * where the weights sum to 0 and a mean was asked for; PF_OVERFLOW; PF_NOMEM. */
int pf_merge_end(struct pf_merge *, const struct pf_report *, struct pf_error *);
/* The result: PF_OK and a batch that is valid until the next call, PF_EOF, PF_OVERFLOW naming
 * record and measure, PF_NOMEM. */
int pf_merge_next(struct pf_merge *, struct pf_batch *, struct pf_error *);
/* After the last batch: warns of values that were clamped, and of measures whose values were
 * rounded to something else than their sum. */
void pf_merge_tell(const struct pf_merge *, const struct pf_report *);

#endif
