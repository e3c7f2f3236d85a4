/* main::RUNTIME (analysis/sum/file_scope.h) of a run as records of a difference, whose stream,
 * picture and table then have one total. */
#ifndef PF_ANALYSIS_DIFF_SCOPE_H
#define PF_ANALYSIS_DIFF_SCOPE_H

#include "analysis/sum/file_scope.h"

struct pf_diff_scope;

/* NULL: out of memory. Free with pf_diff_scope_free; NULL is allowed there. */
struct pf_diff_scope *pf_diff_scope_new(struct pf_dict *);
void pf_diff_scope_free(struct pf_diff_scope *);

/* Takes a batch of the run at hand. As pf_accumulator_add. */
int pf_diff_scope_take(struct pf_diff_scope *, const struct pf_batch *, struct pf_error *);
/* The run at hand ends. As pf_file_scope_add. The caller frees added->moved. */
int pf_diff_scope_end(struct pf_diff_scope *, struct pf_file_scope *added, struct pf_error *);
/* After that: PF_OK and a batch of one record, valid until the next call; PF_EOF; PF_NOMEM. */
int pf_diff_scope_next(struct pf_diff_scope *, const struct pf_file_scope *added, struct pf_batch *,
                       struct pf_error *);
/* Forgets the run at hand. */
void pf_diff_scope_clear(struct pf_diff_scope *);

#endif
