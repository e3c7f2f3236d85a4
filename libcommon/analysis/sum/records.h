/* The distinct records of one kind, in the order of first occurrence. */
#ifndef PF_ANALYSIS_SUM_RECORDS_H
#define PF_ANALYSIS_SUM_RECORDS_H

#include "base/table.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records with equal keys are the same record. */
struct pf_merge_key {
    uint32_t place;  /* stack of a SAMPLE, else location, plus 1, so that no key is all 0 */
    uint32_t callee; /* EDGE */
    uint32_t labels;
};

/* Zero-initialise; free with pf_merge_records_free. */
struct pf_merge_records {
    struct pf_table keys; /* struct pf_merge_key; record k is row k + 1 */
    uint32_t *last;       /* by place: row of the record found last there; 0: none yet */
    size_t places, capacity;
};

void pf_merge_records_free(struct pf_merge_records *);
/* Finds or adds the record of each of `rows` rows, and stores its number (from 0) in records[].
 * Columns may be NULL, which means 0 in each row; ids in `place` are below `places`. PF_OK or
 * PF_NOMEM. */
int pf_merge_records_find(struct pf_merge_records *, size_t places, const uint32_t *place,
                          const uint32_t *callee, const uint32_t *labels, uint32_t rows,
                          uint32_t *records);

/* Removes all records but the first `count`. */
void pf_merge_records_truncate(struct pf_merge_records *, size_t count);

/* The number of records; the key of record number `record`, from 0. */
static inline size_t pf_merge_records_count(const struct pf_merge_records *records)
{
    return records->keys.count > 0 ? records->keys.count - 1 : 0;
}
static inline const struct pf_merge_key *pf_merge_records_key(
    const struct pf_merge_records *records, size_t record)
{
    return pf_table_row(&records->keys, (uint32_t)record + 1);
}

/* The rows of a batch: their records' numbers, and the columns of a batch that is made of
 * records. */
struct pf_merge_rows {
    uint32_t records[PF_BATCH_ROWS];
    uint32_t places[PF_BATCH_ROWS], callees[PF_BATCH_ROWS], labels[PF_BATCH_ROWS];
};

/* Sets the columns in row `row`. */
static inline void pf_merge_rows_set(struct pf_merge_rows *rows, uint32_t row,
                                     const struct pf_merge_key *key)
{
    rows->places[row] = key->place - 1;
    rows->callees[row] = key->callee;
    rows->labels[row] = key->labels;
}

/* Sets the rows of a batch to the first `count` rows. The batch has its kind; its values stay. */
void pf_merge_rows_give(const struct pf_merge_rows *, uint32_t count, struct pf_batch *);

#endif
