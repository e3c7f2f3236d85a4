/* What addresses are called: Go's comments and Java's table tell. Each address is one location, or several where calls are inlined. */
#ifndef PF_FORMAT_GPERFTOOLS_NAMES_H
#define PF_FORMAT_GPERFTOOLS_NAMES_H

#include "format/gperftools/maps.h"
#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

struct pf_gperftools_frame {
    uint32_t function; /* of the dictionary */
    int64_t line;
};

struct pf_gperftools_names {
    struct pf_table addresses;
    struct pf_gperftools_place {
        size_t first, count; /* frames, innermost first */
        size_t location;     /* first of its locations; SIZE_MAX: not made yet */
        size_t locations;
    } *places;               /* by id of the address */
    size_t place_count, place_capacity;
    struct pf_gperftools_frame *frames;
    size_t frame_count, frame_capacity;
    uint32_t *locations;
    size_t location_count, location_capacity;
    bool numbers;            /* addresses are numbers of the names, nothing else */
    struct pf_table named;   /* frames that the text itself names: address and function */
};

/* Keys of frames that the text itself names; no program has code there. */
#define PF_GPERFTOOLS_NAMED UINT64_C(0x8000000000000000)
static inline bool pf_gperftools_is_named(uint64_t key)
{
    return key >= PF_GPERFTOOLS_NAMED && key <= PF_GPERFTOOLS_NAMED + UINT32_MAX;
}

int pf_gperftools_names_init(struct pf_gperftools_names *);
void pf_gperftools_names_free(struct pf_gperftools_names *);
/* Frames of an address, innermost first; what is known already stays. False: out of memory. */
bool pf_gperftools_names_set(struct pf_gperftools_names *, uint64_t address, const struct pf_gperftools_frame *, size_t count);
/* The key, in place of an address, of a frame whose name stands beside its address in the text; address 0: it has none. 0: out of memory. */
uint64_t pf_gperftools_names_key(struct pf_gperftools_names *, uint64_t address, uint32_t function);
/* Locations of an address, innermost first; at least one. NULL: out of memory. Valid until the next call. */
const uint32_t *pf_gperftools_names_get(struct pf_gperftools_names *, struct pf_dict *, struct pf_gperftools_maps *, uint64_t address,
                                        size_t *count);

#endif
