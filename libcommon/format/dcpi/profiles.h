/* The DCPI profiles that a stream was made of, as their metadata say: the header of each, how its chunks lay, its totals. */
#ifndef PF_FORMAT_DCPI_PROFILES_H
#define PF_FORMAT_DCPI_PROFILES_H

#include "format/dcpi/header.h"
#include "format/dcpi/layout.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_dcpi_profile {
    struct pf_dcpi_header header;
    bool ended;   /* the header is there to its end */
    bool refused; /* it is no header: somebody changed the metadata */
    uint64_t stride;
    struct pf_dcpi_layout layout;
    bool footed;  /* all of the file was read; its footer: */
    uint64_t addresses, samples;
};

/* Zero-initialise. */
struct pf_dcpi_profiles {
    struct pf_dcpi_profile *rows;
    size_t count, capacity;
    uint32_t separator; /* string said before a line */
    struct pf_buffer text;
};

/* Takes what a META batch says of them. PF_OK or PF_NOMEM. */
int pf_dcpi_profiles_add(struct pf_dcpi_profiles *, const struct pf_dict *, const struct pf_batch *);
/* Whether the lines are those of this image, and of no other (of which not all are known to be of one file). */
bool pf_dcpi_profile_is_of(const struct pf_dcpi_profile *, struct pf_bytes image);
void pf_dcpi_profiles_free(struct pf_dcpi_profiles *);

#endif
