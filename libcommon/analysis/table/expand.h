/* Makes stacks from pairs of caller and callee, for profiles that have only calls. The stacks are
 * approximate: the own cost of a function is divided among the paths to it in proportion to the
 * cost of each path, as if every call did the same. Some stacks may never have existed. The own
 * cost of each function and the total are exact. Without calls, each function is a stack by itself,
 * exactly.
 *
 * One object is for one input. */
#ifndef PF_ANALYSIS_TABLE_EXPAND_H
#define PF_ANALYSIS_TABLE_EXPAND_H

#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>

struct pf_expand;

/* NULL: out of memory. The dictionary outlives it, and gets the stacks. */
struct pf_expand *pf_expand_new(struct pf_dict *);
void pf_expand_free(struct pf_expand *); /* NULL is allowed */

/* Takes FLAT and EDGE batches; notes whether there are SAMPLE ones, and passes over others. As
 * pf_accumulator_add. */
int pf_expand_add(struct pf_expand *, const struct pf_batch *, struct pf_error *);
/* Whether the input has stacks: then none are made from its calls. */
bool pf_expand_has_stacks(const struct pf_expand *);
/* Whether there are pairs of caller and callee, and costs of places. */
bool pf_expand_has_calls(const struct pf_expand *);
bool pf_expand_has_places(const struct pf_expand *);

/* All was added. Then batches of SAMPLE records with one measure each, for every measure with own
 * and inclusive values, under the name of the own ones and in base units, or without calls for
 * every one with own values: PF_OK, PF_EOF, or PF_UNSUPPORTED where there is no such measure or
 * some of the values to share out are negative, PF_OVERFLOW, PF_NOMEM. Roots are functions that
 * cost more than their callers know of, and those that no root reaches. A stack ends where a
 * function stands in it a second time, and where no more than a 10,000th of the total came
 * along. */
int pf_expand_next(struct pf_expand *, struct pf_batch *, struct pf_error *);

#endif
