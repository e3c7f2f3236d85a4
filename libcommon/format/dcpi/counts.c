#include "format/dcpi/dcpi.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>

void pf_dcpi_counts_free(struct pf_dcpi_counts *counts)
{
    for (size_t k = 0; k < counts->count; k++)
        free(counts->events[k].sums);
    free(counts->events);
}

static int find_event(struct pf_dcpi_counts *counts, const struct pf_dict *dict, uint32_t index, struct pf_dcpi_event **found,
                      struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&dict->measures, index);
    struct pf_bytes name = pf_dict_string(dict, measure->name);

    for (size_t k = 0; k < counts->count; k++) {
        const struct pf_measure *other = pf_measures_row(&dict->measures, counts->events[k].measure);

        *found = &counts->events[k];
        if (counts->events[k].measure == index || (pf_measure_same(other, measure) && pf_measure_same_period(other, measure)))
            return PF_OK;
    }
    if (pf_bytes_equal(pf_dict_string(dict, measure->unit), PF_BYTES("events")))
        return pf_error_set(error, PF_USAGE,
                            "merge-mismatch: DCPI holds counts of one period and share in a file, and '%s' are events, of several of them",
                            pf_clip(name).text);
    if (measure->num != 1 || measure->den != 1)
        return pf_error_set(error, PF_USAGE, "DCPI holds counts by address of an image; the measure '%s' is no count",
                            pf_clip(name).text);
    if (!pf_grow(&counts->events, &counts->capacity, counts->count + 1, sizeof *counts->events))
        return pf_error_nomem(error);
    *found = &counts->events[counts->count++];
    **found = (struct pf_dcpi_event){.measure = index};
    return PF_OK;
}

static int add_column(struct pf_dcpi_event *event, const struct pf_dict *dict, const struct pf_batch *batch, const int64_t *values,
                      struct pf_error *error)
{
    size_t need = dict->locations.count;

    if (batch->rows > 0 && !pf_grow_zeroed(&event->sums, &event->count, &event->capacity, need, sizeof *event->sums))
        return pf_error_nomem(error);
    for (uint32_t row = 0; row < batch->rows; row++) {
        int64_t *sum = &event->sums[batch->location ? batch->location[row] : 0];

        if (values[row] == 0)
            continue;
        event->counted = true;
        if (!pf_add64(*sum, values[row], sum))
            return pf_error_set(error, PF_OVERFLOW, "a sum of counts leaves 64 bits");
    }
    return PF_OK;
}

int pf_dcpi_counts_add(struct pf_dcpi_counts *counts, const struct pf_dict *dict, const struct pf_batch *batch,
                       struct pf_error *error)
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

/* --- order ------------------------------------------------------------------------------------------------ */

static bool has_sum(const struct pf_dcpi_counts *counts, uint32_t location)
{
    for (size_t k = 0; k < counts->count; k++)
        if (pf_dcpi_event_sum(&counts->events[k], location) != 0)
            return true;
    return false;
}

/* An image without an identifier is like no other. */
static bool find_images(struct pf_dcpi_places *places, const struct pf_dict *dict)
{
    places->image = calloc(dict->images.count, sizeof *places->image);
    for (uint32_t k = 0; places->image && k < dict->images.count; k++) {
        const struct pf_image *a = pf_dict_image(dict, k);

        places->image[k] = k;
        for (uint32_t i = 1; i < k && a->identifier != 0; i++) {
            const struct pf_image *b = pf_dict_image(dict, i);

            if (a->text_start == b->text_start && a->text_size == b->text_size &&
                pf_dcpi_same_image(pf_dict_string(dict, a->identifier), pf_dict_string(dict, b->identifier))) {
                places->image[k] = i;
                break;
            }
        }
    }
    return places->image != NULL;
}

/* An address of 0 is one where the text begins at 0: then nothing else is known of the place. */
static int check_place(const struct pf_dict *dict, const struct pf_location *row, const char *format, struct pf_error *error)
{
    if (row->image != 0 && (row->address != 0 || (row->line == 0 && pf_dict_image(dict, row->image)->text_start == 0)))
        return PF_OK;
    return pf_error_set(error, PF_USAGE, "%s holds counts by address of an image; these records have no addresses", format);
}

static int check_image(const struct pf_dict *dict, uint32_t image, const char *format, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(dict, pf_dict_image(dict, image)->name);

    if (pf_dcpi_is_image(pf_dict_string(dict, pf_dict_image(dict, image)->identifier)))
        return PF_OK;
    return pf_error_set(error, PF_USAGE, "%s names images by hexadecimal identifiers, and '%s' has none", format,
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

/* Names of functions and the like tell locations apart that are one place here. What adds up to nothing is gone. */
static int join_places(struct pf_dcpi_places *places, struct pf_dcpi_counts *counts, const struct pf_dict *dict,
                       struct pf_error *error)
{
    size_t kept = 0;

    for (size_t k = 0; k < places->count; k++) {
        uint32_t location = places->locations[k], last = kept > 0 ? places->locations[kept - 1] : 0;
        bool same = kept > 0 && pf_dcpi_offset(dict, last) == pf_dcpi_offset(dict, location) &&
                    pf_dcpi_places_image(places, dict, last) == pf_dcpi_places_image(places, dict, location);

        if (!same)
            places->locations[kept++] = location;
        else if (!add_sums(counts, last, location))
            return pf_error_set(error, PF_OVERFLOW, "a sum of counts leaves 64 bits");
    }
    bool joined = kept < places->count;

    places->count = joined ? 0 : kept;
    for (size_t k = 0; joined && k < kept; k++)
        if (has_sum(counts, places->locations[k]))
            places->locations[places->count++] = places->locations[k];
    return PF_OK;
}

/* Checks a location and adds it. *image: that of the one before, which was checked. */
static int add_place(struct pf_dcpi_places *places, const struct pf_dict *dict, uint32_t location, const char *format,
                     uint32_t *image, struct pf_error *error)
{
    const struct pf_location *row = pf_dict_location(dict, location);

    if (check_place(dict, row, format, error) != PF_OK ||
        (row->image != *image && check_image(dict, row->image, format, error) != PF_OK))
        return error->code;
    if (places->count == places->capacity &&
        !pf_grow(&places->locations, &places->capacity, places->count + 1, sizeof *places->locations))
        return pf_error_nomem(error);
    places->locations[places->count++] = location;
    *image = row->image;
    return PF_OK;
}

int pf_dcpi_places_find(struct pf_dcpi_places *places, struct pf_dcpi_counts *counts, const struct pf_dict *dict,
                        const char *format, struct pf_error *error)
{
    uint32_t image = 0;

    *places = (struct pf_dcpi_places){0};
    if (!find_images(places, dict))
        return pf_error_nomem(error);
    for (uint32_t k = 0; k < dict->locations.count; k++)
        if (has_sum(counts, k) && add_place(places, dict, k, format, &image, error) != PF_OK)
            return error->code;
    if (!pf_dcpi_order(places->locations, places->count, dict, places->image))
        return pf_error_nomem(error);
    return join_places(places, counts, dict, error);
}

void pf_dcpi_places_free(struct pf_dcpi_places *places)
{
    free(places->locations);
    free(places->image);
}
