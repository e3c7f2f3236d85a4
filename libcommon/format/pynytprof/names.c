/* Numbers and names of files and subs: the names that the reader gives to numbers, and the numbers
 * that the writer gives to names. */
#include "base/number.h"
#include "base/scan.h"
#include "format/pynytprof/pynytprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names of numbers ------------------------------------------------------------------------- */

/* Makes the name and the alias of an entry. `seen`: the names so far (rows of one uint32_t); `kind`
 * is "file" or "sub". */
static void make_name(struct pf_dict *dict, struct pf_table *seen, const char *kind,
                      const struct pf_pyn_entry *entry, uint32_t *text, uint32_t *alias)
{
    char made[32];
    int size = snprintf(made, sizeof made, "(%s %lu)", kind, (unsigned long)entry->id);
    uint32_t count = seen->count;

    *text = entry->text;
    *alias = 0;
    if (*text == 0)
        *text = pf_dict_intern(dict, (struct pf_bytes){made, (size_t)size}, 0);
    else if (pf_table_intern(seen, text) < count)
        *alias = pf_dict_intern(dict, (struct pf_bytes){made, (size_t)size}, 0);
}

bool pf_pyn_list_add(struct pf_pyn_list *list, const struct pf_pyn_entry *entry)
{
    struct pf_pyn_entry *before = pf_pyn_list_find(list, entry->id);

    if (before)
        before->replaced = true;
    if (!pf_grow(&list->rows, &list->capacity, list->count + 1, sizeof *list->rows) ||
        !pf_pair_map_put(&list->places, entry->id, 0, (uint32_t)list->count))
        return false;
    list->rows[list->count++] = *entry;
    return true;
}

struct pf_pyn_entry *pf_pyn_list_find(const struct pf_pyn_list *list, uint32_t id)
{
    uint32_t place;

    return pf_pair_map_get(&list->places, id, 0, &place) ? &list->rows[place] : NULL;
}

void pf_pyn_list_free(struct pf_pyn_list *list)
{
    free(list->rows);
    pf_pair_map_free(&list->places);
}

bool pf_pyn_list_name(struct pf_pyn_list *list, struct pf_dict *dict, const char *kind)
{
    struct pf_table seen;
    bool good = pf_table_init(&seen, sizeof(uint32_t)) == PF_OK;

    for (size_t k = 0; good && k < list->count; k++) {
        struct pf_pyn_entry *entry = &list->rows[k];

        if (!entry->replaced)
            make_name(dict, &seen, kind, entry, &entry->name, &entry->alias);
    }
    good = good && seen.status == PF_OK;
    pf_table_free(&seen);
    return good;
}

/* --- numbers of the output -------------------------------------------------------------------- */

int pf_pyn_register_init(struct pf_pyn_register *reg, const char *kind)
{
    reg->kind = kind;
    if (pf_table_init(&reg->keys, sizeof(struct pf_pyn_key)) != PF_OK)
        return PF_NOMEM;
    return pf_table_init(&reg->seen, sizeof(uint32_t));
}

void pf_pyn_register_free(struct pf_pyn_register *reg)
{
    pf_table_free(&reg->keys);
    pf_table_free(&reg->seen);
    pf_pyn_list_free(&reg->list);
}

int pf_pyn_register_restart(struct pf_pyn_register *reg)
{
    pf_table_free(&reg->seen);
    return pf_table_init(&reg->seen, sizeof(uint32_t));
}

/* Adds an entry, with its own number if `keep_id` and the number is free, else with the first free
 * number. The search for a free number begins where the last search ended. */
static bool add_entry(struct pf_pyn_register *reg, struct pf_pyn_entry entry, bool keep_id)
{
    if (!keep_id || pf_pyn_list_find(&reg->list, entry.id)) {
        while (reg->next < UINT32_MAX && pf_pyn_list_find(&reg->list, reg->next))
            reg->next++;
        entry.id = reg->next;
    }
    return reg->next < UINT32_MAX && pf_pyn_list_add(&reg->list, &entry);
}

/* Reads a decimal number and the blank after it. */
static bool read_number(struct pf_bytes *row, uint32_t *number)
{
    struct pf_bytes field;
    uint64_t value;

    pf_scan_field(row, ' ', &field);
    if (!pf_parse_digits(field, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* Compares modification times, then sizes and flags, so that the order of inputs does not
 * matter. */
static bool is_newer(const struct pf_pyn_entry *a, const struct pf_pyn_entry *b)
{
    if (a->numbers[2] != b->numbers[2])
        return a->numbers[2] > b->numbers[2];
    return a->numbers[1] != b->numbers[1] ? a->numbers[1] > b->numbers[1]
                                          : a->numbers[0] > b->numbers[0];
}

/* Merges an entry with the same entry of another input: the newer numbers stay. */
static void merge_entry(struct pf_pyn_register *reg, struct pf_pyn_entry *known,
                        const struct pf_pyn_entry *entry)
{
    if (entry->absent || known->absent ||
        memcmp(known->numbers, entry->numbers, sizeof known->numbers) == 0)
        return;
    reg->differ = true;
    if (is_newer(entry, known))
        memcpy(known->numbers, entry->numbers, sizeof known->numbers);
}

bool pf_pyn_register_keep(struct pf_pyn_register *reg, struct pf_dict *dict, struct pf_bytes row,
                          size_t numbers)
{
    struct pf_pyn_entry entry = {0};
    struct pf_pyn_key key = {.used = 1};

    if (!read_number(&row, &entry.id))
        return true;
    entry.absent = row.size == 0;
    for (size_t k = 0; k < numbers && !entry.absent; k++)
        if (!read_number(&row, &entry.numbers[k]))
            return true;
    if (!entry.absent)
        entry.text = pf_dict_intern_text(dict, row);
    make_name(dict, &reg->seen, reg->kind, &entry, &key.text, &key.alias);
    uint32_t count = reg->keys.count, found = pf_table_intern(&reg->keys, &key);

    if (found == count)
        return add_entry(reg, entry, true);
    if (found != 0)
        merge_entry(reg, &reg->list.rows[found - 1], &entry);
    return reg->keys.status == PF_OK;
}

bool pf_pyn_register_find(struct pf_pyn_register *reg, const struct pf_pyn_key *key, uint32_t flags,
                          uint32_t *id)
{
    uint32_t count = reg->keys.count, found = pf_table_intern(&reg->keys, key);

    if (found == 0 ||
        (found == count &&
         !add_entry(reg, (struct pf_pyn_entry){.text = key->text, .numbers = {flags}}, false)))
        return false;
    struct pf_pyn_entry *entry = &reg->list.rows[found - 1];

    /* Like Pynytprof's own writer: only number 0 gets the flags, which say that the file has source
     * text. */
    if (found == count && entry->id != 0)
        entry->numbers[0] = 0;
    *id = entry->id;
    return true;
}
