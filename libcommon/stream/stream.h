/* The reader and the writer of the native stream, profstream(5), as functions of a format;
 * codec/format.h describes them. */
#ifndef PF_STREAM_STREAM_H
#define PF_STREAM_STREAM_H

#include "codec/format.h"

int pf_stream_open_reader(struct pf_reader *);
int pf_stream_read(struct pf_reader *, struct pf_batch *);
void pf_stream_close_reader(struct pf_reader *);

int pf_stream_open_writer(struct pf_writer *);
int pf_stream_write(struct pf_writer *, const struct pf_batch *);
int pf_stream_flush(struct pf_writer *);
int pf_stream_finish(struct pf_writer *);
void pf_stream_close_writer(struct pf_writer *);

/* Copies a stream, from its first frame on, to the end of the sink. Checks headers, payloads,
 * bases, numbers of records and lengths; copies frames of unknown small types too. On PF_FAILED,
 * PF_UNSUPPORTED or a failure of the source, no byte of the damaged frame is written, and the last
 * segment of the sink is marked incomplete, so that later stages fail too. With `salvage`, damage
 * and marks become warnings, the segment is ended normally, and the result is PF_OK. After a
 * failure of the sink, or PF_NOMEM, the caller must abort the sink. *records: the number of copied
 * records. */
int pf_stream_copy(struct pf_source *, struct pf_sink *, const struct pf_report *, bool salvage,
                   uint64_t *records, struct pf_error *);

#endif
