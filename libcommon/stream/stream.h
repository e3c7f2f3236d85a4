/* The reader and the writer of the native stream, profstream(5), as functions of a format;
 * codec/format.h describes them. */
#ifndef PF_STREAM_STREAM_H
#define PF_STREAM_STREAM_H

#include "codec/format.h"

int pf_stream_open_reader(struct pf_reader *);
int pf_stream_read(struct pf_reader *, struct pf_batch *);
void pf_stream_close_reader(struct pf_reader *);

int pf_stream_open_writer(struct pf_writer *);
/* An empty batch of kind PF_SAMPLE without value columns flushes buffered records if the output is
 * live (pf_sink_live). */
int pf_stream_write(struct pf_writer *, const struct pf_batch *);
int pf_stream_finish(struct pf_writer *);
void pf_stream_close_writer(struct pf_writer *);

#endif
