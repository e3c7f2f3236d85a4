/* Locations of DCPI profiles, one for each address of an image: how readers find the locations that
 * other inputs have made, and how writers sum counts by location. */
#include "format/dcpi/dcpi.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/table.h"
#include "codec/shared.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- the order of locations ------------------------------------------------------------------- */

struct ordering {
    const struct pf_dict *dict;
    const uint32_t *image;
    uint32_t *from, *to; /* a pass merges from one to the other */
    size_t *starts;      /* where each stretch starts, then the end of the last stretch */
    size_t stretches, capacity;
};

struct sort_key {
    uint64_t offset;
    uint32_t image;
};

static inline struct sort_key key_of(const struct ordering *ordering, uint32_t location)
{
    uint32_t image = pf_dict_location(ordering->dict, location)->image;

    return (struct sort_key){pf_dcpi_offset(ordering->dict, location),
                             ordering->image ? ordering->image[image] : image};
}

static bool comes_after(struct sort_key a, struct sort_key b)
{
    return a.image != b.image ? a.image > b.image : a.offset > b.offset;
}

static bool add_start(struct ordering *ordering, size_t start)
{
    if (!pf_grow(&ordering->starts, &ordering->capacity, ordering->stretches + 1,
                 sizeof *ordering->starts))
        return false;
    ordering->starts[ordering->stretches++] = start;
    return true;
}

/* Sets the starts of all stretches, and the end of the last stretch. */
static bool find_stretches(struct ordering *ordering, size_t count)
{
    struct sort_key last = {0};

    for (size_t k = 0; k < count; k++) {
        struct sort_key next = key_of(ordering, ordering->from[k]);

        if ((k == 0 || comes_after(last, next)) && !add_start(ordering, k))
            return false;
        last = next;
    }
    return add_start(ordering, count);
}

static void merge_two(const struct ordering *ordering, size_t start, size_t middle, size_t end)
{
    size_t a = start, b = middle, to = start;
    struct sort_key left = key_of(ordering, ordering->from[a]),
                    right = key_of(ordering, ordering->from[b]);

    while (a < middle && b < end) {
        if (comes_after(left, right)) {
            ordering->to[to++] = ordering->from[b++];
            right = b < end ? key_of(ordering, ordering->from[b]) : right;
        } else {
            ordering->to[to++] = ordering->from[a++];
            left = a < middle ? key_of(ordering, ordering->from[a]) : left;
        }
    }
    memcpy(ordering->to + to, ordering->from + a, (middle - a) * sizeof *ordering->to);
    memcpy(ordering->to + to + (middle - a), ordering->from + b, (end - b) * sizeof *ordering->to);
}

/* Merges each two neighbouring stretches. */
static void merge_pass(struct ordering *ordering)
{
    size_t kept = 0, last = ordering->stretches - 1, k = 0;
    const size_t *starts = ordering->starts;

    for (; k + 1 < last; k += 2) {
        merge_two(ordering, starts[k], starts[k + 1], starts[k + 2]);
        ordering->starts[kept++] = starts[k];
    }
    if (k < last) {
        memcpy(ordering->to + starts[k], ordering->from + starts[k],
               (starts[last] - starts[k]) * sizeof *ordering->to);
        ordering->starts[kept++] = starts[k];
    }
    ordering->starts[kept++] = starts[last];
    ordering->stretches = kept;
    uint32_t *merged = ordering->to;
    ordering->to = ordering->from;
    ordering->from = merged;
}

/* Sorts locations by image, then by address. `image` (may be NULL) gives each image's place in the
 * order; default: its id. Merges stretches that are in order already, so locations from a few files
 * are cheap to sort. Locations of one address keep their order. False: out of memory. */
static bool sort_locations(uint32_t *locations, size_t count, const struct pf_dict *dict,
                           const uint32_t *image)
{
    struct ordering ordering = {.dict = dict, .image = image, .from = locations};
    bool good = find_stretches(&ordering, count);
    uint32_t *room = NULL;

    if (good && ordering.stretches > 2) {
        room = malloc(count * sizeof *room);
        ordering.to = room;
        good = room;
    }
    while (good && ordering.stretches > 2)
        merge_pass(&ordering);
    if (good && ordering.from != locations)
        memcpy(locations, ordering.from, count * sizeof *locations);
    free(room);
    free(ordering.starts);
    return good;
}

/* --- locations of other inputs, by image ------------------------------------------------------ */

struct entry {
    uint32_t *locations;
    size_t count, capacity;
    bool ordered;
};

struct index {
    struct entry *images; /* by id */
    size_t count, capacity;
    uint32_t seen; /* locations before this id are in the index */
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

    if (!pf_grow_zeroed(&index->images, &index->count, &index->capacity, dict->images.count,
                        sizeof *index->images))
        return false;
    struct entry *entry = &index->images[image];

    if (entry->count == entry->capacity &&
        !pf_grow(&entry->locations, &entry->capacity, entry->count + 1, sizeof *entry->locations))
        return false;
    entry->locations[entry->count++] = location;
    entry->ordered = false;
    return true;
}

/* Finds the locations of an image that have an address and nothing else. PF_OK or PF_NOMEM. */
static int index_find(struct pf_shared *shared, const struct pf_dict *dict, uint32_t image,
                      struct pf_dcpi_indexed *found)
{
    static const char owner = 0;
    struct index *index = pf_shared_get(shared, &owner, sizeof *index, free_index);

    if (!index)
        return PF_NOMEM;
    for (; index->seen < dict->locations.count; index->seen++)
        if (is_plain(pf_dict_location(dict, index->seen)) &&
            !add_location(index, dict, index->seen))
            return PF_NOMEM;
    *found = (struct pf_dcpi_indexed){0};
    if (image >= index->count)
        return PF_OK;
    struct entry *entry = &index->images[image];

    if (!entry->ordered && !sort_locations(entry->locations, entry->count, dict, NULL))
        return PF_NOMEM;
    entry->ordered = true;
    *found = (struct pf_dcpi_indexed){entry->locations, entry->count};
    return PF_OK;
}

/* --- locations of one profile ----------------------------------------------------------------- */

struct image_key {
    uint32_t name, identifier; /* the identifier in small letters */
    uint64_t start, size;
};

/* The id of an image's key, added when new. 0: out of memory, or the image has no identifier. */
static uint32_t find_key(struct pf_dcpi_locator *locator, struct pf_dict *dict,
                         const struct pf_image *image)
{
    struct pf_bytes identifier = pf_dict_string(dict, image->identifier);
    struct image_key key = {.name = image->name,
                            .identifier = pf_dcpi_identifier(dict, identifier),
                            .start = image->text_start,
                            .size = image->text_size};

    return key.identifier ? pf_table_intern(&locator->keys, &key) : 0;
}

/* Finds an equal image of the dictionary by its key, so that a file of thousands of images needs no
 * search among them. */
static uint32_t find_image(struct pf_dcpi_locator *locator, struct pf_dict *dict,
                           const struct pf_image *image)
{
    uint32_t key, found;

    if (!locator->keys.rows && pf_table_init(&locator->keys, sizeof(struct image_key)) != PF_OK)
        return 0;
    for (; locator->images_seen < dict->images.count; locator->images_seen++) {
        const struct pf_image *other = pf_dict_image(dict, locator->images_seen);

        key = find_key(locator, dict, other);
        if ((key == 0 && other->identifier != 0) ||
            (key != 0 && !pf_id_map_get(&locator->images, key, &found) &&
             !pf_id_map_put(&locator->images, key, locator->images_seen)))
            return 0;
    }
    key = find_key(locator, dict, image);
    if (key == 0)
        return 0;
    return pf_id_map_get(&locator->images, key, &found) ? found : pf_dict_add_image(dict, image);
}

void pf_dcpi_locator_free(struct pf_dcpi_locator *locator)
{
    pf_table_free(&locator->keys);
    pf_id_map_free(&locator->images);
}

static void set_next_offset(struct pf_dcpi_locator *locator, const struct pf_dict *dict)
{
    const struct pf_dcpi_indexed *known = &locator->known;

    locator->next_offset = locator->next < known->count
                               ? pf_dcpi_offset(dict, known->locations[locator->next])
                               : UINT64_MAX;
}

int pf_dcpi_locator_open(struct pf_dcpi_locator *locator, struct pf_dict *dict,
                         struct pf_shared *shared, const struct pf_image *image)
{
    uint32_t images = dict->images.count;
    int status = PF_OK;

    pf_dcpi_locator_end(locator, dict);
    locator->image = find_image(locator, dict, image);
    if (locator->image == 0)
        return PF_NOMEM;
    locator->start = image->text_start;
    locator->known = (struct pf_dcpi_indexed){0};
    locator->next = 0;
    if (locator->image < images && shared)
        status = index_find(shared, dict, locator->image, &locator->known);
    set_next_offset(locator, dict);
    return status;
}

void pf_dcpi_locator_next(struct pf_dcpi_locator *locator, const struct pf_dict *dict)
{
    locator->next++;
    set_next_offset(locator, dict);
}

void pf_dcpi_locator_end(struct pf_dcpi_locator *locator, struct pf_dict *dict)
{
    if (locator->fresh_count > 0)
        pf_table_append_unindexed(&dict->locations, locator->fresh, locator->fresh_count);
    locator->fresh_count = 0;
}

/* --- counts by event and location ------------------------------------------------------------- */

void pf_dcpi_counts_free(struct pf_dcpi_counts *counts)
{
    for (size_t k = 0; k < counts->count; k++)
        free(counts->events[k].sums);
    free(counts->events);
}

static int find_event(struct pf_dcpi_counts *counts, const struct pf_dict *dict, uint32_t index,
                      struct pf_dcpi_event **found, struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&dict->measures, index);
    struct pf_bytes name = pf_dict_string(dict, measure->name);

    for (size_t k = 0; k < counts->count; k++) {
        const struct pf_measure *other =
            pf_measures_row(&dict->measures, counts->events[k].measure);

        *found = &counts->events[k];
        if (counts->events[k].measure == index ||
            (pf_measure_same(other, measure) && pf_measure_same_period(other, measure)))
            return PF_OK;
    }
    if (pf_bytes_equal(pf_dict_string(dict, measure->unit), PF_BYTES("events")))
        return pf_error_set(error, PF_USAGE,
                            "merge-mismatch: a DCPI file holds counts of one period and share, and "
                            "the events '%s' have several",
                            pf_clip(name).text);
    if (measure->num != 1 || measure->den != 1)
        return pf_error_set(
            error, PF_USAGE,
            "DCPI holds counts by address of an image; the measure '%s' is not a count",
            pf_clip(name).text);
    if (!pf_grow(&counts->events, &counts->capacity, counts->count + 1, sizeof *counts->events))
        return pf_error_nomem(error);
    *found = &counts->events[counts->count++];
    **found = (struct pf_dcpi_event){.measure = index};
    return PF_OK;
}

static int add_column(struct pf_dcpi_event *event, const struct pf_dict *dict,
                      const struct pf_batch *batch, const int64_t *values, struct pf_error *error)
{
    size_t need = dict->locations.count;

    if (batch->rows > 0 &&
        !pf_grow_zeroed(&event->sums, &event->count, &event->capacity, need, sizeof *event->sums))
        return pf_error_nomem(error);
    for (uint32_t row = 0; row < batch->rows; row++) {
        int64_t *sum = &event->sums[batch->location ? batch->location[row] : 0];

        if (values[row] == 0)
            continue;
        event->counted = true;
        if (!pf_add64(*sum, values[row], sum))
            return pf_error_set(error, PF_OVERFLOW, "a sum of counts overflows 64 bits");
    }
    return PF_OK;
}

int pf_dcpi_counts_add(struct pf_dcpi_counts *counts, const struct pf_dict *dict,
                       const struct pf_batch *batch, struct pf_error *error)
{
    int status = PF_OK;

    for (uint32_t k = 0; status == PF_OK && batch->kind == PF_FLAT && k < batch->value_count; k++) {
        struct pf_dcpi_event *event = NULL;

        status = find_event(counts, dict, batch->values[k].measure, &event, error);
        if (status == PF_OK)
            status = add_column(event, dict, batch, batch->values[k].data, error);
    }
    return status;
}

/* --- order ------------------------------------------------------------------------------------ */

static bool has_sum(const struct pf_dcpi_counts *counts, uint32_t location)
{
    for (size_t k = 0; k < counts->count; k++)
        if (pf_dcpi_event_sum(&counts->events[k], location) != 0)
            return true;
    return false;
}

/* Images with the same key are equal. */
struct equal_image {
    uint64_t start, size;
    uint64_t identifier; /* string: in small letters */
};

/* For each image the first image that equals it. Images without an identifier equal themselves
 * only. */
static bool find_images(struct pf_dcpi_places *places, struct pf_dict *dict)
{
    size_t count = dict->images.count;
    uint32_t *firsts = calloc(count, sizeof *firsts); /* by row of `known` */
    struct pf_table known;
    bool good = pf_table_init(&known, sizeof(struct equal_image)) == PF_OK && firsts;

    places->image = calloc(count, sizeof *places->image);
    for (uint32_t k = 1; good && places->image && k < count; k++) {
        const struct pf_image *image = pf_dict_image(dict, k);
        struct equal_image key = {image->text_start, image->text_size, 0};

        places->image[k] = k;
        if (image->identifier == 0)
            continue;
        key.identifier = pf_dcpi_identifier(dict, pf_dict_string(dict, image->identifier));
        uint32_t row = key.identifier != 0 ? pf_table_intern(&known, &key) : 0;

        good = row != 0;
        if (firsts[row] == 0)
            firsts[row] = k;
        places->image[k] = firsts[row];
    }
    pf_table_free(&known);
    free(firsts);
    return good && places->image;
}

/* The address 0 counts as an address only if the text starts at 0 and the location has no line. */
static int check_place(const struct pf_dict *dict, const struct pf_location *row,
                       const char *format, struct pf_error *error)
{
    const struct pf_image *image = pf_dict_image(dict, row->image);

    if (row->image == 0 || (row->address == 0 && (row->line != 0 || image->text_start != 0)))
        return pf_error_set(
            error, PF_USAGE,
            "%s holds counts by address of an image; these records have no addresses", format);
    if (row->address < image->text_start)
        return pf_error_set(error, PF_USAGE,
                            "unrepresentable: the address 0x%" PRIx64
                            " lies before the start of the text of '%s', 0x%" PRIx64,
                            row->address, pf_clip(pf_dict_string(dict, image->name)).text,
                            image->text_start);
    return PF_OK;
}

static int check_image(const struct pf_dict *dict, uint32_t image, const char *format,
                       struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(dict, pf_dict_image(dict, image)->name);

    if (pf_dcpi_is_image(pf_dict_string(dict, pf_dict_image(dict, image)->identifier)))
        return PF_OK;
    return pf_error_set(error, PF_USAGE,
                        "%s names images by hexadecimal identifiers, and '%s' has none", format,
                        pf_clip(name).text);
}

static bool add_sums(struct pf_dcpi_counts *counts, uint32_t to, uint32_t from)
{
    for (size_t k = 0; k < counts->count; k++) {
        struct pf_dcpi_event *event = &counts->events[k];
        int64_t sum = pf_dcpi_event_sum(event, from);

        if (sum != 0 && !pf_add64(event->sums[to], sum, &event->sums[to]))
            return false;
        if (sum != 0)
            event->sums[from] = 0;
    }
    return true;
}

/* Joins locations of one address, which differ in functions or lines, and drops addresses whose
 * sums are 0. */
static int join_places(struct pf_dcpi_places *places, struct pf_dcpi_counts *counts,
                       const struct pf_dict *dict, struct pf_error *error)
{
    size_t kept = 0;

    for (size_t k = 0; k < places->count; k++) {
        uint32_t location = places->locations[k], last = kept > 0 ? places->locations[kept - 1] : 0;
        bool same = kept > 0 && pf_dcpi_offset(dict, last) == pf_dcpi_offset(dict, location) &&
                    pf_dcpi_places_image(places, dict, last) ==
                        pf_dcpi_places_image(places, dict, location);

        if (!same)
            places->locations[kept++] = location;
        else if (!add_sums(counts, last, location))
            return pf_error_set(error, PF_OVERFLOW, "a sum of counts overflows 64 bits");
    }
    bool joined = kept < places->count;

    places->count = joined ? 0 : kept;
    for (size_t k = 0; joined && k < kept; k++)
        if (has_sum(counts, places->locations[k]))
            places->locations[places->count++] = places->locations[k];
    return PF_OK;
}

/* Checks a location and adds it. *image: the image of the location added before, which needs no
 * second check. */
static int add_place(struct pf_dcpi_places *places, const struct pf_dict *dict, uint32_t location,
                     const char *format, uint32_t *image, struct pf_error *error)
{
    const struct pf_location *row = pf_dict_location(dict, location);

    if (check_place(dict, row, format, error) != PF_OK ||
        (row->image != *image && check_image(dict, row->image, format, error) != PF_OK))
        return error->code;
    if (places->count == places->capacity && !pf_grow(&places->locations, &places->capacity,
                                                      places->count + 1, sizeof *places->locations))
        return pf_error_nomem(error);
    places->locations[places->count++] = location;
    *image = row->image;
    return PF_OK;
}

int pf_dcpi_places_find(struct pf_dcpi_places *places, struct pf_dcpi_counts *counts,
                        struct pf_dict *dict, const char *format, struct pf_error *error)
{
    uint32_t image = 0;

    *places = (struct pf_dcpi_places){0};
    if (!find_images(places, dict))
        return pf_error_nomem(error);
    for (uint32_t k = 0; k < dict->locations.count; k++)
        if (has_sum(counts, k) && add_place(places, dict, k, format, &image, error) != PF_OK)
            return error->code;
    if (!sort_locations(places->locations, places->count, dict, places->image))
        return pf_error_nomem(error);
    return join_places(places, counts, dict, error);
}

void pf_dcpi_places_free(struct pf_dcpi_places *places)
{
    free(places->locations);
    free(places->image);
}
