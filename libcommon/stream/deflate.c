#include "stream/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static bool room(struct pf_inflate *inflater, size_t size)
{
    return pf_grow(&inflater->bytes, &inflater->capacity, size == 0 ? 1 : size, 1);
}

static bool start(struct pf_inflate *inflater)
{
    if (inflater->stream != NULL)
        return inflateReset(inflater->stream) == Z_OK;
    inflater->stream = calloc(1, sizeof *inflater->stream);
    if (inflater->stream == NULL)
        return false;
    if (inflateInit(inflater->stream) == Z_OK)
        return true;
    free(inflater->stream);
    inflater->stream = NULL;
    return false;
}

int pf_inflate_payload(struct pf_inflate *inflater, const struct pf_frame *frame,
                       const unsigned char **payload, struct pf_error *error)
{
    if (!(frame->flags & PF_FRAME_DEFLATED))
        return PF_OK;
    /* raw is bounded by the bytes that are there: pf_frame_parse */
    if (!start(inflater) || !room(inflater, frame->raw))
        return pf_error_nomem(error);
    z_stream *z = inflater->stream;
    z->next_in = (z_const Bytef *)*payload;
    z->avail_in = frame->size;
    z->next_out = inflater->bytes;
    z->avail_out = frame->raw;
    int result = inflate(z, Z_FINISH);
    if (result != Z_STREAM_END || z->avail_in != 0 || z->avail_out != 0)
        return pf_error_at(
            error, PF_FAILED, frame->offset, "frame that does not inflate to its %lu bytes: %s",
            (unsigned long)frame->raw, z->msg != NULL ? z->msg : "it has more or less");
    *payload = inflater->bytes;
    return PF_OK;
}

int pf_inflate_keep(struct pf_inflate *inflater, const struct pf_frame *frame,
                    const unsigned char **payload, struct pf_error *error)
{
    if (frame->flags & PF_FRAME_DEFLATED)
        return PF_OK;
    if (!room(inflater, frame->size))
        return pf_error_nomem(error);
    memcpy(inflater->bytes, *payload, frame->size);
    *payload = inflater->bytes;
    return PF_OK;
}

void pf_inflate_free(struct pf_inflate *inflater)
{
    if (inflater->stream != NULL)
        inflateEnd(inflater->stream);
    free(inflater->stream);
    free(inflater->bytes);
    *inflater = (struct pf_inflate){0};
}

int pf_deflate_payload(struct pf_deflate *deflater, int level, const void *payload, size_t size)
{
    if (deflater->stream == NULL) {
        deflater->stream = calloc(1, sizeof *deflater->stream);
        if (deflater->stream == NULL)
            return PF_NOMEM;
        if (deflateInit(deflater->stream, level) != Z_OK) {
            free(deflater->stream);
            deflater->stream = NULL;
            return PF_NOMEM;
        }
    }
    z_stream *z = deflater->stream;
    deflater->bytes.size = 0;
    /* One byte less than the payload: what does not fit is not wanted. */
    if (size <= 1)
        return PF_EOF;
    unsigned char *out = pf_buffer_extend(&deflater->bytes, size - 1);
    if (out == NULL)
        return PF_NOMEM;
    z->next_in = (z_const Bytef *)payload;
    z->avail_in = (uInt)size;
    z->next_out = out;
    z->avail_out = (uInt)(size - 1);
    bool smaller = deflate(z, Z_FINISH) == Z_STREAM_END;
    deflater->bytes.size = size - 1 - z->avail_out;
    deflateReset(z);
    return smaller ? PF_OK : PF_EOF;
}

void pf_deflate_free(struct pf_deflate *deflater)
{
    if (deflater->stream != NULL)
        deflateEnd(deflater->stream);
    free(deflater->stream);
    pf_buffer_free(&deflater->bytes);
    *deflater = (struct pf_deflate){0};
}
