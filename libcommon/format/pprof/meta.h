/* The metadata of a profile as rows: origin, key, value; and back. */
#ifndef PF_FORMAT_PPROF_META_H
#define PF_FORMAT_PPROF_META_H

#include "format/pprof/names.h"
#include "model/batch.h"

/* Rows of metadata for batches. A comment may take one byte of the input, so comments stay in the
 * profile, which is borrowed, and come before row `comments_at`. Zero-initialise. */
struct pf_pprof_meta {
    struct pf_pprof_meta_row {
        uint32_t origin, key, value;
    } * rows;
    size_t count, capacity, given;
    const struct pf_pprof_profile *profile;
    size_t comments_at, comments_given;
    uint32_t comment_origin, comment_key;
    /* of the current batch */
    uint32_t origins[PF_BATCH_ROWS], keys[PF_BATCH_ROWS], values[PF_BATCH_ROWS];
};

void pf_pprof_meta_free(struct pf_pprof_meta *);
/* Makes the rows of a profile. Leaves out damaged ones and keeps the damage in the names. Failures
 * stand in the dictionary. */
void pf_pprof_meta_make(struct pf_pprof_meta *, const struct pf_pprof_profile *,
                        struct pf_pprof_names *, struct pf_dict *);

/* The next rows; false when no row is left. */
bool pf_pprof_meta_next(struct pf_pprof_meta *, struct pf_batch *);

/* `NUMBER TYPE/UNIT` of the key `period`, blanks, slashes, percent signs and control bytes inside
 * type and unit as %XX. */
bool pf_pprof_period_parse(struct pf_dict *, struct pf_bytes value, int64_t *period, uint32_t *type,
                           uint32_t *unit);
/* `START LIMIT OFFSET FLAGS SIZE:BUILD FILE` of a private mapping, numbers hexadecimal, SIZE that
 * of the build id. */
bool pf_pprof_mapping_parse(struct pf_dict *, struct pf_bytes value, struct pf_image *);
/* The hash of a private folded location, hexadecimal. */
bool pf_pprof_folded_parse(struct pf_bytes value, uint64_t *hash);
/* It, of the frames of a location, leaf first: never 0. Failures stand in `scratch`. */
uint64_t pf_pprof_location_hash(const struct pf_dict *, const uint32_t *frames, size_t count,
                                struct pf_buffer *scratch);

#endif
