#include "analysis/names/image_forms.h"

#include "base/error.h"
#include "model/images.h"

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
