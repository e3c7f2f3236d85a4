/* Payloads of frames in and out of zlib's deflate, one by one. */
#ifndef PF_STREAM_DEFLATE_H
#define PF_STREAM_DEFLATE_H

#include "base/error.h"
#include "base/memory.h"
#include "stream/frame.h"

/* Zero-initialise; free with pf_inflate_free. */
struct pf_inflate {
    struct z_stream_s *stream;
    unsigned char *bytes; /* room for one payload, kept from frame to frame */
    size_t capacity;
};

/* The payload as it is inflated: *payload itself when it is not deflated, else bytes that are valid
 * until the next call. PF_OK, PF_FAILED, PF_NOMEM. */
int pf_inflate_payload(struct pf_inflate *, const struct pf_frame *, const unsigned char **payload,
                       struct pf_error *);
/* The same bytes in the room of the inflater, where the source may not move them. */
int pf_inflate_keep(struct pf_inflate *, const struct pf_frame *, const unsigned char **payload,
                    struct pf_error *);
void pf_inflate_free(struct pf_inflate *);

/* Zero-initialise; `level` 1..9; free with pf_deflate_free. */
struct pf_deflate {
    struct z_stream_s *stream;
    struct pf_buffer bytes;
};

/* PF_OK: the result stands in deflate->bytes and is smaller than `size`. PF_EOF: it would not be smaller, write
 * the payload as it is. PF_NOMEM. */
int pf_deflate_payload(struct pf_deflate *, int level, const void *payload, size_t size);
void pf_deflate_free(struct pf_deflate *);

#endif
