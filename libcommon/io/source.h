/* Where bytes come from: a file, standard input or memory, gunzipped when they are gzip (several
 * members too), made UTF-8 when they are UTF-16 with its mark. UTF-8's mark (EF BB BF) at their
 * start is passed over. A format peeks at what is ahead and then takes it. Offsets count
 * decompressed bytes, that mark among them. */
#ifndef PF_IO_SOURCE_H
#define PF_IO_SOURCE_H

#include "base/bytes.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_source {
    /* Decompressed bytes at hand. In the open for the inline functions below only. */
    const unsigned char *cursor, *limit;
    uint64_t limit_offset; /* of `limit`, counted from the start */
    uint64_t member;       /* of pf_source_member */
    struct pf_source_input *input;
};

/* Opens `path` ("-" = standard input; its descriptor is not closed). Refuses directories by name.
 * On failure *source is NULL and `error` says why (PF_IO, PF_NOMEM). The name given in messages is
 * the path. */
int pf_source_open(struct pf_source **, const char *path, struct pf_error *);
/* Before anything is read: at most so many decompressed bytes are given out; where there are more
 * the source ends with PF_FAILED. Without it there is no limit. */
void pf_source_limit(struct pf_source *, uint64_t most);
/* Before anything is read: a compressed file is inflated by who reads it, and no more of it than is
 * asked for. */
void pf_source_no_thread(struct pf_source *);
/* Begins to read: what a thread inflates is inflated from now on, while the caller does something
 * else. Waits for no more than a file. */
void pf_source_start(struct pf_source *);
/* Reads a descriptor from where it stands; it is the source's from then on, also on failure.
 * Messages call it `name`. */
int pf_source_open_file(struct pf_source **, int file, const char *name, struct pf_error *);
/* Reads from bytes the caller keeps alive. */
int pf_source_open_memory(struct pf_source **, const void *bytes, size_t size, struct pf_error *);
/* Whoever unpacks bytes of the source once more counts them here: the same limit holds for the
 * bytes made of it. PF_OK or PF_FAILED. */
int pf_source_unpacked(struct pf_source *, uint64_t size, struct pf_error *);
/* The least room a layer gets to write to: its bytes are used while they are in the cache. */
enum { PF_LAYER_ROOM = 64 * 1024 };

struct pf_layer {
    /* Writes up to `room` bytes and returns their number. 0: the end, or a failure, told in *error
     * if the source below failed, in `damage` if the layer's own data are bad. */
    size_t (*read)(struct pf_layer *, unsigned char *bytes, size_t room, struct pf_error *);
    void (*close)(struct pf_layer *); /* frees the layer; NULL: free() does */
    struct pf_source *below;
    /* offsets are those of bytes "once inflated"; NULL: the layer shows bytes as they are */
    const char *once;
    uint64_t offset; /* in the source below, for messages */
    /* messages name the end of the bytes before the damage, not the place read last */
    bool blocks;
    bool cut;         /* the source below ended before the layer's data */
    char damage[128]; /* "" or why the layer's data are bad */
};

/* Reads what a layer makes (io/layer.h), which is the source's from then on, also on failure.
 * Offsets count from `offset`. The limit on decompressed bytes is that of the source below the
 * layer. */
int pf_source_open_layer(struct pf_source **, struct pf_layer *, uint64_t offset,
                         struct pf_error *);
/* NULL: the source has none. */
const struct pf_layer *pf_source_layer(const struct pf_source *);
void pf_source_close(struct pf_source *);

/* The slow part of a peek: reads on. */
const unsigned char *pf_source_fill(struct pf_source *, size_t need, size_t *have);

/* Pointer to the bytes ahead. *have is at least `need`, or all that is left before the end or a
 * failure (then less than `need`). The pointer is valid until the next call on the source. The
 * buffer grows with bytes really read, never with `need` alone. */
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

/* How many of the bytes taken last still lie before the cursor: they may be looked at until more is
 * read. 0 where that is not known. */
size_t pf_source_behind(const struct pf_source *);

/* Consumes up to `size` bytes reading on as needed; returns how many there were. */
uint64_t pf_source_skip(struct pf_source *, uint64_t size);

/* Decompressed bytes taken so far. */
static inline uint64_t pf_source_offset(const struct pf_source *source)
{
    return source->limit_offset - (uint64_t)(source->limit - source->cursor);
}

/* Whether UTF-8's mark stands before what there is to peek at. Known once something was peeked
 * at. */
bool pf_source_marked(const struct pf_source *);

/* Goes on to the next member known of. */
void pf_source_next_member(struct pf_source *);

/* Where the first gzip member begins at or behind `offset`, as far as was read; UINT64_MAX:
 * nowhere. The first member of all is none, and offsets asked for do not fall, and are none of
 * bytes that were taken before the last peek. */
static inline uint64_t pf_source_member(struct pf_source *source, uint64_t offset)
{
    while (source->member < offset)
        pf_source_next_member(source);
    return source->member;
}

/* Bytes read from the file so far, and its size (0 = not known). */
uint64_t pf_source_raw_offset(const struct pf_source *);
uint64_t pf_source_raw_size(const struct pf_source *);

/* PF_OK, or why the bytes end early (PF_IO: read failed; PF_FAILED: damaged or cut gzip, whose
 * offset counts compressed bytes; PF_NOMEM): copied to `error` if given. A reader that meets the
 * end asks this before it says that its own data are cut. */
int pf_source_status(const struct pf_source *, struct pf_error *error);

/* True when a read would have to wait for a writer at the other end now (pipes, sockets,
 * terminals). */
bool pf_source_would_block(struct pf_source *);

/* The next line without its LF (and without a CR before it), taken. PF_OK, PF_EOF at the end,
 * PF_FAILED for a line over 64 MiB (in `error`, with its offset) or whatever pf_source_status says.
 * A last line without LF counts, unless the bytes end early: then part of it may be missing, and it
 * stays to be peeked at. The bytes are valid until the next call. */
int pf_source_line(struct pf_source *, struct pf_bytes *line, struct pf_error *);

#endif
