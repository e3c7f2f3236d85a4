/* Operands with weights: profmerge -w and --weights. */
#ifndef PF_CLI_MERGE_WEIGHTED_H
#define PF_CLI_MERGE_WEIGHTED_H

#include "analysis/merge/weight.h"
#include "cli/operands.h"

/* Expands the operands of a run with weights: --weight is WEIGHT:FILE, --weights a file with lines
 * of WEIGHT tab FILE. Each of these is an input before the operands; an operand with the same
 * name is not read again. Operands have weight 1. *weights has the weight of each group of
 * inputs (pf_inputs_group), with one denominator. Exits 2 for a bad weight, 3 for a list that
 * cannot be read. */
void pf_weighted_operands(struct pf_common *, struct pf_operands *, struct pf_weights *weights);

#endif
