/* Metadata of StatProfiler files when several become one: a merge is a process of its own, without a parent. */
#ifndef PF_FORMAT_STATPROFILER_MERGING_H
#define PF_FORMAT_STATPROFILER_MERGING_H

#include "codec/merging.h"

extern const struct pf_merging pf_sp_merging;

#endif
