#include "format/dcpi/dcpi.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct ordering {
    const struct pf_dict *dict;
    const uint32_t *image;
    uint32_t *from, *to; /* a pass merges from one to the other */
    size_t *starts;      /* of the stretches, and behind the last one the end */
    size_t stretches, capacity;
};

struct key {
    uint64_t offset;
    uint32_t image;
};

static inline struct key key_of(const struct ordering *ordering, uint32_t location)
{
    uint32_t image = pf_dict_location(ordering->dict, location)->image;

    return (struct key){pf_dcpi_offset(ordering->dict, location), ordering->image ? ordering->image[image] : image};
}

static bool behind(struct key a, struct key b)
{
    return a.image != b.image ? a.image > b.image : a.offset > b.offset;
}

static bool add_start(struct ordering *ordering, size_t start)
{
    if (!pf_grow(&ordering->starts, &ordering->capacity, ordering->stretches + 1, sizeof *ordering->starts))
        return false;
    ordering->starts[ordering->stretches++] = start;
    return true;
}

/* Leaves the starts, and the end as one more. */
static bool find_stretches(struct ordering *ordering, size_t count)
{
    struct key last = {0};

    for (size_t k = 0; k < count; k++) {
        struct key next = key_of(ordering, ordering->from[k]);

        if ((k == 0 || behind(last, next)) && !add_start(ordering, k))
            return false;
        last = next;
    }
    return add_start(ordering, count);
}

static void merge_two(const struct ordering *ordering, size_t start, size_t middle, size_t end)
{
    size_t a = start, b = middle, to = start;
    struct key left = key_of(ordering, ordering->from[a]), right = key_of(ordering, ordering->from[b]);

    while (a < middle && b < end) {
        if (behind(left, right)) {
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

/* Merges stretches two by two. */
static void merge_pass(struct ordering *ordering)
{
    size_t kept = 0, last = ordering->stretches - 1, k = 0;
    const size_t *starts = ordering->starts;

    for (; k + 1 < last; k += 2) {
        merge_two(ordering, starts[k], starts[k + 1], starts[k + 2]);
        ordering->starts[kept++] = starts[k];
    }
    if (k < last) {
        memcpy(ordering->to + starts[k], ordering->from + starts[k], (starts[last] - starts[k]) * sizeof *ordering->to);
        ordering->starts[kept++] = starts[k];
    }
    ordering->starts[kept++] = starts[last];
    ordering->stretches = kept;
    uint32_t *merged = ordering->to;
    ordering->to = ordering->from;
    ordering->from = merged;
}

bool pf_dcpi_order(uint32_t *locations, size_t count, const struct pf_dict *dict, const uint32_t *image)
{
    struct ordering ordering = {.dict = dict, .image = image, .from = locations};
    bool good = find_stretches(&ordering, count);
    uint32_t *room = NULL;

    if (good && ordering.stretches > 2) {
        room = malloc(count * sizeof *room);
        ordering.to = room;
        good = room != NULL;
    }
    while (good && ordering.stretches > 2)
        merge_pass(&ordering);
    if (good && ordering.from != locations)
        memcpy(locations, ordering.from, count * sizeof *locations);
    free(room);
    free(ordering.starts);
    return good;
}
