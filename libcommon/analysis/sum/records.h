/* The records of one kind that a merge has met: each once, in the order of first sight. */
#ifndef PF_ANALYSIS_SUM_RECORDS_H
#define PF_ANALYSIS_SUM_RECORDS_H

#include "base/table.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What makes two records one. */
struct pf_merge_key {
    uint32_t place;  /* stack of a SAMPLE, location of the others, + 1: no key is all 0 */
    uint32_t callee; /* EDGE */
    uint32_t labels;
};

/* Zero-initialise; free with pf_merge_records_free. */
struct pf_merge_records {
    struct pf_table keys; /* struct pf_merge_key; row k of the records is id k + 1 */
    uint32_t *last;       /* by place: id of the record met last there; 0 = none */
    size_t places, capacity;
};

void pf_merge_records_free(struct pf_merge_records *);
/* The number of the record of each row, from 0; ids in the columns (NULL: 0) are below `places`
 * where they are places. PF_OK or PF_NOMEM. */
int pf_merge_records_find(struct pf_merge_records *, size_t places, const uint32_t *place,
                          const uint32_t *callee, const uint32_t *labels, uint32_t rows,
                          uint32_t *records);

/* Only the first `count` are left. */
void pf_merge_records_truncate(struct pf_merge_records *, size_t count);

static inline size_t pf_merge_records_count(const struct pf_merge_records *records)
{
    return records->keys.count > 0 ? records->keys.count - 1 : 0;
}
static inline const struct pf_merge_key *pf_merge_records_key(
    const struct pf_merge_records *records, size_t record)
{
    return pf_table_row(&records->keys, (uint32_t)record + 1);
}

#endif
