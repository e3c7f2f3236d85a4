/* Operands with weights: profmerge -w and --weights. */
#ifndef PF_CLI_WEIGHTED_H
#define PF_CLI_WEIGHTED_H

#include "analysis/merge/weight.h"
#include "cli/inputs.h"

/* Opens the inputs of a run of which some have weights: --weight is WEIGHT:FILE, --weights a file
 * of WEIGHT tab FILE, one a line. Each of these is an input, and comes before the operands; an
 * operand that is named there is no second one. Operands have the weight 1. *weights has the weight
 * of each group of inputs (pf_inputs_group), brought to one denominator. Exits 2 for what is no
 * weight, 3 for a list that cannot be read. Never NULL. */
struct pf_inputs *pf_weighted_open(struct pf_common *, struct pf_weights *weights);

#endif
