/* Costs as text: the body of one part of a callgrind profile. */
#ifndef PF_FORMAT_CALLGRIND_OUTPUT_H
#define PF_FORMAT_CALLGRIND_OUTPUT_H

#include "format/callgrind/costs.h"
#include "io/sink.h"

/* From `positions:` to `totals:`. Files without a name are `???`, as valgrind writes it, unless `as_read`. PF_OK, PF_NOMEM, or the sink's failure. */
int pf_cg_output_write(struct pf_sink *, struct pf_cg_costs *, bool first, bool as_read, struct pf_error *);

#endif
