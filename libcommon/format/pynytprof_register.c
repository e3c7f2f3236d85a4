#include "format/pynytprof_register.h"

#include "base/number.h"
#include "format/pynytprof_names.h"

#include <stdlib.h>

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
    const char *blank = row->size > 0 ? memchr(row->data, ' ', row->size) : NULL;
    size_t size = blank ? (size_t)(blank - row->data) : row->size;
    int64_t value;

    if (!pf_parse_int((struct pf_bytes){row->data, size}, 0, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    row->data += size + (blank != NULL);
    row->size -= size + (blank != NULL);
    return true;
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
        entry.text = pf_dict_intern(dict, row, pf_utf8_valid(row) ? PF_UTF8 : 0);
    pf_pyn_name_make(dict, &reg->seen, reg->kind, &entry, &key.text, &key.alias);
    uint32_t count = reg->keys.count;
    return pf_table_intern(&reg->keys, &key) < count ? reg->keys.status == PF_OK : add(reg, entry, true);
}

bool pf_pyn_register_find(struct pf_pyn_register *reg, const struct pf_pyn_key *key, uint32_t flags, uint32_t *id)
{
    uint32_t count = reg->keys.count, found = pf_table_intern(&reg->keys, key);

    if (found == 0 || (found == count && !add(reg, (struct pf_pyn_entry){.text = key->text, .numbers = {flags}}, false)))
        return false;
    *id = reg->list.rows[found - 1].id;
    return true;
}
