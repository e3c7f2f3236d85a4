/* What was mapped where: lines of /proc/PID/maps as gperftools, jemalloc and others put them behind a profile.
 *     START-LIMIT PERMISSIONS OFFSET DEVICE INODE FILE
 *     START-LIMIT: FILE (@OFFSET)
 * Only what may be executed counts, where that is said. A line NAME=TEXT puts TEXT in place of $NAME further down; of several names that fit the
 * first one told is meant. */
#ifndef PF_FORMAT_GPERFTOOLS_MAPS_H
#define PF_FORMAT_GPERFTOOLS_MAPS_H

#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct pf_gperftools_maps {
    struct pf_gperftools_map {
        uint64_t start, limit, offset;
        uint32_t name;  /* string */
        uint32_t image; /* 0 = not made yet */
    } *rows;
    size_t count, capacity;
    struct pf_table names;  /* a tree of names: rows are the one they go on from, and a byte + 1 */
    struct pf_gperftools_substitute {
        uint32_t order;     /* 1, 2, ...; 0 = no name ends here */
        uint32_t text;      /* string */
    } *substitutes;         /* by row of `names` */
    size_t substitute_capacity;
    uint32_t substitute_count, known;
    uint64_t replaced;      /* bytes that stood for names so far */
    struct pf_buffer line;
};

void pf_gperftools_maps_free(struct pf_gperftools_maps *);
/* A line, and where it begins; one of no known form is passed over. PF_OK; PF_FAILED: names stand for more than 16 MiB in all; PF_NOMEM. */
int pf_gperftools_maps_line(struct pf_gperftools_maps *, struct pf_dict *, struct pf_bytes line, uint64_t offset, struct pf_error *);
/* After the last line. */
void pf_gperftools_maps_end(struct pf_gperftools_maps *);
/* The image an address is in; 0 = none. */
uint32_t pf_gperftools_maps_image(struct pf_gperftools_maps *, struct pf_dict *, uint64_t address);

/* Number in hexadecimal at the start of `text`, with or without 0x, taken. False: none, or over 64 bits. */
bool pf_gperftools_hex(struct pf_bytes *text, uint64_t *number);

#endif
