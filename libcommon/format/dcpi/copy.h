/* Copies an unchanged DCPI profile, checked on the way. */
#ifndef PF_FORMAT_DCPI_COPY_H
#define PF_FORMAT_DCPI_COPY_H

#include "codec/format.h"

/* The `copy` of the format, codec/format.h. */
int pf_dcpi_copy(struct pf_source *, struct pf_sink *, const struct pf_report *, bool salvage, uint64_t *records, struct pf_error *);

#endif
