#include "format/statprofiler/statprofiler.h"


#include <stdio.h>
#include <string.h>

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

int pf_sp_input_open(struct pf_sp_input *input, struct pf_source *file, bool blocks, bool peeking, struct pf_error *error)
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

void pf_sp_input_warn(const struct pf_sp_input *input, const struct pf_report *report, const char *text)
{
    pf_source_warn(input->source, report, pf_source_offset(input->source), text);
}

/* Says so where the file seems to have come as text. */
static int add_note(const struct pf_sp_input *input, struct pf_error *error)
{
    size_t size = strlen(error->text);
    if (input->returned)
        snprintf(error->text + size, sizeof error->text - size,
                 "; every line feed has a carriage return before it: was the file sent as text?");
    return error->code;
}

int pf_sp_input_fail(const struct pf_sp_input *input, struct pf_error *error, int code, uint64_t at,
                     const char *format, ...)
{
    char text[320];
    va_list args;
    if (error->code != PF_OK)
        return error->code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pf_source_fail(input->source, error, code, at, text);
    return add_note(input, error);
}

int pf_sp_input_fill(struct pf_sp_input *input, size_t need, struct pf_error *error)
{
    bool first = error->code == PF_OK;
    int status = pf_source_need(input->source, need, error);
    return status == PF_FAILED && first && pf_source_status(input->source, NULL) == PF_OK ? add_note(input, error) : status;
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
               pf_sp_input_fill(&input, 1, &ignored) == PF_OK && *input.source->cursor >= PF_SP_METADATA;
    pf_sp_input_close(&input);
    return yes;
}
