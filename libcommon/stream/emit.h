/* Writes frames to a sink: the caller builds a payload in emit->payload and then writes it as a
 * frame. */
#ifndef PF_STREAM_EMIT_H
#define PF_STREAM_EMIT_H

#include "base/memory.h"
#include "base/number.h"
#include "io/sink.h"
#include "stream/frame.h"

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

/* Zero-initialise and set sink and level; free with pf_emit_free. */
struct pf_emit {
    struct pf_sink *sink;
    int level;         /* zlib's level, 1..9; 0: not deflated */
    z_stream deflater; /* must not move once it is started */
    bool started;
    struct pf_buffer deflated, payload;
    uint64_t start; /* offset of the segment in the sink */
};

/* Writes the payload, of at most PF_FRAME_PAYLOAD_MAX bytes, as a frame and empties it. PF_OK,
 * PF_NOMEM, or the sink's failure. */
int pf_emit_frame(struct pf_emit *, char type, unsigned domain, uint32_t rows, uint32_t base);
/* Write the head and the end of a segment. `totals` has one total for each measure; NULL: the end
 * frame gets PF_END_NO_TOTALS. As pf_emit_frame. */
int pf_emit_head(struct pf_emit *);
int pf_emit_end(struct pf_emit *, uint64_t records, const pf_int128 *totals, uint32_t total_count,
                bool incomplete);
void pf_emit_free(struct pf_emit *);

#endif
