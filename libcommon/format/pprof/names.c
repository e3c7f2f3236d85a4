/* From the ids of a profile to rows of the dictionary, and the frames that the profile drops. */
#include "format/pprof/names.h"

#include "analysis/filter/pattern.h"
#include "analysis/sum/units.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/images.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- images ----------------------------------------------------------------------------------- */

int pf_pprof_common_init(struct pf_pprof_common *common)
{
    if (common->memo)
        return PF_OK;
    common->memo = pf_stack_memo_new();
    return common->memo ? pf_table_init(&common->keys, sizeof(struct pf_image_key)) : PF_NOMEM;
}

void pf_pprof_common_free(void *object)
{
    struct pf_pprof_common *common = object;

    pf_stack_memo_free(common->memo);
    pf_table_free(&common->keys);
    pf_id_map_free(&common->first);
    pf_pprof_profile_free(&common->spare);
}

uint32_t pf_pprof_add_image(struct pf_dict *dict, struct pf_image image)
{
    if (!image.name && !image.identifier && !image.start && !image.limit && !image.offset &&
        !image.flags)
        image.flags = PF_IMAGE_BARE;
    return pf_dict_add_image(dict, &image);
}

/* The first image of all inputs with the same key; the image itself if it has no key. */
static uint32_t first_image(struct pf_pprof_common *common, struct pf_dict *dict, uint32_t image)
{
    struct pf_image_key key;
    uint32_t id, first;

    if (!pf_image_key(dict, pf_dict_image(dict, image), &key))
        return image;
    id = pf_table_intern(&common->keys, &key);
    if (pf_id_map_get(&common->first, id, &first))
        return first;
    if (id == 0 || !pf_id_map_put(&common->first, id, image))
        dict->images.status = PF_NOMEM;
    return image;
}

/* --- names ------------------------------------------------------------------------------------ */

enum { AHEAD = 32 }; /* rows whose searches run side by side; 16 and 64 are as fast */

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

/* --- ids -------------------------------------------------------------------------------------- */

static uint64_t id_of(const struct pf_pprof_ids *ids, size_t place)
{
    uint64_t id;

    memcpy(&id, ids->rows + place * ids->row_size, sizeof id);
    return id;
}

size_t pf_pprof_ids_search(const struct pf_pprof_ids *ids, uint64_t id)
{
    if (!ids->slots)
        return SIZE_MAX;
    for (size_t slot = pf_hash_key(id, ids->seed) & ids->mask; ids->slots[slot] != 0;
         slot = (slot + 1) & ids->mask)
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

static void keep_twice(struct pf_pprof_names *names, const char *what,
                       const struct pf_pprof_ids *ids, size_t place)
{
    struct pf_error error = {0};
    struct pf_pprof_row row;

    memcpy(&row, ids->rows + place * ids->row_size, sizeof row);
    if (row.id == 0)
        pf_error_at(&error, PF_FAILED, row.offset, "a %s without an id", what);
    else
        pf_error_at(&error, PF_FAILED, row.offset, "%s %" PRIu64 " is defined twice", what, row.id);
    keep_damage(names, &error);
}

/* Makes the index of ids. An id that is 0 or comes twice is damage. PF_OK or PF_NOMEM. */
static int index_ids(struct pf_pprof_names *names, struct pf_pprof_ids *ids, const char *what,
                     const void *rows, size_t row_size, size_t count)
{
    size_t size = 16;
    bool damaged = false;

    *ids = (struct pf_pprof_ids){.rows = rows, .row_size = row_size, .count = count};
    ids->dense = are_dense(ids);
    if (ids->dense)
        return PF_OK;
    while (size < 2 * count)
        size *= 2;
    ids->mask = size - 1;
    ids->seed = pf_hash_seed();
    ids->slots = count < UINT32_MAX ? calloc(size, sizeof *ids->slots) : NULL;
    if (!ids->slots)
        return PF_NOMEM;
    for (size_t k = 0; k < count; k++) {
        uint64_t id = id_of(ids, k);
        size_t slot = pf_hash_key(id, ids->seed) & ids->mask;

        if (id == 0 || pf_pprof_ids_search(ids, id) != SIZE_MAX) {
            if (!damaged)
                keep_twice(names, what, ids, k);
            damaged = true;
            continue;
        }
        while (ids->slots[slot] != 0)
            slot = (slot + 1) & ids->mask;
        ids->slots[slot] = (uint32_t)k + 1;
    }
    return PF_OK;
}

static int index_all(struct pf_pprof_names *names, const struct pf_pprof_profile *profile)
{
    int status = index_ids(names, &names->mapping_ids, "mapping", profile->mappings,
                           sizeof *profile->mappings, profile->count.mappings);

    if (status == PF_OK)
        status = index_ids(names, &names->function_ids, "function", profile->functions,
                           sizeof *profile->functions, profile->count.functions);
    if (status == PF_OK)
        status = index_ids(names, &names->location_ids, "location", profile->locations,
                           sizeof *profile->locations, profile->count.locations);
    return status;
}

/* --- rows of the dictionary ------------------------------------------------------------------- */

int pf_pprof_string(const struct pf_pprof_profile *profile, uint64_t number, uint64_t offset,
                    uint32_t *id, struct pf_error *error)
{
    if (number < profile->count.strings) {
        *id = profile->strings[number];
        return PF_OK;
    }
    /* If the table of strings comes last, the table is cut; the number is right. */
    if (profile->last == PF_PPROF_STRING)
        return pf_error_at(error, PF_FAILED, profile->end,
                           "the table of strings ends before string %" PRId64
                           ", which offset %" PRIu64 " refers to",
                           (int64_t)number, offset);
    return pf_error_at(error, PF_FAILED, offset,
                       "string %" PRId64 " is missing, the profile has %zu", (int64_t)number,
                       profile->count.strings);
}

bool pf_pprof_names_string(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                           uint64_t number, uint64_t offset, uint32_t *id)
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

/* Finds the image of a mapping, and adds it to the dictionary if no location had it yet. False: the
 * mapping is damaged, or missing in a cut input. */
static bool find_place(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                       struct pf_dict *dict, uint64_t id, struct pf_pprof_place *place)
{
    size_t at = id != 0 ? pf_pprof_ids_find(&names->mapping_ids, id) : SIZE_MAX;

    *place = (struct pf_pprof_place){0};
    names->unknown += id != 0 && at == SIZE_MAX;
    if (at == SIZE_MAX)
        return id == 0 || !names->cut;
    if (names->images[at].image == 0) {
        const struct pf_pprof_mapping *mapping = &profile->mappings[at];
        struct pf_image image = {.start = mapping->start,
                                 .limit = mapping->limit,
                                 .offset = mapping->shift,
                                 .flags = mapping->flags};
        uint32_t own, first;

        if (!pf_pprof_names_string(names, profile, mapping->file, mapping->offset, &image.name) ||
            !pf_pprof_names_string(names, profile, mapping->build_id, mapping->offset,
                                   &image.identifier))
            return false;
        own = pf_pprof_add_image(dict, image);
        first = names->relocate ? first_image(names->relocate, dict, own) : own;
        names->images[at] =
            (struct pf_pprof_place){first, pf_dict_image(dict, first)->start - image.start};
    }
    *place = names->images[at];
    return true;
}

/* Makes the function of a row. In the model a missing system name means the same as the name, so a
 * system name equal to the name is left out. But if some functions of the profile have no system
 * name, all functions keep their system names. A row of metadata tells the writer, also for a
 * profile without functions: their names will come from elsewhere. False: damaged. */
static bool make_function(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                          const struct pf_pprof_function *row, struct pf_function *function)
{
    *function = (struct pf_function){.start_line = row->start_line};
    if (!pf_pprof_names_string(names, profile, row->name, row->offset, &function->name) ||
        !pf_pprof_names_string(names, profile, row->system_name, row->offset,
                               &function->system_name) ||
        !pf_pprof_names_string(names, profile, row->file, row->offset, &function->file))
        return false;
    if (function->system_name == function->name && !names->bare_system_names)
        function->system_name = 0;
    return true;
}

/* Starts the searches for several rows side by side: alone each would wait for memory. */
static void hint_rows(const struct pf_table *table, const void *rows, size_t count)
{
    for (size_t k = 0; k < count; k++)
        pf_table_hint(table, (const char *)rows + k * table->row_size);
    for (size_t k = 0; k < count; k++)
        pf_table_hint_row(table, (const char *)rows + k * table->row_size);
}

static void find_functions(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                           struct pf_dict *dict)
{
    struct pf_function rows[AHEAD];
    bool whole[AHEAD];
    size_t count = profile->count.functions;

    names->bare_system_names |= count == 0;
    for (size_t k = 0; k < count && !names->bare_system_names; k++)
        names->bare_system_names = profile->functions[k].name != 0 &&
                                   profile->functions[k].system_name == 0;
    for (size_t at = 0; at < count; at += AHEAD) {
        size_t some = count - at < AHEAD ? count - at : AHEAD;

        for (size_t k = 0; k < some; k++)
            whole[k] = make_function(names, profile, &profile->functions[at + k], &rows[k]);
        hint_rows(&dict->functions, rows, some);
        for (size_t k = 0; k < some; k++)
            names->functions[at + k] = whole[k] ? pf_dict_add_function(dict, &rows[k]) : DAMAGED;
    }
}

/* The function of an id. 0: no function; also, as in pprof, for an id that no function has; DAMAGED
 * for such an id in a cut input. */
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

    /* A location without any facts must stay a frame of the stack: the kind makes it differ from
     * "no location". */
    if (id == 0 && pf_dict_status(dict) == PF_OK) {
        location->kind = PF_FRAME_NATIVE;
        id = pf_dict_add_location(dict, location);
    }
    return id;
}

/* Frames that will be added to the dictionary together. */
struct location_queue {
    struct pf_location rows[AHEAD];
    size_t count;
    uint32_t *to; /* where the ids go */
};

static void add_queued(struct location_queue *queue, struct pf_dict *dict)
{
    hint_rows(&dict->locations, queue->rows, queue->count);
    for (size_t k = 0; k < queue->count; k++)
        *queue->to++ = add_frame(dict, &queue->rows[k]);
    queue->count = 0;
}

static void queue_location(struct location_queue *queue, struct pf_dict *dict,
                           const struct pf_location *location)
{
    if (queue->count == AHEAD)
        add_queued(queue, dict);
    queue->rows[queue->count++] = *location;
}

/* Queues the frames of a location. False: the location or a part of it is damaged. */
static bool find_lines(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                       struct pf_dict *dict, const struct pf_pprof_location *row,
                       struct location_queue *queue)
{
    struct pf_error error = {0};
    struct pf_pprof_place place;
    bool whole = find_place(names, profile, dict, row->mapping, &place);
    struct pf_location location = {.image = place.image,
                                   .address = row->address != 0 ? row->address + place.slide : 0};

    for (size_t k = 0; k < row->line_count; k++) {
        const struct pf_pprof_line *line = &profile->lines[row->line + k];
        uint32_t function = find_function(names, line->function);

        if (line->column < 0 || line->column > UINT32_MAX) {
            pf_error_at(&error, PF_FAILED, row->offset, "column %" PRId64 " does not fit 32 bits",
                        line->column);
            keep_damage(names, &error);
        }
        whole = whole && function != DAMAGED && error.code == PF_OK;
        location.function = whole ? function : 0;
        location.line = line->line;
        location.column = (uint32_t)line->column;
        location.inlined = k + 1 < row->line_count;
        queue_location(queue, dict, &location);
    }
    if (row->line_count == 0)
        queue_location(queue, dict, &location);
    return whole;
}

static void find_locations(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                           struct pf_dict *dict)
{
    struct location_queue queue = {.to = names->frames};
    uint32_t used = 0;

    for (size_t k = 0; k < profile->count.locations; k++) {
        const struct pf_pprof_location *row = &profile->locations[k];
        uint32_t count = row->line_count > 0 ? (uint32_t)row->line_count : 1;
        bool whole = find_lines(names, profile, dict, row, &queue);

        names->spans[k] = (struct pf_pprof_span){used, whole ? count : 0};
        used += count;
    }
    add_queued(&queue, dict);
    for (size_t k = 0; k < profile->count.locations; k++)
        names->single[k] = names->spans[k].count == 1 ? names->frames[names->spans[k].first] : 0;
}

int pf_pprof_names_find(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                        struct pf_dict *dict, struct pf_pprof_common *relocate,
                        struct pf_error *error)
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

/* --- measures --------------------------------------------------------------------------------- */

/* The number of the type that tables show first: the default of the profile, else the last type. */
static size_t main_type(const struct pf_pprof_profile *profile)
{
    uint64_t named = profile->count.scalars.value[PF_PPROF_DEFAULT_TYPE];

    for (size_t k = 0; k < profile->count.types && named != 0 && named < profile->count.strings;
         k++)
        if (profile->types[k].type < profile->count.strings &&
            profile->strings[profile->types[k].type] == profile->strings[named])
            return k;
    return profile->count.types - 1;
}

static bool counts_samples(const struct pf_dict *dict, uint32_t name, uint32_t unit)
{
    struct pf_bytes text = pf_dict_string(dict, name);

    return pf_bytes_equal(pf_dict_string(dict, unit), PF_BYTES("count")) &&
           (pf_bytes_equal(text, PF_BYTES("samples")) || pf_bytes_equal(text, PF_BYTES("sample")));
}

/* NAME#NUMBER, or NAME for number 1. */
static uint32_t numbered_name(struct pf_dict *dict, uint32_t name, size_t number)
{
    struct pf_bytes text = pf_dict_string(dict, name);
    struct pf_buffer numbered = {0};

    if (number == 1)
        return name;
    pf_buffer_append(&numbered, text.data, text.size);
    pf_buffer_printf(&numbered, "#%zu", number);
    return pf_dict_intern_buffer(dict, &numbered, dict->strings.rows[name].flags);
}

static bool is_taken(const struct pf_rows *rows, const struct pf_measure *measure)
{
    for (size_t k = 0; k < pf_rows_column_count(rows); k++)
        if (pf_measure_same(pf_measures_row(&rows->dict->measures, pf_rows_measure_of(rows, k)),
                            measure))
            return true;
    return false;
}

/* Makes the name of a type distinct: if an earlier type has the same name and unit, the name
 * becomes NAME#2, because name and unit identify a measure. */
static void set_distinct_name(const struct pf_pprof_profile *profile, size_t type,
                              const struct pf_rows *rows, struct pf_measure *measure)
{
    const struct pf_pprof_type *types = profile->types;
    const uint32_t *strings = profile->strings;
    uint32_t name = measure->name;
    size_t number = 1;

    for (size_t k = 0; k < type; k++)
        number += strings[types[k].type] == strings[types[type].type] &&
                  strings[types[k].unit] == strings[types[type].unit];
    measure->name = numbered_name(rows->dict, name, number);
    while (is_taken(rows, measure))
        measure->name = numbered_name(rows->dict, name, ++number);
}

static int find_measure(const struct pf_pprof_profile *profile, size_t k, bool sampled,
                        struct pf_rows *rows, struct pf_error *error)
{
    struct pf_dict *dict = rows->dict;
    const struct pf_pprof_type *type = &profile->types[k];
    struct pf_unit_size size;
    struct pf_measure measure;
    uint32_t name, unit;

    if (pf_pprof_string(profile, type->type, type->offset, &name, error) != PF_OK ||
        pf_pprof_string(profile, type->unit, type->offset, &unit, error) != PF_OK)
        return error->code;
    measure = pf_measure_make_named(dict, name, NULL, PF_SAMPLE, PF_SELF,
                                    sampled ? PF_SAMPLED : PF_UNKNOWN_NATURE);
    measure.unit = unit;
    pf_unit_take_parts(dict, &measure);
    if (counts_samples(dict, name, measure.unit))
        measure.role = PF_COUNT;
    if (pf_unit_parse(pf_dict_string(dict, measure.unit), PF_PPROF_UNITS, &size)) {
        pf_measure_set_scale(&measure, size.num, measure.den);
        measure.unit = pf_dict_intern_word(dict, size.base);
        measure.raw_unit = measure.unit != unit ? unit : 0;
    }
    measure.main = k == main_type(profile);
    set_distinct_name(profile, k, rows, &measure);
    pf_rows_measure(rows, pf_dict_add_measure(dict, measure));
    return PF_OK;
}

int pf_pprof_measures_find(const struct pf_pprof_profile *profile, struct pf_rows *rows,
                           struct pf_error *error)
{
    const struct pf_dict *dict = rows->dict;
    bool sampled = false;
    int status = PF_OK;

    for (size_t k = 0; k < profile->count.types; k++) {
        uint64_t name = profile->types[k].type, unit = profile->types[k].unit;

        sampled |= name < profile->count.strings && unit < profile->count.strings &&
                   counts_samples(dict, profile->strings[name], profile->strings[unit]);
    }
    for (size_t k = 0; k < profile->count.types && status == PF_OK; k++)
        status = find_measure(profile, k, sampled, rows, error);
    return status;
}

/* --- dropped frames --------------------------------------------------------------------------- */

enum { UNKNOWN, STAYS, DROPPED };

struct drop {
    const struct pf_dict *dict;
    struct pf_pattern patterns[2]; /* drop_frames, keep_frames */
    size_t pattern_count;
    unsigned char *verdicts; /* by function */
    struct pf_buffer name;
};

/* Compiles an expression of the profile, which must match whole names. PF_OK, PF_FAILED or
 * PF_NOMEM. */
static int compile_pattern(struct drop *drop, const struct pf_pprof_profile *profile,
                           unsigned field, const char *key, struct pf_buffer *text,
                           struct pf_error *error)
{
    uint64_t number = profile->count.scalars.value[field];
    struct pf_error why = {0};
    uint32_t string;

    if (pf_pprof_string(profile, number, profile->end, &string, error) != PF_OK)
        return error->code;
    struct pf_bytes given = pf_dict_string(drop->dict, string);
    pf_buffer_append(text, "^(", 2);
    pf_buffer_append(text, given.data, given.size);
    pf_buffer_append(text, ")$", 3);
    if (text->failed)
        return pf_error_nomem(error);
    int status = pf_pattern_compile(&drop->patterns[drop->pattern_count], text->data, 0, &why);
    if (status != PF_OK)
        return status == PF_NOMEM
                   ? pf_error_nomem(error)
                   : pf_error_at(error, PF_FAILED, profile->end,
                                 "%s is not a regular expression: %s", key, why.text);
    drop->pattern_count++;
    return PF_OK;
}

/* The size of a part of a name with brackets that do not hold arguments, if the text begins with
 * such a part; else 0. */
static size_t part_of_name(struct pf_bytes text)
{
    static const struct pf_bytes parts[] = {{"(anonymous namespace)", 21}, {"operator()", 10}};

    for (size_t k = 0; k < 2; k++)
        if (pf_bytes_starts(text, parts[k]))
            return parts[k].size;
    return 0;
}

/* The name without its arguments and without the leading dot of PowerPC. */
static struct pf_bytes simple_name(struct drop *drop, struct pf_bytes name)
{
    size_t at = 0, size;

    if (pf_bytes_starts(name, PF_BYTES(".")))
        name = pf_bytes_skip(name, 1);
    for (; at<name.size; at += size> 0 ? size : 1) {
        size = part_of_name(pf_bytes_skip(name, at));
        if (size == 0 && name.data[at] == '(')
            break;
    }
    drop->name.size = 0;
    pf_buffer_append(&drop->name, name.data, at);
    pf_buffer_byte(&drop->name, '\0');
    return (struct pf_bytes){drop->name.data, drop->name.failed ? 0 : at};
}

static bool is_dropped(struct drop *drop, uint32_t location)
{
    uint32_t function = pf_dict_location(drop->dict, location)->function;

    if (drop->verdicts[function] == UNKNOWN) {
        struct pf_bytes name =
            pf_dict_string(drop->dict, pf_dict_function(drop->dict, function)->name);
        bool match = name.size > 0;

        if (match) {
            name = simple_name(drop, name);
            match = !drop->name.failed && pf_pattern_match(&drop->patterns[0], name) &&
                    (drop->pattern_count == 1 || !pf_pattern_match(&drop->patterns[1], name));
        }
        drop->verdicts[function] = match ? DROPPED : STAYS;
    }
    return drop->verdicts[function] == DROPPED;
}

/* Finds what a location drops: a dropped frame, and the frames that are inlined into it. */
static void find_cut(struct drop *drop, struct pf_pprof_names *names, size_t place)
{
    struct pf_pprof_span *span = &names->spans[place];
    uint32_t left = span->count;

    while (left > 0 && !is_dropped(drop, names->frames[span->first + left - 1]))
        left--;
    if (left == 0)
        return;
    names->single[place] = 0;
    names->cuts[place] = left == span->count ? PF_PPROF_DROPPED : PF_PPROF_CUT;
    if (left < span->count) {
        span->first += left;
        span->count -= left;
    }
}

int pf_pprof_drop_find(struct pf_pprof_names *names, const struct pf_pprof_profile *profile,
                       const struct pf_dict *dict, struct pf_error *error)
{
    struct drop drop = {.dict = dict};
    struct pf_buffer texts[2] = {0};
    int status = PF_OK;

    if (profile->count.scalars.value[PF_PPROF_DROP_FRAMES] == 0)
        return PF_OK;
    status = compile_pattern(&drop, profile, PF_PPROF_DROP_FRAMES, "drop_frames", &texts[0], error);
    if (status == PF_OK && profile->count.scalars.value[PF_PPROF_KEEP_FRAMES] != 0)
        status =
            compile_pattern(&drop, profile, PF_PPROF_KEEP_FRAMES, "keep_frames", &texts[1], error);
    names->cuts = calloc(profile->count.locations + 1, sizeof *names->cuts);
    drop.verdicts = calloc(dict->functions.count, sizeof *drop.verdicts);
    if (status == PF_OK && (!names->cuts || !drop.verdicts))
        status = pf_error_nomem(error);
    for (size_t place = 0; place < profile->count.locations && status == PF_OK; place++)
        find_cut(&drop, names, place);
    for (size_t k = 0; k < drop.pattern_count; k++) {
        if (status == PF_OK && (drop.patterns[k].status != PF_OK || drop.name.failed))
            status = pf_error_nomem(error);
        pf_pattern_free(&drop.patterns[k]);
    }
    for (size_t k = 0; k < 2; k++)
        pf_buffer_free(&texts[k]);
    pf_buffer_free(&drop.name);
    free(drop.verdicts);
    return status;
}
