#include "model/copied_rows.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static_assert(sizeof(struct pf_value_column) % sizeof(int64_t) == 0, "columns come before numbers");

void pf_copied_rows_free(struct pf_copied_rows *taken)
{
    free(taken->memory);
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

int pf_copied_rows_take(struct pf_copied_rows *taken, const struct pf_batch *from,
                        const uint32_t *rows, uint32_t count, struct pf_batch *to)
{
    enum { COLUMN_WORDS = sizeof(struct pf_value_column) / sizeof(int64_t), IDS = 4 };
    struct pf_batch batch = *from;
    const uint32_t **ids[IDS] = {&batch.stack, &batch.location, &batch.callee, &batch.labels};
    size_t words = COLUMN_WORDS * (size_t)batch.value_count +
                   ((size_t)batch.value_count + 1 + IDS / 2) * ((size_t)count + 1);

    if (!pf_grow(&taken->memory, &taken->capacity, words, sizeof *taken->memory))
        return PF_NOMEM;

    struct pf_value_column *columns = (struct pf_value_column *)(void *)taken->memory;
    int64_t *numbers = taken->memory + COLUMN_WORDS * (size_t)batch.value_count;

    for (uint32_t c = 0; c < batch.value_count; c++) {
        columns[c] = from->values[c];
        if (!columns[c].data)
            continue;
        gather_numbers(numbers, columns[c].data, rows, count);
        columns[c].data = numbers;
        numbers += count;
    }
    if (batch.time) {
        gather_numbers(numbers, batch.time, rows, count);
        batch.time = numbers;
        numbers += count;
    }

    uint32_t *places = (uint32_t *)(void *)numbers;

    for (size_t i = 0; i < IDS; i++) {
        if (!*ids[i])
            continue;
        gather_ids(places, *ids[i], rows, count);
        *ids[i] = places;
        places += count;
    }
    batch.values = columns;
    batch.rows = count;
    *to = batch;
    return PF_OK;
}
