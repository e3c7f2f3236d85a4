/* From the numbers of a NYTProf file to places of the model: which file a number is, where a sub lives, which sub a line is in. */
#ifndef PF_FORMAT_NYTPROF_PLACES_H
#define PF_FORMAT_NYTPROF_PLACES_H

#include "format/nytprof/files.h"
#include "format/nytprof/lines.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A SUB_INFO record. Lines 0 to 0: a sub in C. */
struct pf_nyt_sub {
    uint32_t name, fid, first, last;
};

struct pf_nyt_places {
    struct pf_dict *dict;       /* borrowed */
    struct pf_nyt_files files;
    struct pf_table subs;       /* struct pf_nyt_sub, each once */
    struct pf_nyt_map homes;    /* name, 0: id of the sub with the lowest fid */
    struct pf_nyt_map in_files; /* name, fid: id of the sub */
    struct pf_nyt_map xsubs;    /* name, 0: 1 where a marker says that it is in C */
    struct pf_nyt_sub *sorted;  /* by file and line */
    size_t sorted_count;
    uint32_t fid_key, main_name, unknown_name;
    bool failed;                /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_places_init(struct pf_nyt_places *, struct pf_dict *);
void pf_nyt_places_free(struct pf_nyt_places *);

/* False when the very same was said before. */
bool pf_nyt_places_add_sub(struct pf_nyt_places *, struct pf_nyt_sub);
bool pf_nyt_places_add_xsub(struct pf_nyt_places *, uint32_t name);

/* Below: all files and subs are known. Locations of the dictionary. */

/* A sub, wherever it is; "" is a sub nobody named. */
uint32_t pf_nyt_places_callee(struct pf_nyt_places *, uint32_t name);
/* A line from which the sub `name` calls. */
uint32_t pf_nyt_places_caller(struct pf_nyt_places *, uint32_t name, uint32_t fid, uint32_t line);
/* Lines with the innermost sub they are in, or `(main)`; in files of which no sub is known they have no name. `count` rows give
 * `count` locations. PF_OK or PF_NOMEM. */
int pf_nyt_places_lines(struct pf_nyt_places *, const struct pf_nyt_line *rows, size_t count, uint32_t *locations);
/* A label with the number of the file, where its name does not tell; else 0. */
uint32_t pf_nyt_places_label(struct pf_nyt_places *, uint32_t fid);

#endif
