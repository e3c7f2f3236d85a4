#include "stream/transfer.h"

#include "base/error.h"
#include "base/memory.h"
#include "stream/columns.h"

#include <stdlib.h>
#include <string.h>

void pf_transfer_free(struct pf_transfer *transfer)
{
    pf_renumber_free(&transfer->renumber);
    for (size_t i = 0; i < PF_TABLES; i++)
        free(transfer->maps[i].ids);
    for (size_t i = 0; i < PF_ID_COLUMNS; i++)
        free(transfer->rooms[i]);
    free(transfer->columns);
    *transfer = (struct pf_transfer){0};
}

/* The id in `to` of a row that was copied. */
static uint32_t copied(const void *arg, enum pf_dict_table table, uint32_t id)
{
    const struct pf_transfer *transfer = arg;

    return pf_idmap_get(&transfer->maps[table], transfer->renumber.tables[table].map[id]);
}

/* Copies the mark of a measure that belongs to profiles that count. */
static void copy_mark(struct pf_transfer *transfer, uint32_t id, uint32_t copy)
{
    const struct pf_measures *measures = &transfer->from->measures;

    if (!measures->some_count || copy == 0)
        return;
    transfer->to->measures.some_count = true;
    if (!pf_measures_left_out(measures, id - 1) &&
        pf_measures_set_counts(&transfer->to->measures, copy - 1) != PF_OK)
        transfer->renumber.failed = true;
}

/* The same as copy_row for stacks, faster: most rows are stacks. No search, because only stacks of
 * `from` are in `to`. */
static uint32_t copy_stack(struct pf_transfer *transfer, uint32_t id)
{
    struct pf_stack row = *pf_dict_stack(transfer->from, id);

    row.parent = copied(transfer, PF_TABLE_STACKS, row.parent);
    row.location = copied(transfer, PF_TABLE_LOCATIONS, row.location);
    return pf_table_append_unindexed(&transfer->to->stacks, &row, 1);
}

/* Copies a row whose strings and other parts are copied. */
static uint32_t copy_row(struct pf_transfer *transfer, enum pf_dict_table table, uint32_t id)
{
    const struct pf_table *rows = pf_dict_rows(transfer->from, table);
    union pf_any_row row;

    memcpy(&row, pf_table_row(rows, id), rows->row_size);
    pf_row_map(table, &row, copied, transfer);
    uint32_t copy = pf_dict_add_row(transfer->to, table, &row);

    if (table == PF_TABLE_MEASURES)
        copy_mark(transfer, id, copy);
    return copy;
}

/* Copies the rows that the last batch was the first to use. False: out of memory. */
static bool copy_fresh(struct pf_transfer *transfer)
{
    for (unsigned table = PF_TABLE_STRINGS; table < PF_TABLES; table++) {
        struct pf_renumber_table *used = &transfer->renumber.tables[table];

        for (uint32_t i = 0; i < used->fresh_count; i++) {
            uint32_t id = used->fresh[i];
            uint32_t copy =
                table == PF_TABLE_STRINGS  ? pf_dict_same_string(transfer->to, transfer->from, id)
                : table == PF_TABLE_STACKS ? copy_stack(transfer, id)
                                           : copy_row(transfer, (enum pf_dict_table)table, id);

            if (!pf_idmap_add(&transfer->maps[table], copy))
                return false;
        }
        used->fresh_count = 0;
    }
    return !transfer->renumber.failed && pf_dict_status(transfer->to) == PF_OK;
}

static bool copy_values(struct pf_transfer *transfer, struct pf_batch *batch)
{
    if (!pf_grow(&transfer->columns, &transfer->column_capacity, batch->value_count,
                 sizeof *transfer->columns))
        return false;
    for (uint32_t k = 0; k < batch->value_count; k++) {
        transfer->columns[k] = batch->values[k];
        transfer->columns[k].measure =
            copied(transfer, PF_TABLE_MEASURES, batch->values[k].measure + 1) - 1;
    }
    batch->values = transfer->columns;
    return true;
}

static void start(struct pf_transfer *transfer)
{
    pf_renumber_start(&transfer->renumber);
    for (size_t i = 0; i < PF_TABLES; i++)
        transfer->maps[i].count = 1;
}

int pf_transfer_batch(struct pf_transfer *transfer, struct pf_batch *batch)
{
    const uint8_t *tables = pf_batch_tables[batch->kind];

    if (transfer->maps[0].count == 0)
        start(transfer);
    for (uint32_t k = 0; k < batch->value_count; k++)
        pf_renumber_id(&transfer->renumber, transfer->from, PF_TABLE_MEASURES,
                       batch->values[k].measure + 1);
    for (unsigned i = 0; i < PF_ID_COLUMNS; i++) {
        if (tables[i] == PF_TABLE_NONE || !*pf_batch_ids(batch, i))
            continue;
        if (!pf_grow(&transfer->rooms[i], &transfer->room_capacity[i], batch->rows,
                     sizeof *transfer->rooms[i]))
            return PF_NOMEM;
        pf_renumber_column(&transfer->renumber, transfer->from, (enum pf_dict_table)tables[i],
                           *pf_batch_ids(batch, i), batch->rows, transfer->rooms[i]);
    }
    if (transfer->renumber.failed || !copy_fresh(transfer) || !copy_values(transfer, batch))
        return PF_NOMEM;
    for (unsigned i = 0; i < PF_ID_COLUMNS; i++) {
        const uint32_t *map = transfer->maps[tables[i]].ids;

        if (tables[i] == PF_TABLE_NONE || !*pf_batch_ids(batch, i))
            continue;
        if (map)
            pf_column_remap(transfer->rooms[i], batch->rows, map);
        *pf_batch_ids(batch, i) = transfer->rooms[i];
    }
    return PF_OK;
}
