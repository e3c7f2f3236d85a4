/* main::RUNTIME (analysis/sum/file_scope.h) of a run as records of a difference, so that the
 * stream, the flame graph and the table of a difference have the same total. */
#ifndef PF_ANALYSIS_DIFF_SCOPE_H
#define PF_ANALYSIS_DIFF_SCOPE_H

#include "analysis/sum/file_scope.h"

struct pf_diff_scope;

/* `dict` must outlive the result. NULL: out of memory. Free with pf_diff_scope_free, which allows
 * NULL. */
struct pf_diff_scope *pf_diff_scope_new(struct pf_dict *);
void pf_diff_scope_free(struct pf_diff_scope *);

/* Adds a batch to the current run. As pf_accumulator_add. */
int pf_diff_scope_take(struct pf_diff_scope *, const struct pf_batch *, struct pf_error *);
/* Ends the current run and computes main::RUNTIME. As pf_file_scope_add. The caller frees
 * added->moved. */
int pf_diff_scope_end(struct pf_diff_scope *, struct pf_file_scope *added, struct pf_error *);
/* Call after pf_diff_scope_end. PF_OK and a batch of one record, valid until the next call; PF_EOF;
 * PF_NOMEM. */
int pf_diff_scope_next(struct pf_diff_scope *, const struct pf_file_scope *added, struct pf_batch *,
                       struct pf_error *);
/* Forgets the current run. Call before the next run. */
void pf_diff_scope_clear(struct pf_diff_scope *);

#endif
