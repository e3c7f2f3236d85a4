/* The header of a DCPI file that is written: that of the profiles its counts come from, or one made of what dcpicat said. */
#ifndef PF_FORMAT_DCPI_MERGE_H
#define PF_FORMAT_DCPI_MERGE_H

#include "format/dcpi/cat_blocks.h"
#include "format/dcpi/profiles.h"

#include <stdbool.h>
#include <stdint.h>

/* What a file is about. */
struct pf_dcpi_subject {
    struct pf_bytes event;
    uint64_t period;
    const struct pf_image *image; /* NULL: nothing was counted, any will do */
};

/* Whether a profile is one of those the subject is made of. */
bool pf_dcpi_subject_has(const struct pf_dcpi_subject *, const struct pf_dict *, const struct pf_dcpi_profile *);

/* Joins the headers of all such profiles into a new one: the lines of the first, the earliest epoch, then lines that only later ones have
 * (paths and unknown lines), once each. *single is the profile when there is one only, else NULL. PF_EOF: there is none. PF_USAGE
 * where they disagree on what has to be the same; PF_NOMEM. */
int pf_dcpi_merge_headers(struct pf_dcpi_header *, const struct pf_dcpi_profiles *, const struct pf_dict *,
                          const struct pf_dcpi_subject *, const struct pf_dcpi_profile **single, struct pf_error *);

/* Makes a header from lines of which is not known any more what file each comes from, as in canonical order: what has to be the same is the
 * subject's, of the others the first ones are taken (the earliest epoch). Paths and unknown lines only where all lines are of one image.
 * PF_EOF: there are no such lines; PF_USAGE where some are missing. */
int pf_dcpi_pool_header(struct pf_dcpi_header *, const struct pf_dcpi_profiles *, const struct pf_dict *,
                        const struct pf_dcpi_subject *, struct pf_error *);

/* Makes a header from a block of dcpicat text. The speed of the processor, which it does not tell, is 0. PF_USAGE where something
 * is missing. */
int pf_dcpi_make_header(struct pf_dcpi_header *, const struct pf_dcpi_cat_blocks *, const struct pf_dict *,
                        const struct pf_dcpi_subject *, struct pf_error *);

#endif
