/* One order of records and tables, whatever the order of the input: all records are held, then
 * given sorted. Measures are declared by kind, name and unit; metadata come first, by origin, key
 * and value; source texts next, by name and line; then records by kind, stack (as a tree: callers
 * before what they call, siblings by what their functions, places and images say), labels, time and
 * values. Ids do not count, so writers that number rows in order of first use give equal bytes.
 * Equal records stay apart. Metadata private to a format (an origin with a '.') are dropped: the
 * records they stand between are gone. */
#ifndef PF_ANALYSIS_MERGE_CANONICAL_H
#define PF_ANALYSIS_MERGE_CANONICAL_H

#include "model/batch.h"

struct pf_canonical;

/* `dict` is the one of all batches to come and outlives this. NULL: out of memory. */
struct pf_canonical *pf_canonical_new(const struct pf_dict *dict);
void pf_canonical_free(struct pf_canonical *); /* NULL is allowed */

/* Copies the batch. PF_OK, or PF_NOMEM, which also the next call gives. */
int pf_canonical_add(struct pf_canonical *, const struct pf_batch *);

/* After the last batch: PF_OK and the next batch in order (valid until the next call), PF_EOF or
 * PF_NOMEM. */
int pf_canonical_next(struct pf_canonical *, struct pf_batch *);

#endif
