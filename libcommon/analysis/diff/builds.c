#include "analysis/diff/builds.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* --- keys ------------------------------------------------------------------------------------- */

bool pf_builds_program(const struct pf_dict *dict, const unsigned char *seen, uint32_t images[2])
{
    size_t count[2] = {0, 0};

    for (uint32_t image = 1; image < dict->strings.count; image++)
        for (unsigned side = 0; side < 2; side++)
            if (seen[image] == PF_BUILD_BEFORE << side) {
                images[side] = image;
                count[side]++;
            }
    return count[0] == 1 && count[1] == 1;
}

uint32_t *pf_builds_keys(const struct pf_keys *keys, const uint32_t images[2], bool *any)
{
    uint32_t count = keys->table.count, *to = calloc((size_t)count + 1, sizeof *to);

    *any = false;
    for (uint32_t key = 1; to && key < count; key++) {
        struct pf_key row = *pf_keys_row(keys, key);

        to[key] = key;
        if (row.image != images[1] || row.name == 0)
            continue;
        row.image = images[0];
        uint32_t joined = pf_table_find(&keys->table, &row);
        to[key] = joined != 0 ? joined : key;
        *any = *any || joined != 0;
    }
    return to;
}

/* --- what each side has ----------------------------------------------------------------------- */

void pf_builds_free(struct pf_builds *builds)
{
    pf_keys_free(&builds->keys);
    free(builds->joined);
    free(builds->locations);
    free(builds->functions);
    pf_merge_map_free(&builds->map);
}

/* The marks of record number `record`: a side has it if it has a value. */
static unsigned char marks_of(const struct pf_merge_kind *kind, size_t record)
{
    const struct pf_ledger *ledger = &kind->columns.ledger;
    unsigned char marks = 0;

    for (uint32_t i = 0; i < ledger->count && marks != PF_BUILD_BOTH; i++)
        for (unsigned side = 0; side < 2; side++)
            if (pf_sums_wide_at(&ledger->sums[i], 2 * record + side) != 0)
                marks |= (unsigned char)(PF_BUILD_BEFORE << side);
    return marks;
}

static void mark_places(struct pf_builds *builds, const struct pf_merge_kind *kind)
{
    for (size_t k = 0; k < pf_merge_records_count(&kind->records); k++) {
        const struct pf_merge_key *key = pf_merge_records_key(&kind->records, k);
        unsigned char marks = marks_of(kind, k);

        builds->locations[key->place - 1] |= marks;
        builds->locations[key->callee] |= marks;
    }
}

/* A node of the stacks has the marks of its children, whose ids are greater. */
static int mark_stacks(struct pf_builds *builds, const struct pf_merge_kind *kind)
{
    const struct pf_dict *dict = builds->dict;
    unsigned char *nodes = calloc((size_t)dict->stacks.count + 1, 1);

    if (!nodes)
        return PF_NOMEM;
    for (size_t k = 0; k < pf_merge_records_count(&kind->records); k++)
        nodes[pf_merge_records_key(&kind->records, k)->place - 1] |= marks_of(kind, k);
    for (uint32_t node = dict->stacks.count; node-- > 1;) {
        const struct pf_stack *row = pf_dict_stack(dict, node);

        nodes[row->parent] |= nodes[node];
        builds->locations[row->location] |= nodes[node];
    }
    free(nodes);
    return PF_OK;
}

/* Sets images[image] to the marks of the image. False: no image is on one side only. */
static bool mark_images(const struct pf_builds *builds, unsigned char *images)
{
    unsigned char one = 0;

    for (uint32_t k = 1; k < builds->known; k++)
        images[pf_dict_location(builds->dict, k)->image] |= builds->locations[k];
    for (uint32_t image = 0; image < builds->dict->images.count; image++)
        one |= images[image] != PF_BUILD_BOTH ? images[image] : 0;
    return one == PF_BUILD_BOTH;
}

/* --- functions -------------------------------------------------------------------------------- */

static uint32_t key_of(const struct pf_builds *builds, uint32_t location)
{
    uint32_t key = builds->keys.places[location];

    return builds->joined ? builds->joined[key] : key;
}

static uint32_t image_name(const struct pf_builds *builds, uint32_t location)
{
    return pf_keys_row(&builds->keys, builds->keys.places[location])->image;
}

/* Finds the keys of all locations, joined. Sets builds_of[name] to the marks of the images of this
 * name that are on one side only; both marks: the sides have different builds. */
static int find_keys(struct pf_builds *builds, const unsigned char *images,
                     unsigned char *builds_of, unsigned char *seen)
{
    uint32_t program[2];
    bool any = false;

    for (uint32_t k = 1; k < builds->known; k++) {
        unsigned char marks = images[pf_dict_location(builds->dict, k)->image];

        if (builds->locations[k] == 0)
            continue;
        seen[image_name(builds, k)] |= builds->locations[k];
        builds_of[image_name(builds, k)] |= marks != PF_BUILD_BOTH ? marks : 0;
    }
    if (!pf_builds_program(builds->dict, seen, program))
        return PF_OK;
    builds_of[program[0]] = builds_of[program[1]] = PF_BUILD_BOTH;
    builds->joined = pf_builds_keys(&builds->keys, program, &any);
    return builds->joined ? PF_OK : PF_NOMEM;
}

/* Notes a form of a function. If the function has one key before and another after, its image and
 * first line are those before. */
static void add_form(struct pf_builds *builds, uint32_t location)
{
    const struct pf_location *place = pf_dict_location(builds->dict, location);
    uint32_t key = key_of(builds, location);
    struct pf_build_function *function = &builds->functions[key];
    int64_t line = pf_dict_function(builds->dict, place->function)->start_line, least;

    function->marks |= builds->locations[location];
    if (builds->keys.places[location] != key && builds->locations[location] != 0)
        function->rebuilt = true;
    if (builds->keys.places[location] != key)
        return;
    function->image = place->image;
    if (function->function == 0)
        function->function = place->function;
    least = pf_dict_function(builds->dict, function->function)->start_line;
    if (line > 0 && (least <= 0 || line < least))
        function->function = place->function;
}

static uint32_t place_of(void *arg, uint32_t location)
{
    const struct pf_builds *builds = arg;

    if (location >= builds->known || builds->locations[location] == 0)
        return location;
    const struct pf_build_function *function = &builds->functions[key_of(builds, location)];
    struct pf_location place = *pf_dict_location(builds->dict, location);

    if (!function->rebuilt)
        return location;
    place.function = function->function;
    place.image = pf_image_plain(builds->dict, function->image);
    place.address = 0;
    return pf_dict_add_location(builds->dict, &place);
}

static int join_functions(struct pf_builds *builds, const unsigned char *builds_of)
{
    uint32_t count = builds->keys.table.count;
    bool any = false;

    builds->functions = calloc((size_t)count + 1, sizeof *builds->functions);
    if (!builds->functions)
        return PF_NOMEM;
    for (uint32_t k = 1; k < builds->known; k++)
        add_form(builds, k);
    for (uint32_t key = 1; key < count; key++) {
        const struct pf_key *row = pf_keys_row(&builds->keys, key);
        struct pf_build_function *function = &builds->functions[key];

        if (function->marks == PF_BUILD_BOTH && row->name != 0 &&
            builds_of[row->image] == PF_BUILD_BOTH)
            function->rebuilt = true;
        any = any || function->rebuilt;
    }
    return any ? pf_merge_map_extend(&builds->map) : PF_OK;
}

int pf_builds_find(struct pf_builds *builds, struct pf_dict *dict,
                   const struct pf_merge_kind kinds[PF_RECORD_KINDS])
{
    unsigned char *images = calloc((size_t)dict->images.count + 1, 1), *names = NULL;
    int status;

    builds->dict = dict;
    builds->map = (struct pf_merge_map){.dict = dict, .place = place_of, .arg = builds};
    builds->known = dict->locations.count;
    builds->locations = calloc(builds->known + 1, 1);
    status = images && builds->locations ? mark_stacks(builds, &kinds[PF_SAMPLE]) : PF_NOMEM;
    if (status == PF_OK) {
        mark_places(builds, &kinds[PF_FLAT]);
        mark_places(builds, &kinds[PF_EDGE]);
    }
    if (status == PF_OK && mark_images(builds, images)) {
        if (pf_keys_init(&builds->keys, dict, PF_BY_FUNCTION, 0) == PF_OK)
            pf_keys_places(&builds->keys);
        names = calloc(2, (size_t)dict->strings.count + 1);
        status = names && builds->keys.status == PF_OK
                     ? find_keys(builds, images, names, names + dict->strings.count)
                     : PF_NOMEM;
        if (status == PF_OK)
            status = join_functions(builds, names);
    }
    free(images);
    free(names);
    return status;
}
