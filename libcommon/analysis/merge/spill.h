/* Batches put aside in a temporary file, and read again in the order of writing. */
#ifndef PF_ANALYSIS_MERGE_SPILL_H
#define PF_ANALYSIS_MERGE_SPILL_H

#include "base/error.h"
#include "model/batch.h"

struct pf_spill;

/* The file is made in $TMPDIR, or /tmp, and has no name. `dict` is the dictionary of all batches
 * and must outlive the spill. PF_OK, PF_IO or PF_NOMEM; on failure *spill is NULL. */
int pf_spill_open(struct pf_spill **, struct pf_dict *dict, struct pf_error *);
void pf_spill_close(struct pf_spill *); /* NULL is allowed */

/* Appends a batch. PF_OK or a failure of the file. */
int pf_spill_write(struct pf_spill *, const struct pf_batch *, struct pf_error *);
/* Call after the last pf_spill_write and before the first pf_spill_next. */
int pf_spill_rewind(struct pf_spill *, struct pf_error *);
/* PF_OK and a batch (valid until the next call), PF_EOF, or a failure. */
int pf_spill_next(struct pf_spill *, struct pf_batch *, struct pf_error *);

#endif
