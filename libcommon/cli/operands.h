/* The names of the inputs: operands with @LIST, --files0-from and directories expanded, files of a series in order. */
#ifndef PF_CLI_OPERANDS_H
#define PF_CLI_OPERANDS_H

#include "cli/common.h"

struct pf_operands {
    char **names; /* NULL-terminated, owned */
    size_t count, capacity;
};

/* Never fails softly: what cannot be expanded is printed and ends the program, or with --keep-going raises the status. */
void pf_operands_expand(struct pf_operands *, struct pf_common *);
void pf_operands_free(struct pf_operands *);

#endif
