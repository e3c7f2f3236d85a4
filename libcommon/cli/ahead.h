/* Reads inputs ahead in threads, while the caller uses earlier inputs. The results are those of
 * reading all inputs in turn with one dictionary: the same batches in the same order, the same ids,
 * the same messages.
 *
 * Each thread reads whole inputs with its own dictionary, and sends parcels. Files of one series
 * share state at their ends, so one thread reads all of them and the inputs between them. The
 * memory of waiting parcels is bounded. */
#ifndef PF_CLI_AHEAD_H
#define PF_CLI_AHEAD_H

#include "cli/common.h"
#include "cli/operands.h"
#include "codec/format.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_ahead;

/* Starts threads for the operands from *first on. The caller reads the operands from `at` to
 * *first itself, because they share state. NULL: nothing can be read ahead: no operands are
 * left, one of them is not a regular file, or no thread can be started. `setup` has the settings of
 * all readers, without those of one input. `common` and `operands` must outlive the result. */
struct pf_ahead *pf_ahead_start(struct pf_common *common, const struct pf_operands *operands,
                                const struct pf_reader *setup, size_t at, size_t *first);
void pf_ahead_stop(struct pf_ahead *); /* NULL is allowed */

/* Facts that reading has found about an input. */
struct pf_ahead_input {
    const struct pf_format *format; /* NULL: unknown */
    int evidence;
    const char *variant; /* NULL: unknown so far */
    bool disputed;       /* as in struct pf_reader */
    uint64_t offset;     /* bytes of the file read so far */
};

/* Open the next input, in order from *first, and read its batches, like pf_reader_open and
 * pf_reader_next: PF_OK, PF_EOF or a negative code with the error. Messages go to `report`. A
 * batch is valid until the next call. */
int pf_ahead_open(struct pf_ahead *, struct pf_dict *, const struct pf_report *,
                  struct pf_ahead_input *, struct pf_error *);
int pf_ahead_next(struct pf_ahead *, struct pf_dict *, const struct pf_report *, struct pf_batch *,
                  struct pf_ahead_input *, struct pf_error *);

#endif
