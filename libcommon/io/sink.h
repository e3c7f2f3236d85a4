/* Where bytes go: standard output or a file. A file is written beside its target and renamed when
 * all is well, so that after a failure the old one is still there; a target that is no regular file
 * is written in place. */
#ifndef PF_IO_SINK_H
#define PF_IO_SINK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pf_sink {
    /* Room left in the buffer. In the open for the inline functions below only. */
    char *cursor, *limit;
    uint64_t limit_offset; /* what the offset is when the buffer is full */
    struct pf_sink_output *output;
};

/* `path` NULL or "-" = standard output. Links are followed, the mode of an existing target is kept.
 * PF_IO, PF_NOMEM in `error`, and *sink is NULL then. */
int pf_sink_open(struct pf_sink **, const char *path, struct pf_error *);
/* Writes to a descriptor, which is the sink's from then on, also on failure; messages call it
 * `name`. */
int pf_sink_open_file(struct pf_sink **, int file, const char *name, struct pf_error *);
/* Collects bytes in memory, for tests; pf_sink_memory gives them until pf_sink_abort or _commit. */
int pf_sink_open_memory(struct pf_sink **, struct pf_error *);
const void *pf_sink_memory(const struct pf_sink *, size_t *size);

/* A sink on a sink: bytes pass through zlib's deflate of `level` 1..9 to the one below, which is
 * borrowed and not written to meanwhile. pf_sink_finish ends the zlib stream; pf_sink_abort then
 * frees. A failure below is in both. */
int pf_sink_open_deflate(struct pf_sink **, struct pf_sink *below, int level, struct pf_error *);

/* From here on bytes pass through gzip of `level` 1..9 (no name, no time: same bytes for same
 * data). */
int pf_sink_gzip(struct pf_sink *, int level);

/* Call before anything is written. pf_sink_commit then waits until the bytes are on the disk
 * (fsync), renames the file, and waits until the new name is on the disk. Pipes and terminals
 * cannot be synced; that is no error. */
void pf_sink_sync(struct pf_sink *);

/* The slow part of a write. */
int pf_sink_spill(struct pf_sink *, const void *bytes, size_t size);

/* Buffered. PF_OK or PF_IO (or PF_NOMEM, in memory); a failure stays, so that a writer may look
 * once at its end. */
static inline int pf_sink_write(struct pf_sink *sink, const void *bytes, size_t size)
{
    if (size >= (size_t)(sink->limit - sink->cursor))
        return pf_sink_spill(sink, bytes, size);
    if (size > 0)
        memcpy(sink->cursor, bytes, size);
    sink->cursor += size;
    return 0;
}

int pf_sink_text(struct pf_sink *, const char *string);
/* in decimal; a third of the time of pf_sink_printf */
int pf_sink_number(struct pf_sink *, int64_t);
int pf_sink_printf(struct pf_sink *, const char *format, ...) PF_PRINTF(2, 3);
int pf_sink_flush(struct pf_sink *);
/* Ends the gzip and flushes: pf_sink_memory then has all. Nothing may be written after it;
 * pf_sink_commit includes it. */
int pf_sink_finish(struct pf_sink *);

/* Bytes given to it so far, before compression. */
static inline uint64_t pf_sink_offset(const struct pf_sink *sink)
{
    return sink->limit_offset - (uint64_t)(sink->limit - sink->cursor);
}

/* True when somebody may be waiting at the other end: a pipe, a socket, a terminal. */
bool pf_sink_live(const struct pf_sink *);
bool pf_sink_terminal(const struct pf_sink *);
/* Lines are to fit into `columns` (0, the default: of any length); `mark` (one column wide,
 * constant) stands for what is left out. The sink only tells those who write lines. */
void pf_sink_set_columns(struct pf_sink *, unsigned columns, const char *mark);
unsigned pf_sink_columns(const struct pf_sink *);
const char *pf_sink_mark(const struct pf_sink *);
/* Calls `before` once, when the first byte is about to go to a terminal: what else stands there can
 * be taken away. */
void pf_sink_before_terminal(struct pf_sink *, void (*before)(void *), void *arg);
/* PF_OK or the first failure, copied to `error` if given. */
int pf_sink_status(const struct pf_sink *, struct pf_error *error);

/* Flushes, closes and renames; frees the sink in any case. Every failure of the way is returned and
 * in `error`; the target is then as it was. */
int pf_sink_commit(struct pf_sink *, struct pf_error *);
/* Closes, removes what was written beside the target, frees. NULL is allowed. */
void pf_sink_abort(struct pf_sink *);
/* Path of the file being written beside the target, or NULL: for a signal handler to unlink. Valid
 * until commit or abort. */
const char *pf_sink_temporary(const struct pf_sink *);

#endif
