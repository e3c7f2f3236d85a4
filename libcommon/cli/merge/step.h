/* A step of a merge in a tree: makes one partial profile, a canonical native stream, from inputs or
 * from other partials. In the directory of partials a step has up to three files, named by the hash
 * of everything that decides the bytes of the partial:
 *
 *   HASH.pfs      the partial
 *   HASH.ndjson   what became of each input below it (cli/merge/manifest.h), then a line with the
 *                 XXH64 of these rows; written before the partial
 * partial HASH.task     the step itself, for another process (cli/merge/task.h) */
#ifndef PF_CLI_MERGE_STEP_H
#define PF_CLI_MERGE_STEP_H

#include "analysis/merge/weight.h"
#include "base/hash.h"
#include "cli/common.h"
#include "io/fingerprint.h"
#include "io/store.h"

#include <stdbool.h>
#include <stddef.h>

/* An input of the whole merge. */
struct pf_step_input {
    const char *name;
    int64_t weight;
    struct pf_fingerprint print;
    bool unknown; /* it cannot be read, so it has no fingerprint; `reason` says why */
    char *reason; /* owned; NULL: none */
    bool told;    /* if the input is left out, this was printed */
};

/* Which options concern a step. Options without a stage of their own concern PF_STAGE_INPUTS: a
 * partial made with another option is another partial. */
enum pf_stage {
    PF_STAGE_INPUTS,   /* merges inputs: how to read, select, label and merge */
    PF_STAGE_PARTIALS, /* merges partials: how to merge */
    PF_STAGE_OUTPUT    /* writes the last partial to the output: how to merge and write */
};

struct pf_step {
    struct pf_store *store;
    struct pf_hash128 hash;       /* of the result; set by pf_step_name */
    struct pf_step_input *inputs; /* NULL: the step merges partials */
    struct pf_hash128 *partials;
    size_t count;
};

/* The options of a program for a step of this stage: with PF_STAGE_OUTPUT only those of the inputs
 * are gone; else the result is always a canonical native stream. The caller frees `given`. Exits 4
 * if out of memory. */
struct pf_common pf_stage_common(enum pf_stage, const struct pf_common *);
/* The given options of a stage, each as `--name=argument` or `--name`. The texts are appended to
 * the arena. NULL: out of memory; free the list, which ends with NULL. */
const char **pf_stage_options(enum pf_stage, const struct pf_given *, struct pf_arena *);

/* A given option that does not concern the stage, but would change the merge; NULL: none. */
const char *pf_stage_foreign(enum pf_stage, const struct pf_given *);

/* Sets the hash: of the inputs' names, weights and contents or of the partials' hashes, the given
 * options, and the versions of the program and the stream. PF_OK or PF_NOMEM. */
int pf_step_name(struct pf_step *, const struct pf_given *);
/* The path of a file of the step; NULL: out of memory. */
const char *pf_step_path(const struct pf_step *, const char *suffix);
/* True if the partial and its rows are there. A partial without its rows is removed. */
bool pf_step_made(const struct pf_step *);

/* Appends the rows of a step that is made: what became of each input below. PF_OK; PF_EOF: the rows
 * were damaged, which `error` says, and are removed; PF_NOMEM. */
int pf_step_rows(const struct pf_step *, struct pf_buffer *, struct pf_error *error);
/* Checks the frames of the partial of a step that is made. PF_OK; PF_EOF: the partial was damaged,
 * which `error` says, and is removed; PF_NOMEM. */
int pf_step_check(const struct pf_step *, struct pf_error *error);

/* Makes the partial. Inputs that fail are left out as a whole with --keep-going, and named in the
 * rows. Failures are printed. PF_OK: the partial is there. PF_EOF: an input has changed since its
 * fingerprint, or a partial is damaged and was removed: printed, not raised; inputs that changed
 * are `unknown` now. PF_FAILED: printed, and raised in the exit status of `common`. */
int pf_step_run(struct pf_step *, struct pf_common *);

#endif
