/* The chunks of a Pynytprof file. */
#ifndef PF_FORMAT_PYNYTPROF_CHUNKS_H
#define PF_FORMAT_PYNYTPROF_CHUNKS_H

#include "format/pynytprof/pynytprof.h"

/* Takes all chunks to the end of the file. PF_OK; else, with all that is whole in the content, a text in reader->error. A chunk that
 * is damaged inside is passed over: the first such failure is the result at the end, a warning when salvaging. */
int pf_pyn_chunks_read(struct pf_reader *, struct pf_pyn_content *);

#endif
