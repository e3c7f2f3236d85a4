/* Samples of a held profile as rows of a batch. */
#ifndef PF_FORMAT_PPROF_SAMPLES_H
#define PF_FORMAT_PPROF_SAMPLES_H

#include "format/pprof/names.h"
#include "model/batch.h"
#include "model/labels.h"
#include "model/stacks.h"
#include "model/strings.h"

struct pf_pprof_samples {
    const struct pf_pprof_profile *profile;
    const struct pf_pprof_names *names;
    struct pf_dict *dict;
    struct pf_stack_memo *memo;
    size_t at, end;              /* of the sample to read next, among the held bytes; of the first that is not read */
    bool damaged;                /* the profile is: samples that lack something are passed over */
    struct pf_strings label_bytes; /* the labels of a sample as the file has them */
    uint32_t *label_sets;        /* by id of those */
    size_t label_capacity;
    struct pf_buffer labels;     /* those at hand, where they do not lie together */
    struct pf_labels set;        /* of the sample at hand */
    uint32_t *frames;            /* the stack at hand, leaf first */
    size_t depth, frame_capacity;
    struct pf_pprof_cut cut;
    uint32_t stacks[PF_BATCH_ROWS], sets[PF_BATCH_ROWS];
    int64_t *values;             /* PF_BATCH_ROWS for each type */
};

/* PF_OK or PF_NOMEM; everything borrowed stays. Names and metadata have been found: samples behind damage of theirs are not read. Free in
 * any case. */
int pf_pprof_samples_init(struct pf_pprof_samples *, const struct pf_pprof_profile *, const struct pf_pprof_names *,
                          struct pf_stack_memo *, struct pf_dict *);
void pf_pprof_samples_free(struct pf_pprof_samples *);

/* The next rows, up to PF_BATCH_ROWS; *rows of them are good also when the one behind them fails. PF_OK, PF_EOF (no rows), or a code in `error`. */
int pf_pprof_samples_next(struct pf_pprof_samples *, uint32_t *rows, struct pf_error *error);

#endif
