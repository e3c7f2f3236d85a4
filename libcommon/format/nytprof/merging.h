/* Metadata of NYTProf files when several become one (formats page, section 1.15). */
#ifndef PF_FORMAT_NYTPROF_MERGING_H
#define PF_FORMAT_NYTPROF_MERGING_H

#include "codec/merging.h"

extern const struct pf_merging pf_nyt_merging;

#endif
