#include "format/dcpi/dcpi.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint32_t *locations;
    size_t count, capacity;
    bool ordered;
};

struct index {
    struct entry *images; /* by id */
    size_t count, capacity;
    uint32_t seen; /* locations before it are in */
};

static void free_index(void *object)
{
    struct index *index = object;

    for (size_t k = 0; k < index->count; k++)
        free(index->images[k].locations);
    free(index->images);
}

static bool is_plain(const struct pf_location *row)
{
    struct pf_location plain = {.image = row->image, .address = row->address};

    return row->image != 0 && memcmp(row, &plain, sizeof plain) == 0;
}

static bool add_location(struct index *index, const struct pf_dict *dict, uint32_t location)
{
    uint32_t image = pf_dict_location(dict, location)->image;

    if (image >= index->count) {
        if (!pf_grow(&index->images, &index->capacity, dict->images.count, sizeof *index->images))
            return false;
        memset(index->images + index->count, 0, (dict->images.count - index->count) * sizeof *index->images);
        index->count = dict->images.count;
    }
    struct entry *entry = &index->images[image];

    if (entry->count == entry->capacity &&
        !pf_grow(&entry->locations, &entry->capacity, entry->count + 1, sizeof *entry->locations))
        return false;
    entry->locations[entry->count++] = location;
    entry->ordered = false;
    return true;
}

int pf_dcpi_index_find(struct pf_shared *shared, const struct pf_dict *dict, uint32_t image, struct pf_dcpi_indexed *found)
{
    static const char owner = 0;
    struct index *index = pf_shared_get(shared, &owner, sizeof *index, free_index);

    if (!index)
        return PF_NOMEM;
    for (; index->seen < dict->locations.count; index->seen++)
        if (is_plain(pf_dict_location(dict, index->seen)) && !add_location(index, dict, index->seen))
            return PF_NOMEM;
    *found = (struct pf_dcpi_indexed){0};
    if (image >= index->count)
        return PF_OK;
    struct entry *entry = &index->images[image];

    if (!entry->ordered && !pf_dcpi_order(entry->locations, entry->count, dict, NULL))
        return PF_NOMEM;
    entry->ordered = true;
    *found = (struct pf_dcpi_indexed){entry->locations, entry->count};
    return PF_OK;
}
