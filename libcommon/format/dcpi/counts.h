/* Counts by measure and location, summed: what a writer of DCPI data holds until it knows all. */
#ifndef PF_FORMAT_DCPI_COUNTS_H
#define PF_FORMAT_DCPI_COUNTS_H

#include "base/error.h"
#include "format/dcpi/order.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_dcpi_event {
    uint32_t measure;  /* the first one of its name and period */
    int64_t *sums;     /* by location */
    size_t count, capacity;
    bool counted;      /* there was a count that is not 0 */
};

/* Zero-initialise. */
struct pf_dcpi_counts {
    struct pf_dcpi_event *events;
    size_t count, capacity;
};

/* Takes the FLAT columns of a batch. PF_OVERFLOW, PF_NOMEM; PF_USAGE for values that are no counts. */
int pf_dcpi_counts_add(struct pf_dcpi_counts *, const struct pf_dict *, const struct pf_batch *, struct pf_error *);
void pf_dcpi_counts_free(struct pf_dcpi_counts *);

/* 0 where nothing was counted. */
static inline int64_t pf_dcpi_event_sum(const struct pf_dcpi_event *event, uint32_t location)
{
    return location < event->count ? event->sums[location] : 0;
}

/* Locations that have a sum in any event, each address once: sums of further locations of an address are added to the first one's.
 * In the order of images (by first sight) and offsets from the start of their text. */
struct pf_dcpi_places {
    uint32_t *locations;
    size_t count, capacity;
    uint32_t *image; /* by image: the first one with the same identifier, start and size of the text */
};

/* PF_OK; PF_USAGE, with the reason, where a location has no address in an image with an identifier; PF_OVERFLOW, PF_NOMEM. Free in
 * any case. `format` is for the message. */
int pf_dcpi_places_find(struct pf_dcpi_places *, struct pf_dcpi_counts *, const struct pf_dict *, const char *format,
                        struct pf_error *);
void pf_dcpi_places_free(struct pf_dcpi_places *);

/* The image, or the first one like it. */
static inline uint32_t pf_dcpi_places_image(const struct pf_dcpi_places *places, const struct pf_dict *dict, uint32_t location)
{
    return places->image[pf_dict_location(dict, location)->image];
}

#endif
