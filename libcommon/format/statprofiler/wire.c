/* The bytes of StatProfiler files: snappy blocks, records and their fields, and the records of the
 * dialect "plan". */
#include "format/statprofiler/statprofiler.h"

#include "model/strings.h"

#include <assert.h>
#include <snappy-c.h>
#include <stdio.h>
#include <string.h>

/* --- records ---------------------------------------------------------------------------------- */

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

static uint32_t read_varint(struct cursor *c)
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

static const unsigned char *read_bytes(struct cursor *c, size_t size)
{
    need(c, size);
    if (c->result != PF_SP_WHOLE)
        return NULL;
    const unsigned char *bytes = c->p;
    c->p += size;
    return bytes;
}

static struct pf_sp_string read_string(struct cursor *c, struct pf_sp_record *record)
{
    struct pf_sp_string string = {{NULL, 0}, 0};
    const unsigned char *flag = read_bytes(c, 1);
    if (!flag)
        return string;
    string.flags = *flag & PF_UTF8;
    uint32_t size = read_varint(c);
    if (c->result == PF_SP_WHOLE && size > PF_STRING_MAX) {
        c->result = PF_SP_LONG_STRING;
        record->number[0] = size;
    }
    const unsigned char *bytes = read_bytes(c, size);
    if (bytes)
        string.bytes = (struct pf_bytes){(const char *)bytes, size};
    return string;
}

enum pf_sp_parse pf_sp_record_parse(struct pf_sp_record *record, const unsigned char *p,
                                    size_t have, const char *layout, bool lsb)
{
    struct cursor c = {p, p + have, PF_SP_WHOLE, 0, lsb};
    size_t numbers = 0, texts = 0;
    memset(record, 0, sizeof *record);
    const unsigned char *tag = read_bytes(&c, 1);
    if (tag)
        record->tag = *tag;
    record->payload = 1;
    for (const char *field = layout; *field && c.result == PF_SP_WHOLE; field++) {
        if (*field == 'l') {
            record->length = read_varint(&c);
            record->payload = (size_t)(c.p - p);
        } else if (*field == 'v') {
            record->number[numbers++] = read_varint(&c);
        } else if (*field == 's') {
            record->text[texts++] = read_string(&c, record);
        } else if (*field == 'w') {
            record->words = read_bytes(&c, 2 * PF_SP_ID_SIZE);
        } else {
            read_bytes(&c, record->length);
        }
    }
    record->size = (size_t)(c.p - p);
    record->missing = c.missing;
    return c.result;
}

const char *pf_sp_parse_text(enum pf_sp_parse result, const struct pf_sp_record *record,
                             char scratch[96])
{
    if (result == PF_SP_LONG_VARINT)
        return "a number has more than 32 bits or 10 bytes";
    snprintf(scratch, 96, "a string has %lu bytes, more than the limit of %lu",
             (unsigned long)record->number[0], (unsigned long)PF_STRING_MAX);
    return scratch;
}

/* Writes a varint in its shortest form, most significant group first. Returns its size, 1 to 5. */
static size_t store_varint(uint32_t value, unsigned char out[5])
{
    size_t size = 1;
    while (size < 5 && value >> 7 * size != 0)
        size++;
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)((value >> 7 * (size - 1 - i) & 0x7f) | (i + 1 < size ? 0x80 : 0));
    return size;
}

size_t pf_sp_counted_size(uint32_t number)
{
    unsigned char bytes[5];
    size_t size = store_varint(number, bytes);
    return size < 4 ? size : 4;
}

/* --- blocks on their way in ------------------------------------------------------------------- */

/* Most bytes that are peeked at to read a header. */
enum { PEEK_MAX = 1 << 20 };
/* Bytes of the file that are searched for damage by a transfer as text. */
enum { LOOK_MAX = 4096 };

/* True if each LF has a CR before it, as after a transfer as text. */
static bool feeds_returned(const unsigned char *bytes, size_t size)
{
    size_t feeds = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n')
            continue;
        if (i == 0 || bytes[i - 1] != '\r')
            return false;
        feeds++;
    }
    return feeds > 0;
}

int pf_sp_input_open(struct pf_sp_input *input, struct pf_source *file, bool blocks, bool peeking,
                     struct pf_error *error)
{
    size_t have;
    int status = PF_OK;
    *input = (struct pf_sp_input){.source = file, .file = file, .blocks = blocks};
    const unsigned char *bytes = pf_source_peek(file, 1, &have);
    input->returned = feeds_returned(bytes, have < LOOK_MAX ? have : LOOK_MAX);
    if (peeking)
        status = pf_layer_look(&input->look, file, PF_SP_START, PEEK_MAX, error);
    if (status == PF_OK && peeking)
        input->source = input->look;
    if (status == PF_OK && blocks)
        status = pf_layer_snappy(&input->source, input->source, error);
    return status;
}

void pf_sp_input_close(struct pf_sp_input *input)
{
    if (input->source != input->file && input->source != input->look)
        pf_source_close(input->source);
    pf_source_close(input->look);
    *input = (struct pf_sp_input){0};
}

/* Adds to the error that the file seems to be damaged by a transfer as text. */
static int add_note(const struct pf_sp_input *input, struct pf_error *error)
{
    size_t size = strlen(error->text);
    if (input->returned)
        snprintf(
            error->text + size, sizeof error->text - size,
            "; every line feed has a carriage return before it: was the file converted as text?");
    return error->code;
}

int pf_sp_input_fail(const struct pf_sp_input *input, struct pf_error *error, uint64_t at,
                     const char *format, ...)
{
    va_list args;
    if (error->code != PF_OK)
        return error->code;
    va_start(args, format);
    pf_source_vfail(input->source, error, at, format, args);
    va_end(args);
    return add_note(input, error);
}

int pf_sp_input_fill(struct pf_sp_input *input, size_t need, struct pf_error *error)
{
    bool first = error->code == PF_OK;
    int status = pf_source_need(input->source, need, error);
    return status == PF_FAILED && first && pf_source_status(input->source, NULL) == PF_OK
               ? add_note(input, error)
               : status;
}

int pf_sp_input_skip(struct pf_sp_input *input, uint64_t size, struct pf_error *error)
{
    size -= pf_source_skip(input->source, size);
    return size > 0 ? pf_sp_input_fill(input, 1, error) : PF_OK;
}

int pf_sp_input_skip_zero(struct pf_sp_input *input, struct pf_error *error)
{
    int status = pf_sp_input_fill(input, 1, error);
    if (status == PF_OK && *input->source->cursor == 0)
        pf_source_take(input->source, 1);
    return status == PF_EOF ? PF_OK : status;
}

bool pf_sp_input_block_first(struct pf_source *file)
{
    struct pf_sp_input input;
    struct pf_error ignored = {0};
    bool yes = pf_sp_input_open(&input, file, true, true, &ignored) == PF_OK &&
               pf_sp_input_fill(&input, 1, &ignored) == PF_OK &&
               *input.source->cursor >= PF_SP_METADATA;
    pf_sp_input_close(&input);
    return yes;
}

/* --- the dialect "plan" ----------------------------------------------------------------------- */

enum { LOOK_AHEAD = 65536 };

/* The layout of a record of this dialect; the bytes of unknown tags are skipped. */
static const char *plan_layout(unsigned tag)
{
    switch (tag) {
    case PF_SP_SAMPLE_START: return "lvvs";
    case PF_SP_SUB: return "lsssv";
    case PF_SP_SECTION_START:
    case PF_SP_SECTION_END: return "ls";
    case PF_SP_METADATA: return "lss";
    case PF_SP_PERL_VERSION: return "lvvv";
    case PF_SP_TICK:
    case PF_SP_DEPTH: return "lv";
    case PF_SP_LIBRARY_VERSION: return "lvv";
    case PF_SP_SAMPLE_END:
    case PF_SP_HEADER_END: return "";
    default: return "lp";
    }
}

static bool fills(const struct pf_sp_record *record)
{
    return record->size - record->payload == record->length;
}

/* Parses an eval frame. The plan does not say which fields follow: file and line, as in the real
 * dialect, if they fill the length; else unknown bytes. */
static enum pf_sp_parse parse_eval(struct pf_sp_record *record, const unsigned char *p, size_t size,
                                   bool lsb)
{
    enum pf_sp_parse result = pf_sp_record_parse(record, p, size, "lsv", lsb);

    if (result == PF_SP_WHOLE && fills(record))
        return result;
    return pf_sp_record_parse(record, p, size, "lp", lsb);
}

enum pf_sp_parse pf_sp_plan_parse(struct pf_sp_record *record, const unsigned char *p, size_t have,
                                  bool lsb, bool *fits)
{
    const char *layout = have > 0 ? plan_layout(*p) : "";
    *fits = true;
    /* First the length, which says how many bytes are needed. */
    enum pf_sp_parse result = pf_sp_record_parse(record, p, have, *layout ? "lp" : "", lsb);
    if (result != PF_SP_WHOLE || !*layout)
        return result;
    size_t size = record->size;
    if (record->tag == PF_SP_EVAL)
        return parse_eval(record, p, size, lsb);
    result = pf_sp_record_parse(record, p, size, layout, lsb);
    *fits = result == PF_SP_WHOLE && fills(record);
    if (!*fits && record->tag == PF_SP_SUB) {
        result = pf_sp_record_parse(record, p, size, "lssv", lsb);
        *fits = result == PF_SP_WHOLE && fills(record);
    }
    return result == PF_SP_MISSING ? PF_SP_WHOLE : result;
}

bool pf_sp_plan_sample(const unsigned char *p, size_t have)
{
    struct pf_sp_record record;
    return pf_sp_record_parse(&record, p, have, "lvvs", false) == PF_SP_WHOLE && fills(&record);
}

enum verdict { NOTHING, MSB, LSB };

/* Decides by the varints of a layout. A varint ends at the same byte in both directions, but the
 * size of a string depends on the direction. */
static enum verdict judge_varints(const unsigned char *p, const unsigned char *end,
                                  const char *layout, bool lsb)
{
    for (; *layout && p < end; layout++) {
        if (*layout == 's')
            p++;
        if (*layout == 'p')
            return NOTHING;
        const unsigned char *first = p;
        while (p < end && *p & 0x80)
            p++;
        if (p >= end)
            return NOTHING;
        if (p > first && *first == 0x80)
            return LSB;
        if (p > first && *p == 0)
            return MSB;
        p++;
        if (*layout == 's') {
            uint64_t size = 0;
            for (const unsigned char *q = first; q < p; q++)
                size = lsb ? size | (uint64_t)(*q & 0x7f) << 7 * ((q - first) & 7)
                           : size << 7 | (*q & 0x7f);
            if (size > (uint64_t)(end - p))
                return NOTHING;
            p += size;
        }
    }
    return NOTHING;
}

/* Walks over the records until a record decides. *walked: the bytes of the records whose lengths
 * fit. */
static enum verdict judge_records(const unsigned char *bytes, size_t size, bool lsb, size_t *walked)
{
    size_t at = 0;
    while (at < size) {
        struct pf_sp_record record;
        bool fits;
        const char *layout = plan_layout(bytes[at]);
        /* the optional length of a record without payload */
        if (bytes[at] == 0) {
            at++;
            continue;
        }
        enum verdict verdict = judge_varints(bytes + at + 1, bytes + size, layout, lsb);
        if (verdict != NOTHING)
            return verdict;
        enum pf_sp_parse result = pf_sp_plan_parse(&record, bytes + at, size - at, lsb, &fits);
        if (result != PF_SP_WHOLE || !fits)
            break;
        at += record.size;
    }
    *walked = at;
    return NOTHING;
}

bool pf_sp_plan_is_lsb(struct pf_source *source, size_t start)
{
    size_t have, msb_walked = 0, lsb_walked = 0;
    const unsigned char *bytes = pf_source_peek(source, start + LOOK_AHEAD, &have);
    if (have <= start)
        return false;
    enum verdict verdict = judge_records(bytes + start, have - start, false, &msb_walked);
    if (verdict == NOTHING)
        verdict = judge_records(bytes + start, have - start, true, &lsb_walked);
    else
        return verdict == LSB;
    return verdict == LSB || (verdict == NOTHING && lsb_walked > msb_walked);
}

/* --- records on their way out ----------------------------------------------------------------- */

void pf_sp_output_open(struct pf_sp_output *output, struct pf_sink *sink, bool packed)
{
    output->sink = sink;
    output->packed = packed;
    pf_sink_write(sink, PF_SP_MAGIC "\1", PF_SP_START);
}

void pf_sp_output_flush(struct pf_sp_output *output)
{
    static_assert(sizeof output->block >= 2 + 32 + PF_SP_BLOCK_MAX + PF_SP_BLOCK_MAX / 6,
                  "room for the worst block");
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
    pf_sp_output_put(output, bytes, store_varint(number, bytes));
}

static size_t varint_size(uint32_t number, enum pf_sp_length how)
{
    unsigned char bytes[5];
    return how == PF_SP_LENGTH_PROFILER ? pf_sp_counted_size(number) : store_varint(number, bytes);
}

static size_t record_length(unsigned tag, const struct pf_sp_field *fields, size_t count,
                            enum pf_sp_length how)
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

void pf_sp_output_record(struct pf_sp_output *output, unsigned tag,
                         const struct pf_sp_field *fields, size_t count, enum pf_sp_length how)
{
    unsigned char byte = (unsigned char)tag;
    pf_sp_output_put(output, &byte, 1);
    if (how != PF_SP_LENGTH_NONE)
        put_varint(output, (uint32_t)record_length(tag, fields, count, how));
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
