/* The manifest of a merge (profutils.manifest/1): a row of JSON for each input says whether the
 * merge counts the input, with its records and totals, or why the merge leaves the input out. */
#ifndef PF_CLI_MERGE_MANIFEST_H
#define PF_CLI_MERGE_MANIFEST_H

#include "analysis/merge/weight.h"
#include "cli/inputs.h"
#include "render/records/inspection.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise, call pf_manifest_start; free with pf_manifest_free. */
struct pf_manifest {
    struct pf_tool *tool;
    struct pf_manifest_input {
        char *row;    /* a line of JSON; NULL: the input was not read */
        char *reason; /* why the input is left out or not complete; "" for a whole input */
        bool left_out;
    } * inputs; /* by number of the input */
    size_t count;
    struct pf_inventory inventory; /* of the current input */
};

/* Makes room for `count` inputs. Exits 4 if out of memory. */
void pf_manifest_start(struct pf_manifest *, struct pf_tool *, size_t count);
void pf_manifest_free(struct pf_manifest *);
/* The dictionary of the next batches. */
void pf_manifest_dict(struct pf_manifest *, const struct pf_dict *);
/* Adds a batch of the current input. */
void pf_manifest_batch(struct pf_manifest *, const struct pf_batch *);
/* Ends the current input, number `at` of the manifest, and replaces its row. `left_out`: the
 * merge counts nothing of the input. `error`: why the input is left out or not complete; the code
 * PF_OK: the input is whole. */
void pf_manifest_end(struct pf_manifest *, size_t at, const struct pf_input *,
                     const struct pf_weight *, bool left_out, const struct pf_error *error);
/* Appends all rows to a text. False: out of memory. */
bool pf_manifest_text(const struct pf_manifest *, struct pf_buffer *);

/* Writes a text of rows to the file of --manifest. Failures are printed and raise the exit status.
 */
void pf_manifest_save(struct pf_common *, const char *path, struct pf_bytes text);

/* The number of rows of the text. *left_out: the number of rows of inputs that are left out. */
size_t pf_manifest_rows(struct pf_bytes text, size_t *left_out);
/* Prints an error if this is the row of an input that is left out. */
void pf_manifest_report(struct pf_tool *, struct pf_bytes row);
/* The names of the counted inputs, in the order of the rows. NULL: out of memory; else the caller
 * frees the list, which ends with NULL, and *names with the texts. */
const char **pf_manifest_counted(struct pf_bytes text, struct pf_arena *names);
/* Appends the rows of `text`, changed to rows of inputs that are left out for this reason. */
bool pf_manifest_leave_out(struct pf_bytes text, const char *reason, struct pf_buffer *);

#endif
