/* profcat --expand-edges: stacks made of pairs of caller and callee. */
#ifndef PF_CLI_EXPANSION_H
#define PF_CLI_EXPANSION_H

#include "cli/output.h"

/* Writes all inputs. Inputs with stacks are unchanged; in others, stacks replace edges and flat
 * records, and a warning and a META row say so. A failure is printed and raises the exit status,
 * and the output is abandoned. */
void pf_expansion_write(struct pf_common *, struct pf_inputs *, struct pf_output *);

#endif
