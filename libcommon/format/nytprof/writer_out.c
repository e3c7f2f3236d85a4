#include "format/nytprof/writer_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* As the profiler has it: 160 KB of input are deflated at a time. */
enum { ROOM = 160 * 1024, PACKED = 16 * 1024, WINDOW_BITS = 15, MEM_LEVEL = 9 };

int pf_nyt_out_open(struct pf_nyt_out *out, struct pf_sink *sink)
{
    *out = (struct pf_nyt_out){.sink = sink, .buffer = malloc(ROOM)};
    return out->status = out->buffer ? PF_OK : PF_NOMEM;
}

void pf_nyt_out_close(struct pf_nyt_out *out)
{
    if (out->deflater)
        deflateEnd(out->deflater);
    free(out->deflater);
    free(out->buffer);
}

static void pack(struct pf_nyt_out *out, int flush)
{
    z_stream *z = out->deflater;
    unsigned char packed[PACKED];
    z->next_in = out->buffer;
    z->avail_in = (uInt)out->used;
    out->raw += out->used;
    do {
        z->next_out = packed;
        z->avail_out = sizeof packed;
        deflate(z, flush);
        out->packed += sizeof packed - z->avail_out;
        pf_sink_write(out->sink, packed, sizeof packed - z->avail_out);
    } while (z->avail_out == 0);
}

static void drain(struct pf_nyt_out *out)
{
    if (out->deflater)
        pack(out, Z_NO_FLUSH);
    else
        pf_sink_write(out->sink, out->buffer, out->used);
    out->used = 0;
}

/* Room for `size` bytes, at most ROOM, at the end of the buffer. */
static unsigned char *room(struct pf_nyt_out *out, size_t size)
{
    if (ROOM - out->used < size)
        drain(out);
    return out->buffer + out->used;
}

void pf_nyt_out_bytes(struct pf_nyt_out *out, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t part = size < ROOM - out->used ? size : ROOM - out->used;
        memcpy(out->buffer + out->used, from, part);
        out->used += part;
        from += part;
        size -= part;
        if (out->used == ROOM)
            drain(out);
    }
}

void pf_nyt_out_repeat(struct pf_nyt_out *out, const void *bytes, size_t size, uint64_t count)
{
    while (count > 0 && size <= ROOM) {
        unsigned char *p = room(out, size);
        uint64_t fit = (ROOM - out->used) / size, part = count < fit ? count : fit;
        memcpy(p, bytes, size);
        for (size_t done = size, all = (size_t)part * size; done < all;) {
            size_t more = done < all - done ? done : all - done;
            memcpy(p + done, p, more);
            done += more;
        }
        out->used += (size_t)part * size;
        count -= part;
    }
    for (; count > 0; count--)
        pf_nyt_out_bytes(out, bytes, size);
}

void pf_nyt_out_numbers(struct pf_nyt_out *out, enum pf_nyt_tag tag, const uint32_t *numbers, size_t count)
{
    unsigned char *p = room(out, 1 + count * PF_NYT_VARINT_MAX);
    *p++ = (unsigned char)tag;
    for (size_t k = 0; k < count; k++)
        p = pf_nyt_put_varint(p, numbers[k]);
    out->used = (size_t)(p - out->buffer);
}

void pf_nyt_out_number(struct pf_nyt_out *out, uint32_t number)
{
    out->used = (size_t)(pf_nyt_put_varint(room(out, PF_NYT_VARINT_MAX), number) - out->buffer);
}

void pf_nyt_out_nv(struct pf_nyt_out *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pf_store64le(room(out, sizeof bits), bits);
    out->used += sizeof bits;
}

void pf_nyt_out_string(struct pf_nyt_out *out, struct pf_bytes text, bool utf8)
{
    uint32_t size = (uint32_t)text.size;
    pf_nyt_out_numbers(out, utf8 ? PF_NYT_STRING_UTF8 : PF_NYT_STRING, &size, 1);
    pf_nyt_out_bytes(out, text.data, text.size);
}

void pf_nyt_out_deflate(struct pf_nyt_out *out, int level)
{
    static const unsigned char TAG = PF_NYT_DEFLATE;
    z_stream *z = calloc(1, sizeof *z);
    pf_nyt_out_bytes(out, &TAG, 1);
    drain(out);
    if (!z || deflateInit2(z, level, Z_DEFLATED, WINDOW_BITS, MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(z);
        out->status = PF_NOMEM;
        return;
    }
    out->deflater = z;
}

void pf_nyt_out_finish(struct pf_nyt_out *out)
{
    if (!out->deflater) {
        drain(out);
        return;
    }
    pack(out, Z_FINISH);
    out->used = 0;
    double raw = (double)out->raw, packed = (double)out->packed;
    pf_sink_printf(out->sink, "#\n# Compressed %" PRIu64 " bytes to %" PRIu64 ", ratio %f:1, data shrunk by %.2f%%\n", out->raw,
                   out->packed, raw / packed, raw > 0 ? (raw - packed) * 100 / raw : 0.0);
}
