/* One output for every part of a profile that is split (proffilter --split). */
#ifndef PF_CLI_PARTS_H
#define PF_CLI_PARTS_H

#include "cli/output.h"

struct pf_parts;

/* Splits by `key` (analysis/filter/split.h); -o must hold %s, for which a part's name stands. Exits
 * 2 when it does not. Never NULL. */
struct pf_parts *pf_parts_open(struct pf_common *, struct pf_inputs *, const char *key);

/* Records go to their part, metadata and source texts to all parts; what filters removed is told to
 * none, since the parts together would tell it many times. False after a failure, printed and
 * raised: stop. */
bool pf_parts_write(struct pf_parts *, const struct pf_batch *);
/* The program failed: close leaves all files unfinished, so that none takes the place of an old
 * one. */
void pf_parts_abandon(struct pf_parts *);
/* Finishes all files and frees. */
void pf_parts_close(struct pf_parts *);

#endif
