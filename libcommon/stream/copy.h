/* Concatenates streams without reading their records: checks frames and copies them unchanged. */
#ifndef PF_STREAM_COPY_H
#define PF_STREAM_COPY_H

#include "base/error.h"
#include "io/sink.h"
#include "io/source.h"

#include <stdbool.h>
#include <stdint.h>

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
