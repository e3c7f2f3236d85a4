#include "format/nytprof/input.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* input is read only */
#include <zlib.h>

/* Room for inflated bytes; they are read while they are in the cache still. */
enum { UNIT = 64 * 1024 };

void pf_nyt_input_open(struct pf_nyt_input *input, struct pf_source *source)
{
    size_t have;
    *input = (struct pf_nyt_input){.source = source};
    input->p = input->start = pf_source_peek(source, 1, &have);
    input->end = input->p + have;
    input->end_offset = pf_source_offset(source) + have;
}

void pf_nyt_input_close(struct pf_nyt_input *input)
{
    if (input->inflater)
        inflateEnd(input->inflater);
    free(input->inflater);
    free(input->buffer);
}

int pf_nyt_input_inflate(struct pf_nyt_input *input, struct pf_error *error)
{
    pf_source_take(input->source, (size_t)(input->p - input->start));
    z_stream *inflater = calloc(1, sizeof *inflater);
    if (!inflater || inflateInit(inflater) != Z_OK) {
        free(inflater);
        return pf_error_nomem(error);
    }
    input->inflater = inflater;
    input->p = input->end = input->start = NULL;
    input->end_offset = 0;
    return PF_OK;
}

static int fill_plain(struct pf_nyt_input *input, size_t need, struct pf_error *error)
{
    size_t have;
    pf_source_take(input->source, (size_t)(input->p - input->start));
    input->p = input->start = pf_source_peek(input->source, need, &have);
    input->end = input->p + have;
    input->end_offset = pf_source_offset(input->source) + have;
    if (have >= need)
        return PF_OK;
    return pf_source_status(input->source, error) == PF_OK ? PF_EOF : error->code;
}

/* Room for UNIT bytes behind `end`; what is not used up yet comes to the front. */
static bool make_room(struct pf_nyt_input *input)
{
    size_t kept = pf_nyt_input_have(input);
    if (kept > 0)
        memmove(input->buffer, input->p, kept);
    bool ok = pf_grow(&input->buffer, &input->capacity, kept + UNIT, 1);
    input->p = input->buffer;
    input->end = input->p + kept;
    return ok;
}

/* Inflates until the room is full or the data end. PF_OK or what the source says. */
static int inflate_more(struct pf_nyt_input *input, struct pf_error *error)
{
    z_stream *inflater = input->inflater;
    unsigned char *end = input->buffer + pf_nyt_input_have(input);
    inflater->next_out = end;
    inflater->avail_out = (uInt)(input->capacity - pf_nyt_input_have(input) < UINT32_MAX
                                     ? input->capacity - pf_nyt_input_have(input) : UINT32_MAX);
    while (inflater->avail_out > 0 && !input->ended && !input->cut && !input->damage) {
        size_t have;
        const unsigned char *raw = pf_source_peek(input->source, 1, &have);
        size_t size = have < UINT32_MAX ? have : UINT32_MAX;
        if (have == 0 && pf_source_status(input->source, error) != PF_OK)
            return error->code;
        inflater->next_in = raw;
        inflater->avail_in = (uInt)size;
        int result = inflate(inflater, Z_SYNC_FLUSH);
        pf_source_take(input->source, size - inflater->avail_in);
        if (result == Z_STREAM_END)
            input->ended = true;
        else if (result == Z_MEM_ERROR)
            return pf_error_nomem(error);
        else if (result != Z_OK && result != Z_BUF_ERROR)
            input->damage = result == Z_NEED_DICT ? "it wants a dictionary" : inflater->msg ? inflater->msg : "no zlib stream";
        else if (have == 0)
            input->cut = true;
    }
    input->end_offset += (uint64_t)(inflater->next_out - end);
    input->end = inflater->next_out;
    return pf_source_unpacked(input->source, (uint64_t)(inflater->next_out - end), error);
}

static int fill_inflated(struct pf_nyt_input *input, size_t need, struct pf_error *error)
{
    char text[128];
    while (pf_nyt_input_have(input) < need) {
        if (input->damage) {
            snprintf(text, sizeof text, "the deflated data are damaged (%s)", input->damage);
            return pf_nyt_input_fail(input, error, text);
        }
        if (input->ended || input->cut)
            return PF_EOF;
        if (!make_room(input))
            return pf_error_nomem(error);
        int status = inflate_more(input, error);
        if (status != PF_OK)
            return status;
    }
    return PF_OK;
}

int pf_nyt_input_fill(struct pf_nyt_input *input, size_t need, struct pf_error *error)
{
    return input->inflater ? fill_inflated(input, need, error) : fill_plain(input, need, error);
}

int pf_nyt_input_fail(const struct pf_nyt_input *input, struct pf_error *error, const char *text)
{
    unsigned long long at = pf_nyt_input_offset(input);
    if (!input->inflater)
        return pf_error_at(error, PF_FAILED, at, "%s", text);
    return pf_error_at(error, PF_FAILED, pf_source_offset(input->source), "%s (offset %llu once inflated)", text, at);
}

void pf_nyt_input_warn(const struct pf_nyt_input *input, const struct pf_report *report, const char *text)
{
    unsigned long long at = pf_nyt_input_offset(input);
    if (input->inflater)
        pf_report_send(report, PF_WARNING, "offset %llu: %s (offset %llu once inflated)",
                       (unsigned long long)pf_source_offset(input->source), text, at);
    else
        pf_report_send(report, PF_WARNING, "offset %llu: %s", at, text);
}
