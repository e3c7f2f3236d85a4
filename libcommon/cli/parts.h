/* proffilter --split: one output for each part of a profile. */
#ifndef PF_CLI_PARTS_H
#define PF_CLI_PARTS_H

#include "cli/output.h"

struct pf_parts;

/* Splits by `key` (analysis/filter/split.h). The argument of -o must contain %s, which becomes
 * the name of the part; else exits 2. Never NULL. */
struct pf_parts *pf_parts_open(struct pf_common *, struct pf_inputs *, const char *key);

/* Writes records to their part, metadata and source texts to all parts. The sums removed by
 * earlier filters go to no part, because all parts together would count them several times.
 * False after a failure, which is printed and has raised the exit status: stop. */
bool pf_parts_write(struct pf_parts *, const struct pf_batch *);
/* Call after a failure: pf_parts_close then leaves all files unfinished, so that no old file is
 * replaced. */
void pf_parts_abandon(struct pf_parts *);
/* Finishes all files and frees. */
void pf_parts_close(struct pf_parts *);

#endif
