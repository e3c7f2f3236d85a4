#include "analysis/names/forms.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/images.h"

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

/* --- images ----------------------------------------------------------------------------------- */

int pf_image_forms_init(struct pf_forms *forms)
{
    return pf_forms_init(forms, sizeof(struct pf_image_key));
}

static int compare_strings(const struct pf_dict *dict, uint32_t a, uint32_t b)
{
    return pf_bytes_compare(pf_dict_string(dict, a), pf_dict_string(dict, b));
}

static bool image_before(const struct pf_dict *dict, uint32_t a, uint32_t b)
{
    const struct pf_image *x = pf_dict_image(dict, a), *y = pf_dict_image(dict, b);
    int order = (x->start > y->start) - (x->start < y->start);

    if (order == 0)
        order = compare_strings(dict, x->name, y->name);
    if (order == 0)
        order = compare_strings(dict, x->identifier, y->identifier);
    return order != 0 ? order < 0 : x->flags < y->flags;
}

int pf_image_forms_enter(struct pf_forms *forms, const struct pf_dict *dict, uint32_t image,
                         struct pf_form **form)
{
    struct pf_image_key key;

    *form = pf_forms_of(forms, image);
    if (*form || image == 0 || !pf_image_key(dict, pf_dict_image(dict, image), &key))
        return PF_OK;
    *form = pf_forms_enter(forms, &key, image);
    if (!*form)
        return PF_NOMEM;
    if (image_before(dict, image, (*form)->least))
        (*form)->least = image;
    return PF_OK;
}

void pf_image_slide(const struct pf_dict *dict, struct pf_location *place, uint32_t image)
{
    if (place->address != 0)
        place->address +=
            pf_dict_image(dict, image)->start - pf_dict_image(dict, place->image)->start;
    place->image = image;
}

uint32_t pf_image_plain(struct pf_dict *dict, uint32_t image)
{
    const struct pf_image *row = pf_dict_image(dict, image);
    struct pf_image plain = {.name = row->name, .identifier = row->name == 0 ? row->identifier : 0};

    return image == 0 ? 0 : pf_dict_add_image(dict, &plain);
}
