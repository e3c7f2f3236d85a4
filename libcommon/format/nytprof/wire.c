/* Records of NYTProf streams as bytes: how a reader parses them, how the writer puts them out. */
#include "format/nytprof/wire.h"

#include "model/strings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- NVs -------------------------------------------------------------------------------------- */

static double load_single(const unsigned char *p)
{
    uint32_t bits = pf_load32le(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double load_double(const unsigned char *p)
{
    return pf_double_of(pf_load64le(p));
}

/* The number of an x87 or quad float: a fraction of 64 bits with its leading 1, and 16 bits of sign
 * and exponent. */
static double load_extended(uint64_t fraction, unsigned exponent)
{
    double value = (double)fraction;
    value = (exponent & 0x7fff) == 0x7fff ? (double)NAN
                                          : ldexp(value, (int)(exponent & 0x7fff) - 16383 - 63);
    return exponent & 0x8000 ? -value : value;
}

static double load_x87(const unsigned char *p)
{
    return load_extended(pf_load64le(p), pf_load16le(p + 8));
}

static double load_quad(const unsigned char *p)
{
    unsigned exponent = pf_load16le(p + 14);
    uint64_t one = (exponent & 0x7fff) != 0 ? (uint64_t)1 << 63 : 0;
    return load_extended(one | pf_load64le(p + 6) >> 1, exponent);
}

/* The forms of NVs, by size. The first form of a size is the default. */
static const struct pf_nyt_nv FORMS[] = {
    {.size = 8, .load = load_double},
    {.size = 8, .load = load_double, .big_endian = true},
    {.size = 16, .load = load_x87},
    {.size = 16, .load = load_quad},
    {.size = 16, .load = load_quad, .big_endian = true},
    {.size = 12, .load = load_x87},
    {.size = 4, .load = load_single},
    {.size = 4, .load = load_single, .big_endian = true},
};

enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

bool pf_nyt_nv_size(struct pf_nyt_nv *nv, int64_t size)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (FORMS[i].size == size) {
            *nv = FORMS[i];
            return true;
        }
    }
    return false;
}

void pf_nyt_nv_probe(struct pf_nyt_nv *nv, const unsigned char *time_of_day)
{
    for (size_t i = 0; i < FORM_COUNT && !nv->decided; i++) {
        if (FORMS[i].size != nv->size)
            continue;
        double time = pf_nyt_nv_load(&FORMS[i], time_of_day);
        if (time >= 1e8 && time <= 2e10) {
            *nv = FORMS[i];
            nv->decided = true;
        }
    }
}

double pf_nyt_nv_load(const struct pf_nyt_nv *nv, const unsigned char *p)
{
    unsigned char reversed[PF_NYT_NV_MAX];
    if (!nv->big_endian)
        return nv->load(p);
    for (size_t i = 0; i < nv->size; i++)
        reversed[i] = p[nv->size - 1 - i];
    return nv->load(reversed);
}

/* --- records ---------------------------------------------------------------------------------- */

/* The fields after a tag: v varint, d NV, s string, l text up to a line feed. NULL: no record has
 * this tag. */
static const char *layout_of(unsigned tag)
{
    switch (tag) {
    case PF_NYT_ATTRIBUTE:
    case PF_NYT_OPTION:
    case PF_NYT_COMMENT: return "l";
    case PF_NYT_PID_START: return "vvd";
    case PF_NYT_PID_END: return "vd";
    case PF_NYT_NEW_FID: return "vvvvvvs";
    case PF_NYT_TIME_LINE: return "vvv";
    case PF_NYT_TIME_BLOCK: return "vvvvv";
    case PF_NYT_DISCOUNT:
    case PF_NYT_DEFLATE: return "";
    case PF_NYT_SUB_ENTRY: return "vv";
    case PF_NYT_SUB_RETURN: return "vdds";
    case PF_NYT_SRC_LINE: return "vvs";
    case PF_NYT_SUB_INFO: return "vsvv";
    case PF_NYT_SUB_CALLERS: return "vvsvdddvs";
    default: return NULL;
    }
}

struct cursor {
    const unsigned char *p, *end;
};

static enum pf_nyt_parse need_bytes(struct pf_nyt_record *record, size_t bytes)
{
    record->missing = bytes;
    return PF_NYT_MISSING;
}

/* Reads a varint from the last bytes of those at hand, which may be fewer than
 * PF_NYT_VARINT_MAX. */
static enum pf_nyt_parse read_last_varint(struct pf_nyt_record *record, struct cursor *at,
                                          uint32_t *value)
{
    unsigned char padded[PF_NYT_VARINT_MAX] = {0};
    size_t have = (size_t)(at->end - at->p);
    if (have == 0)
        return need_bytes(record, 1);
    memcpy(padded, at->p, have);
    size_t size = (size_t)(pf_nyt_varint(padded, value) - padded);
    if (size > have)
        return need_bytes(record, size - have);
    at->p += size;
    return PF_NYT_WHOLE;
}

static enum pf_nyt_parse read_varint(struct pf_nyt_record *record, struct cursor *at,
                                     uint32_t *value)
{
    if (at->end - at->p < PF_NYT_VARINT_MAX)
        return read_last_varint(record, at, value);
    at->p = pf_nyt_varint(at->p, value);
    return PF_NYT_WHOLE;
}

static enum pf_nyt_parse read_string(struct pf_nyt_record *record, struct cursor *at,
                                     struct pf_nyt_text *text)
{
    uint32_t size;
    if (at->p == at->end)
        return need_bytes(record, 2);
    unsigned tag = *at->p;
    if (tag != PF_NYT_STRING && tag != PF_NYT_STRING_UTF8) {
        record->bad = tag;
        return PF_NYT_NO_STRING;
    }
    at->p++;
    enum pf_nyt_parse result = read_varint(record, at, &size);
    if (result != PF_NYT_WHOLE)
        return result;
    if (size > PF_STRING_MAX) {
        record->bad = size;
        return PF_NYT_LONG_STRING;
    }
    size_t have = (size_t)(at->end - at->p);
    if (size > have)
        return need_bytes(record, size - have);
    *text =
        (struct pf_nyt_text){{(const char *)at->p, size}, tag == PF_NYT_STRING_UTF8 ? PF_UTF8 : 0};
    at->p += size;
    return PF_NYT_WHOLE;
}

static enum pf_nyt_parse read_line(struct pf_nyt_record *record, struct cursor *at)
{
    size_t have = (size_t)(at->end - at->p);
    const unsigned char *feed = have > 0 ? memchr(at->p, '\n', have) : NULL;
    if (!feed && have > PF_STRING_MAX) {
        record->bad = (uint32_t)(have < UINT32_MAX ? have : UINT32_MAX);
        return PF_NYT_LONG_STRING;
    }
    if (!feed)
        return need_bytes(record, 1);
    record->text[0] = (struct pf_nyt_text){{(const char *)at->p, (size_t)(feed - at->p)}, 0};
    at->p = feed + 1;
    return PF_NYT_WHOLE;
}

enum pf_nyt_parse pf_nyt_record_parse(struct pf_nyt_record *record, const unsigned char *p,
                                      size_t have, unsigned nv_size)
{
    struct cursor at = {p + 1, p + have};
    size_t numbers = 0, nvs = 0, texts = 0;
    enum pf_nyt_parse result = PF_NYT_WHOLE;
    const char *layout = layout_of(record->tag = *p);
    if (!layout)
        return PF_NYT_NO_TAG;
    for (; *layout && result == PF_NYT_WHOLE; layout++) {
        if (*layout == 'v') {
            result = read_varint(record, &at, &record->number[numbers++]);
        } else if (*layout == 's') {
            result = read_string(record, &at, &record->text[texts++]);
        } else if (*layout == 'l') {
            result = read_line(record, &at);
        } else if ((size_t)(at.end - at.p) < nv_size) {
            result = need_bytes(record, nv_size - (size_t)(at.end - at.p));
        } else {
            record->nv[nvs++] = at.p;
            at.p += nv_size;
        }
    }
    record->size = (size_t)(at.p - p);
    return result;
}

/* --- output ----------------------------------------------------------------------------------- */

/* Like the profiler, deflates 160 KB of input at a time. */
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

/* Makes room for `size` bytes, at most ROOM, at the end of the buffer. */
static unsigned char *make_room(struct pf_nyt_out *out, size_t size)
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
        unsigned char *p = make_room(out, size);
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

void pf_nyt_out_numbers(struct pf_nyt_out *out, enum pf_nyt_tag tag, const uint32_t *numbers,
                        size_t count)
{
    unsigned char *p = make_room(out, 1 + count * PF_NYT_VARINT_MAX);
    *p++ = (unsigned char)tag;
    for (size_t k = 0; k < count; k++)
        p = pf_nyt_put_varint(p, numbers[k]);
    out->used = (size_t)(p - out->buffer);
}

void pf_nyt_out_number(struct pf_nyt_out *out, uint32_t number)
{
    out->used =
        (size_t)(pf_nyt_put_varint(make_room(out, PF_NYT_VARINT_MAX), number) - out->buffer);
}

void pf_nyt_out_nv(struct pf_nyt_out *out, double value)
{
    pf_nyt_put_nv(make_room(out, sizeof value), value);
    out->used += sizeof value;
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
    pf_sink_printf(out->sink,
                   "#\n# Compressed %" PRIu64 " bytes to %" PRIu64
                   ", ratio %f:1, data shrunk by %.2f%%\n",
                   raw, packed, (double)raw / (double)packed, shrunk);
}
