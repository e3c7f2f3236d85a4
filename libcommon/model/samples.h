/* Samples that a reader of text gathers frame by frame, until they are a batch. */
#ifndef PF_MODEL_SAMPLES_H
#define PF_MODEL_SAMPLES_H

#include "model/batch.h"
#include "model/stacks.h"

#include <stdbool.h>
#include <stddef.h>

enum { PF_SAMPLES_MEASURES = 4 };

struct pf_samples {
    struct pf_stack_memo *memo;
    uint32_t *frames;        /* of the sample at hand */
    size_t depth, capacity;
    uint32_t measures[PF_SAMPLES_MEASURES];
    uint32_t measure_count;  /* set by the owner; 1 a record is the last one's value where `counted` */
    bool counted;
    uint32_t rows;
    uint32_t stacks[PF_BATCH_ROWS], labels[PF_BATCH_ROWS];
    int64_t values[PF_SAMPLES_MEASURES][PF_BATCH_ROWS];
    struct pf_value_column columns[PF_SAMPLES_MEASURES];
};

/* False: out of memory; free in any case. */
bool pf_samples_init(struct pf_samples *);
void pf_samples_free(struct pf_samples *);

/* One more frame of the sample at hand; false: out of memory, or more than PF_STACK_DEPTH_MAX. */
bool pf_samples_frame(struct pf_samples *, uint32_t location);
/* The sample at hand becomes a row, of which there must be fewer than PF_BATCH_ROWS, with a value for each measure but the one that counts.
 * `root_first`: its frames came so, else leaf first. */
void pf_samples_add(struct pf_samples *, struct pf_dict *, uint32_t labels, const int64_t *values, bool root_first);
/* The rows as a batch, valid until the next one is added; none of them declare the measures. */
void pf_samples_give(struct pf_samples *, struct pf_dict *, struct pf_batch *);

#endif
