#include "format/dcpi/dcpi.h"

#include "base/error.h"

#include <string.h>

static uint32_t find_image(struct pf_dict *dict, const struct pf_image *image)
{
    struct pf_bytes identifier = pf_dict_string(dict, image->identifier);

    for (uint32_t k = 1; k < dict->images.count; k++) {
        const struct pf_image *other = pf_dict_image(dict, k);

        if (other->name == image->name && other->text_start == image->text_start && other->text_size == image->text_size &&
            pf_dcpi_same_image(pf_dict_string(dict, other->identifier), identifier))
            return k;
    }
    return pf_dict_add_image(dict, image);
}

static void look(struct pf_dcpi_locator *locator, const struct pf_dict *dict)
{
    const struct pf_dcpi_indexed *known = &locator->known;

    locator->next_offset = locator->next < known->count ? pf_dcpi_offset(dict, known->locations[locator->next]) : UINT64_MAX;
}

int pf_dcpi_locator_open(struct pf_dcpi_locator *locator, struct pf_dict *dict, struct pf_shared *shared,
                         const struct pf_image *image)
{
    uint32_t images = dict->images.count;
    int status = PF_OK;

    locator->image = find_image(dict, image);
    locator->start = image->text_start;
    locator->known = (struct pf_dcpi_indexed){0};
    locator->next = 0;
    if (locator->image < images && shared)
        status = pf_dcpi_index_find(shared, dict, locator->image, &locator->known);
    look(locator, dict);
    return status;
}

void pf_dcpi_locator_next(struct pf_dcpi_locator *locator, const struct pf_dict *dict)
{
    locator->next++;
    look(locator, dict);
}

void pf_dcpi_locator_end(struct pf_dcpi_locator *locator, struct pf_dict *dict)
{
    uint32_t count = locator->fresh_count;
    uint32_t first = count > 0 ? pf_table_append_unindexed(&dict->locations, locator->fresh, count) : 0;

    for (uint32_t k = 0; k < count; k++)
        locator->locations[locator->fresh_rows[k]] = first + k;
    locator->fresh_count = 0;
}
