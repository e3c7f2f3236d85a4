/* Input: a file, standard input or memory. gzip is decompressed (several members too), UTF-16
 * with a byte order mark becomes UTF-8, and a byte order mark of UTF-8 (EF BB BF) is skipped. A
 * format peeks at the next bytes and then consumes them. Offsets count decompressed bytes, with
 * the mark. */
#ifndef PF_IO_SOURCE_H
#define PF_IO_SOURCE_H

#include "base/bytes.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_source {
    /* The buffered decompressed bytes. Public only for the inline functions below. */
    const unsigned char *cursor, *limit;
    uint64_t limit_offset; /* offset of `limit` from the start */
    uint64_t member;       /* for pf_source_member */
    struct pf_source_input *input;
};

/* Opens `path` ("-" = standard input; its descriptor is not closed). Refuses directories by
 * name. On failure *source is NULL and `error` says why (PF_IO, PF_NOMEM). Messages use the path
 * as name. */
int pf_source_open(struct pf_source **, const char *path, struct pf_error *);
/* Call before the first read. Limits the decompressed bytes: a source with more ends with
 * PF_FAILED. Default: no limit. */
void pf_source_limit(struct pf_source *, uint64_t most);
/* Call before the first read. A compressed file is inflated by the calling thread, and only as
 * far as needed. */
void pf_source_no_thread(struct pf_source *);
/* Reads the first bytes, which on a pipe waits for the writer. If a thread inflates the file, the
 * thread works from now on, while the caller does something else. */
void pf_source_start(struct pf_source *);
/* Reads a descriptor from its current position; the source owns the descriptor from now on, also
 * after a failure. `name` is for messages. */
int pf_source_open_file(struct pf_source **, int file, const char *name, struct pf_error *);
/* Reads bytes that the caller keeps alive. */
int pf_source_open_memory(struct pf_source **, const void *bytes, size_t size, struct pf_error *);
/* Counts bytes that a layer decompresses from this source: the same limit applies to them. PF_OK
 * or PF_FAILED. */
int pf_source_unpacked(struct pf_source *, uint64_t size, struct pf_error *);
/* The least room that a layer gets for a read, in bytes: small, so that the bytes are used while
 * they are in the cache. */
enum { PF_LAYER_ROOM = 64 * 1024 };

struct pf_layer;

/* Writes up to `room` bytes, at least PF_LAYER_ROOM, and returns their number. 0: the end, or a
 * failure, in *error if the source below failed, in `damage` if the layer's own data are bad. A
 * failure may also come with the last bytes: the next read gives 0. */
typedef size_t pf_layer_read(struct pf_layer *, unsigned char *bytes, size_t room,
                             struct pf_error *);

struct pf_layer {
    pf_layer_read *read;
    /* As `read`, but without waiting: only from bytes that the source below, a file, has in memory.
     * 0: too few bytes. NULL: the layer has no such function. */
    pf_layer_read *read_held;
    void (*close)(struct pf_layer *); /* frees the layer; NULL: use free() */
    struct pf_source *below;
    /* the word for offsets of decoded bytes ("once inflated"); NULL: bytes are not decoded */
    const char *once;
    uint64_t offset; /* in the source below, for messages and progress */
    /* the bytes of the last read are the first of a gzip member; set by the layer, cleared by its
     * reader. No read goes on into the next member */
    bool member;
    /* messages give the offset at which the good bytes end, not the last position read */
    bool blocks;
    bool cut;         /* the source below ended before the layer's data */
    char damage[128]; /* "" or why the layer's data are bad */
};

/* Frees a layer that no source owns. NULL is allowed. */
void pf_layer_close(struct pf_layer *);

/* A coding of whole files. A file that begins with the coding's mark becomes a source below, and
 * its bytes are read through a layer. */
enum { PF_CODING_MARK = 2 };
struct pf_coding {
    /* True if the mark is there. `size` is at least PF_CODING_MARK unless the file is smaller. */
    bool (*begins)(const unsigned char *bytes, size_t size);
    /* Makes the layer, which sets *error for all failures, with offsets in the file. The caller
     * owns the layer and `below`. `thread`: reads of `below` never wait, so that a thread may use
     * it. NULL: no memory available. */
    struct pf_layer *(*open)(struct pf_source *below, bool thread);
};
extern const struct pf_coding pf_coding_gzip, pf_coding_utf16; /* io/gzip.c, io/utf16.c */

/* Reads the bytes of a layer (io/layer.h), which the source owns from now on, also after a
 * failure. Offsets count from `offset`. The limit on decompressed bytes is that of the source
 * below the layer. */
int pf_source_open_layer(struct pf_source **, struct pf_layer *, uint64_t offset,
                         struct pf_error *);
/* The layer that a format has opened; NULL: the source has none. */
const struct pf_layer *pf_source_layer(const struct pf_source *);
void pf_source_close(struct pf_source *);

/* The slow part of pf_source_peek: reads more. */
const unsigned char *pf_source_fill(struct pf_source *, size_t need, size_t *have);

/* Returns the next bytes without consuming them. *have is at least `need`, or less if the data
 * end or fail before. The pointer is valid until the next call on the source. The buffer grows
 * with the bytes really read, never with `need` alone. */
static inline const unsigned char *pf_source_peek(struct pf_source *source, size_t need,
                                                  size_t *have)
{
    *have = (size_t)(source->limit - source->cursor);
    return *have >= need ? source->cursor : pf_source_fill(source, need, have);
}

/* Consumes `size` bytes; no more than the last peek's *have. */
static inline void pf_source_take(struct pf_source *source, size_t size)
{
    source->cursor += size;
}

/* The number of consumed bytes that are still in the buffer before the cursor, valid until more
 * is read. 0 if unknown. */
size_t pf_source_behind(const struct pf_source *);

/* Consumes up to `size` bytes, reading more as needed; returns the number of bytes consumed. */
uint64_t pf_source_skip(struct pf_source *, uint64_t size);

/* Decompressed bytes consumed so far. */
static inline uint64_t pf_source_offset(const struct pf_source *source)
{
    return source->limit_offset - (uint64_t)(source->limit - source->cursor);
}

/* True if the text began with UTF-8's byte order mark. Known after the first peek. */
bool pf_source_marked(const struct pf_source *);

/* Advances to the next known member. */
void pf_source_next_member(struct pf_source *);

/* The start of the first gzip member at or after `offset` among the bytes read so far;
 * UINT64_MAX if there is none. The very first member does not count. Offsets of successive calls
 * must not decrease, and must not be before the bytes of the last peek. */
static inline uint64_t pf_source_member(struct pf_source *source, uint64_t offset)
{
    while (source->member < offset)
        pf_source_next_member(source);
    return source->member;
}

/* Bytes read from the file so far, and the size of the file (0 = unknown). */
uint64_t pf_source_raw_offset(const struct pf_source *);
uint64_t pf_source_raw_size(const struct pf_source *);

/* PF_OK, or why the bytes end early (PF_IO: read failed; PF_FAILED: damaged or cut gzip, whose
 * offset counts compressed bytes; PF_NOMEM): copied to `error` if given. At the end of the data
 * a reader calls this function before it reports that its own data are cut. */
int pf_source_status(const struct pf_source *, struct pf_error *error);

/* Sets the error of data that end at the current offset, too early: "the file ends within WHAT" as
 * PF_FAILED, or the failure that ends the data. Returns its code. */
int pf_source_cut(const struct pf_source *, const char *what, struct pf_error *);

/* True if a read would now wait for a writer (pipes, sockets, terminals). */
bool pf_source_would_block(struct pf_source *);

/* Consumes the next line; the result has no LF (and no CR before the LF). PF_OK, PF_EOF at the
 * end, PF_FAILED for a line over 64 MiB (in `error`, with its offset), or the failure of
 * pf_source_status. A last line without LF counts, unless the data fail: then part of the line
 * may be missing, and the line is not consumed. The bytes are valid until the next call. */
int pf_source_line(struct pf_source *, struct pf_bytes *line, struct pf_error *);

#endif
