#include "format/statprofiler/statprofiler.h"

#include <assert.h>
#include <snappy-c.h>
#include <string.h>

void pf_sp_output_open(struct pf_sp_output *output, struct pf_sink *sink, bool packed)
{
    output->sink = sink;
    output->packed = packed;
    pf_sink_write(sink, PF_SP_MAGIC "\1", PF_SP_START);
}

void pf_sp_output_flush(struct pf_sp_output *output)
{
    static_assert(sizeof output->block >= 2 + 32 + PF_SP_BLOCK_MAX + PF_SP_BLOCK_MAX / 6, "room for the worst block");
    if (output->used == 0)
        return;
    if (!output->packed) {
        pf_sink_write(output->sink, output->data, output->used);
    } else {
        size_t size = sizeof output->block - 2;
        snappy_compress((const char *)output->data, output->used, output->block + 2, &size);
        output->block[0] = (char)(size >> 8);
        output->block[1] = (char)(size & 0xff);
        pf_sink_write(output->sink, output->block, 2 + size);
    }
    output->used = 0;
}

void pf_sp_output_put(struct pf_sp_output *output, const void *bytes, size_t size)
{
    const char *from = bytes;
    if (output->capture) {
        pf_buffer_append(output->capture, bytes, size);
        return;
    }
    if (size > PF_SP_BLOCK_MAX - output->used)
        pf_sp_output_flush(output);
    while (size > 0) {
        size_t part = size < PF_SP_BLOCK_MAX - output->used ? size : PF_SP_BLOCK_MAX - output->used;
        memcpy(output->data + output->used, from, part);
        output->used += part;
        from += part;
        size -= part;
        if (size > 0)
            pf_sp_output_flush(output);
    }
}

static void put_varint(struct pf_sp_output *output, uint32_t number)
{
    unsigned char bytes[5];
    pf_sp_output_put(output, bytes, pf_sp_varint_put(number, bytes));
}

/* The profiler takes a number of 5 bytes for one of 4. */
static size_t varint_size(uint32_t number, enum pf_sp_length how)
{
    unsigned char bytes[5];
    size_t size = pf_sp_varint_put(number, bytes);
    return how == PF_SP_LENGTH_PROFILER && size > 4 ? 4 : size;
}

static size_t length_of(unsigned tag, const struct pf_sp_field *fields, size_t count, enum pf_sp_length how)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = fields[i].string.bytes.size;
        if (!fields[i].is_string) {
            length += varint_size(fields[i].number, how);
            continue;
        }
        length += size;
        if (how == PF_SP_LENGTH_TRUE)
            length += 1 + varint_size((uint32_t)size, how);
        else if (tag != PF_SP_METADATA)
            length += varint_size((uint32_t)size, how);
    }
    return length;
}

void pf_sp_output_record(struct pf_sp_output *output, unsigned tag, const struct pf_sp_field *fields, size_t count,
                         enum pf_sp_length how)
{
    unsigned char byte = (unsigned char)tag;
    pf_sp_output_put(output, &byte, 1);
    if (how != PF_SP_LENGTH_NONE)
        put_varint(output, (uint32_t)length_of(tag, fields, count, how));
    for (size_t i = 0; i < count; i++) {
        if (!fields[i].is_string) {
            put_varint(output, fields[i].number);
            continue;
        }
        byte = (unsigned char)(fields[i].string.flags & PF_UTF8);
        pf_sp_output_put(output, &byte, 1);
        put_varint(output, (uint32_t)fields[i].string.bytes.size);
        pf_sp_output_put(output, fields[i].string.bytes.data, fields[i].string.bytes.size);
    }
}
