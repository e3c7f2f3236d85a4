/* Which measure becomes the weight of StatProfiler samples, and how long their tick is. */
#ifndef PF_FORMAT_STATPROFILER_WEIGHT_H
#define PF_FORMAT_STATPROFILER_WEIGHT_H

#include "codec/format.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_sp_weight {
    bool without_tick; /* set by the owner: the dialect does not say how long a tick is */
    bool chosen;
    uint32_t measure;
    uint64_t tick;     /* as the header has it: microseconds, or nanoseconds in the plan's dialect; 0 = not known */
    uint64_t num, den; /* ticks in a raw unit of the measure */
};

/* Chooses among the measures of the batch, once: the main one, else the first time, else the first. `plan`: the dialect.
 * PF_OK (chosen or not: a batch may have none) or PF_USAGE. */
int pf_sp_weight_choose(struct pf_sp_weight *, struct pf_writer *, const struct pf_batch *, bool plan);

/* The batch's column of that measure in *column; NULL when it has none, which means 0. PF_USAGE when it has the measure with
 * another tick, or another measure that is the main one of its input. */
int pf_sp_weight_column(const struct pf_sp_weight *, struct pf_writer *, const struct pf_batch *,
                        const int64_t **column);

/* The weight in ticks. PF_USAGE, naming the record, where it is negative or no whole number. */
int pf_sp_weight_ticks(const struct pf_sp_weight *, struct pf_writer *, uint64_t record, int64_t value,
                       uint64_t *ticks);

#endif
