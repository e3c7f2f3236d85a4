/* Operands with weights (profmerge -w and --weights), and their merge. */
#ifndef PF_CLI_MERGE_WEIGHTED_H
#define PF_CLI_MERGE_WEIGHTED_H

#include "analysis/merge/merge.h"
#include "analysis/merge/weight.h"
#include "cli/inputs.h"
#include "cli/merge/manifest.h"
#include "cli/operands.h"

/* Expands the operands of a run with weights: --weight is WEIGHT:FILE, --weights a file with lines
 * of WEIGHT tab FILE. Each of these is an input before the operands; an operand with the same
 * name is not read again. Operands have weight 1. *weights has the weight of each group of
 * inputs (pf_inputs_group), with one denominator. Exits 2 for a bad weight, 3 for a list that
 * cannot be read. */
void pf_weighted_operands(struct pf_common *, struct pf_operands *, struct pf_weights *weights);

/* A merge of inputs with weights. */
struct pf_weighted {
    struct pf_common *common;
    struct pf_inputs *inputs;
    const struct pf_weights *weights;
    struct pf_merge *merge;
    struct pf_manifest *manifest; /* NULL: none */
    /* the row of each group of inputs in the manifest; NULL: the number of the input is its row */
    const size_t *rows;
    /* an input that is not complete is left out; false: its records before the damage count */
    bool whole;
    /* Called at the end of each input; `failure` of the input says why the input is not complete.
     * PF_OK, or an error that leaves the input out. NULL: no input is checked. */
    int (*check)(void *arg, const struct pf_input *, struct pf_error *);
    void *arg;
};

/* Reads all inputs and adds them to the merge, with their weights and groups (--replicates).
 * PF_EOF, or the failure of pf_merge_add, pf_merge_input_end or `check`, of input *name. With
 * --keep-going an input that cannot be added is reported and left out. */
int pf_weighted_merge(const struct pf_weighted *, const char **name, struct pf_error *);

#endif
