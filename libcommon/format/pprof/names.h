/* What the ids of a profile stand for in the dictionary, and the frames that a profile drops: those
 * that its drop_frames matches and its keep_frames does not, and what they call (Prune of pprof's
 * profile package). */
#ifndef PF_FORMAT_PPROF_NAMES_H
#define PF_FORMAT_PPROF_NAMES_H

#include "base/error.h"
#include "base/table.h"
#include "format/pprof/profile.h"
#include "model/dict.h"
#include "model/rows.h"
#include "model/stacks.h"

#include <stddef.h>
#include <stdint.h>

/* --- images ----------------------------------------------------------------------------------- */

/* Shared by the inputs of one run: the stacks and images of earlier inputs, and memory. */
struct pf_pprof_common {
    struct pf_stack_memo *memo;
    struct pf_table keys;          /* of images */
    struct pf_pprof_profile spare; /* room an input had, for the next */
    uint32_t *first;               /* the one met first, by id of its key */
    size_t first_capacity;
};

/* Called for each input. PF_OK or PF_NOMEM; free in any case. */
int pf_pprof_common_init(struct pf_pprof_common *);
void pf_pprof_common_free(void *);

/* Like pf_dict_add_image, but a mapping that has only an id is an image too. */
uint32_t pf_pprof_add_image(struct pf_dict *, struct pf_image);

/* --- names ------------------------------------------------------------------------------------ */

/* From ids, which need not be dense (they may be addresses), to places in an array. */
struct pf_pprof_ids {
    const char *rows; /* each begins with its id */
    size_t row_size, count;
    bool dense;      /* ids are 1, 2, 3 ... */
    uint32_t *slots; /* place + 1; 0 = empty */
    size_t mask;
    uint64_t seed; /* of hashes */
};

/* What a location drops from its stacks: nothing; what it calls; the location too. */
enum { PF_PPROF_KEPT, PF_PPROF_CUT, PF_PPROF_DROPPED };

struct pf_pprof_names {
    struct pf_pprof_ids mapping_ids, function_ids, location_ids;
    struct pf_pprof_place {
        uint32_t image; /* 0: not looked for yet */
        uint64_t slide; /* from its addresses to those of the image */
    } * images;         /* by place in the profile's array, as the functions */
    uint32_t *functions;
    struct pf_pprof_common *relocate; /* NULL: images stay as they are */
    /* by place of a location: the one frame it is, or 0: several, see spans */
    uint32_t *single;
    struct pf_pprof_span {
        /* of `frames`; count 0: the location is damaged, or a part is missing in a cut input */
        uint32_t first, count;
    } * spans;
    uint32_t *frames;    /* leaf first */
    unsigned char *cuts; /* by place of a location, of those; NULL: nothing is dropped */
    /* functions without a system name have none, rather than their name */
    bool bare_system_names;
    /* mappings and functions that are referred to and are not there */
    size_t unknown;
    /* set by the owner: rows and strings may be missing because the input ended early */
    bool cut;
    struct pf_error damage; /* the first in the order of the input; code 0: none */
};

/* Zero-initialise. */
void pf_pprof_names_free(struct pf_pprof_names *);
/* PF_OK or PF_NOMEM. Keeps damage in the names and finds all that is not damaged; of rows with one
 * id the first counts. `relocate`: images move to where an earlier input mapped them; may be NULL.
 * `profile` must stay while names are used. */
int pf_pprof_names_find(struct pf_pprof_names *, const struct pf_pprof_profile *, struct pf_dict *,
                        struct pf_pprof_common *relocate, struct pf_error *);

/* String number `number` of the file as the dictionary's id. The damage lies at `offset`, the place
 * of the reference, or at the end of the profile. */
int pf_pprof_string(const struct pf_pprof_profile *, uint64_t number, uint64_t offset, uint32_t *id,
                    struct pf_error *);
/* The same, a failure kept as damage unless the input is cut. */
bool pf_pprof_names_string(struct pf_pprof_names *, const struct pf_pprof_profile *,
                           uint64_t number, uint64_t offset, uint32_t *id);

/* The place of an id, or SIZE_MAX. */
size_t pf_pprof_ids_search(const struct pf_pprof_ids *, uint64_t id);

static inline size_t pf_pprof_ids_find(const struct pf_pprof_ids *ids, uint64_t id)
{
    if (ids->dense)
        return id - 1 < ids->count ? (size_t)(id - 1) : SIZE_MAX;
    return pf_pprof_ids_search(ids, id);
}

/* Adds a column for each sample type, in their order, none twice. PF_OK, or a failure in
 * `error`. */
int pf_pprof_measures_find(const struct pf_pprof_profile *, struct pf_rows *, struct pf_error *);

/* --- dropped frames --------------------------------------------------------------------------- */

/* Removes inlined frames and fills names->cuts, unless nothing is dropped. PF_OK; PF_FAILED for a
 * wrong expression; PF_NOMEM. */
int pf_pprof_drop_find(struct pf_pprof_names *, const struct pf_pprof_profile *,
                       const struct pf_dict *, struct pf_error *);

#endif
