/* Records put aside: batches in a temporary file, to be read again in the order they came. */
#ifndef PF_ANALYSIS_MERGE_SPILL_H
#define PF_ANALYSIS_MERGE_SPILL_H

#include "base/error.h"
#include "model/batch.h"

struct pf_spill;

/* The file is made in $TMPDIR, or /tmp, and has no name. `dict` is the one of all batches and
 * outlives this. *spill is NULL on failure. */
int pf_spill_open(struct pf_spill **, struct pf_dict *dict, struct pf_error *);
void pf_spill_close(struct pf_spill *); /* NULL is allowed */

int pf_spill_write(struct pf_spill *, const struct pf_batch *, struct pf_error *);
/* After the last pf_spill_write: reading begins. */
int pf_spill_rewind(struct pf_spill *, struct pf_error *);
/* PF_OK and a batch (valid until the next call), PF_EOF, or a failure. */
int pf_spill_next(struct pf_spill *, struct pf_batch *, struct pf_error *);

#endif
