/* Inputs read ahead by threads while those before them are used. What comes out is what reading
 * them one after the other in one dictionary would give: the same batches in the same order, the
 * same ids, the same messages.
 *
 * Each thread reads whole inputs, into a dictionary of its own, and sends parcels. Files of one
 * series tell each other what is open at their ends: one thread reads them, and whatever stands
 * between them. How far they run ahead is bounded. */
#ifndef PF_CLI_AHEAD_H
#define PF_CLI_AHEAD_H

#include "cli/common.h"
#include "cli/operands.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_ahead;

/* Starts threads for the operands behind `at`, which the caller reads itself and as many as *first
 * says: those before *first have something to tell each other. NULL: nothing is to be read ahead,
 * as there are no more, one of them is no regular file, or there are no threads to be had. `common`
 * and `operands` outlive it. */
struct pf_ahead *pf_ahead_start(struct pf_common *common, const struct pf_operands *operands,
                                size_t at, size_t *first);
void pf_ahead_stop(struct pf_ahead *); /* NULL is allowed */

/* What reading has found out about an input. */
struct pf_ahead_input {
    const struct pf_format *format; /* NULL: it was not found out */
    int evidence;
    const char *variant; /* NULL: none known so far */
    uint64_t offset;     /* bytes of the file that were read */
};

/* Opens the next input, in order from *first; then its batches, as pf_reader_open and
 * pf_reader_next: PF_OK, PF_EOF or a negative code with the error. Messages go to `report`. A batch
 * is valid until the next call. */
int pf_ahead_open(struct pf_ahead *, struct pf_dict *, const struct pf_report *,
                  struct pf_ahead_input *, struct pf_error *);
int pf_ahead_next(struct pf_ahead *, struct pf_dict *, const struct pf_report *, struct pf_batch *,
                  struct pf_ahead_input *, struct pf_error *);

#endif
