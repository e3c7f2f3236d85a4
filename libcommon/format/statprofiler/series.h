/* A process writes a series of files, one ordinal after the other, and what is open at the end of one stays so in the next
 * (formats page, section 7). Here the files of one run tell each other. */
#ifndef PF_FORMAT_STATPROFILER_SERIES_H
#define PF_FORMAT_STATPROFILER_SERIES_H

#include "codec/format.h"
#include "format/statprofiler/events.h"
#include "format/statprofiler/header.h"

/* Puts into `open` the sections that were open at the end of the ordinal before this file's. Warns when ordinals are missing.
 * PF_OK or PF_NOMEM. */
int pf_sp_series_begin(struct pf_reader *, const struct pf_sp_header *, struct pf_sp_open *open);
/* Keeps the sections that are open at the end of this file. PF_OK or PF_NOMEM. */
int pf_sp_series_end(struct pf_reader *, const struct pf_sp_header *, const struct pf_sp_open *open);

/* As pf_format wants it: finds the place of a file by its header. */
int pf_sp_series_find(struct pf_source *, struct pf_series *);

#endif
