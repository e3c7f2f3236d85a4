#include "format/pprof_names.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pf_pprof_names_free(struct pf_pprof_names *names)
{
    free(names->mapping_ids.slots);
    free(names->function_ids.slots);
    free(names->location_ids.slots);
    free(names->images);
    free(names->functions);
    free(names->single);
    free(names->spans);
    free(names->frames);
    *names = (struct pf_pprof_names){0};
}

/* --- ids -------------------------------------------------------------------------------------------------- */

static uint64_t id_of(const struct pf_pprof_ids *ids, size_t place)
{
    uint64_t id;

    memcpy(&id, ids->rows + place * ids->row_size, sizeof id);
    return id;
}

size_t pf_pprof_ids_search(const struct pf_pprof_ids *ids, uint64_t id)
{
    if (ids->slots == NULL)
        return SIZE_MAX;
    for (size_t slot = pf_hash_mix(id) & ids->mask; ids->slots[slot] != 0; slot = (slot + 1) & ids->mask)
        if (id_of(ids, ids->slots[slot] - 1) == id)
            return ids->slots[slot] - 1;
    return SIZE_MAX;
}

static bool are_dense(const struct pf_pprof_ids *ids)
{
    for (size_t k = 0; k < ids->count; k++)
        if (id_of(ids, k) != k + 1)
            return false;
    return true;
}

/* PF_FAILED: *twice is the place of an id that is 0 or was there before. */
static int index_ids(struct pf_pprof_ids *ids, const void *rows, size_t row_size, size_t count, size_t *twice)
{
    size_t size = 16;

    *ids = (struct pf_pprof_ids){.rows = rows, .row_size = row_size, .count = count};
    ids->dense = are_dense(ids);
    if (ids->dense)
        return PF_OK;
    while (size < 2 * count)
        size *= 2;
    ids->mask = size - 1;
    ids->slots = count < UINT32_MAX ? calloc(size, sizeof *ids->slots) : NULL;
    if (ids->slots == NULL)
        return PF_NOMEM;
    for (*twice = 0; *twice < count; ++*twice) {
        uint64_t id = id_of(ids, *twice);
        size_t slot = pf_hash_mix(id) & ids->mask;

        if (id == 0 || pf_pprof_ids_search(ids, id) != SIZE_MAX)
            return PF_FAILED;
        while (ids->slots[slot] != 0)
            slot = (slot + 1) & ids->mask;
        ids->slots[slot] = (uint32_t)*twice + 1;
    }
    return PF_OK;
}

static int explain(int status, const char *what, uint64_t id, uint64_t offset, struct pf_error *error)
{
    if (status == PF_NOMEM)
        return pf_error_nomem(error);
    if (status == PF_OK)
        return PF_OK;
    return id == 0 ? pf_error_at(error, PF_FAILED, offset, "a %s without an id", what)
                   : pf_error_at(error, PF_FAILED, offset, "%s %" PRIu64 " comes twice", what, id);
}

static int index_all(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_error *error)
{
    size_t at = 0;
    int status = index_ids(&names->mapping_ids, profile->mappings, sizeof *profile->mappings, profile->count.mappings, &at);

    if (status != PF_OK)
        return explain(status, "mapping", profile->mappings[at].id, profile->mappings[at].offset, error);
    status = index_ids(&names->function_ids, profile->functions, sizeof *profile->functions, profile->count.functions, &at);
    if (status != PF_OK)
        return explain(status, "function", profile->functions[at].id, profile->functions[at].offset, error);
    status = index_ids(&names->location_ids, profile->locations, sizeof *profile->locations, profile->count.locations, &at);
    if (status != PF_OK)
        return explain(status, "location", profile->locations[at].id, profile->locations[at].offset, error);
    return PF_OK;
}

/* --- rows of the dictionary ------------------------------------------------------------------------------- */

int pf_pprof_string(const struct pf_pprof_profile *profile, uint64_t number, uint64_t offset, uint32_t *id, struct pf_error *error)
{
    if (number >= profile->count.strings)
        return pf_error_at(error, PF_FAILED, offset, "string %" PRId64 " of %zu there are", (int64_t)number, profile->count.strings);
    *id = profile->strings[number];
    return PF_OK;
}

static int find_images(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict,
                       struct pf_error *error)
{
    for (size_t k = 0; k < profile->count.mappings; k++) {
        const struct pf_pprof_mapping *mapping = &profile->mappings[k];
        struct pf_image image = {.start = mapping->start, .limit = mapping->limit, .offset = mapping->shift, .flags = mapping->flags};

        if (pf_pprof_string(profile, mapping->file, mapping->offset, &image.name, error) != PF_OK ||
            pf_pprof_string(profile, mapping->build_id, mapping->offset, &image.identifier, error) != PF_OK)
            return error->code;
        names->images[k] = pf_dict_add_image(dict, &image);
    }
    return PF_OK;
}

/* The model says "the same" where there is no system name, so one that is the same is left out. Where a file has functions that have
 * none, those that have the same keep it, and whoever writes is told. */
static int find_functions(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict,
                          struct pf_error *error)
{
    for (size_t k = 0; k < profile->count.functions && !names->bare_system_names; k++)
        names->bare_system_names = profile->functions[k].name != 0 && profile->functions[k].system_name == 0;
    for (size_t k = 0; k < profile->count.functions; k++) {
        const struct pf_pprof_function *row = &profile->functions[k];
        struct pf_function function = {.start_line = row->start_line};

        if (pf_pprof_string(profile, row->name, row->offset, &function.name, error) != PF_OK ||
            pf_pprof_string(profile, row->system_name, row->offset, &function.system_name, error) != PF_OK ||
            pf_pprof_string(profile, row->file, row->offset, &function.file, error) != PF_OK)
            return error->code;
        if (function.system_name == function.name && !names->bare_system_names)
            function.system_name = 0;
        names->functions[k] = pf_dict_add_function(dict, &function);
    }
    return PF_OK;
}

/* The id behind a reference; 0 where there is none, or it leads nowhere, which pprof takes as none. */
static uint32_t refer(struct pf_pprof_names *names, const struct pf_pprof_ids *ids, const uint32_t *rows, uint64_t id)
{
    size_t place = id != 0 ? pf_pprof_ids_find(ids, id) : SIZE_MAX;

    names->unknown += id != 0 && place == SIZE_MAX;
    return place != SIZE_MAX ? rows[place] : 0;
}

static uint32_t add_frame(struct pf_dict *dict, struct pf_location *location)
{
    uint32_t id = pf_dict_add_location(dict, location);

    /* A place of which nothing is known is one all the same. */
    if (id == 0 && pf_dict_status(dict) == PF_OK) {
        location->kind = PF_FRAME_NATIVE;
        id = pf_dict_add_location(dict, location);
    }
    return id;
}

static int find_lines(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict,
                      const struct pf_pprof_location *row, uint32_t *frames, struct pf_error *error)
{
    struct pf_location location = {.image = refer(names, &names->mapping_ids, names->images, row->mapping), .address = row->address};

    for (size_t k = 0; k < row->line_count; k++) {
        const struct pf_pprof_line *line = &profile->lines[row->line + k];

        if (line->column < 0 || line->column > UINT32_MAX)
            return pf_error_at(error, PF_FAILED, row->offset, "column %" PRId64 " does not fit 32 bits", line->column);
        location.function = refer(names, &names->function_ids, names->functions, line->function);
        location.line = line->line;
        location.column = (uint32_t)line->column;
        location.inlined = k + 1 < row->line_count;
        frames[k] = add_frame(dict, &location);
    }
    if (row->line_count == 0)
        frames[0] = add_frame(dict, &location);
    return PF_OK;
}

static int find_locations(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict,
                          struct pf_error *error)
{
    uint32_t used = 0;

    for (size_t k = 0; k < profile->count.locations; k++) {
        const struct pf_pprof_location *row = &profile->locations[k];
        uint32_t count = row->line_count > 0 ? (uint32_t)row->line_count : 1;

        if (find_lines(names, profile, dict, row, names->frames + used, error) != PF_OK)
            return error->code;
        names->single[k] = count == 1 ? names->frames[used] : 0;
        names->spans[k] = (struct pf_pprof_span){used, count};
        used += count;
    }
    return PF_OK;
}

int pf_pprof_names_find(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict,
                        struct pf_error *error)
{
    size_t locations = profile->count.locations, frames = locations + profile->count.lines;
    int status = index_all(names, profile, error);

    if (status != PF_OK)
        return status;
    names->images = malloc((profile->count.mappings + 1) * sizeof *names->images);
    names->functions = malloc((profile->count.functions + 1) * sizeof *names->functions);
    names->single = malloc((locations + 1) * sizeof *names->single);
    names->spans = malloc((locations + 1) * sizeof *names->spans);
    names->frames = frames < UINT32_MAX ? malloc((frames + 1) * sizeof *names->frames) : NULL;
    if (!names->images || !names->functions || !names->single || !names->spans || !names->frames)
        return pf_error_nomem(error);
    status = find_images(names, profile, dict, error);
    if (status == PF_OK)
        status = find_functions(names, profile, dict, error);
    if (status == PF_OK)
        status = find_locations(names, profile, dict, error);
    return status == PF_OK && pf_dict_status(dict) < 0 ? pf_error_nomem(error) : status;
}
