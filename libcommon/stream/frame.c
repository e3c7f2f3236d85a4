#include "stream/frame.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/scan.h"

#include <inttypes.h>

static const unsigned char magic[4] = {0x89, 'P', 'F', 'S'};

static uint32_t check_of(const void *bytes, size_t size)
{
    return (uint32_t)pf_xxh64(bytes, size);
}

int pf_frame_parse(const unsigned char *bytes, uint64_t offset, struct pf_frame *frame,
                   struct pf_error *error)
{
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return pf_error_at(error, PF_FAILED, offset,
                           "bytes %02x %02x %02x %02x, expected the start of a frame (89 50 46 53)",
                           bytes[0], bytes[1], bytes[2], bytes[3]);
    uint32_t expected = pf_load32le(bytes + 28), found = check_of(bytes, 28);
    if (expected != found)
        return pf_error_at(error, PF_FAILED, offset,
                           "damaged frame header: its bytes give the check %08" PRIx32
                           ", it says %08" PRIx32,
                           found, expected);
    *frame = (struct pf_frame){.offset = offset,
                               .type = bytes[4],
                               .flags = bytes[5],
                               .domain = pf_load16le(bytes + 6),
                               .size = pf_load32le(bytes + 8),
                               .raw = pf_load32le(bytes + 12),
                               .rows = pf_load32le(bytes + 16),
                               .base = pf_load32le(bytes + 20),
                               .check = pf_load32le(bytes + 24)};
    if (!pf_letter((char)frame->type))
        return pf_error_at(error, PF_FAILED, offset, "frame of type 0x%02x, expected a letter",
                           frame->type);
    if (frame->size > PF_FRAME_PAYLOAD_MAX || frame->raw > PF_FRAME_PAYLOAD_MAX)
        return pf_error_at(error, PF_FAILED, offset,
                           "frame of %" PRIu32 " bytes (%" PRIu32
                           " inflated), more than the limit of %d",
                           frame->size, frame->raw, PF_FRAME_PAYLOAD_MAX);
    if (!(frame->flags & PF_FRAME_DEFLATED) && frame->raw != frame->size)
        return pf_error_at(error, PF_FAILED, offset,
                           "frame of %" PRIu32 " bytes that is not deflated says %" PRIu32
                           " inflated",
                           frame->size, frame->raw);
    if (frame->raw > (uint64_t)frame->size * PF_INFLATE_RATIO_MAX)
        return pf_error_at(error, PF_FAILED, offset,
                           "frame of %" PRIu32 " bytes cannot inflate to %" PRIu32, frame->size,
                           frame->raw);
    return PF_OK;
}

int pf_frame_verify(const struct pf_frame *frame, const unsigned char *payload,
                    struct pf_error *error)
{
    uint32_t found = check_of(payload, frame->size);

    if (found != frame->check)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "damaged frame: its %" PRIu32 " bytes give the check %08" PRIx32
                           ", its header says %08" PRIx32,
                           frame->size, found, frame->check);
    for (size_t i = frame->size; i < pf_frame_total(frame) - PF_FRAME_HEADER; i++)
        if (payload[i] != 0)
            return pf_error_at(error, PF_FAILED, frame->offset,
                               "damaged frame: byte 0x%02x in its padding, expected zero",
                               payload[i]);
    return PF_OK;
}

void pf_frame_store(struct pf_frame *frame, const void *payload,
                    unsigned char header[PF_FRAME_HEADER])
{
    frame->check = check_of(payload, frame->size);
    memcpy(header, magic, sizeof magic);
    header[4] = frame->type;
    header[5] = frame->flags;
    pf_store16le(header + 6, frame->domain);
    pf_store32le(header + 8, frame->size);
    pf_store32le(header + 12, frame->raw);
    pf_store32le(header + 16, frame->rows);
    pf_store32le(header + 20, frame->base);
    pf_store32le(header + 24, frame->check);
    pf_store32le(header + 28, check_of(header, 28));
}

/* The source ended inside a frame. A failure of the source is reported first. */
static int cut(struct pf_source *source, uint64_t offset, size_t have, size_t need,
               struct pf_error *error)
{
    int status = pf_source_status(source, error);
    if (status < 0)
        return status;
    return pf_error_at(error, PF_FAILED, offset,
                       "the stream is cut: a frame of %zu bytes ends after %zu", need, have);
}

static int peek_header(struct pf_source *source, struct pf_frame *frame, struct pf_error *error)
{
    size_t have;
    uint64_t offset = pf_source_offset(source);
    const unsigned char *bytes = pf_source_peek(source, PF_FRAME_HEADER, &have);

    if (have < PF_FRAME_HEADER) {
        int status = pf_source_status(source, error);
        if (status < 0)
            return status;
        return have == 0
                   ? PF_EOF
                   : pf_error_at(error, PF_FAILED, offset,
                                 "the stream is cut: a frame header of 32 bytes ends after %zu",
                                 have);
    }
    return pf_frame_parse(bytes, offset, frame, error);
}

int pf_frame_peek(struct pf_source *source, struct pf_frame *frame, const unsigned char **payload,
                  struct pf_error *error)
{
    int status = peek_header(source, frame, error);
    if (status != PF_OK)
        return status;
    size_t have, need = pf_frame_total(frame);
    const unsigned char *bytes = pf_source_peek(source, need, &have);
    if (have < need)
        return cut(source, frame->offset, have, need, error);
    *payload = bytes + PF_FRAME_HEADER;
    return PF_OK;
}

static int newer(const struct pf_frame *frame, struct pf_error *error, const char *what,
                 unsigned value)
{
    return pf_error_at(error, PF_UNSUPPORTED, frame->offset,
                       "frame %c has %s %u: needs a newer version", frame->type, what, value);
}

static int wrong_base(const struct pf_frame *frame, struct pf_error *error, const char *what,
                      uint32_t expected)
{
    return pf_error_at(error, PF_FAILED, frame->offset,
                       "frame %c says that %s is %" PRIu32 ", expected %" PRIu32
                       ": a frame is missing or was added",
                       frame->type, what, frame->base, expected);
}

static int check_head(struct pf_sequence *sequence, const struct pf_frame *frame,
                      const unsigned char *payload, struct pf_error *error)
{
    if (sequence->open)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "the segment that began at offset %" PRIu64 " has no end frame",
                           sequence->start);
    if (frame->flags != 0 || frame->domain != 0)
        return newer(frame, error, frame->flags != 0 ? "flags" : "domain",
                     frame->flags != 0 ? frame->flags : frame->domain);
    if (frame->size != 8 || frame->rows != 0 || frame->base != 0)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "the head of a segment has %" PRIu32 " bytes, %" PRIu32
                           " rows and base %" PRIu32 ", expected 8, 0 and 0",
                           frame->size, frame->rows, frame->base);
    if (payload[0] != PF_STREAM_MAJOR)
        return pf_error_at(
            error, PF_UNSUPPORTED, frame->offset,
            "native stream of version %u.%u: needs a newer version (this version reads %d)",
            payload[0], payload[1], PF_STREAM_MAJOR);
    sequence->open = true;
    sequence->start = frame->offset;
    sequence->records = 0;
    for (size_t i = 0; i < PF_TABLES; i++)
        sequence->counts[i] = 1;
    return PF_OK;
}

static int check_end(struct pf_sequence *sequence, const struct pf_frame *frame,
                     const unsigned char *payload, struct pf_end *end, struct pf_error *error)
{
    uint32_t measures = frame->base & PF_END_NO_TOTALS ? 0
                                                       : sequence->counts[PF_TABLE_MEASURES] - 1;

    if (frame->domain != 0 || frame->flags != 0)
        return newer(frame, error, frame->flags != 0 ? "flags" : "domain",
                     frame->flags != 0 ? frame->flags : frame->domain);
    if (frame->base > (PF_END_INCOMPLETE | PF_END_NO_TOTALS))
        return newer(frame, error, "base", frame->base);
    if (frame->size != 16 + 16 * (uint64_t)measures)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "end frame of %" PRIu32 " bytes, with %" PRIu32
                           " measures, expected %" PRIu32 " bytes",
                           frame->size, measures, 16 + 16 * measures);
    end->records = pf_load64le(payload);
    end->totals = payload + 8;
    end->total_count = measures;
    end->length = pf_load64le(payload + frame->size - 8);
    if (end->records != sequence->records)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "the end frame counts %" PRIu64 " records, there are %" PRIu64,
                           end->records, sequence->records);
    if (frame->rows != (uint32_t)end->records)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "the end frame has %" PRIu32
                           " rows, expected the number of records, %" PRIu64 "",
                           frame->rows, end->records);
    uint64_t length = frame->offset - sequence->start + pf_frame_total(frame);
    if (end->length != length)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "the end frame says that the segment has %" PRIu64
                           " bytes, it has %" PRIu64,
                           end->length, length);
    sequence->open = false;
    sequence->incomplete |= (frame->base & PF_END_INCOMPLETE) != 0;
    sequence->segments++;
    return PF_OK;
}

static int check_table(struct pf_sequence *sequence, const struct pf_frame *frame,
                       struct pf_error *error)
{
    if (frame->domain == 0 || frame->domain >= PF_TABLES)
        return newer(frame, error, "domain", frame->domain);
    uint32_t *count = &sequence->counts[frame->domain];
    if (frame->base != *count)
        return wrong_base(frame, error, "the next id", *count);
    if (frame->rows > 1 && frame->rows > frame->raw)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "%" PRIu32 " rows of a table in %" PRIu32
                           " bytes: some rows must be equal",
                           frame->rows, frame->raw);
    uint32_t limit = frame->domain == PF_TABLE_MEASURES ? PF_SEGMENT_MEASURES_MAX : UINT32_MAX - 1;
    if (frame->rows > limit - (*count - 1))
        return pf_error_at(error, PF_FAILED, frame->offset, "more than %" PRIu32 " %s in a segment",
                           limit, pf_row_layouts[frame->domain].name);
    *count += frame->rows;
    return PF_OK;
}

static int check_block(struct pf_sequence *sequence, const struct pf_frame *frame,
                       struct pf_error *error)
{
    if (frame->domain == 0 || frame->domain > 3)
        return newer(frame, error, "domain", frame->domain);
    if (frame->base != sequence->counts[PF_TABLE_STACKS])
        return wrong_base(frame, error, "the next stack", sequence->counts[PF_TABLE_STACKS]);
    sequence->records += frame->rows;
    sequence->all_records += frame->rows;
    return PF_OK;
}

int pf_sequence_take(struct pf_sequence *sequence, const struct pf_frame *frame,
                     const unsigned char *payload, struct pf_end *end, struct pf_error *error)
{
    if (frame->type == 'H')
        return check_head(sequence, frame, payload, error);
    if (!sequence->open)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "frame %c, expected the head of a segment (H)", frame->type);
    if (frame->type == 'E')
        return check_end(sequence, frame, payload, end, error);
    if (frame->type >= 'a' && frame->type != 's')
        return PF_OK;
    if (frame->type != 'D' && frame->type != 'B' && frame->type != 'M' && frame->type != 's')
        return pf_error_at(error, PF_UNSUPPORTED, frame->offset,
                           "frame of type %c: needs a newer version", frame->type);
    if (frame->flags & ~PF_FRAME_DEFLATED)
        return newer(frame, error, "flags", frame->flags);
    if (frame->rows == 0 || frame->rows > PF_FRAME_ROWS_MAX)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "frame %c of %" PRIu32 " rows, expected 1 to %d", frame->type,
                           frame->rows, PF_FRAME_ROWS_MAX);
    if (frame->type == 'D')
        return check_table(sequence, frame, error);
    if (frame->type == 'B')
        return check_block(sequence, frame, error);
    if (frame->domain != 0)
        return newer(frame, error, "domain", frame->domain);
    if (frame->type == 'M' && frame->base != (uint32_t)sequence->records)
        return wrong_base(frame, error, "the number of records before it",
                          (uint32_t)sequence->records);
    if (frame->type == 's' && frame->base != 0)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "frame s has base %" PRIu32 ", expected 0", frame->base);
    return PF_OK;
}

int pf_sequence_end(const struct pf_sequence *sequence, uint64_t offset, struct pf_error *error)
{
    if (sequence->open)
        return pf_error_at(
            error, PF_FAILED, offset,
            "the stream ends without its end frame: it was cut, or its writer was killed");
    if (sequence->segments == 0)
        return pf_error_at(error, PF_FAILED, offset,
                           "no frame, expected the head of a segment (H)");
    if (sequence->incomplete)
        return pf_error_at(error, PF_FAILED, offset,
                           "the stream is marked incomplete: an earlier stage failed");
    return PF_EOF;
}

int pf_frame_walk(struct pf_source *source,
                  int (*fn)(void *arg, const struct pf_frame *, bool good), void *arg,
                  struct pf_error *error)
{
    struct pf_sequence sequence = {0};
    struct pf_error first = {0};

    for (;;) {
        struct pf_frame frame;
        struct pf_end end;
        size_t have;
        int status = peek_header(source, &frame, &first);
        if (status == PF_EOF)
            status = pf_sequence_end(&sequence, pf_source_offset(source), &first);
        if (status != PF_OK) {
            if (first.code < 0)
                *error = first;
            return first.code < 0 ? first.code : status;
        }
        size_t need = pf_frame_total(&frame);
        const unsigned char *bytes = pf_source_peek(source, need, &have);
        if (have < need)
            cut(source, frame.offset, have, need, &first);
        bool good = have >= need &&
                    pf_frame_verify(&frame, bytes + PF_FRAME_HEADER, &first) == PF_OK;
        if (good)
            (void)pf_sequence_take(&sequence, &frame, bytes + PF_FRAME_HEADER, &end, &first);
        status = fn(arg, &frame, good);
        if (status != PF_OK)
            return status;
        pf_source_take(source, have < need ? have : need);
    }
}
