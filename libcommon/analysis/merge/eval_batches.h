/* A stage that gives different string evals of several inputs different names (names/evals.h). If
 * the names of records depend on texts at the end of their input, the records wait for them in a
 * temporary file. */
#ifndef PF_ANALYSIS_MERGE_EVAL_BATCHES_H
#define PF_ANALYSIS_MERGE_EVAL_BATCHES_H

#include "analysis/merge/spill.h"
#include "analysis/names/evals.h"
#include "base/error.h"
#include "codec/stage.h"
#include "model/batch.h"
#include "model/notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, call pf_eval_batches_init; free with pf_eval_batches_free. */
struct pf_eval_batches {
    struct pf_stage stage;
    struct pf_evals evals;
    bool notes;         /* set by the owner: metadata and texts get the names too */
    bool single;        /* set by the owner: there is only one operand */
    bool alone;         /* the current input is the only one */
    uint64_t announced; /* rows `profutils` `input` so far */
    uint32_t input;     /* number of the current input, from 1 */
    bool begun;         /* the current input has records or texts */
    bool all;           /* all texts of the current input have come */
    uint32_t known;     /* functions below this id have been looked at */
    bool any;           /* some of them have the name of an eval */
    struct pf_eval_places {
        struct pf_eval_place {
            uint32_t input; /* `to` is for this input; 0: not known; UINT32_MAX: for all */
            uint32_t to;
        } * rows;
        size_t count, capacity;
    } functions, locations, stacks;
    uint32_t *path; /* stacks whose parent is being mapped */
    size_t path_capacity;

    struct pf_notes held;   /* metadata and texts that wait */
    struct pf_spill *spill; /* records that wait; NULL: none */
    enum { PF_EVALS_PASS, PF_EVALS_META, PF_EVALS_TEXTS, PF_EVALS_REWIND, PF_EVALS_RECORDS } giving;
    size_t given;
    bool ends;             /* after the held batches the next input begins */
    bool waiting;          /* `batch` has not been given yet */
    struct pf_batch batch; /* the last batch of the stage before */
    struct pf_input *of;   /* its input; NULL: the current input has no batch so far */
    bool end_due;          /* `end` is given after the held batches */
    struct pf_event end;
    bool failed; /* nothing more is given */
    bool first;  /* the texts of the input of `batch` are before its records */
    uint32_t columns[3][PF_BATCH_ROWS];
    struct pf_text texts[PF_MERGE_TEXTS];
};

/* PF_OK or PF_NOMEM; free in any case. `apart` as in struct pf_evals. */
int pf_eval_batches_init(struct pf_eval_batches *, struct pf_dict *, bool apart);
void pf_eval_batches_free(struct pf_eval_batches *);

/* Adds the stage. Each row of metadata `profutils` `input` after records or texts begins an input.
 * The stage fails with PF_NOMEM, or as the functions of analysis/merge/spill.h; nothing more is
 * given then. Returns the stage. */
struct pf_stage *pf_eval_batches_add(struct pf_eval_batches *, struct pf_stage *from);

#endif
