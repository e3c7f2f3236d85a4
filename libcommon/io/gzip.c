/* gzip (RFC 1952): members one after the other, inflated as one text. */
#include "io/source.h"
#include "io/unpack.h"

#include <limits.h>
#include <stdlib.h>
#define ZLIB_CONST /* input is read only */
#include <zlib.h>

/* Compressed files below this size are not worth a thread. */
enum { UNPACK_LEAST = 256 * 1024 };

struct gzip_layer {
    struct pf_layer layer;
    z_stream z;
    bool in_member;
    bool pending; /* zlib may have more bytes without more input */
    bool ended;
};

static bool begins(const unsigned char *bytes, size_t size)
{
    return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static void fail(struct gzip_layer *gzip, const char *what, struct pf_error *error)
{
    pf_error_at(error, PF_FAILED, pf_source_offset(gzip->layer.below),
                "%s (the offset counts bytes of the compressed file)", what);
    gzip->ended = true;
}

/* Begins the next member. Zero bytes between members are padding, as in gzip(1). */
static void start_member(struct gzip_layer *gzip, const unsigned char *packed, size_t have,
                         struct pf_error *error)
{
    size_t zeros = 0;

    while (zeros < have && packed[zeros] == 0)
        zeros++;
    pf_source_take(gzip->layer.below, zeros);
    if (zeros == have)
        return;
    if (packed[zeros] != 0x1f) {
        fail(gzip, "bytes that are not gzip follow the gzip data", error);
    } else {
        inflateReset(&gzip->z);
        gzip->in_member = gzip->layer.member = true;
    }
}

/* Inflates once. Returns the number of bytes written. */
static size_t inflate_some(struct gzip_layer *gzip, const unsigned char *packed, size_t have,
                           unsigned char *bytes, size_t room, struct pf_error *error)
{
    z_stream *z = &gzip->z;
    int result;

    z->next_in = packed;
    z->avail_in = have < UINT_MAX ? (uInt)have : UINT_MAX;
    z->next_out = bytes;
    z->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    result = inflate(z, Z_NO_FLUSH);
    pf_source_take(gzip->layer.below, (size_t)(z->next_in - packed));
    if (result == Z_STREAM_END)
        gzip->in_member = false;
    else if (result == Z_MEM_ERROR)
        gzip->ended = pf_error_nomem(error) != PF_OK;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        fail(gzip, !z->msg ? "gzip data damaged" : z->msg, error);
    gzip->pending = gzip->in_member && z->avail_out == 0;
    return (size_t)(z->next_out - bytes);
}

/* Inflates bytes that the source below has in memory. */
static size_t read_held(struct pf_layer *layer, unsigned char *bytes, size_t room,
                        struct pf_error *error)
{
    struct gzip_layer *gzip = (struct gzip_layer *)layer;
    size_t size = 0, have;

    while (size == 0 && !gzip->ended) {
        const unsigned char *packed = pf_source_peek(layer->below, 0, &have);

        if (have == 0 && !gzip->pending)
            break;
        if (gzip->in_member)
            size = inflate_some(gzip, packed, have, bytes, room, error);
        else
            start_member(gzip, packed, have, error);
    }
    layer->offset = pf_source_raw_offset(layer->below);
    return size;
}

static size_t read_gzip(struct pf_layer *layer, unsigned char *bytes, size_t room,
                        struct pf_error *error)
{
    struct gzip_layer *gzip = (struct gzip_layer *)layer;
    size_t size, have;

    while ((size = read_held(layer, bytes, room, error)) == 0 && !gzip->ended) {
        pf_source_peek(layer->below, 1, &have);
        if (have > 0)
            continue;
        pf_source_status(layer->below, error);
        if (gzip->in_member)
            fail(gzip, "gzip data cut: the end of a member is missing", error);
        gzip->ended = true;
    }
    return size;
}

static void close_gzip(struct pf_layer *layer)
{
    inflateEnd(&((struct gzip_layer *)layer)->z);
    free(layer);
}

static struct pf_layer *open_layer(struct pf_source *below, bool thread)
{
    struct gzip_layer *gzip = calloc(1, sizeof *gzip);
    struct pf_layer *ahead = NULL;

    /* 16: only gzip, not zlib */
    if (!gzip || inflateInit2(&gzip->z, 16 + MAX_WBITS) != Z_OK) {
        free(gzip);
        return NULL;
    }
    gzip->layer = (struct pf_layer){
        .read = read_gzip, .read_held = read_held, .close = close_gzip, .below = below};
    gzip->in_member = true;
    if (thread && pf_source_raw_size(below) >= UNPACK_LEAST)
        ahead = pf_unpack_start(&gzip->layer);
    return ahead ? ahead : &gzip->layer;
}

const struct pf_coding pf_coding_gzip = {.begins = begins, .open = open_layer};
