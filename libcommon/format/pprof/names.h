/* From the ids of a profile to rows of the dictionary. Also the frames that a profile drops: the
 * frames that its drop_frames matches and its keep_frames does not match, and all frames that they
 * call (FORMAT.md, section 5). */
#ifndef PF_FORMAT_PPROF_NAMES_H
#define PF_FORMAT_PPROF_NAMES_H

#include "analysis/names/id_map.h"
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
    struct pf_table keys;          /* keys of images */
    struct pf_pprof_profile spare; /* an empty profile: the next input reuses its memory */
    struct pf_id_map first;        /* by id of a key: the first image that has the key */
};

/* Call it for each input; later calls do nothing. PF_OK or PF_NOMEM; free in any case. */
int pf_pprof_common_init(struct pf_pprof_common *);
void pf_pprof_common_free(void *);

/* Like pf_dict_add_image, but also adds an image without any facts, for a mapping that has only an
 * id. */
uint32_t pf_pprof_add_image(struct pf_dict *, struct pf_image);

/* --- names ------------------------------------------------------------------------------------ */

/* From ids to places in an array. Ids need not be dense: they may be addresses. */
struct pf_pprof_ids {
    const char *rows; /* each row begins with its 64-bit id */
    size_t row_size, count;
    bool dense;      /* the ids are 1, 2, 3 ... in order */
    uint32_t *slots; /* place + 1; 0 = empty */
    size_t mask;
    uint64_t seed; /* of hashes */
};

/* The frames that a location drops from its stacks: none; its callees; its callees and itself. */
enum { PF_PPROF_KEPT, PF_PPROF_CUT, PF_PPROF_DROPPED };

struct pf_pprof_names {
    struct pf_pprof_ids mapping_ids, function_ids, location_ids;
    struct pf_pprof_place {
        uint32_t image;  /* 0: not made yet */
        uint64_t slide;  /* add it to an address of the mapping to get an address of the image */
    } * images;          /* by place of a mapping in the profile */
    uint32_t *functions; /* by place of a function in the profile */
    struct pf_pprof_common *relocate; /* NULL: images stay where the profile has them */
    /* by place of a location: its frame; 0: use its span */
    uint32_t *single;
    struct pf_pprof_span {
        /* a range of `frames`; count 0: the location is damaged, or the input is cut and a part is
         * missing */
        uint32_t first, count;
    } * spans;
    uint32_t *frames; /* of all locations; those of a location leaf first */
    /* by place of a location: PF_PPROF_KEPT, _CUT or _DROPPED; NULL: nothing is dropped */
    unsigned char *cuts;
    /* some functions have no system name, or there are no functions: so system names equal to the
     * name are kept */
    bool bare_system_names;
    /* number of references to mappings and functions that the profile does not have */
    size_t unknown;
    /* set by the owner: the input ended early, so rows and strings may be missing */
    bool cut;
    struct pf_error damage; /* the damage that comes first in the input; code 0: no damage */
};

/* Zero-initialise. */
void pf_pprof_names_free(struct pf_pprof_names *);
/* Makes the images, functions and locations of a profile. Keeps the first damage in `damage` and
 * makes all undamaged rows; of rows with one id the first counts. `relocate` (may be NULL): images
 * move to the addresses where an earlier input mapped them. Borrows `profile`, which must stay
 * while the names are used. PF_OK or PF_NOMEM. */
int pf_pprof_names_find(struct pf_pprof_names *, const struct pf_pprof_profile *, struct pf_dict *,
                        struct pf_pprof_common *relocate, struct pf_error *);

/* The dictionary's id of string number `number` of the file. PF_FAILED: there is no such string;
 * the error names `offset`, the place of the reference, or the end of the profile. */
int pf_pprof_string(const struct pf_pprof_profile *, uint64_t number, uint64_t offset, uint32_t *id,
                    struct pf_error *);
/* The same; a failure is kept as damage, unless the input is cut. False, and *id is 0: no such
 * string. */
bool pf_pprof_names_string(struct pf_pprof_names *, const struct pf_pprof_profile *,
                           uint64_t number, uint64_t offset, uint32_t *id);

/* The place of an id that need not be dense; SIZE_MAX: not found. */
size_t pf_pprof_ids_search(const struct pf_pprof_ids *, uint64_t id);

/* The place of an id; SIZE_MAX: not found. */
static inline size_t pf_pprof_ids_find(const struct pf_pprof_ids *ids, uint64_t id)
{
    if (ids->dense)
        return id - 1 < ids->count ? (size_t)(id - 1) : SIZE_MAX;
    return pf_pprof_ids_search(ids, id);
}

/* Adds a measure to the rows for each sample type, in their order. PF_OK, or a failure in
 * `error`. */
int pf_pprof_measures_find(const struct pf_pprof_profile *, struct pf_rows *, struct pf_error *);

/* --- dropped frames --------------------------------------------------------------------------- */

/* Applies drop_frames and keep_frames of the profile: removes dropped inlined frames from the spans
 * and fills names->cuts. Does nothing if the profile has no drop_frames. PF_OK; PF_FAILED: an
 * invalid expression; PF_NOMEM. */
int pf_pprof_drop_find(struct pf_pprof_names *, const struct pf_pprof_profile *,
                       const struct pf_dict *, struct pf_error *);

#endif
