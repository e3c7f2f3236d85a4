/* Names addresses without a name, from symbols and from programs. */
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

/* Takes ownership of symbols or a binary, even on failure (out of memory). Messages begin with
 * `name`, which is borrowed. Binaries are searched in the order of adding, then the symbols. */
bool pf_naming_add_symbols(struct pf_naming *, struct pf_symbols *, const char *name);
bool pf_naming_add_binary(struct pf_naming *, struct pf_binary *, const char *name);
/* Hides inlined calls: their costs belong to the function around them. */
void pf_naming_no_inlines(struct pf_naming *);

/* *to: the records of *from with the found names; valid until the next call. A frame at an
 * address with inlined calls becomes several frames; a flat record and the caller of an edge
 * then belong to the innermost call; the callee of an edge is the function itself. All batches
 * have the same dictionary. PF_OK or PF_NOMEM. */
int pf_naming_batch(struct pf_naming *, struct pf_dict *, const struct pf_batch *from,
                    struct pf_batch *to);

/* Call at the end: reports sources that named nothing, and possible mistakes. */
void pf_naming_report(const struct pf_naming *, const struct pf_dict *, const struct pf_report *);

#endif
