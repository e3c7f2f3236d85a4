/* Streams one behind the other without reading their records: frames are checked and pass as they
 * are. */
#ifndef PF_STREAM_COPY_H
#define PF_STREAM_COPY_H

#include "base/error.h"
#include "io/sink.h"
#include "io/source.h"

#include <stdbool.h>
#include <stdint.h>

/* Copies a stream whose first frame is ahead in the source to the end of the sink. Checked are
 * headers, payloads, bases, the numbers of records and the lengths; frames with small letters that
 * nobody knows are copied too. PF_OK, or: PF_FAILED, PF_UNSUPPORTED, or the source's own failure:
 * nothing of the damaged frame is written, and the last segment of the sink is then marked
 * incomplete, so that later stages fail as well. With `salvage` damage and marks are warnings, the
 * segment is ended as a whole one, and the result is PF_OK; the sink's failure or PF_NOMEM: the
 * sink is to be given up. *records counts the records copied. */
int pf_stream_copy(struct pf_source *, struct pf_sink *, const struct pf_report *, bool salvage,
                   uint64_t *records, struct pf_error *);

#endif
