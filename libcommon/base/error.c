#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void format_text(char *text, size_t size, const char *format, va_list args) PF_PRINTF(3, 0);
static int set_first(struct pf_error *error, int code, const uint64_t *offset, const char *format,
                     va_list args) PF_PRINTF(4, 0);

/* A text that is too long ends in dots. */
static void format_text(char *text, size_t size, const char *format, va_list args)
{
    static const char dots[] = "...";
    int length = vsnprintf(text, size, format, args);

    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= size)
        memcpy(text + size - sizeof dots, dots, sizeof dots);
}

/* Sets an error, unless there is one already; `offset` may be NULL. Returns the code that stays. */
static int set_first(struct pf_error *error, int code, const uint64_t *offset, const char *format,
                     va_list args)
{
    if (!error)
        return code;
    if (error->code != PF_OK)
        return error->code;
    error->code = code;
    if (offset) {
        error->has_offset = true;
        error->offset = *offset;
    }
    format_text(error->text, sizeof error->text, format, args);
    return code;
}

int pf_error_set(struct pf_error *error, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    code = set_first(error, code, NULL, format, args);
    va_end(args);
    return code;
}

int pf_error_at(struct pf_error *error, int code, uint64_t offset, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    code = set_first(error, code, &offset, format, args);
    va_end(args);
    return code;
}

int pf_error_system(struct pf_error *error, const char *format, ...)
{
    const char *reason = strerror(errno);
    char text[sizeof error->text];
    va_list args;

    va_start(args, format);
    format_text(text, sizeof text, format, args);
    va_end(args);
    return pf_error_set(error, PF_IO, "%s: %s", text, reason);
}

int pf_error_nomem(struct pf_error *error)
{
    return pf_error_set(error, PF_NOMEM, "out of memory");
}

struct pf_clip pf_clip(struct pf_bytes bytes)
{
    struct pf_clip clip;
    size_t size = bytes.size;

    if (size > PF_CLIP_MAX) {
        size = PF_CLIP_MAX;
        /* a UTF-8 character has at most three bytes after the first */
        for (int k = 0; k < 3 && ((unsigned char)bytes.data[size] & 0xc0) == 0x80; k++)
            size--;
    }
    if (size > 0)
        memcpy(clip.text, bytes.data, size);
    memcpy(clip.text + size, "...", sizeof "...");
    if (size == bytes.size)
        clip.text[size] = '\0';
    return clip;
}

int pf_error_line(struct pf_error *error, uint64_t offset, uint64_t number, struct pf_bytes line,
                  const char *what)
{
    if (line.size == 0)
        return pf_error_at(error, PF_FAILED, offset, "line %" PRIu64 ": %s", number, what);
    return pf_error_at(error, PF_FAILED, offset, "line %" PRIu64 ": %s: '%s'", number, what,
                       pf_clip(line).text);
}

void pf_report_send(const struct pf_report *report, enum pf_severity severity, const char *format,
                    ...)
{
    char text[1024];
    va_list args;

    if (!report || !report->fn)
        return;
    va_start(args, format);
    format_text(text, sizeof text, format, args);
    va_end(args);
    report->fn(report->arg, severity, text);
}
