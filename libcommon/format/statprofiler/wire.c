#include "format/statprofiler/statprofiler.h"

#include "model/strings.h"

#include <stdio.h>
#include <string.h>

struct cursor {
    const unsigned char *p, *end;
    enum pf_sp_parse result;
    size_t missing;
    bool lsb;
};

static void need(struct cursor *c, size_t size)
{
    size_t have = (size_t)(c->end - c->p);
    if (c->result == PF_SP_WHOLE && have < size) {
        c->result = PF_SP_MISSING;
        c->missing = size - have;
    }
}

static uint32_t take_varint(struct cursor *c)
{
    uint64_t value = 0;
    unsigned count = 0;
    for (;;) {
        need(c, 1);
        if (c->result != PF_SP_WHOLE)
            return 0;
        unsigned byte = *c->p++;
        unsigned bits = byte & 0x7f;
        if (c->lsb) {
            if (7 * count >= 32 ? bits != 0 : (uint64_t)bits << 7 * count >> 32 != 0)
                c->result = PF_SP_LONG_VARINT;
            else if (7 * count < 32)
                value |= (uint64_t)bits << 7 * count;
        } else {
            value = value << 7 | bits;
            if (value >> 32 != 0)
                c->result = PF_SP_LONG_VARINT;
        }
        if (++count == PF_SP_VARINT_MAX && byte & 0x80)
            c->result = PF_SP_LONG_VARINT;
        if (c->result != PF_SP_WHOLE)
            return 0;
        if (!(byte & 0x80))
            return (uint32_t)value;
    }
}

static const unsigned char *take_bytes(struct cursor *c, size_t size)
{
    need(c, size);
    if (c->result != PF_SP_WHOLE)
        return NULL;
    const unsigned char *bytes = c->p;
    c->p += size;
    return bytes;
}

static struct pf_sp_string take_string(struct cursor *c, struct pf_sp_record *record)
{
    struct pf_sp_string string = {{NULL, 0}, 0};
    const unsigned char *flag = take_bytes(c, 1);
    if (!flag)
        return string;
    string.flags = *flag & PF_UTF8;
    uint32_t size = take_varint(c);
    if (c->result == PF_SP_WHOLE && size > PF_STRING_MAX) {
        c->result = PF_SP_LONG_STRING;
        record->number[0] = size;
    }
    const unsigned char *bytes = take_bytes(c, size);
    if (bytes)
        string.bytes = (struct pf_bytes){(const char *)bytes, size};
    return string;
}

enum pf_sp_parse pf_sp_record_parse(struct pf_sp_record *record, const unsigned char *p, size_t have,
                                    const char *layout, bool lsb)
{
    struct cursor c = {p, p + have, PF_SP_WHOLE, 0, lsb};
    size_t numbers = 0, texts = 0;
    memset(record, 0, sizeof *record);
    const unsigned char *tag = take_bytes(&c, 1);
    if (tag)
        record->tag = *tag;
    record->payload = 1;
    for (const char *field = layout; *field && c.result == PF_SP_WHOLE; field++) {
        if (*field == 'l') {
            record->length = take_varint(&c);
            record->payload = (size_t)(c.p - p);
        } else if (*field == 'v') {
            record->number[numbers++] = take_varint(&c);
        } else if (*field == 's') {
            record->text[texts++] = take_string(&c, record);
        } else if (*field == 'w') {
            record->words = take_bytes(&c, 2 * PF_SP_ID_SIZE);
        } else {
            take_bytes(&c, record->length);
        }
    }
    record->size = (size_t)(c.p - p);
    record->missing = c.missing;
    return c.result;
}

const char *pf_sp_parse_text(enum pf_sp_parse result, const struct pf_sp_record *record, char scratch[96])
{
    if (result == PF_SP_LONG_VARINT)
        return "a number in it has more than 32 bits or 10 bytes";
    snprintf(scratch, 96, "a string in it has %lu bytes, and at most %lu are read", (unsigned long)record->number[0],
             (unsigned long)PF_STRING_MAX);
    return scratch;
}

size_t pf_sp_varint_put(uint32_t value, unsigned char out[5])
{
    size_t size = 1;
    while (size < 5 && value >> 7 * size != 0)
        size++;
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)((value >> 7 * (size - 1 - i) & 0x7f) | (i + 1 < size ? 0x80 : 0));
    return size;
}
