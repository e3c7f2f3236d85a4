/* Results and their texts. Every function of the library that can fail returns one of these codes;
 * the text for people stands in a struct pf_error that the caller owns. The library never
 * prints. */
#ifndef PF_BASE_ERROR_H
#define PF_BASE_ERROR_H

#include "base/bytes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum pf_status {
    PF_OK = 0,
    PF_EOF = 1,     /* no more records; nothing is wrong */
    PF_FAILED = -1, /* the input is damaged, cut or incomplete */
    PF_IO = -2,     /* the system refused to read or write; the text has errno's words */
    PF_NOMEM = -3,
    PF_UNSUPPORTED = -4, /* the input is of a kind or version that is not read */
    PF_USAGE = -5,       /* what was asked for cannot be done (a format that cannot hold it ...) */
    PF_OVERFLOW = -6     /* a sum leaves 64 bits */
};

/* First failure of a handle. `offset` is a byte offset in the (decompressed) input where it is
 * known. */
struct pf_error {
    int code;
    bool has_offset;
    uint64_t offset;
    char text[512];
};

#if defined(__GNUC__)
#define PF_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define PF_NORETURN                   __attribute__((noreturn)) /* of a pointer to a function */
#else
#define PF_PRINTF(format_at, args_at)
#define PF_NORETURN
#endif

/* Sets the error and returns `code`, so that a function can end with it. The first error stays: a
 * later call on an error that is already set changes nothing and returns the first code. */
int pf_error_set(struct pf_error *, int code, const char *format, ...) PF_PRINTF(3, 4);
int pf_error_at(struct pf_error *, int code, uint64_t offset, const char *format, ...)
    PF_PRINTF(4, 5);

/* PF_IO with errno's words: "TEXT: No space left on device". */
int pf_error_system(struct pf_error *, const char *format, ...) PF_PRINTF(2, 3);

int pf_error_nomem(struct pf_error *);

/* "line NUMBER: WHAT: 'LINE'" at the offset where the line begins, as PF_FAILED. WHAT says what is
 * wrong and what was expected. Without `: 'LINE'` when the line is empty. */
int pf_error_line(struct pf_error *, uint64_t offset, uint64_t number, struct pf_bytes line,
                  const char *what);

/* A name or a piece of a line for a message: at most PF_CLIP_MAX bytes, then "..." where more
 * follows; never a part of a UTF-8 character. The text is valid until the end of the expression:
 * printf("... '%s'", pf_clip(name).text). */
enum { PF_CLIP_MAX = 100 };
struct pf_clip {
    char text[PF_CLIP_MAX + sizeof "..."];
};
struct pf_clip pf_clip(struct pf_bytes);

/* Where a handle sends warnings and notes while it works. `fn` may be NULL: they are dropped. The
 * text is valid during the call only and names an offset where there is one. Names in it may hold
 * any byte: print it through pf_text_next. */
enum pf_severity { PF_NOTE, PF_WARNING };

struct pf_report {
    void (*fn)(void *arg, enum pf_severity, const char *text);
    void *arg;
};

void pf_report_send(const struct pf_report *, enum pf_severity, const char *format, ...)
    PF_PRINTF(3, 4);

#endif
