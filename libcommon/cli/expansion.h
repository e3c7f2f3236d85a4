/* profcat --expand-edges: stacks made of pairs of caller and callee. */
#ifndef PF_CLI_EXPANSION_H
#define PF_CLI_EXPANSION_H

#include "cli/output.h"

/* Writes all inputs. Inputs with stacks pass as they are; of others, stacks take the place of edges
 * and flat records, with a warning and a META row that say so. A failure is printed and raised, and
 * the output is abandoned. */
void pf_expansion_write(struct pf_common *, struct pf_inputs *, struct pf_output *);

#endif
