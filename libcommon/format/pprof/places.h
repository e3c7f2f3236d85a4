/* What samples refer to, numbered in the order in which it is written first: strings, mappings, functions, locations. */
#ifndef PF_FORMAT_PPROF_PLACES_H
#define PF_FORMAT_PPROF_PLACES_H

#include "analysis/names/id_map.h"
#include "base/memory.h"
#include "base/table.h"
#include "io/sink.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids of the dictionary that have a number, and those by number - 1. */
struct pf_pprof_numbers {
    struct pf_id_map of;
    uint32_t *ids;
    size_t count, capacity;
};

struct pf_pprof_places {
    struct pf_dict *dict;
    struct pf_pprof_numbers strings; /* number 0 is "" and not among them */
    struct pf_pprof_numbers images, functions;
    struct pf_pprof_numbers single;  /* locations of one frame: `of` alone is used */
    struct pf_table chains;          /* frames of a location, the innermost first: a chain is one frame more than another */
    struct pf_pprof_numbers locations; /* ids of chains */
    struct pf_table folded;          /* pf_pprof_location_hash */
    uint32_t listed;                 /* images up to this number were told by the file they come from, flags and all */
    bool bare_system_names;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pprof_places_init(struct pf_pprof_places *, struct pf_dict *);
void pf_pprof_places_free(struct pf_pprof_places *);

/* Numbers; 0 for id 0, and for all when memory ran out (pf_pprof_places_status). */
uint32_t pf_pprof_places_string(struct pf_pprof_places *, uint32_t string);
uint32_t pf_pprof_places_image(struct pf_pprof_places *, uint32_t image);
/* Appends the numbers of a stack's locations, leaf first, as varints. */
void pf_pprof_places_stack(struct pf_pprof_places *, uint32_t stack, struct pf_buffer *packed);
void pf_pprof_places_location(struct pf_pprof_places *, uint32_t location, struct pf_buffer *packed);
/* PF_OK or PF_NOMEM. */
int pf_pprof_places_status(const struct pf_pprof_places *);

/* Writes fields 3 to 5 of Profile, then, when all strings have their numbers, field 6. PF_OK or PF_NOMEM. */
int pf_pprof_places_write(struct pf_pprof_places *, struct pf_sink *);
void pf_pprof_places_write_strings(struct pf_pprof_places *, struct pf_sink *);

#endif
