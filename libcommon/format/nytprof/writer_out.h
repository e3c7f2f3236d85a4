/* The bytes of a NYTProf stream on their way out: plain, then deflated from where the writer says. A failure stays in `status`, so
 * that a writer may look once at its end. */
#ifndef PF_FORMAT_NYTPROF_WRITER_OUT_H
#define PF_FORMAT_NYTPROF_WRITER_OUT_H

#include "base/bytes.h"
#include "base/error.h"
#include "format/nytprof/wire.h"
#include "io/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_nyt_out {
    struct pf_sink *sink;         /* borrowed */
    struct pf_sink *deflated;     /* on the sink; NULL: plain so far */
    unsigned char *buffer;
    size_t used;
    uint64_t start;               /* of the deflated bytes */
    int status;                   /* PF_OK, PF_NOMEM; failures of the sink stay there */
};

/* PF_OK or PF_NOMEM; close in any case. */
int pf_nyt_out_open(struct pf_nyt_out *, struct pf_sink *);
void pf_nyt_out_close(struct pf_nyt_out *);

void pf_nyt_out_bytes(struct pf_nyt_out *, const void *bytes, size_t size);
/* The same bytes `count` times. */
void pf_nyt_out_repeat(struct pf_nyt_out *, const void *bytes, size_t size, uint64_t count);

/* A tag and its varints. */
void pf_nyt_out_numbers(struct pf_nyt_out *, enum pf_nyt_tag, const uint32_t *numbers, size_t count);
void pf_nyt_out_number(struct pf_nyt_out *, uint32_t number);
/* A double, little-endian: nv_size 8. */
void pf_nyt_out_nv(struct pf_nyt_out *, double);
void pf_nyt_out_string(struct pf_nyt_out *, struct pf_bytes, bool utf8);

/* Writes `z`; from here on the bytes are deflated at `level` 1..9. */
void pf_nyt_out_deflate(struct pf_nyt_out *, int level);
/* Ends the deflated bytes with what the profiler says of them behind, and hands all to the sink. */
void pf_nyt_out_finish(struct pf_nyt_out *);

/* The same into memory: behind what was written. Room for PF_NYT_VARINT_MAX bytes must be there. */
static inline unsigned char *pf_nyt_put_varint(unsigned char *p, uint32_t value)
{
    if (value < 0x80) {
        *p++ = (unsigned char)value;
        return p;
    }
    if (value < 0x4000) {
        *p++ = (unsigned char)(value >> 8 | 0x80);
    } else {
        if (value < 0x200000) {
            *p++ = (unsigned char)(value >> 16 | 0xc0);
        } else {
            if (value < 0x10000000) {
                *p++ = (unsigned char)(value >> 24 | 0xe0);
            } else {
                *p++ = 0xff;
                *p++ = (unsigned char)(value >> 24);
            }
            *p++ = (unsigned char)(value >> 16);
        }
        *p++ = (unsigned char)(value >> 8);
    }
    *p++ = (unsigned char)value;
    return p;
}

#endif
