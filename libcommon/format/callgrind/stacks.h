/* Lines and calls made of stacks. */
#ifndef PF_FORMAT_CALLGRIND_STACKS_H
#define PF_FORMAT_CALLGRIND_STACKS_H

#include "format/callgrind/costs.h"

/* Self costs at the last frame of each stack, and a call for each two frames that follow each other: once a stack however often two
 * functions do, from the place of the outermost. Calls are numbers of calls where records have them, else of samples. PF_OK, PF_NOMEM or
 * PF_OVERFLOW. */
int pf_cg_stacks_cost(struct pf_cg_costs *, struct pf_cg_records *, struct pf_error *);

#endif
