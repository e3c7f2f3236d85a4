/* Protocol buffers on the wire: messages of numbered fields in any order. The format decides what
 * a number means, so unknown fields can be skipped. Groups, which proto3 does not have, are
 * refused. */
#ifndef PF_IO_PROTOBUF_H
#define PF_IO_PROTOBUF_H

#include "base/error.h"
#include "base/memory.h"
#include "io/sink.h"
#include "io/source.h"

#include <stddef.h>
#include <stdint.h>

enum pf_proto_type {
    PF_PROTO_VARINT = 0,
    PF_PROTO_FIXED64 = 1,
    PF_PROTO_BYTES = 2,
    PF_PROTO_FIXED32 = 5
};

enum {
    PF_PROTO_VARINT_MAX = 10,             /* in bytes; a negative int64 takes this many */
    PF_PROTO_FIELD_MAX = 64 * 1024 * 1024 /* the longest field that is held in memory, in bytes */
};

struct pf_proto_field {
    uint32_t number;
    enum pf_proto_type type;
    uint64_t value;             /* for BYTES the number of bytes */
    const unsigned char *bytes; /* BYTES only */
};

/* --- reading ---------------------------------------------------------------------------------- */

/* A message in memory. */
struct pf_proto {
    const unsigned char *cursor, *end;
};

/* The message that is in a field of bytes. */
static inline struct pf_proto pf_proto_of(const struct pf_proto_field *field)
{
    return (struct pf_proto){field->bytes, field->bytes + field->value};
}

/* The slow part of pf_proto_varint. */
const unsigned char *pf_proto_varint_rest(const unsigned char *p, const unsigned char *end,
                                          uint64_t *value);

/* Reads the number at `p`, up to `end`. Returns a pointer to the following byte, or NULL if the
 * number is cut or longer than 10 bytes. */
static inline const unsigned char *pf_proto_varint(const unsigned char *p, const unsigned char *end,
                                                   uint64_t *value)
{
    if (p < end && *p < 128) {
        *value = *p;
        return p + 1;
    }
    if (end - p > 1 && p[1] < 128) {
        *value = (uint64_t)p[1] << 7 | (*p & 127);
        return p + 2;
    }
    if (end - p > 2 && p[2] < 128) {
        *value = (uint64_t)p[2] << 14 | (uint64_t)(p[1] & 127) << 7 | (*p & 127);
        return p + 3;
    }
    return pf_proto_varint_rest(p, end, value);
}

/* Reads the next field: PF_OK; PF_EOF; or PF_FAILED with *problem set and the cursor at the
 * damage. */
int pf_proto_next(struct pf_proto *, struct pf_proto_field *, const char **problem);

/* Reads the next field of the message in a source. Fields of bytes whose number has no bit in
 * `wanted` are skipped, whatever their length; the bytes of other fields are valid until the next
 * call on the source. *offset is the start of the field. PF_OK; PF_EOF; or a negative code in
 * `error`: PF_FAILED with its offset, or the source's own failure. */
int pf_proto_read(struct pf_source *, uint64_t wanted, struct pf_proto_field *, uint64_t *offset,
                  struct pf_error *error);

/* --- writing ---------------------------------------------------------------------------------- */

/* Stores a number in at most PF_PROTO_VARINT_MAX bytes; returns their number. */
static inline size_t pf_proto_store(unsigned char *to, uint64_t value)
{
    size_t size = 0;

    for (; value >= 128; value >>= 7)
        to[size++] = (unsigned char)(value | 128);
    to[size++] = (unsigned char)value;
    return size;
}

/* Append a field to a message. A number of 0 is not written, because absent means 0. If memory runs
 * out, the buffer's `failed` is set. */
void pf_proto_add_number(struct pf_buffer *, uint32_t number, uint64_t value);
void pf_proto_add_bytes(struct pf_buffer *, uint32_t number, const void *bytes, size_t size);

/* Write a field of the outermost message. The sink keeps failures. */
void pf_proto_write_number(struct pf_sink *, uint32_t number, uint64_t value);
void pf_proto_write_bytes(struct pf_sink *, uint32_t number, const void *bytes, size_t size);

#endif
