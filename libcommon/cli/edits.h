/* The edits of frames that proffilter makes, as a stage: --show, --hide, --rename, --granularity
 * and so on. */
#ifndef PF_CLI_EDITS_H
#define PF_CLI_EDITS_H

#include "analysis/filter/rewrite.h"
#include "cli/selection.h"

#include <stdbool.h>

struct pf_edits {
    struct pf_stage stage;
    struct pf_selection *selection; /* borrowed: the records before the edits */
    struct pf_rewrite *rewrite;
    struct pf_replicates replicates;
    struct pf_event plain; /* given after the records that count runs */
    bool plain_due;
    bool chosen, left; /* a record came; a record is left after the edits */
};

/* Reads the options. `selection` has read its own, and must outlive the result. Exits 2 for a bad
 * argument. Never NULL. */
struct pf_edits *pf_edits_read(struct pf_common *, struct pf_selection *);
void pf_edits_free(struct pf_edits *); /* NULL is allowed */
/* Adds the stage. Records that count runs pass unchanged: the edited profile comes from as many
 * runs. Returns the stage. */
struct pf_stage *pf_edits_add(struct pf_edits *, struct pf_stage *from);
/* Prints, unless -q is given, which expressions matched nothing. */
void pf_edits_report(const struct pf_edits *);

#endif
