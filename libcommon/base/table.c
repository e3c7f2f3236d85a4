#include "base/table.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 32 };

static uint64_t load_key(const void *row)
{
    uint64_t key;

    memcpy(&key, row, sizeof key);
    return key;
}

static uint64_t row_hash(const void *row, size_t size)
{
    return size == sizeof(uint64_t) ? pf_hash_mix(load_key(row)) : pf_hash(row, size);
}

int pf_table_init(struct pf_table *table, size_t row_size)
{
    *table = (struct pf_table){.row_size = row_size, .count = 1, .slot_mask = FIRST_SLOTS - 1};
    table->slots = calloc(FIRST_SLOTS, sizeof *table->slots);
    if (table->slots == NULL || !pf_grow(&table->rows, &table->capacity, 1, row_size)) {
        pf_table_free(table);
        table->status = PF_NOMEM;
        return PF_NOMEM;
    }
    memset(table->rows, 0, row_size);
    return PF_OK;
}

void pf_table_free(struct pf_table *table)
{
    free(table->rows);
    free(table->slots);
    *table = (struct pf_table){0};
}

static bool double_slots(struct pf_table *table)
{
    size_t mask = table->slot_mask * 2 + 1;
    uint32_t *slots = mask == SIZE_MAX ? NULL : calloc(mask + 1, sizeof *slots);

    if (slots == NULL)
        return false;
    for (uint32_t id = 1; id < table->count; id++) {
        size_t slot = (size_t)row_hash(pf_table_row(table, id), table->row_size) & mask;

        while (slots[slot] != 0)
            slot = (slot + 1) & mask;
        slots[slot] = id;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_mask = mask;
    return true;
}

static size_t empty_slot(const struct pf_table *table, uint64_t hash)
{
    size_t slot = (size_t)hash & table->slot_mask;

    while (table->slots[slot] != 0)
        slot = (slot + 1) & table->slot_mask;
    return slot;
}

/* A row that is not there yet. `slot` is where its search ended. */
static uint32_t add_row(struct pf_table *table, const void *row, uint64_t hash, size_t slot)
{
    uint32_t id = table->count;

    if (table->status != PF_OK)
        return 0;
    /* Load at most 0.6. */
    if ((uint64_t)id * 5 > ((uint64_t)table->slot_mask + 1) * 3) {
        if (!double_slots(table))
            goto failed;
        slot = empty_slot(table, hash);
    }
    if (id == UINT32_MAX || !pf_grow(&table->rows, &table->capacity, (size_t)id + 1, table->row_size))
        goto failed;
    memcpy(table->rows + (size_t)id * table->row_size, row, table->row_size);
    table->slots[slot] = id;
    table->count = id + 1;
    return id;
failed:
    table->status = PF_NOMEM;
    return 0;
}

/* Rows of 8 bytes (stacks) are most of the work: one load, one multiplication chain, one comparison. */
static uint32_t intern_key(struct pf_table *table, const void *row)
{
    uint64_t key = load_key(row), hash = pf_hash_mix(key);
    size_t slot = (size_t)hash & table->slot_mask;
    uint32_t id;

    if (key == 0)
        return 0;
    while ((id = table->slots[slot]) != 0) {
        if (load_key(table->rows + (size_t)id * sizeof key) == key)
            return id;
        slot = (slot + 1) & table->slot_mask;
    }
    return add_row(table, row, hash, slot);
}

uint32_t pf_table_intern(struct pf_table *table, const void *row)
{
    size_t size = table->row_size, slot;
    uint64_t hash;
    uint32_t id;

    if (table->slots == NULL)
        return 0;
    if (size == sizeof(uint64_t))
        return intern_key(table, row);
    if (memcmp(row, table->rows, size) == 0)
        return 0;
    hash = pf_hash(row, size);
    slot = (size_t)hash & table->slot_mask;
    while ((id = table->slots[slot]) != 0) {
        if (memcmp(table->rows + (size_t)id * size, row, size) == 0)
            return id;
        slot = (slot + 1) & table->slot_mask;
    }
    return add_row(table, row, hash, slot);
}
