/* What becomes of pprof's metadata when profiles are merged. */
#ifndef PF_FORMAT_PPROF_MERGING_H
#define PF_FORMAT_PPROF_MERGING_H

#include "codec/merging.h"

extern const struct pf_merging pf_pprof_merging;

#endif
