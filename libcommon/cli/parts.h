/* proffilter --split: one output for each part of a profile. */
#ifndef PF_CLI_PARTS_H
#define PF_CLI_PARTS_H

#include "cli/output.h"

struct pf_parts;

/* Splits by `key` (analysis/filter/split.h). The argument of -o must contain %s, which becomes
 * the name of the part; else exits 2. Never NULL. */
struct pf_parts *pf_parts_open(struct pf_common *, struct pf_inputs *, const char *key);

/* Writes the records of all inputs to their parts, metadata and source texts to all parts. The sums
 * removed by earlier filters go to no part, because all parts together would count them several
 * times. Failures are printed and raise the exit status. */
void pf_parts_write_inputs(struct pf_parts *);
/* Finishes all files and frees. */
void pf_parts_close(struct pf_parts *);

#endif
