/* Output: standard output or a file. A file is written beside its target and renamed on success,
 * so that a failure leaves the old file. A target that is not a regular file is written in
 * place. */
#ifndef PF_IO_SINK_H
#define PF_IO_SINK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pf_sink {
    /* Free room in the buffer. Public only for the inline functions below. */
    char *cursor, *limit;
    uint64_t limit_offset; /* the offset of `limit` */
    bool live;             /* a pipe, a socket or a terminal, where a reader may be waiting */
    bool terminal;
    /* Set by the owner for the functions that write lines: the width (0, the default: no limit),
     * and the mark for omitted text (one column wide, constant; the default is "~"). */
    unsigned columns;
    const char *mark;
    struct pf_sink_output *output;
};

/* `path` NULL or "-" = standard output. Links are followed, the mode of an existing target is
 * kept. On failure (PF_IO, PF_NOMEM in `error`) *sink is NULL. */
int pf_sink_open(struct pf_sink **, const char *path, struct pf_error *);
/* Writes to a descriptor, which the sink owns from now on, also after a failure; `name` is for
 * messages. */
int pf_sink_open_file(struct pf_sink **, int file, const char *name, struct pf_error *);
/* Collects bytes in memory, for tests; pf_sink_memory returns them until pf_sink_abort or
 * _commit. */
int pf_sink_open_memory(struct pf_sink **, struct pf_error *);
const void *pf_sink_memory(const struct pf_sink *, size_t *size);

/* A sink on a sink: bytes pass through zlib's deflate of `level` 1..9 to the sink below, which is
 * borrowed and must not be written meanwhile. pf_sink_finish ends the zlib stream; pf_sink_abort
 * then frees the sink. Both sinks report a failure of the sink below. */
int pf_sink_open_deflate(struct pf_sink **, struct pf_sink *below, int level, struct pf_error *);

/* A sink on a terminal shows escapes (base/escape.h) for the characters that control a terminal:
 * names come from files. Call for an output that controls the terminal itself, or that is not text.
 */
void pf_sink_raw(struct pf_sink *);

/* Compresses all further bytes with gzip of `level` 1..9 (no name, no time: same bytes for same
 * data). */
int pf_sink_gzip(struct pf_sink *, int level);

/* Call before the first write. pf_sink_commit then waits until the bytes are on the disk
 * (fsync), renames the file, and waits until the new name is on the disk. Pipes and terminals
 * are not synced, without an error. */
void pf_sink_sync(struct pf_sink *);

/* Closes the descriptor of a file that is written beside its target: from now on the file is open
 * only while bytes are written to the file, so a program can write more files than the system lets
 * be open. Standard output and files written in place stay open. PF_OK or PF_IO. A file that cannot
 * be opened again fails the write, the flush or the commit. */
int pf_sink_park(struct pf_sink *, struct pf_error *);

/* The slow part of a write. */
int pf_sink_spill(struct pf_sink *, const void *bytes, size_t size);

/* Writes through the buffer. PF_OK or PF_IO (or PF_NOMEM, in memory). A failure stays, so a
 * writer may check once at its end. */
static inline int pf_sink_write(struct pf_sink *sink, const void *bytes, size_t size)
{
    if (size >= (size_t)(sink->limit - sink->cursor))
        return pf_sink_spill(sink, bytes, size);
    if (size > 0)
        memcpy(sink->cursor, bytes, size);
    sink->cursor += size;
    return 0;
}

/* Write a string, a number, formatted text; pf_sink_flush writes the buffer out. Results as
 * pf_sink_write. */
int pf_sink_text(struct pf_sink *, const char *string);
/* in decimal, in a third of the time of pf_sink_printf */
int pf_sink_number(struct pf_sink *, int64_t);
int pf_sink_printf(struct pf_sink *, const char *format, ...) PF_PRINTF(2, 3);
int pf_sink_flush(struct pf_sink *);
/* Ends the gzip and flushes: pf_sink_memory then has all bytes. Nothing may be written
 * afterwards. pf_sink_commit calls this function. */
int pf_sink_finish(struct pf_sink *);

/* Bytes written so far, before compression. */
static inline uint64_t pf_sink_offset(const struct pf_sink *sink)
{
    return sink->limit_offset - (uint64_t)(sink->limit - sink->cursor);
}

/* Calls `before` once, before the first byte goes to a terminal, so that other text there can be
 * removed. */
void pf_sink_before_terminal(struct pf_sink *, void (*before)(void *), void *arg);
/* PF_OK or the first failure, copied to `error` if given. */
int pf_sink_status(const struct pf_sink *, struct pf_error *error);

/* Flushes, closes and renames; always frees the sink. A failure of any step is returned and in
 * `error`; the target is then unchanged. */
int pf_sink_commit(struct pf_sink *, struct pf_error *);
/* Closes, removes the file beside the target, frees. NULL is allowed. */
void pf_sink_abort(struct pf_sink *);
/* Path of the file being written beside the target, or NULL: for a signal handler to unlink. Valid
 * until commit or abort. */
const char *pf_sink_temporary(const struct pf_sink *);

#endif
