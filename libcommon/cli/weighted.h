/* Operands with weights (profmerge -w and --weights), and their merge. */
#ifndef PF_CLI_WEIGHTED_H
#define PF_CLI_WEIGHTED_H

#include "analysis/merge/merge.h"
#include "analysis/merge/weight.h"
#include "cli/inputs.h"

/* Opens the inputs of a run with weights: --weight is WEIGHT:FILE, --weights a file with lines
 * of WEIGHT tab FILE. Each of these is an input before the operands; an operand with the same
 * name is not read again. Operands have weight 1. *weights has the weight of each group of
 * inputs (pf_inputs_group), with one denominator. Exits 2 for a bad weight, 3 for a list that
 * cannot be read. Never NULL. */
struct pf_inputs *pf_weighted_open(struct pf_common *, struct pf_weights *weights);

/* Reads all inputs and adds them to the merge, with their weights and groups (--replicates).
 * PF_EOF, or the failure of pf_merge_add or pf_merge_input_end, of input *name. With --keep-going
 * an input that cannot be added is reported and left out. */
int pf_weighted_merge(struct pf_common *, struct pf_inputs *, const struct pf_weights *,
                      struct pf_merge *, const char **name, struct pf_error *);

#endif
