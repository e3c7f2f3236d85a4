/* The metadata of a profile as rows: origin, key, value; and back. */
#ifndef PF_FORMAT_PPROF_META_H
#define PF_FORMAT_PPROF_META_H

#include "format/pprof/names.h"
#include "model/rows.h"

/* Adds the metadata of a profile to the rows. Leaves out damaged ones and keeps the damage in the
 * names. Failures stand in the dictionary. */
void pf_pprof_meta_make(struct pf_rows *, const struct pf_pprof_profile *, struct pf_pprof_names *);

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
