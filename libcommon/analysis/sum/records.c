#include "analysis/sum/records.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_merge_records_free(struct pf_merge_records *records)
{
    pf_table_free(&records->keys);
    free(records->last);
    *records = (struct pf_merge_records){0};
}

static bool reserve(struct pf_merge_records *records, size_t places)
{
    return (records->keys.row_size != 0 ||
            pf_table_init(&records->keys, sizeof(struct pf_merge_key)) == PF_OK) &&
           pf_grow_zeroed(&records->last, &records->places, &records->capacity, places,
                          sizeof *records->last);
}

/* Most places have a single record. It is found by `last`, so it need not be in the table's
 * index. */
static uint32_t find(struct pf_merge_records *records, struct pf_merge_key key)
{
    uint32_t *last = &records->last[key.place - 1];

    if (*last != 0) {
        const struct pf_merge_key *met = pf_table_row(&records->keys, *last);

        if (met->callee == key.callee && met->labels == key.labels)
            return *last;
        return *last = pf_table_intern(&records->keys, &key);
    }
    return *last = pf_table_append_unindexed(&records->keys, &key, 1);
}

int pf_merge_records_find(struct pf_merge_records *records, size_t places, const uint32_t *place,
                          const uint32_t *callee, const uint32_t *labels, uint32_t rows,
                          uint32_t *found)
{
    if (!reserve(records, places))
        return PF_NOMEM;
    for (uint32_t i = 0; i < rows; i++) {
        struct pf_merge_key key = {(place ? place[i] : 0) + 1, callee ? callee[i] : 0,
                                   labels ? labels[i] : 0};

        found[i] = find(records, key) - 1;
    }
    return records->keys.status;
}

void pf_merge_records_truncate(struct pf_merge_records *records, size_t count)
{
    if (count >= pf_merge_records_count(records))
        return;
    pf_table_truncate(&records->keys, (uint32_t)count + 1);
    memset(records->last, 0, records->places * sizeof *records->last);
    for (uint32_t id = 1; id < records->keys.count; id++)
        records->last[pf_merge_records_key(records, id - 1)->place - 1] = id;
}

void pf_merge_rows_give(const struct pf_merge_rows *rows, uint32_t count, struct pf_batch *batch)
{
    batch->rows = count;
    batch->stack = batch->kind == PF_SAMPLE ? rows->places : NULL;
    batch->location = batch->kind == PF_SAMPLE ? NULL : rows->places;
    batch->callee = batch->kind == PF_EDGE ? rows->callees : NULL;
    batch->labels = rows->labels;
}
