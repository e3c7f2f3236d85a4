#include "stream/transfer.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_transfer_free(struct pf_transfer *transfer)
{
    pf_renumber_free(&transfer->renumber);
    for (size_t i = 0; i < PF_TABLES; i++)
        free(transfer->maps[i].ids);
    for (size_t i = 0; i < PF_TRANSFER_COLUMNS; i++)
        free(transfer->rooms[i]);
    free(transfer->columns);
    *transfer = (struct pf_transfer){0};
}

/* The id in `to` of a row that was copied. */
static uint32_t copied(const struct pf_transfer *transfer, unsigned table, uint32_t id)
{
    return pf_idmap_get(&transfer->maps[table], transfer->renumber.tables[table].map[id]);
}

/* Copies the mark of measures that belong to profiles that count, too. */
static uint32_t copy_measure(struct pf_transfer *transfer, uint32_t id, const void *row)
{
    const struct pf_measures *measures = &transfer->from->measures;
    uint32_t measure = pf_measures_intern(&transfer->to->measures, row);

    if (!measures->some_count || measure == UINT32_MAX)
        return measure + 1;
    transfer->to->measures.some_count = true;
    if (!pf_measures_left_out(measures, id - 1) &&
        pf_measures_set_counts(&transfer->to->measures, measure) != PF_OK)
        transfer->renumber.failed = true;
    return measure + 1;
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
static uint32_t copy_row(struct pf_transfer *transfer, enum pf_stream_table table, uint32_t id)
{
    const struct pf_stream_layout *layout = &pf_stream_layouts[table];
    const struct pf_table *rows = pf_stream_rows(transfer->from, table);
    struct pf_dict *to = transfer->to;
    union {
        uint64_t align;
        unsigned char bytes[PF_STREAM_ROW_MAX];
    } room;

    memcpy(room.bytes, pf_table_row(rows, id), rows->row_size);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct pf_stream_field *field = &layout->fields[i];

        if (field->refers != PF_TABLE_NONE)
            pf_stream_field_set(
                field, room.bytes,
                copied(transfer, field->refers, (uint32_t)pf_stream_field_get(field, room.bytes)));
    }
    switch (table) {
    case PF_TABLE_MEASURES: return copy_measure(transfer, id, room.bytes);
    case PF_TABLE_IMAGES: return pf_table_intern(&to->images, room.bytes);
    case PF_TABLE_FUNCTIONS: return pf_table_intern(&to->functions, room.bytes);
    case PF_TABLE_LOCATIONS: return pf_table_intern(&to->locations, room.bytes);
    default: return pf_table_intern(&to->labels, room.bytes);
    }
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
                                           : copy_row(transfer, (enum pf_stream_table)table, id);

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
    const bool meta = batch->kind == PF_META;
    const struct {
        const uint32_t **ids;
        enum pf_stream_table table;
    } columns[PF_TRANSFER_COLUMNS] = {
        {meta ? &batch->origin : &batch->stack, meta ? PF_TABLE_STRINGS : PF_TABLE_STACKS},
        {meta ? &batch->key : &batch->labels, meta ? PF_TABLE_STRINGS : PF_TABLE_LABELS},
        {meta ? &batch->value : &batch->location, meta ? PF_TABLE_STRINGS : PF_TABLE_LOCATIONS},
        {&batch->callee, PF_TABLE_LOCATIONS},
    };

    if (transfer->maps[0].count == 0)
        start(transfer);
    for (uint32_t k = 0; k < batch->value_count; k++)
        pf_renumber_id(&transfer->renumber, transfer->from, PF_TABLE_MEASURES,
                       batch->values[k].measure + 1);
    for (size_t i = 0; i < PF_TRANSFER_COLUMNS; i++) {
        if (!*columns[i].ids)
            continue;
        if (!pf_grow(&transfer->rooms[i], &transfer->room_capacity[i], batch->rows,
                     sizeof *transfer->rooms[i]))
            return PF_NOMEM;
        pf_renumber_column(&transfer->renumber, transfer->from, columns[i].table, *columns[i].ids,
                           batch->rows, transfer->rooms[i]);
    }
    if (transfer->renumber.failed || !copy_fresh(transfer) || !copy_values(transfer, batch))
        return PF_NOMEM;
    for (size_t i = 0; i < PF_TRANSFER_COLUMNS; i++) {
        const struct pf_idmap *map = &transfer->maps[columns[i].table];

        for (uint32_t row = 0; *columns[i].ids && map->ids && row < batch->rows; row++)
            transfer->rooms[i][row] = map->ids[transfer->rooms[i][row]];
        if (*columns[i].ids)
            *columns[i].ids = transfer->rooms[i];
    }
    return PF_OK;
}
