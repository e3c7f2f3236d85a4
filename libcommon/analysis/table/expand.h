/* Makes stacks from pairs of caller and callee, for profiles that have only calls. The stacks are
 * approximate: the self cost of a function is divided among the stacks it ends, in proportion to
 * the cost that arrives on each, as if all calls of a function behaved alike. Some stacks may never
 * have existed. The self cost of each function and the total are exact. Without calls, each
 * function is a stack of one frame, which is exact.
 *
 * One object is for one input. */
#ifndef PF_ANALYSIS_TABLE_EXPAND_H
#define PF_ANALYSIS_TABLE_EXPAND_H

#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>

struct pf_expand;

/* `dict` gets the stacks and must outlive the result. NULL: out of memory. */
struct pf_expand *pf_expand_new(struct pf_dict *);
void pf_expand_free(struct pf_expand *); /* NULL is allowed */

/* Adds FLAT and EDGE batches and their metadata; of SAMPLE batches only notes that they exist. As
 * pf_accumulator_add. */
int pf_expand_add(struct pf_expand *, const struct pf_batch *, struct pf_error *);
/* True if the input has records of this kind. With SAMPLE records no stacks need be made from its
 * calls. */
bool pf_expand_has(const struct pf_expand *, enum pf_kind);

/* Call after the last batch. Gives SAMPLE batches with one measure each, for every measure that has
 * self and inclusive values; without calls for every measure that has self values. The result has
 * the name of the self measure, in base units. PF_OK; PF_EOF; PF_UNSUPPORTED if there is no such
 * measure, or a value to be divided is negative; PF_OVERFLOW; PF_NOMEM.
 *
 * Roots are functions that cost more than their callers account for, then functions that no root
 * reaches. A stack ends where a function occurs in it for the second time, and where no more than a
 * 10,000th of the total arrives. */
int pf_expand_next(struct pf_expand *, struct pf_batch *, struct pf_error *);

#endif
