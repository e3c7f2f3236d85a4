#include "io/protobuf.h"

#include "base/bytes.h"

enum { HEAD_MAX = 2 * PF_PROTO_VARINT_MAX }; /* the longest tag with a number or length */

static const char CUT[] = "a field is cut";

const unsigned char *pf_proto_varint_rest(const unsigned char *p, const unsigned char *end,
                                          uint64_t *value)
{
    uint64_t number = 0;
    size_t size = (size_t)(end - p) < PF_PROTO_VARINT_MAX ? (size_t)(end - p) : PF_PROTO_VARINT_MAX;

    for (size_t k = 0; k < size; k++) {
        number |= (uint64_t)(p[k] & 127) << 7 * k;
        if (p[k] < 128) {
            *value = number;
            return p + k + 1;
        }
    }
    return NULL;
}

static const char *varint_problem(const unsigned char *p, const unsigned char *end)
{
    return end - p < PF_PROTO_VARINT_MAX ? CUT : "a number of more than 10 bytes";
}

/* Parses a field except its bytes; field->bytes then points to them. Returns the place after the
 * head; NULL with *problem set: damaged. */
static const unsigned char *parse_head(const unsigned char *p, const unsigned char *end,
                                       struct pf_proto_field *field, const char **problem)
{
    uint64_t tag;
    const unsigned char *at = pf_proto_varint(p, end, &tag);

    if (!at) {
        *problem = varint_problem(p, end);
        return NULL;
    }
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) {
        *problem = "a field without a valid number";
        return NULL;
    }
    field->number = (uint32_t)(tag >> 3);
    field->type = (enum pf_proto_type)(tag & 7);
    field->bytes = NULL;
    p = at;
    switch (tag & 7) {
    case PF_PROTO_VARINT:
    case PF_PROTO_BYTES:
        at = pf_proto_varint(p, end, &field->value);
        *problem = at == NULL ? varint_problem(p, end) : NULL;
        field->bytes = (tag & 7) == PF_PROTO_BYTES ? at : NULL;
        return at;
    case PF_PROTO_FIXED64:
    case PF_PROTO_FIXED32:
        if (end - p < ((tag & 7) == PF_PROTO_FIXED64 ? 8 : 4)) {
            *problem = CUT;
            return NULL;
        }
        field->value = (tag & 7) == PF_PROTO_FIXED64 ? pf_load64le(p) : pf_load32le(p);
        return p + ((tag & 7) == PF_PROTO_FIXED64 ? 8 : 4);
    default:
        *problem = (tag & 7) < 5 ? "a group: groups are not read" : "a field of an unknown type";
        return NULL;
    }
}

int pf_proto_next(struct pf_proto *message, struct pf_proto_field *field, const char **problem)
{
    const unsigned char *at;

    if (message->cursor == message->end)
        return PF_EOF;
    at = parse_head(message->cursor, message->end, field, problem);
    if (!at)
        return PF_FAILED;
    if (field->type == PF_PROTO_BYTES) {
        if (field->value > (uint64_t)(message->end - at)) {
            *problem = "a field is longer than the message around it";
            return PF_FAILED;
        }
        at += field->value;
    }
    message->cursor = at;
    return PF_OK;
}

static int cut(struct pf_source *source, uint64_t offset, const char *what, struct pf_error *error)
{
    int status = pf_source_status(source, error);

    return status != PF_OK ? status : pf_error_at(error, PF_FAILED, offset, "%s", what);
}

static int read_bytes(struct pf_source *source, size_t head, struct pf_proto_field *field,
                      uint64_t offset, struct pf_error *error)
{
    size_t have, need = head + (size_t)field->value;
    const unsigned char *p;

    if (field->value > PF_PROTO_FIELD_MAX)
        return pf_error_at(error, PF_FAILED, offset, "a field of %llu bytes; at most %d are read",
                           (unsigned long long)field->value, PF_PROTO_FIELD_MAX);
    p = pf_source_peek(source, need, &have);
    if (have < need)
        return cut(source, offset, "a field ends after the file", error);
    field->bytes = p + head;
    pf_source_take(source, need);
    return PF_OK;
}

int pf_proto_read(struct pf_source *source, uint64_t wanted, struct pf_proto_field *field,
                  uint64_t *offset, struct pf_error *error)
{
    for (;;) {
        size_t have;
        const unsigned char *p = pf_source_peek(source, HEAD_MAX, &have), *at;
        const char *problem;

        *offset = pf_source_offset(source);
        /* the usual field: a tag of one byte, and bytes that are in memory */
        if (have >= HEAD_MAX && p[0] < 128 && (p[0] & 7) == PF_PROTO_BYTES &&
            wanted >> (p[0] >> 3) & 1 && p[0] >= 8) {
            at = pf_proto_varint(p + 1, p + HEAD_MAX, &field->value);
            if (at && field->value <= (uint64_t)(p + have - at)) {
                field->number = p[0] >> 3;
                field->type = PF_PROTO_BYTES;
                field->bytes = at;
                pf_source_take(source, (size_t)(at - p) + (size_t)field->value);
                return PF_OK;
            }
        }
        if (have == 0)
            return pf_source_status(source, error) == PF_OK ? PF_EOF : error->code;
        at = parse_head(p, p + have, field, &problem);
        if (!at)
            return have < HEAD_MAX ? cut(source, *offset, problem, error)
                                   : pf_error_at(error, PF_FAILED, *offset, "%s", problem);
        if (field->type == PF_PROTO_BYTES && field->number < 64 && wanted >> field->number & 1)
            return read_bytes(source, (size_t)(at - p), field, *offset, error);
        pf_source_take(source, (size_t)(at - p));
        if (field->type != PF_PROTO_BYTES)
            return PF_OK;
        if (pf_source_skip(source, field->value) < field->value)
            return cut(source, *offset, "a field ends after the file", error);
    }
}

static size_t store_head(unsigned char to[HEAD_MAX], uint32_t number, enum pf_proto_type type,
                         uint64_t value)
{
    size_t size = pf_proto_store(to, (uint64_t)number << 3 | type);

    return size + pf_proto_store(to + size, value);
}

void pf_proto_add_number(struct pf_buffer *message, uint32_t number, uint64_t value)
{
    unsigned char head[HEAD_MAX];

    if (value != 0)
        pf_buffer_append(message, head, store_head(head, number, PF_PROTO_VARINT, value));
}

void pf_proto_add_bytes(struct pf_buffer *message, uint32_t number, const void *bytes, size_t size)
{
    unsigned char head[HEAD_MAX];

    pf_buffer_append(message, head, store_head(head, number, PF_PROTO_BYTES, size));
    pf_buffer_append(message, bytes, size);
}

void pf_proto_write_number(struct pf_sink *sink, uint32_t number, uint64_t value)
{
    unsigned char head[HEAD_MAX];

    if (value != 0)
        pf_sink_write(sink, head, store_head(head, number, PF_PROTO_VARINT, value));
}

void pf_proto_write_bytes(struct pf_sink *sink, uint32_t number, const void *bytes, size_t size)
{
    unsigned char head[HEAD_MAX];

    pf_sink_write(sink, head, store_head(head, number, PF_PROTO_BYTES, size));
    pf_sink_write(sink, bytes, size);
}
