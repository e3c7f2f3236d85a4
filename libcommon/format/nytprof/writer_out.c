#include "format/nytprof/writer_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the profiler has it: 160 KB of input are deflated at a time. */
enum { ROOM = 160 * 1024 };

int pf_nyt_out_open(struct pf_nyt_out *out, struct pf_sink *sink)
{
    *out = (struct pf_nyt_out){.sink = sink, .buffer = malloc(ROOM)};
    return out->status = out->buffer ? PF_OK : PF_NOMEM;
}

void pf_nyt_out_close(struct pf_nyt_out *out)
{
    pf_sink_abort(out->deflated);
    free(out->buffer);
}

static void drain(struct pf_nyt_out *out)
{
    pf_sink_write(out->deflated ? out->deflated : out->sink, out->buffer, out->used);
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
    struct pf_error error = {0};
    pf_nyt_out_bytes(out, &TAG, 1);
    drain(out);
    out->start = pf_sink_offset(out->sink);
    if (pf_sink_open_deflate(&out->deflated, out->sink, level, &error) != PF_OK)
        out->status = PF_NOMEM;
}

void pf_nyt_out_finish(struct pf_nyt_out *out)
{
    drain(out);
    if (!out->deflated)
        return;
    pf_sink_finish(out->deflated);
    uint64_t raw = pf_sink_offset(out->deflated), packed = pf_sink_offset(out->sink) - out->start;
    double shrunk = raw > 0 ? ((double)raw - (double)packed) * 100 / (double)raw : 0.0;
    pf_sink_printf(out->sink, "#\n# Compressed %" PRIu64 " bytes to %" PRIu64 ", ratio %f:1, data shrunk by %.2f%%\n", raw,
                   packed, (double)raw / (double)packed, shrunk);
}
