/* What becomes of Pynytprof's metadata. */
#ifndef PF_FORMAT_PYNYTPROF_MERGING_H
#define PF_FORMAT_PYNYTPROF_MERGING_H

#include "codec/merging.h"

extern const struct pf_merging pf_pyn_merging;

#endif
