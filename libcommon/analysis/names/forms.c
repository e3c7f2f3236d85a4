#include "analysis/names/forms.h"

#include "base/memory.h"

#include <stdlib.h>

int pf_forms_init(struct pf_forms *forms, size_t key_size)
{
    return pf_table_init(&forms->keys, key_size);
}

void pf_forms_free(struct pf_forms *forms)
{
    pf_table_free(&forms->keys);
    free(forms->rows);
    pf_id_map_free(&forms->of);
}

struct pf_form *pf_forms_enter(struct pf_forms *forms, const void *key, uint32_t id)
{
    uint32_t count = forms->keys.count, of;

    if (!pf_grow(&forms->rows, &forms->capacity, (size_t)count + 1, sizeof *forms->rows) ||
        !pf_id_map_reserve(&forms->of, (size_t)id + 1))
        return NULL;
    of = pf_table_intern(&forms->keys, key);
    if (of == 0 || !pf_id_map_put(&forms->of, id, of))
        return NULL;
    if (of == count)
        forms->rows[of] = (struct pf_form){id, id};
    return &forms->rows[of];
}

struct pf_form *pf_forms_of(const struct pf_forms *forms, uint32_t id)
{
    uint32_t of;

    return pf_id_map_get(&forms->of, id, &of) ? &forms->rows[of] : NULL;
}

bool pf_forms_settled(const struct pf_forms *forms)
{
    for (uint32_t id = 1; id < forms->keys.count; id++)
        if (forms->rows[id].first != forms->rows[id].least)
            return false;
    return true;
}
