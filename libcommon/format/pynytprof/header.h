/* What stands before the chunks: the banner, or one of the binary headers of the first versions. */
#ifndef PF_FORMAT_PYNYTPROF_HEADER_H
#define PF_FORMAT_PYNYTPROF_HEADER_H

#include "format/pynytprof/pynytprof.h"

/* True when a chunk may begin with this byte: a tag some version wrote. */
bool pf_pyn_tag(unsigned byte);

/* Bits of evidence that the bytes ahead are Pynytprof's chunks and not NYTProf's records. Peeks. */
int pf_pyn_bid(struct pf_source *);

/* Takes the header. PF_OK; PF_FAILED, PF_UNSUPPORTED, or the source's own failure, in reader->error. */
int pf_pyn_header_read(struct pf_reader *, struct pf_pyn_content *);

#endif
