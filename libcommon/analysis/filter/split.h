/* Which part a record belongs to when a profile is split by the values of a label, by image, or by
 * outermost section. Every record belongs to exactly one part. Of a label that is there more than
 * once the first value of the set counts: for sections, the one opened first. The image is that of
 * the leaf frame, of the place, or of the callee. */
#ifndef PF_ANALYSIS_FILTER_SPLIT_H
#define PF_ANALYSIS_FILTER_SPLIT_H

#include "base/error.h"
#include "model/batch.h"

#include <stdint.h>

struct pf_split;

/* `key` "image" splits by image, any other by label. `dict` is the one of all batches and outlives
 * this, as does `key`. NULL: out of memory. */
struct pf_split *pf_split_new(const struct pf_dict *dict, const char *key);
void pf_split_free(struct pf_split *); /* NULL is allowed */

/* The rows of a batch that belong to part `part`, in order. */
struct pf_split_rows {
    uint32_t part;
    const uint32_t *rows;
    uint32_t count;
};

/* Parts are numbered from 0 as they are met; a number is kept for the life of this. The list is
 * valid until the next call. PF_OK or PF_NOMEM. */
int pf_split_batch(struct pf_split *, const struct pf_batch *, const struct pf_split_rows **list,
                   uint32_t *count);

/* Warns when no record had a value, and names the keys that there are. PF_OK or PF_NOMEM. */
int pf_split_report(const struct pf_split *, const struct pf_report *);

/* A name for files that no other part has: the value, with bytes outside [A-Za-z0-9._-], leading
 * dots and a leading minus as %XX; a number is followed by '=' and its unit. "_none" for records
 * without a value, "_empty" for an empty one. What is longer than 200 bytes is cut there and ends
 * in '+' and the number of the part. NULL: out of memory. Valid as long as this. */
const char *pf_split_name(struct pf_split *, uint32_t part);

#endif
