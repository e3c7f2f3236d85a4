#include "format/gperftools/gperftools.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

struct named {
    uint64_t address, function;
};

int pf_gperftools_names_init(struct pf_gperftools_names *names)
{
    int status = pf_table_init(&names->addresses, sizeof(uint64_t));

    return status == PF_OK ? pf_table_init(&names->named, sizeof(struct named)) : status;
}

uint64_t pf_gperftools_names_key(struct pf_gperftools_names *names, uint64_t address, uint32_t function)
{
    uint32_t id = pf_table_intern(&names->named, &(struct named){address, function});

    return id ? PF_GPERFTOOLS_NAMED + id : 0;
}

void pf_gperftools_names_free(struct pf_gperftools_names *names)
{
    pf_table_free(&names->addresses);
    pf_table_free(&names->named);
    free(names->places);
    free(names->frames);
    free(names->locations);
}

static struct pf_gperftools_place *place_of(struct pf_gperftools_names *names, uint64_t address)
{
    uint32_t id = pf_table_intern(&names->addresses, &address); /* address 0 has id 0 */

    if (names->addresses.status != PF_OK ||
        !pf_grow(&names->places, &names->place_capacity, (size_t)id + 1, sizeof *names->places))
        return NULL;
    for (; names->place_count <= id; names->place_count++)
        names->places[names->place_count] = (struct pf_gperftools_place){.location = SIZE_MAX};
    return &names->places[id];
}

bool pf_gperftools_names_set(struct pf_gperftools_names *names, uint64_t address, const struct pf_gperftools_frame *frames, size_t count)
{
    struct pf_gperftools_place *place = place_of(names, address);

    if (!place || !pf_grow(&names->frames, &names->frame_capacity, names->frame_count + count, sizeof *frames))
        return false;
    if (place->count > 0)
        return true;
    place->first = names->frame_count;
    place->count = count;
    for (size_t k = 0; k < count; k++)
        names->frames[names->frame_count++] = frames[k];
    return true;
}

static uint32_t add_location(struct pf_dict *dict, const struct pf_location *location)
{
    struct pf_location row = *location;
    uint32_t id = pf_dict_add_location(dict, &row);

    if (id != 0)
        return id;
    struct pf_function function = {.name = pf_dict_intern(dict, PF_BYTES("[unknown]"), 0)};

    row.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &row);
}

static bool make_locations(struct pf_gperftools_names *names, struct pf_dict *dict, struct pf_gperftools_maps *maps, uint64_t address,
                           struct pf_gperftools_place *place)
{
    size_t count = place->count > 0 ? place->count : 1;
    struct named named = {address, 0};
    struct pf_location row = {0};

    if (!pf_grow(&names->locations, &names->location_capacity, names->location_count + count, sizeof *names->locations))
        return false;
    /* in forms without named frames it is an address all the same */
    if (pf_gperftools_is_named(address) && address - PF_GPERFTOOLS_NAMED < names->named.count)
        named = *(const struct named *)pf_table_row(&names->named, (uint32_t)(address - PF_GPERFTOOLS_NAMED));
    row.function = (uint32_t)named.function;
    if (!names->numbers || place->count == 0)
        row.address = named.address;
    if (row.address > 0)
        row.image = pf_gperftools_maps_image(maps, dict, row.address);
    place->location = names->location_count;
    place->locations = count;
    for (size_t k = 0; k < count; k++) {
        if (place->count > 0) {
            const struct pf_gperftools_frame *frame = &names->frames[place->first + k];

            row.function = frame->function;
            row.line = frame->line;
            row.inlined = k + 1 < count;
        }
        names->locations[names->location_count++] = add_location(dict, &row);
    }
    return true;
}

const uint32_t *pf_gperftools_names_get(struct pf_gperftools_names *names, struct pf_dict *dict, struct pf_gperftools_maps *maps,
                                        uint64_t address, size_t *count)
{
    struct pf_gperftools_place *place = place_of(names, address);

    if (!place || (place->location == SIZE_MAX && !make_locations(names, dict, maps, address, place)))
        return NULL;
    *count = place->locations;
    return names->locations + place->location;
}
