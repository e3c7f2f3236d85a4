#include "format/pprof/names.h"

#include "base/hash.h"
#include "format/pprof/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 32 }; /* rows looked for side by side; 16 and 64 are alike */

#define DAMAGED UINT32_MAX /* in place of a function */

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
    free(names->cuts);
    *names = (struct pf_pprof_names){0};
}

static void keep_damage(struct pf_pprof_names *names, const struct pf_error *error)
{
    if (names->damage.code == PF_OK || error->offset < names->damage.offset)
        names->damage = *error;
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
    for (size_t slot = pf_hash_mix(id ^ ids->seed) & ids->mask; ids->slots[slot] != 0; slot = (slot + 1) & ids->mask)
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

/* *twice: the first place of an id that is 0 or was there before, or SIZE_MAX. PF_OK or PF_NOMEM. */
static int index_ids(struct pf_pprof_ids *ids, const void *rows, size_t row_size, size_t count, size_t *twice)
{
    size_t size = 16;

    *twice = SIZE_MAX;
    *ids = (struct pf_pprof_ids){.rows = rows, .row_size = row_size, .count = count};
    ids->dense = are_dense(ids);
    if (ids->dense)
        return PF_OK;
    while (size < 2 * count)
        size *= 2;
    ids->mask = size - 1;
    ids->seed = pf_hash_seed();
    ids->slots = count < UINT32_MAX ? calloc(size, sizeof *ids->slots) : NULL;
    if (ids->slots == NULL)
        return PF_NOMEM;
    for (size_t k = 0; k < count; k++) {
        uint64_t id = id_of(ids, k);
        size_t slot = pf_hash_mix(id ^ ids->seed) & ids->mask;

        if (id == 0 || pf_pprof_ids_search(ids, id) != SIZE_MAX) {
            *twice = *twice < k ? *twice : k;
            continue;
        }
        while (ids->slots[slot] != 0)
            slot = (slot + 1) & ids->mask;
        ids->slots[slot] = (uint32_t)k + 1;
    }
    return PF_OK;
}

static void keep_twice(struct pf_pprof_names *names, const char *what, uint64_t id, uint64_t offset)
{
    struct pf_error error = {0};

    if (id == 0)
        pf_error_at(&error, PF_FAILED, offset, "a %s without an id", what);
    else
        pf_error_at(&error, PF_FAILED, offset, "%s %" PRIu64 " comes twice", what, id);
    keep_damage(names, &error);
}

static int index_all(struct pf_pprof_names *names, const struct pf_pprof_profile *profile)
{
    size_t at;

    if (index_ids(&names->mapping_ids, profile->mappings, sizeof *profile->mappings, profile->count.mappings, &at) != PF_OK)
        return PF_NOMEM;
    if (at != SIZE_MAX)
        keep_twice(names, "mapping", profile->mappings[at].id, profile->mappings[at].offset);
    if (index_ids(&names->function_ids, profile->functions, sizeof *profile->functions, profile->count.functions, &at) != PF_OK)
        return PF_NOMEM;
    if (at != SIZE_MAX)
        keep_twice(names, "function", profile->functions[at].id, profile->functions[at].offset);
    if (index_ids(&names->location_ids, profile->locations, sizeof *profile->locations, profile->count.locations, &at) != PF_OK)
        return PF_NOMEM;
    if (at != SIZE_MAX)
        keep_twice(names, "location", profile->locations[at].id, profile->locations[at].offset);
    return PF_OK;
}

/* --- rows of the dictionary ------------------------------------------------------------------------------- */

int pf_pprof_string(const struct pf_pprof_profile *profile, uint64_t number, uint64_t offset, uint32_t *id, struct pf_error *error)
{
    if (number < profile->count.strings) {
        *id = profile->strings[number];
        return PF_OK;
    }
    /* Where the table comes last it is the table that is cut, rather than the number wrong. */
    if (profile->last == PF_PPROF_STRING)
        return pf_error_at(error, PF_FAILED, profile->end,
                           "the table of strings ends before string %" PRId64 ", which offset %" PRIu64 " refers to", (int64_t)number,
                           offset);
    return pf_error_at(error, PF_FAILED, offset, "string %" PRId64 " of %zu there are", (int64_t)number, profile->count.strings);
}

bool pf_pprof_names_string(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, uint64_t number, uint64_t offset,
                           uint32_t *id)
{
    struct pf_error error = {0};

    if (number < profile->count.strings) {
        *id = profile->strings[number];
        return true;
    }
    if (!names->cut) {
        pf_pprof_string(profile, number, offset, id, &error);
        keep_damage(names, &error);
    }
    *id = 0;
    return false;
}

/* Images that no location refers to are none of the dictionary's. False: it is damaged. */
static bool find_image(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict, uint64_t id,
                       struct pf_pprof_place *place)
{
    size_t at = id != 0 ? pf_pprof_ids_find(&names->mapping_ids, id) : SIZE_MAX;

    *place = (struct pf_pprof_place){0};
    names->unknown += id != 0 && at == SIZE_MAX;
    if (at == SIZE_MAX)
        return id == 0 || !names->cut;
    if (names->images[at].image == 0) {
        const struct pf_pprof_mapping *mapping = &profile->mappings[at];
        struct pf_image image = {.start = mapping->start, .limit = mapping->limit, .offset = mapping->shift, .flags = mapping->flags};
        uint32_t own, first;

        if (!pf_pprof_names_string(names, profile, mapping->file, mapping->offset, &image.name) ||
            !pf_pprof_names_string(names, profile, mapping->build_id, mapping->offset, &image.identifier))
            return false;
        own = pf_pprof_add_image(dict, image);
        first = names->relocate != NULL ? pf_pprof_common_image(names->relocate, dict, own) : own;
        names->images[at] = (struct pf_pprof_place){first, pf_dict_image(dict, first)->start - image.start};
    }
    *place = names->images[at];
    return true;
}

/* The model says "the same" where there is no system name, so one that is the same is left out. Where a file has functions that have
 * none, those that have the same keep it, and whoever writes is told. */
static bool make_function(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, const struct pf_pprof_function *row,
                          struct pf_function *function)
{
    *function = (struct pf_function){.start_line = row->start_line};
    if (!pf_pprof_names_string(names, profile, row->name, row->offset, &function->name) ||
        !pf_pprof_names_string(names, profile, row->system_name, row->offset, &function->system_name) ||
        !pf_pprof_names_string(names, profile, row->file, row->offset, &function->file))
        return false;
    if (function->system_name == function->name && !names->bare_system_names)
        function->system_name = 0;
    return true;
}

/* Searches of several rows go on side by side: each waits for memory. */
static void hint(const struct pf_table *table, const void *rows, size_t count)
{
    for (size_t k = 0; k < count; k++)
        pf_table_hint(table, (const char *)rows + k * table->row_size);
    for (size_t k = 0; k < count; k++)
        pf_table_hint_row(table, (const char *)rows + k * table->row_size);
}

static void find_functions(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict)
{
    struct pf_function rows[AHEAD];
    bool whole[AHEAD];
    size_t count = profile->count.functions;

    for (size_t k = 0; k < count && !names->bare_system_names; k++)
        names->bare_system_names = profile->functions[k].name != 0 && profile->functions[k].system_name == 0;
    for (size_t at = 0; at < count; at += AHEAD) {
        size_t some = count - at < AHEAD ? count - at : AHEAD;

        for (size_t k = 0; k < some; k++)
            whole[k] = make_function(names, profile, &profile->functions[at + k], &rows[k]);
        hint(&dict->functions, rows, some);
        for (size_t k = 0; k < some; k++)
            names->functions[at + k] = whole[k] ? pf_dict_add_function(dict, &rows[k]) : DAMAGED;
    }
}

/* 0 where there is none, or the id leads nowhere, which pprof takes as none. */
static uint32_t find_function(struct pf_pprof_names *names, uint64_t id)
{
    size_t place = id != 0 ? pf_pprof_ids_find(&names->function_ids, id) : SIZE_MAX;

    if (place != SIZE_MAX)
        return names->functions[place];
    names->unknown += id != 0;
    return id != 0 && names->cut ? DAMAGED : 0;
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

/* Frames on their way into the dictionary. */
struct waiting {
    struct pf_location rows[AHEAD];
    size_t count;
    uint32_t *to; /* where the id of the first goes, the others behind it */
};

static void add_waiting(struct waiting *waiting, struct pf_dict *dict)
{
    hint(&dict->locations, waiting->rows, waiting->count);
    for (size_t k = 0; k < waiting->count; k++)
        *waiting->to++ = add_frame(dict, &waiting->rows[k]);
    waiting->count = 0;
}

static void wait_for(struct waiting *waiting, struct pf_dict *dict, const struct pf_location *location)
{
    if (waiting->count == AHEAD)
        add_waiting(waiting, dict);
    waiting->rows[waiting->count++] = *location;
}

/* False: something of the location is damaged. */
static bool find_lines(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict,
                       const struct pf_pprof_location *row, struct waiting *waiting)
{
    struct pf_error error = {0};
    struct pf_pprof_place place;
    bool whole = find_image(names, profile, dict, row->mapping, &place);
    struct pf_location location = {.image = place.image, .address = row->address != 0 ? row->address + place.slide : 0};

    for (size_t k = 0; k < row->line_count; k++) {
        const struct pf_pprof_line *line = &profile->lines[row->line + k];
        uint32_t function = find_function(names, line->function);

        if (line->column < 0 || line->column > UINT32_MAX) {
            pf_error_at(&error, PF_FAILED, row->offset, "column %" PRId64 " does not fit 32 bits", line->column);
            keep_damage(names, &error);
        }
        whole = whole && function != DAMAGED && error.code == PF_OK;
        location.function = whole ? function : 0;
        location.line = line->line;
        location.column = (uint32_t)line->column;
        location.inlined = k + 1 < row->line_count;
        wait_for(waiting, dict, &location);
    }
    if (row->line_count == 0)
        wait_for(waiting, dict, &location);
    return whole;
}

static void find_locations(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict)
{
    struct waiting waiting = {.to = names->frames};
    uint32_t used = 0;

    for (size_t k = 0; k < profile->count.locations; k++) {
        const struct pf_pprof_location *row = &profile->locations[k];
        uint32_t count = row->line_count > 0 ? (uint32_t)row->line_count : 1;
        bool whole = find_lines(names, profile, dict, row, &waiting);

        names->spans[k] = (struct pf_pprof_span){used, whole ? count : 0};
        used += count;
    }
    add_waiting(&waiting, dict);
    for (size_t k = 0; k < profile->count.locations; k++)
        names->single[k] = names->spans[k].count == 1 ? names->frames[names->spans[k].first] : 0;
}

int pf_pprof_names_find(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, struct pf_dict *dict,
                        struct pf_pprof_common *relocate, struct pf_error *error)
{
    size_t locations = profile->count.locations, frames = locations + profile->count.lines;

    if (index_all(names, profile) != PF_OK)
        return pf_error_nomem(error);
    names->relocate = relocate;
    names->images = calloc(profile->count.mappings + 1, sizeof *names->images);
    names->functions = malloc((profile->count.functions + 1) * sizeof *names->functions);
    names->single = malloc((locations + 1) * sizeof *names->single);
    names->spans = malloc((locations + 1) * sizeof *names->spans);
    names->frames = frames < UINT32_MAX ? malloc((frames + 1) * sizeof *names->frames) : NULL;
    if (!names->images || !names->functions || !names->single || !names->spans || !names->frames)
        return pf_error_nomem(error);
    find_functions(names, profile, dict);
    find_locations(names, profile, dict);
    return pf_dict_status(dict) < 0 ? pf_error_nomem(error) : PF_OK;
}
