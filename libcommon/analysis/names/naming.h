/* Names addresses without a name, from tables of symbols, from programs and from directories of
 * programs. */
#ifndef PF_ANALYSIS_NAMES_NAMING_H
#define PF_ANALYSIS_NAMES_NAMING_H

#include "analysis/names/binary.h"
#include "analysis/names/image_files.h"
#include "analysis/names/symbols.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>

struct pf_naming;

struct pf_naming *pf_naming_new(void);   /* NULL: out of memory */
void pf_naming_free(struct pf_naming *); /* NULL is allowed */

/* Add a source of names. The naming owns the source, even after a failure. Messages begin with
 * `name`, which must outlive the naming. Binaries are searched in the order of adding, then the
 * files of images, then symbols. False: out of memory. */
bool pf_naming_add_symbols(struct pf_naming *, struct pf_symbols *, const char *name);
bool pf_naming_add_binary(struct pf_naming *, struct pf_binary *, const char *name);
bool pf_naming_add_files(struct pf_naming *, struct pf_image_files *, const char *name); /* once */
/* Leaves out inlined calls: their costs go to the function around them. */
void pf_naming_no_inlines(struct pf_naming *);

/* Names the records of a batch; *to is valid until the next call. A frame at an address with
 * inlined calls becomes several frames. A flat record, and the caller of an edge, then get the
 * innermost of these frames; the callee of an edge gets the outermost, the function itself. All
 * batches must have the same dictionary. PF_OK; PF_NOMEM; PF_IO if files of images cannot be
 * read because the system fails. */
int pf_naming_batch(struct pf_naming *, struct pf_dict *, const struct pf_batch *from,
                    struct pf_batch *to, struct pf_error *);

/* Call at the end: warns of sources that named nothing and of possible mistakes, and notes how many
 * addresses were named. */
void pf_naming_report(const struct pf_naming *, const struct pf_dict *, const struct pf_report *);

#endif
