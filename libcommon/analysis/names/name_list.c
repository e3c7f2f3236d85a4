#include "analysis/names/name_list.h"

#include "base/error.h"
#include "model/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_name_list_free(struct pf_name_list *list)
{
    free(list->names);
    pf_arena_free(&list->copies);
    pf_buffer_free(&list->scratch);
    *list = (struct pf_name_list){0};
}

int pf_name_list_add(struct pf_name_list *list, struct pf_bytes name, bool copy)
{
    if (copy && (name.data = pf_arena_copy(&list->copies, name.data, name.size)) == NULL)
        return PF_NOMEM;
    if (!pf_grow(&list->names, &list->capacity, list->count + 1, sizeof *list->names))
        return PF_NOMEM;
    list->names[list->count++] = name;
    return PF_OK;
}

int pf_name_list_add_string(struct pf_name_list *list, const struct pf_dict *dict, uint32_t string)
{
    struct pf_bytes name = pf_dict_string(dict, string), shown;

    if (!pf_shown_name(name, dict->strings.rows[string].flags, &list->scratch, &shown))
        return pf_name_list_add(list, name, false);
    return list->scratch.failed ? PF_NOMEM : pf_name_list_add(list, shown, true);
}

static int compare_names(const void *a, const void *b)
{
    return pf_bytes_compare(*(const struct pf_bytes *)a, *(const struct pf_bytes *)b);
}

void pf_name_list_sort(struct pf_name_list *list)
{
    size_t kept = 0;

    if (list->count > 0)
        qsort(list->names, list->count, sizeof *list->names, compare_names);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || !pf_bytes_equal(list->names[kept - 1], list->names[i]))
            list->names[kept++] = list->names[i];
    list->count = kept;
}

void pf_name_list_join(const struct pf_name_list *list, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct pf_bytes name = list->names[i].size > 0 ? list->names[i] : PF_BYTES("''");

        if (used + name.size + 40 > size) {
            snprintf(text + used, size - used, "%s%zu more", i > 0 ? " and " : "", list->count - i);
            return;
        }
        if (i > 0) {
            memcpy(text + used, ", ", 2);
            used += 2;
        }
        for (size_t k = 0; k < name.size; k++)
            text[used++] = name.data[k] == '\0' ? '?' : name.data[k];
        text[used] = '\0';
    }
}
