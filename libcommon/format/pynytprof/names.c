#include "format/pynytprof/pynytprof.h"

#include <stdio.h>
#include <stdlib.h>

void pf_pyn_name_make(struct pf_dict *dict, struct pf_table *seen, const char *kind, const struct pf_pyn_entry *entry,
                      uint32_t *text, uint32_t *alias)
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

/* An entry and its place in the file. */
struct placed {
    uint32_t id;
    size_t place;
};

static int compare(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* The last entry of each id. */
static size_t drop_replaced(struct placed *order, size_t count)
{
    size_t kept = 0;

    for (size_t k = 0; k < count; k++)
        if (k + 1 == count || order[k + 1].id != order[k].id)
            order[kept++] = order[k];
    return kept;
}

bool pf_pyn_names_make(struct pf_pyn_names *names, struct pf_dict *dict, const char *kind, const struct pf_pyn_list *list)
{
    size_t count = list->count;
    struct placed *order = malloc((count + 1) * sizeof *order);
    uint32_t *row_of = calloc(count + 1, sizeof *row_of); /* by place: its row + 1; 0 = replaced by a later one */
    struct pf_table seen;
    bool good = pf_table_init(&seen, sizeof(uint32_t)) == PF_OK && order && row_of;

    for (size_t k = 0; good && k < count; k++)
        order[k] = (struct placed){list->rows[k].id, k};
    if (good && count > 0)
        qsort(order, count, sizeof *order, compare);
    names->count = good ? drop_replaced(order, count) : 0;
    names->rows = calloc(names->count + 1, sizeof *names->rows);
    good = good && names->rows;
    for (size_t k = 0; good && k < names->count; k++) {
        names->rows[k].id = order[k].id;
        row_of[order[k].place] = (uint32_t)k + 1;
    }
    for (size_t k = 0; good && k < count; k++) {
        if (row_of[k] == 0)
            continue;
        struct pf_pyn_name *row = &names->rows[row_of[k] - 1];
        row->place = k;
        pf_pyn_name_make(dict, &seen, kind, &list->rows[k], &row->text, &row->alias);
    }
    good = good && seen.status == PF_OK;
    pf_table_free(&seen);
    free(order);
    free(row_of);
    return good;
}

void pf_pyn_names_free(struct pf_pyn_names *names)
{
    free(names->rows);
}

struct pf_pyn_name *pf_pyn_names_find(const struct pf_pyn_names *names, uint32_t id)
{
    size_t low = 0, high = names->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (names->rows[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < names->count && names->rows[low].id == id ? &names->rows[low] : NULL;
}
