/* Makes labels of metadata (--label-meta), and chooses profiles by the start of their run (--since,
 * --until). The batches of an input pass through here before the program uses them, and wait here
 * until the metadata that decide about them have come. */
#ifndef PF_ANALYSIS_FILTER_STAGING_H
#define PF_ANALYSIS_FILTER_STAGING_H

#include "analysis/names/in_force.h"
#include "base/error.h"
#include "codec/stage.h"
#include "model/parcel.h"

#include <stdbool.h>
#include <stdint.h>

/* A batch that waits. */
struct pf_staged {
    struct pf_staged *next;
    struct pf_parcel *copy;
    uint32_t set;  /* label set for the records */
    bool labelled; /* `set` is complete */
    bool decided;  /* the start of the run has come */
    bool dropped;  /* the profile was not chosen */
};

/* Zero-initialise, then pf_staging_init; free with pf_staging_free. */
struct pf_staging {
    struct pf_stage stage;
    struct pf_report report;  /* set by the owner: messages about the current input */
    struct pf_in_force force; /* the keys are chosen there */
    bool selects;             /* profiles are chosen by the start of their run */
    /* nanoseconds since 1970 UTC; a chosen run began at `since` or later, before `until` */
    int64_t since, until;

    struct pf_staged *first, *last; /* the queue; `last` is set if there is a first */
    struct pf_staged *taken;        /* the batch returned last, valid until the next call */
    /* the input */
    struct pf_input *input; /* NULL: no input has begun */
    bool given;             /* a batch was returned */
    bool left_out;          /* a profile was not chosen */
    bool skips;             /* the rest of the input is of no use */
    bool ended;             /* the end of the input waits behind the queue */
    bool failed;            /* `error` waits behind the queue */
    struct pf_error error;
    /* the profile at hand */
    bool undecided; /* the start of the run has not come yet; the batches wait */
    bool chosen;
    bool recorded; /* the profile has records */

    bool any_chosen, any_start;
    int64_t earliest, latest; /* starts of the runs of profiles that were not chosen */
    uint32_t column[PF_BATCH_ROWS];
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_staging_init(struct pf_staging *, struct pf_dict *);
void pf_staging_free(struct pf_staging *);
/* True if a key is chosen, or profiles are; else the stage has nothing to do. The stage fails with
 * PF_FAILED if a profile does not say when its run began; if no profile of an input is chosen, the
 * end of the input has `left_out`. */
bool pf_staging_active(const struct pf_staging *);
/* Warns about keys that no input has, and if no profile was chosen. PF_OK or PF_NOMEM. */
int pf_staging_report(struct pf_staging *, const struct pf_report *);

#endif
