#include "model/copied_rows.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_copied_rows_free(struct pf_copied_rows *taken)
{
    for (size_t i = 0; i < 4; i++)
        free(taken->ids[i]);
    free(taken->time);
    free(taken->values);
    free(taken->columns);
    *taken = (struct pf_copied_rows){0};
}

static void gather_ids(uint32_t *restrict to, const uint32_t *restrict from,
                       const uint32_t *restrict rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[rows[i]];
}

static void gather_numbers(int64_t *restrict to, const int64_t *restrict from,
                           const uint32_t *restrict rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[rows[i]];
}

static bool take_values(struct pf_copied_rows *taken, const struct pf_batch *from,
                        const uint32_t *rows, uint32_t count)
{
    size_t columns = from->value_count;

    if (!pf_grow(&taken->columns, &taken->column_capacity, columns, sizeof *taken->columns) ||
        !pf_grow(&taken->values, &taken->value_capacity, columns * count, sizeof *taken->values))
        return false;
    for (size_t c = 0; c < columns; c++) {
        int64_t *to = taken->values ? taken->values + c * count : NULL;

        taken->columns[c] = (struct pf_value_column){.measure = from->values[c].measure};
        if (!from->values[c].data)
            continue;
        gather_numbers(to, from->values[c].data, rows, count);
        taken->columns[c].data = to;
    }
    return true;
}

int pf_copied_rows_take(struct pf_copied_rows *taken, const struct pf_batch *from,
                        const uint32_t *rows, uint32_t count, struct pf_batch *to)
{
    struct pf_batch batch = *from;
    const uint32_t **ids[] = {&batch.stack, &batch.location, &batch.callee, &batch.labels};

    for (size_t i = 0; i < 4; i++) {
        if (!*ids[i])
            continue;
        if (!pf_grow(&taken->ids[i], &taken->id_capacity[i], count, sizeof(uint32_t)))
            return PF_NOMEM;
        gather_ids(taken->ids[i], *ids[i], rows, count);
        *ids[i] = taken->ids[i];
    }
    if (batch.time) {
        if (!pf_grow(&taken->time, &taken->time_capacity, count, sizeof(int64_t)))
            return PF_NOMEM;
        gather_numbers(taken->time, batch.time, rows, count);
        batch.time = taken->time;
    }
    if (batch.value_count > 0) {
        if (!take_values(taken, from, rows, count))
            return PF_NOMEM;
        batch.values = taken->columns;
    }
    batch.rows = count;
    *to = batch;
    return PF_OK;
}
