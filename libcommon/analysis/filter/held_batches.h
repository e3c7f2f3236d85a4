/* A queue of copied batches. A reader holds records back until their labels come, or all batches of
 * a profile until the start of its run decides whether the profile counts. */
#ifndef PF_ANALYSIS_FILTER_HELD_BATCHES_H
#define PF_ANALYSIS_FILTER_HELD_BATCHES_H

#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_held_batch {
    struct pf_held_batch *next;
    struct pf_batch batch;
    /* for the owner */
    uint32_t set;    /* label set for the records */
    bool labelled;   /* `set` is complete */
    bool decided;    /* the owner knows whether the batch counts */
    bool dropped;    /* the batch does not count */
    int64_t bytes[]; /* the columns */
};

/* Zero-initialise; free with pf_held_batches_free, which may be used again. */
struct pf_held_batches {
    struct pf_held_batch *first, *last;
    struct pf_held_batch *given; /* freed by the next pf_held_batches_take */
};

void pf_held_batches_free(struct pf_held_batches *);
/* Copies a batch to the end of the queue. NULL: out of memory. */
struct pf_held_batch *pf_held_batches_add(struct pf_held_batches *, const struct pf_batch *);
/* Removes the first batch; it is valid until the next call. NULL: the queue is empty. */
struct pf_held_batch *pf_held_batches_take(struct pf_held_batches *);

#endif
