/* The native stream, profstream(5), as a format: what its entry in the registry points to.
 * codec/format.h says what each does. */
#ifndef PF_STREAM_STREAM_H
#define PF_STREAM_STREAM_H

#include "codec/format.h"

int pf_stream_open_reader(struct pf_reader *);
int pf_stream_read(struct pf_reader *, struct pf_batch *);
void pf_stream_close_reader(struct pf_reader *);

int pf_stream_open_writer(struct pf_writer *);
/* An empty batch of kind PF_SAMPLE without value columns asks to send what is held back, when
 * somebody may be waiting for it. */
int pf_stream_write(struct pf_writer *, const struct pf_batch *);
int pf_stream_finish(struct pf_writer *);
void pf_stream_close_writer(struct pf_writer *);

#endif
