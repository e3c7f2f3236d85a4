/* Result codes and messages. Every function of the library that can fail returns one of these
 * codes; the message is in a struct pf_error that the caller owns. The library never prints. */
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
    PF_IO = -2,     /* a system call failed; the message has errno's text */
    PF_NOMEM = -3,
    PF_UNSUPPORTED = -4, /* the kind or version of the input is not supported */
    PF_USAGE = -5,   /* the request is impossible (for example the format cannot hold the data) */
    PF_OVERFLOW = -6 /* a sum overflows 64 bits */
};

/* The first failure of a handle. `offset` is a byte offset in the decompressed input, valid if
 * has_offset. */
struct pf_error {
    int code;
    bool has_offset;
    uint64_t offset;
    char text[512];
};

#if defined(__GNUC__)
#define PF_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define PF_NORETURN                   __attribute__((noreturn)) /* for pointers to functions */
#else
#define PF_PRINTF(format_at, args_at)
#define PF_NORETURN
#endif

/* Sets the error and returns `code`. The first error stays: if an error is already set, nothing
 * changes and the first code is returned. */
int pf_error_set(struct pf_error *, int code, const char *format, ...) PF_PRINTF(3, 4);
int pf_error_at(struct pf_error *, int code, uint64_t offset, const char *format, ...)
    PF_PRINTF(4, 5);

/* Sets PF_IO with errno's text appended, as in "TEXT: No space left on device"; returns PF_IO. */
int pf_error_system(struct pf_error *, const char *format, ...) PF_PRINTF(2, 3);

/* Sets PF_NOMEM. Returns as pf_error_set. */
int pf_error_nomem(struct pf_error *);

/* Sets PF_FAILED with the text "line NUMBER: WHAT: 'LINE'" and the offset where the line begins.
 * WHAT says what is wrong and what was expected. An empty line gives "line NUMBER: WHAT". Returns
 * as pf_error_set. */
int pf_error_line(struct pf_error *, uint64_t offset, uint64_t number, struct pf_bytes line,
                  const char *what);

/* A name or a piece of a line for a message: at most PF_CLIP_MAX bytes, then "..." if the text
 * is longer. UTF-8 characters are not split. The text is valid until the end of the expression:
 * printf("... '%s'", pf_clip(name).text). */
enum { PF_CLIP_MAX = 100 };
struct pf_clip {
    char text[PF_CLIP_MAX + sizeof "..."];
};
struct pf_clip pf_clip(struct pf_bytes);

/* Receives the warnings and notes of a handle. `fn` may be NULL: messages are dropped. The text
 * is valid during the call only. Names in the text may contain any byte: print the text through
 * pf_text_next. */
enum pf_severity { PF_NOTE, PF_WARNING };

struct pf_report {
    void (*fn)(void *arg, enum pf_severity, const char *text);
    void *arg;
};

/* Sends a message, cut to 1023 bytes. Does nothing if `report` or its function is NULL. */
void pf_report_send(const struct pf_report *, enum pf_severity, const char *format, ...)
    PF_PRINTF(3, 4);

#endif
