/* A step of a merge in a tree: makes one partial profile, a canonical native stream, from inputs or
 * from other partials. In the directory of partials a step has up to three files, named by the hash
 * of all that decides the bytes of the partial:
 *
 *   HASH.pfs      the partial
 *   HASH.ndjson   what became of each input below it (cli/merge/manifest.h), then a line that ties
 *                 the three: HASH, the XXH128 of the partial's bytes, and the XXH64 of the text
 *                 before; written before the partial
 *   HASH.task     the step itself, for another process (cli/merge/task.h) */
#ifndef PF_CLI_MERGE_STEP_H
#define PF_CLI_MERGE_STEP_H

#include "analysis/merge/weight.h"
#include "base/hash.h"
#include "cli/common.h"
#include "io/fingerprint.h"
#include "io/store.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens the directory of partials. Says if another run removes files there for longer than a
 * second. Exits 4 with a message if the directory cannot be opened. */
void pf_step_open_store(struct pf_tool *, struct pf_store *, const char *path);

/* An input of the whole merge. */
struct pf_step_input {
    const char *name;
    int64_t weight;
    struct pf_fingerprint print;
    bool unknown;  /* a read failed, for `reason`: the input has no fingerprint and is left out */
    char *reason;  /* owned; NULL: none */
    bool reported; /* a message of this run has named the input as left out */
};

/* Kinds of steps, which differ in the options they use. PF_STEP_INPUTS uses every option that no
 * table in step.c names, so that a new option makes new partials. */
enum pf_step_kind {
    PF_STEP_INPUTS,   /* merges inputs: how to read, select, label and merge */
    PF_STEP_PARTIALS, /* merges partials: how to merge */
    PF_STEP_OUTPUT    /* writes the last partial to the output: how to merge and write */
};

struct pf_step {
    struct pf_store *store;
    struct pf_hash128 hash;       /* of the result; set by pf_step_name */
    struct pf_step_input *inputs; /* NULL: the step merges partials */
    struct pf_hash128 *partials;
    size_t count;
};

/* The options of the program that a step of this kind uses. PF_STEP_OUTPUT drops the options of
 * inputs. The other kinds also drop those of the output: they write a canonical native stream. The
 * caller frees `given`. Exits 4 if out of memory. */
struct pf_common pf_step_common(enum pf_step_kind, const struct pf_common *);
/* The given options of a kind, each as `--name=argument` or `--name`. The texts are appended to
 * the arena. NULL: out of memory; free the list, which ends with NULL. */
const char **pf_step_options(enum pf_step_kind, const struct pf_given *, struct pf_arena *);

/* The first given option that would change the merge and that the kind does not use; NULL: the
 * kind uses all of them. */
const char *pf_step_foreign(enum pf_step_kind, const struct pf_given *);

/* Sets the hash of the step: over names, weights and contents of the inputs, or over the hashes of
 * the partials; over the given options; and over the versions of the program and the stream. PF_OK
 * or PF_NOMEM. */
int pf_step_name(struct pf_step *, const struct pf_given *);
/* The path of a file of the step; NULL: out of memory. */
const char *pf_step_path(const struct pf_step *, const char *suffix);
/* True if the directory has the partial and its rows. Removes a partial without rows. */
bool pf_step_made(const struct pf_step *);

/* Reads the rows of a finished step into an empty buffer, one for each input below the step, and
 * checks that rows and partial are those that were made under the name of the step. PF_OK; PF_EOF
 * with `error` set: a file was damaged, or is that of another step, and is removed now; PF_IO: it
 * cannot be removed; PF_NOMEM. */
int pf_step_load(const struct pf_step *, struct pf_buffer *rows, struct pf_error *error);

/* Makes the partial. With --keep-going a failed input is left out as a whole, and its row says why.
 * Prints all failures. PF_OK: the directory has the partial. PF_EOF: an input has changed since its
 * fingerprint and is `unknown` now, or a partial was damaged and is removed now: name the steps
 * again. PF_FAILED: the step failed, and the exit status of `common` is raised. */
int pf_step_run(struct pf_step *, struct pf_common *);

#endif
