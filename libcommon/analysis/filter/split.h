/* Finds the part of each record when a profile is split by the values of a label or by image. Every
 * record belongs to exactly one part. If a record has a label several times, the first value of the
 * set counts; for sections this is the section opened first. The image is that of the leaf frame
 * (SAMPLE), of the location (FLAT) or of the callee (EDGE). */
#ifndef PF_ANALYSIS_FILTER_SPLIT_H
#define PF_ANALYSIS_FILTER_SPLIT_H

#include "base/error.h"
#include "model/batch.h"

#include <stdint.h>

struct pf_split;

/* Splits by image if `key` is "image", else by the label `key`. `dict` is the dictionary of all
 * batches; `dict` and `key` must outlive the result. NULL: out of memory. */
struct pf_split *pf_split_new(const struct pf_dict *dict, const char *key);
void pf_split_free(struct pf_split *); /* NULL is allowed */

/* The rows of a batch that belong to one part, in order. */
struct pf_split_rows {
    uint32_t part;
    const uint32_t *rows;
    uint32_t count;
};

/* Lists the rows of a batch by part. Parts are numbered from 0 in order of first occurrence, and
 * keep their numbers. The list is valid until the next call. PF_OK or PF_NOMEM. */
int pf_split_batch(struct pf_split *, const struct pf_batch *, const struct pf_split_rows **list,
                   uint32_t *count);

/* Warns if no record had a value, and names the existing keys. PF_OK or PF_NOMEM. */
int pf_split_report(const struct pf_split *, const struct pf_report *);

/* A file name for a part, different for each part: the value, with bytes outside [A-Za-z0-9_.-],
 * leading dots and a leading minus written as %XX; after a number '=' and its unit. "_none" for
 * records without a value, "_empty" for an empty value. A name over 200 bytes is cut there and ends
 * in '+' and the number of the part. Valid as long as the split; NULL: out of memory. */
const char *pf_split_name(struct pf_split *, uint32_t part);

#endif
