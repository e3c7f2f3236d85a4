/* Metadata of DCPI profiles when several become one: headers stay whole, a writer joins them. */
#ifndef PF_FORMAT_DCPI_MERGING_H
#define PF_FORMAT_DCPI_MERGING_H

#include "codec/merging.h"

extern const struct pf_merging pf_dcpi_merging;

#endif
