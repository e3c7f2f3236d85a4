/* Frames of the native stream: headers, checks and the order of frames. columns.h has the
 * payloads. */
#ifndef PF_STREAM_FRAME_H
#define PF_STREAM_FRAME_H

#include "base/error.h"
#include "io/source.h"
#include "model/tables.h"
#include "stream/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_frame {
    uint64_t offset; /* in the stream */
    uint8_t type, flags;
    uint16_t domain;
    uint32_t size, raw; /* of the payload: bytes stored, bytes when inflated */
    uint32_t rows, base;
    uint32_t check;
};

/* The size of a frame in bytes: header, payload and padding. */
static inline size_t pf_frame_total(const struct pf_frame *frame)
{
    return PF_FRAME_HEADER + (((size_t)frame->size + 7) & ~(size_t)7);
}

/* Parses the 32 bytes of a header. PF_FAILED if the header is damaged or exceeds a limit; the
 * message says what was expected. */
int pf_frame_parse(const unsigned char *bytes, uint64_t offset, struct pf_frame *,
                   struct pf_error *);
/* Checks the payload and the padding after it against the header. PF_OK or PF_FAILED. */
int pf_frame_verify(const struct pf_frame *, const unsigned char *payload, struct pf_error *);
/* Computes frame->check and stores the header. */
void pf_frame_store(struct pf_frame *, const void *payload, unsigned char header[PF_FRAME_HEADER]);

/* Peeks at the next frame of the source. The frame is complete but not verified, is not consumed,
 * and is valid until the next call on the source. PF_OK; PF_EOF at the end of the source; or a
 * negative code: PF_FAILED for a cut frame or a damaged header. */
int pf_frame_peek(struct pf_source *, struct pf_frame *, const unsigned char **payload,
                  struct pf_error *);

/* The payload of an E frame. */
struct pf_end {
    uint64_t records, length;
    const unsigned char *totals; /* 16 bytes for each measure */
    uint32_t total_count;
};

/* Checks the order of a stream's frames: segments begin and end correctly, no frame of a table
 * or block is missing, the numbers of records and bytes agree with the end frame E.
 * Zero-initialise. */
struct pf_sequence {
    bool open;                  /* inside a segment */
    bool incomplete;            /* a segment was marked incomplete */
    uint64_t segments;          /* number of segments that have ended */
    uint64_t start;             /* offset of the segment's H */
    uint64_t records;           /* records of the segment so far */
    uint64_t all_records;       /* records of all segments so far */
    uint32_t counts[PF_TABLES]; /* next id of each table of the segment */
};

/* Checks the next frame, which must be verified; `payload` is as stored. An E frame fills *end.
 * PF_OK; PF_FAILED; PF_UNSUPPORTED for a feature of a newer version. */
int pf_sequence_take(struct pf_sequence *, const struct pf_frame *, const unsigned char *payload,
                     struct pf_end *end, struct pf_error *);
/* Call at the end of the source: PF_EOF if all segments have ended and are complete, else
 * PF_FAILED. */
int pf_sequence_end(const struct pf_sequence *, uint64_t offset, struct pf_error *);

/* Lists the frames of a source, up to its end or to the first frame that cannot be found. `fn` gets
 * each header, and whether the payload passes its check; if `fn` returns anything but PF_OK, the
 * walk ends and returns this. Else PF_EOF, or a negative code with `error` set for the first
 * damage. */
int pf_frame_walk(struct pf_source *, int (*fn)(void *arg, const struct pf_frame *, bool good),
                  void *arg, struct pf_error *);

#endif
