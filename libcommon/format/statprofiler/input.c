#include "format/statprofiler/input.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "format/statprofiler/wire.h"

#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The profiler's writer and reader stop at 32000 bytes of records a block; twice that is tolerated. */
enum { BLOCK_MAX = 65536 };
/* A header that takes more than this is not looked for ahead of reading. */
enum { PEEK_MAX = 1 << 20 };
/* Bytes of the file that are looked at for damage by a transfer as text. */
enum { LOOK_MAX = 4096 };

/* A transfer in text mode puts a CR before every LF: no LF stands alone then. */
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

void pf_sp_input_open(struct pf_sp_input *input, struct pf_source *source, bool blocks, bool peeking)
{
    size_t have;
    memset(input, 0, sizeof *input);
    input->source = source;
    input->blocks = blocks;
    input->peeking = peeking;
    input->ahead = peeking ? PF_SP_START : 0;
    input->end_offset = blocks ? 0 : PF_SP_START;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    input->returned = feeds_returned(bytes, have < LOOK_MAX ? have : LOOK_MAX);
}

void pf_sp_input_close(struct pf_sp_input *input)
{
    free(input->buffer);
    input->buffer = NULL;
}

void pf_sp_input_warn_at(const struct pf_sp_input *input, const struct pf_report *report, uint64_t at,
                         const char *text)
{
    unsigned long long offset = at;

    if (input->blocks)
        pf_report_send(report, PF_WARNING, "offset %llu: %s (offset %llu once uncompressed)",
                       (unsigned long long)input->block_offset, text, offset);
    else
        pf_report_send(report, PF_WARNING, "offset %llu: %s", offset, text);
}

void pf_sp_input_warn(const struct pf_sp_input *input, const struct pf_report *report, const char *text)
{
    pf_sp_input_warn_at(input, report, pf_sp_input_offset(input), text);
}

int pf_sp_input_fail(const struct pf_sp_input *input, struct pf_error *error, int code, uint64_t at,
                     const char *format, ...)
{
    char text[320], place[64] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (input->blocks)
        snprintf(place, sizeof place, " (offset %llu once uncompressed)", (unsigned long long)at);
    return pf_error_at(error, code, input->blocks ? input->block_offset : at, "%s%s%s", text, place,
                       input->returned ? "; every line feed has a carriage return before it: was the file sent as text?"
                                       : "");
}

static int block_failed(struct pf_sp_input *input, struct pf_error *error, const char *text)
{
    if (pf_source_status(input->source, error) != PF_OK)
        return error->code;
    return pf_sp_input_fail(input, error, PF_FAILED, input->end_offset, "%s", text);
}

/* Room for a block behind `end`. What is not used up moves to the front only when that is the smaller part, so that a
 * string of many blocks is not moved for each of them. */
static bool make_room(struct pf_sp_input *input)
{
    size_t kept = pf_sp_input_have(input);
    size_t used = input->buffer ? (size_t)(input->p - input->buffer) : 0;
    if (kept <= used) {
        if (kept > 0)
            memcpy(input->buffer, input->p, kept);
        used = 0;
    }
    bool ok = pf_grow(&input->buffer, &input->capacity, used + kept + BLOCK_MAX, 1);
    input->p = input->buffer + used;
    input->end = input->p + kept;
    return ok;
}

/* Appends the data of the next block to the buffer. */
static int read_block(struct pf_sp_input *input, struct pf_error *error)
{
    char text[128];
    size_t have, size, ahead = input->ahead;
    const unsigned char *bytes = pf_source_peek(input->source, ahead + 2, &have);
    input->block_offset = pf_source_offset(input->source) + ahead;
    if (have <= ahead)
        return pf_source_status(input->source, error) == PF_OK ? PF_EOF : error->code;
    if (have - ahead < 2)
        return block_failed(input, error, "the file ends inside the length of a block");
    size_t packed = pf_load16be(bytes + ahead);
    bytes = pf_source_peek(input->source, ahead + 2 + packed, &have);
    if (have - ahead - 2 < packed) {
        snprintf(text, sizeof text, "the file ends inside a block: %lu of its %lu bytes are there",
                 (unsigned long)(have - ahead - 2), (unsigned long)packed);
        return block_failed(input, error, text);
    }
    const char *data = (const char *)bytes + ahead + 2;
    if (snappy_uncompressed_length(data, packed, &size) != SNAPPY_OK)
        return block_failed(input, error, "this is no snappy block");
    if (size > BLOCK_MAX) {
        snprintf(text, sizeof text, "a block says it holds %lu bytes, and at most %d are read", (unsigned long)size,
                 (int)BLOCK_MAX);
        return block_failed(input, error, text);
    }
    if (!input->peeking && pf_source_unpacked(input->source, size, error) != PF_OK)
        return error->code;
    if (!make_room(input))
        return pf_error_nomem(error);
    unsigned char *end = input->buffer + (input->end - (const unsigned char *)input->buffer);
    if (snappy_uncompress(data, packed, (char *)end, &size) != SNAPPY_OK)
        return block_failed(input, error, "this snappy block is damaged");
    input->end += size;
    input->end_offset += size;
    if (input->peeking)
        input->ahead += 2 + packed;
    else
        pf_source_take(input->source, 2 + packed);
    return input->ahead > PEEK_MAX ? PF_EOF : PF_OK;
}

static int fill_plain(struct pf_sp_input *input, size_t need, struct pf_error *error)
{
    size_t have;
    size_t used = input->ahead + (input->start ? (size_t)(input->p - input->start) : 0);
    if (!input->peeking) {
        pf_source_take(input->source, used);
        used = 0;
    } else if (used > PEEK_MAX) {
        return PF_EOF;
    }
    uint64_t offset = pf_sp_input_offset(input);
    const unsigned char *bytes = pf_source_peek(input->source, used + need, &have);
    if (have < used || !bytes) { /* a source that failed meanwhile */
        input->p = input->end;
        return pf_source_status(input->source, error) == PF_OK ? PF_EOF : error->code;
    }
    input->ahead = input->peeking ? PF_SP_START : 0;
    input->start = bytes + (input->peeking ? PF_SP_START : 0);
    input->p = bytes + used;
    input->end = bytes + have;
    input->end_offset = offset + (have - used);
    if (have - used >= need)
        return PF_OK;
    return pf_source_status(input->source, error) == PF_OK ? PF_EOF : error->code;
}

int pf_sp_input_fill(struct pf_sp_input *input, size_t need, struct pf_error *error)
{
    if (!input->blocks)
        return pf_sp_input_have(input) >= need ? PF_OK : fill_plain(input, need, error);
    while (pf_sp_input_have(input) < need) {
        int status = read_block(input, error);
        if (status != PF_OK)
            return status;
    }
    return PF_OK;
}

int pf_sp_input_skip(struct pf_sp_input *input, uint64_t size, struct pf_error *error)
{
    for (;;) {
        size_t have = pf_sp_input_have(input);
        if (size <= have) {
            input->p += size;
            return PF_OK;
        }
        input->p = input->end;
        size -= have;
        int status = pf_sp_input_fill(input, 1, error);
        if (status != PF_OK)
            return status;
    }
}

int pf_sp_input_skip_zero(struct pf_sp_input *input, struct pf_error *error)
{
    int status = pf_sp_input_fill(input, 1, error);
    if (status == PF_OK && *input->p == 0)
        input->p++;
    return status == PF_EOF ? PF_OK : status;
}

bool pf_sp_input_block_first(struct pf_source *source)
{
    struct pf_sp_input input;
    struct pf_error ignored = {0};
    pf_sp_input_open(&input, source, true, true);
    bool yes = pf_sp_input_fill(&input, 1, &ignored) == PF_OK && *input.p >= PF_SP_METADATA;
    pf_sp_input_close(&input);
    return yes;
}
