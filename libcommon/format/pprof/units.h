/* Units as pprof's producers spell them. */
#ifndef PF_FORMAT_PPROF_UNITS_H
#define PF_FORMAT_PPROF_UNITS_H

#include "model/dict.h"

/* The base unit one of which, or several, make up a unit of this name; false where it is none we know, and its own base unit then. */
bool pf_pprof_unit(struct pf_bytes name, const char **base, uint64_t *num);

#endif
