#include "stream/emit.h"

#include "base/bytes.h"

/* Deflates the payload to emit->deflated. PF_OK: the result is smaller. PF_EOF: the
 * result would not be smaller, so the payload is written as it is. PF_NOMEM. */
static int deflate_payload(struct pf_emit *emit)
{
    z_stream *z = &emit->deflater;
    size_t size = emit->payload.size;

    emit->started = emit->started || deflateInit(z, emit->level) == Z_OK;
    if (!emit->started)
        return PF_NOMEM;
    emit->deflated.size = 0;
    /* one byte less than the payload: a longer result is not wanted */
    if (size <= 1)
        return PF_EOF;
    unsigned char *out = pf_buffer_extend(&emit->deflated, size - 1);
    if (!out)
        return PF_NOMEM;
    z->next_in = (z_const Bytef *)emit->payload.data;
    z->avail_in = (uInt)size;
    z->next_out = out;
    z->avail_out = (uInt)(size - 1);
    bool smaller = deflate(z, Z_FINISH) == Z_STREAM_END;
    emit->deflated.size = size - 1 - z->avail_out;
    deflateReset(z);
    return smaller ? PF_OK : PF_EOF;
}

int pf_emit_frame(struct pf_emit *emit, char type, unsigned domain, uint32_t rows, uint32_t base)
{
    static const unsigned char zeros[8];
    unsigned char header[PF_FRAME_HEADER];
    struct pf_buffer *payload = &emit->payload;
    struct pf_frame frame = {.type = (uint8_t)type,
                             .domain = (uint16_t)domain,
                             .size = (uint32_t)payload->size,
                             .raw = (uint32_t)payload->size,
                             .rows = rows,
                             .base = base};
    const char *bytes = payload->data;
    int status = PF_EOF;

    if (payload->failed)
        return PF_NOMEM;
    if (emit->level > 0 && type != 'H' && type != 'E')
        status = deflate_payload(emit);
    if (status < 0)
        return status;
    if (status == PF_OK) {
        bytes = emit->deflated.data;
        frame.size = (uint32_t)emit->deflated.size;
        frame.flags = PF_FRAME_DEFLATED;
    }
    pf_frame_store(&frame, bytes, header);
    payload->size = 0;
    status = pf_sink_write(emit->sink, header, sizeof header);
    if (status == PF_OK)
        status = pf_sink_write(emit->sink, bytes, frame.size);
    return status == PF_OK ? pf_sink_write(emit->sink, zeros,
                                           pf_frame_total(&frame) - PF_FRAME_HEADER - frame.size)
                           : status;
}

int pf_emit_head(struct pf_emit *emit)
{
    static const unsigned char version[8] = {PF_STREAM_MAJOR};

    emit->start = pf_sink_offset(emit->sink);
    pf_buffer_append(&emit->payload, version, sizeof version);
    return pf_emit_frame(emit, 'H', 0, 0, 0);
}

static void append64(struct pf_buffer *buffer, uint64_t value)
{
    unsigned char bytes[8];

    pf_store64le(bytes, value);
    pf_buffer_append(buffer, bytes, sizeof bytes);
}

int pf_emit_end(struct pf_emit *emit, uint64_t records, const pf_int128 *totals,
                uint32_t total_count, bool incomplete)
{
    unsigned base = (incomplete ? PF_END_INCOMPLETE : 0u) | (!totals ? PF_END_NO_TOTALS : 0u);
    uint64_t payload = 16 + 16 * (uint64_t)total_count;

    append64(&emit->payload, records);
    for (uint32_t k = 0; k < total_count; k++) {
        append64(&emit->payload, (uint64_t)totals[k]);
        append64(&emit->payload, (uint64_t)((pf_uint128)totals[k] >> 64));
    }
    append64(&emit->payload, pf_sink_offset(emit->sink) - emit->start + PF_FRAME_HEADER + payload);
    return pf_emit_frame(emit, 'E', 0, (uint32_t)records, base);
}

void pf_emit_free(struct pf_emit *emit)
{
    if (emit->started)
        deflateEnd(&emit->deflater);
    pf_buffer_free(&emit->deflated);
    pf_buffer_free(&emit->payload);
}
