/* Sorts a whole profile into an order that does not depend on the order of the input. All batches
 * are held in memory and given back sorted: declarations of measures by kind, name and unit;
 * metadata by origin, key and value; source texts by name and line; records by kind, stack, labels,
 * time and values. Stacks are sorted as a tree: a caller comes before the functions it calls, and
 * the callees of one caller are in the order of their functions, places and images. The order does
 * not depend on ids. The batches may get a dictionary of their own, whose ids are in the order of
 * first use. Equal records stay apart. Metadata private to a format (the origin begins with '.')
 * are dropped, because they describe the order of records, except rows that describe the next row
 * (PF_META_PREFIX). */
#ifndef PF_ANALYSIS_MERGE_CANONICAL_H
#define PF_ANALYSIS_MERGE_CANONICAL_H

#include "model/batch.h"

struct pf_canonical;

/* `dict` is the dictionary of all batches added. The sorted batches have ids of `sorted`, which may
 * have strings but no other rows; NULL: of `dict`, for a writer that numbers rows in order of first
 * use itself. Both are borrowed. NULL: out of memory. Free with pf_canonical_free. */
struct pf_canonical *pf_canonical_new(struct pf_dict *dict, struct pf_dict *sorted);
void pf_canonical_free(struct pf_canonical *); /* NULL is allowed */

/* Copies the rows of a batch of any kind. PF_OK or PF_NOMEM; after PF_NOMEM every call returns
 * PF_NOMEM. */
int pf_canonical_add(struct pf_canonical *, const struct pf_batch *);

/* Call after the last pf_canonical_add. PF_OK and the next batch in order, valid until the next
 * call; PF_EOF; or PF_NOMEM. */
int pf_canonical_next(struct pf_canonical *, struct pf_batch *);

#endif
