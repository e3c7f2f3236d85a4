/* The metadata of a profile as rows of origin, key and value, and back. */
#ifndef PF_FORMAT_PPROF_META_H
#define PF_FORMAT_PPROF_META_H

#include "format/pprof/names.h"
#include "model/rows.h"

/* Adds the metadata of a profile to the rows. Leaves out damaged metadata and keeps the damage in
 * the names. Out of memory: the status of the dictionary. */
void pf_pprof_meta_make(struct pf_rows *, const struct pf_pprof_profile *, struct pf_pprof_names *);

/* Parses the value of the key `period`, `NUMBER TYPE/UNIT`; blanks, slashes, percent signs and
 * control bytes in type and unit are written %XX. False: another form. */
bool pf_pprof_period_parse(struct pf_dict *, struct pf_bytes value, int64_t *period, uint32_t *type,
                           uint32_t *unit);
/* Parses the private row of a mapping, `START LIMIT OFFSET FLAGS SIZE:BUILD FILE`: numbers are
 * hexadecimal, SIZE is the size of the build id BUILD. False: another form. */
bool pf_pprof_mapping_parse(struct pf_dict *, struct pf_bytes value, struct pf_image *);
/* Parses the private row of a folded location, a hash in hexadecimal. False: another form. */
bool pf_pprof_folded_parse(struct pf_bytes value, uint64_t *hash);
/* The hash in the row of a folded location, of its frames (leaf first) with all their fields. Never
 * 0. Out of memory: scratch->failed. */
uint64_t pf_pprof_location_hash(const struct pf_dict *, const uint32_t *frames, size_t count,
                                struct pf_buffer *scratch);

#endif
