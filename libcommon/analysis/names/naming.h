/* Names for addresses nobody named: from symbols, and from the programs themselves. */
#ifndef PF_ANALYSIS_NAMES_NAMING_H
#define PF_ANALYSIS_NAMES_NAMING_H

#include "analysis/names/binary.h"
#include "analysis/names/symbols.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>

struct pf_naming;

struct pf_naming *pf_naming_new(void);   /* NULL: out of memory */
void pf_naming_free(struct pf_naming *); /* NULL is allowed */

/* Takes over symbols or a binary, also on failure (out of memory). `name`, which messages begin
 * with, is borrowed. Binaries are asked in the order they came, the symbols after them. */
bool pf_naming_add_symbols(struct pf_naming *, struct pf_symbols *, const char *name);
bool pf_naming_add_binary(struct pf_naming *, struct pf_binary *, const char *name);
/* Calls that were inlined are not shown: their costs are those of the function they were inlined
 * into. */
void pf_naming_no_inlines(struct pf_naming *);

/* *to: the records of *from with names where there are any; valid until the next call. A frame
 * whose address calls were inlined at becomes several; a flat record is then the innermost one's,
 * and so is the caller of an edge; what an edge calls is a function of its own. All batches have
 * the same dictionary. PF_OK or PF_NOMEM. */
int pf_naming_batch(struct pf_naming *, struct pf_dict *, const struct pf_batch *from,
                    struct pf_batch *to);

/* At the end: says of each source whether it named nothing, and what may be mistaken. */
void pf_naming_report(const struct pf_naming *, const struct pf_dict *, const struct pf_report *);

#endif
