#include "io/layer.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* input is read only */
#include <zlib.h>

/* --- zlib ------------------------------------------------------------------------------------- */

struct inflate_layer {
    struct pf_layer layer;
    z_stream z;
    bool ended;
};

static void note_damage(struct inflate_layer *inflating, int result)
{
    const char *why = inflating->z.msg ? inflating->z.msg : "not a zlib stream";

    if (result == Z_NEED_DICT)
        why = "a dictionary is needed";
    snprintf(inflating->layer.damage, sizeof inflating->layer.damage,
             "the deflated data are damaged (%s)", why);
}

/* Inflates until the room is full or the data end. */
static size_t read_inflate(struct pf_layer *layer, unsigned char *bytes, size_t room,
                           struct pf_error *error)
{
    struct inflate_layer *inflating = (struct inflate_layer *)layer;
    z_stream *z = &inflating->z;

    z->next_out = bytes;
    z->avail_out = (uInt)(room < UINT32_MAX ? room : UINT32_MAX);
    while (z->avail_out > 0 && !inflating->ended && !layer->cut && !*layer->damage) {
        size_t have;
        const unsigned char *packed = pf_source_peek(layer->below, 1, &have);
        size_t size = have < UINT32_MAX ? have : UINT32_MAX;

        if (have == 0 && pf_source_status(layer->below, error) != PF_OK)
            break;
        z->next_in = packed;
        z->avail_in = (uInt)size;
        int result = inflate(z, Z_SYNC_FLUSH);
        pf_source_take(layer->below, size - z->avail_in);
        if (result == Z_STREAM_END)
            inflating->ended = true;
        else if (result == Z_MEM_ERROR && pf_error_nomem(error) != PF_OK)
            break;
        else if (result != Z_OK && result != Z_BUF_ERROR)
            note_damage(inflating, result);
        else if (have == 0)
            layer->cut = true;
    }
    layer->offset = pf_source_offset(layer->below);
    return (size_t)(z->next_out - bytes);
}

static void close_inflate(struct pf_layer *layer)
{
    inflateEnd(&((struct inflate_layer *)layer)->z);
    free(layer);
}

int pf_layer_inflate(struct pf_source **source, struct pf_source *below, struct pf_error *error)
{
    struct inflate_layer *inflating = calloc(1, sizeof *inflating);

    if (!inflating || inflateInit(&inflating->z) != Z_OK) {
        free(inflating);
        return pf_error_nomem(error);
    }
    inflating->layer = (struct pf_layer){.read = read_inflate,
                                         .close = close_inflate,
                                         .below = below,
                                         .once = "inflated",
                                         .offset = pf_source_offset(below)};
    return pf_source_open_layer(source, &inflating->layer, 0, error);
}

/* --- snappy ----------------------------------------------------------------------------------- */

static size_t damaged(struct pf_layer *layer, const char *text)
{
    snprintf(layer->damage, sizeof layer->damage, "%s", text);
    return 0;
}

/* Uncompresses the next block, of `packed` bytes after its size, to PF_LAYER_ROOM bytes; returns
 * its size. */
static size_t read_block(struct pf_layer *layer, unsigned char *bytes, size_t packed)
{
    size_t have, size;
    const char *block = (const char *)pf_source_peek(layer->below, 2 + packed, &have) + 2;

    if (have - 2 < packed) {
        if (pf_source_status(layer->below, NULL) != PF_OK)
            return 0;
        snprintf(layer->damage, sizeof layer->damage,
                 "the file ends inside a block: only %zu of %zu bytes", have - 2, packed);
        return 0;
    }
    if (snappy_uncompressed_length(block, packed, &size) != SNAPPY_OK)
        return damaged(layer, "not a snappy block");
    if (size > PF_LAYER_ROOM) {
        snprintf(layer->damage, sizeof layer->damage,
                 "a block claims %zu bytes, more than the limit of %d", size, (int)PF_LAYER_ROOM);
        return 0;
    }
    if (snappy_uncompress(block, packed, (char *)bytes, &size) != SNAPPY_OK)
        return damaged(layer, "damaged snappy block");
    pf_source_take(layer->below, 2 + packed);
    return size;
}

static size_t read_snappy(struct pf_layer *layer, unsigned char *bytes, size_t room,
                          struct pf_error *error)
{
    size_t have, size = 0;

    (void)room;
    while (size == 0 && !*layer->damage) {
        const unsigned char *start = pf_source_peek(layer->below, 2, &have);

        layer->offset = pf_source_offset(layer->below);
        if (have == 0 || pf_source_status(layer->below, NULL) != PF_OK)
            break;
        size = have < 2 ? damaged(layer, "the file ends inside the length of a block")
                        : read_block(layer, bytes, pf_load16be(start));
    }
    if (size == 0 && pf_source_status(layer->below, error) != PF_OK)
        layer->damage[0] = '\0';
    return size;
}

int pf_layer_snappy(struct pf_source **source, struct pf_source *below, struct pf_error *error)
{
    struct pf_layer *layer = calloc(1, sizeof *layer);

    if (!layer)
        return pf_error_nomem(error);
    *layer = (struct pf_layer){
        .read = read_snappy, .below = below, .once = "uncompressed", .blocks = true};
    return pf_source_open_layer(source, layer, 0, error);
}

/* --- a look ahead ----------------------------------------------------------------------------- */

struct look_layer {
    struct pf_layer layer;
    size_t at, most; /* bytes ahead in the source below: the next to read, and the last */
};

static size_t read_look(struct pf_layer *layer, unsigned char *bytes, size_t room,
                        struct pf_error *error)
{
    struct look_layer *look = (struct look_layer *)layer;
    size_t have, size;
    const unsigned char *ahead;

    if (look->at > look->most)
        return 0;
    ahead = pf_source_peek(layer->below, look->at + 1, &have);
    if (have <= look->at) {
        pf_source_status(layer->below, error);
        return 0;
    }
    size = have - look->at < room ? have - look->at : room;
    memcpy(bytes, ahead + look->at, size);
    look->at += size;
    return size;
}

int pf_layer_look(struct pf_source **source, struct pf_source *below, size_t skip, size_t most,
                  struct pf_error *error)
{
    struct look_layer *look = calloc(1, sizeof *look);

    if (!look)
        return pf_error_nomem(error);
    *look =
        (struct look_layer){.layer = {.read = read_look, .below = below}, .at = skip, .most = most};
    return pf_source_open_layer(source, &look->layer, pf_source_offset(below) + skip, error);
}

/* --- any source ------------------------------------------------------------------------------- */

static int fail(const struct pf_source *source, struct pf_error *error, uint64_t at,
                const char *text)
{
    const struct pf_layer *layer = pf_source_layer(source);

    if (!layer || !layer->once)
        return pf_error_at(error, PF_FAILED, at, "%s", text);
    return pf_error_at(error, PF_FAILED, layer->offset, "%s (offset %" PRIu64 " once %s)", text, at,
                       layer->once);
}

int pf_source_need(struct pf_source *source, size_t need, struct pf_error *error)
{
    const struct pf_layer *layer = pf_source_layer(source);
    size_t have;

    pf_source_peek(source, need, &have);
    if (have >= need)
        return PF_OK;
    if (pf_source_status(source, error) != PF_OK)
        return error->code;
    if (!layer || !*layer->damage)
        return PF_EOF;
    return fail(source, error, layer->blocks ? source->limit_offset : pf_source_offset(source),
                layer->damage);
}

int pf_source_vfail(const struct pf_source *source, struct pf_error *error, uint64_t at,
                    const char *format, va_list args)
{
    char text[320];

    vsnprintf(text, sizeof text, format, args);
    return fail(source, error, at, text);
}

void pf_source_warn(const struct pf_source *source, const struct pf_report *report, uint64_t at,
                    const char *format, ...)
{
    const struct pf_layer *layer = pf_source_layer(source);
    char text[320];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!layer || !layer->once)
        pf_report_send(report, PF_WARNING, "offset %" PRIu64 ": %s", at, text);
    else
        pf_report_send(report, PF_WARNING, "offset %" PRIu64 ": %s (offset %" PRIu64 " once %s)",
                       layer->offset, text, at, layer->once);
}
