#include "format/pynytprof/register.h"

#include "base/number.h"
#include "base/scan.h"

#include <stdlib.h>
#include <string.h>

int pf_pyn_register_init(struct pf_pyn_register *reg, const char *kind)
{
    reg->kind = kind;
    if (pf_table_init(&reg->keys, sizeof(struct pf_pyn_key)) != PF_OK || pf_table_init(&reg->taken, sizeof(uint64_t)) != PF_OK)
        return PF_NOMEM;
    return pf_table_init(&reg->seen, sizeof(uint32_t));
}

void pf_pyn_register_free(struct pf_pyn_register *reg)
{
    pf_table_free(&reg->keys);
    pf_table_free(&reg->taken);
    pf_table_free(&reg->seen);
    free(reg->list.rows);
}

int pf_pyn_register_restart(struct pf_pyn_register *reg)
{
    pf_table_free(&reg->seen);
    return pf_table_init(&reg->seen, sizeof(uint32_t));
}

/* True when the number was free; it is not any more. */
static bool reserve(struct pf_pyn_register *reg, uint32_t id)
{
    uint64_t row = (uint64_t)id + 1;
    uint32_t count = reg->taken.count;

    return pf_table_intern(&reg->taken, &row) == count;
}

/* Sound numbers are few, so that the search for a free one is short: it begins where the last ended. */
static bool add(struct pf_pyn_register *reg, struct pf_pyn_entry entry, bool keep_id)
{
    if (!keep_id || !reserve(reg, entry.id)) {
        while (reg->next < UINT32_MAX && reg->taken.status == PF_OK && !reserve(reg, reg->next))
            reg->next++;
        entry.id = reg->next;
    }
    if (reg->next == UINT32_MAX || reg->taken.status != PF_OK ||
        !pf_grow(&reg->list.rows, &reg->list.capacity, reg->list.count + 1, sizeof *reg->list.rows))
        return false;
    reg->list.rows[reg->list.count++] = entry;
    return true;
}

/* The next decimal number of a row and the blank behind it. */
static bool take_number(struct pf_bytes *row, uint32_t *number)
{
    struct pf_bytes field;
    uint64_t value;

    pf_scan_field(row, ' ', &field);
    if (!pf_parse_digits(field, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* By time, then by size and flags: the order of inputs does not matter. */
static bool is_newer(const struct pf_pyn_entry *a, const struct pf_pyn_entry *b)
{
    if (a->numbers[2] != b->numbers[2])
        return a->numbers[2] > b->numbers[2];
    return a->numbers[1] != b->numbers[1] ? a->numbers[1] > b->numbers[1] : a->numbers[0] > b->numbers[0];
}

/* Another input tells of the same. */
static void join(struct pf_pyn_register *reg, struct pf_pyn_entry *known, const struct pf_pyn_entry *entry)
{
    if (entry->absent || known->absent || memcmp(known->numbers, entry->numbers, sizeof known->numbers) == 0)
        return;
    reg->differ = true;
    if (is_newer(entry, known))
        memcpy(known->numbers, entry->numbers, sizeof known->numbers);
}

bool pf_pyn_register_keep(struct pf_pyn_register *reg, struct pf_dict *dict, struct pf_bytes row, size_t numbers)
{
    struct pf_pyn_entry entry = {0};
    struct pf_pyn_key key = {.used = 1};

    if (!take_number(&row, &entry.id))
        return true;
    entry.absent = row.size == 0;
    for (size_t k = 0; k < numbers && !entry.absent; k++)
        if (!take_number(&row, &entry.numbers[k]))
            return true;
    if (!entry.absent)
        entry.text = pf_dict_intern_text(dict, row);
    pf_pyn_name_make(dict, &reg->seen, reg->kind, &entry, &key.text, &key.alias);
    uint32_t count = reg->keys.count, found = pf_table_intern(&reg->keys, &key);

    if (found == count)
        return add(reg, entry, true);
    if (found != 0)
        join(reg, &reg->list.rows[found - 1], &entry);
    return reg->keys.status == PF_OK;
}

bool pf_pyn_register_find(struct pf_pyn_register *reg, const struct pf_pyn_key *key, uint32_t flags, uint32_t *id)
{
    uint32_t count = reg->keys.count, found = pf_table_intern(&reg->keys, key);

    if (found == 0 || (found == count && !add(reg, (struct pf_pyn_entry){.text = key->text, .numbers = {flags}}, false)))
        return false;
    struct pf_pyn_entry *entry = &reg->list.rows[found - 1];

    /* as Pynytprof's own writer has it: only the first file has its source */
    if (found == count && entry->id != 0)
        entry->numbers[0] = 0;
    *id = entry->id;
    return true;
}
