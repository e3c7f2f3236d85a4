/* gzip (RFC 1952): members one after the other, inflated as one text. A thread inflates large files
 * while a format uses the bytes before. */
#include "base/thread.h"
#include "io/source.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* input is read only */
#include <zlib.h>

/* Compressed files below this size are not worth a thread. */
enum { UNPACK_LEAST = 256 * 1024 };

struct gzip_layer {
    struct pf_layer layer;
    z_stream z;
    bool in_member;
    bool pending; /* zlib may have more bytes without more input */
    bool ended;
};

static bool begins(const unsigned char *bytes, size_t size)
{
    return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static void fail(struct gzip_layer *gzip, const char *what, struct pf_error *error)
{
    pf_error_at(error, PF_FAILED, pf_source_offset(gzip->layer.below),
                "%s (the offset counts bytes of the compressed file)", what);
    gzip->ended = true;
}

/* Begins the next member. Zero bytes between members are padding, as in gzip(1). */
static void start_member(struct gzip_layer *gzip, const unsigned char *packed, size_t have,
                         struct pf_error *error)
{
    size_t zeros = 0;

    while (zeros < have && packed[zeros] == 0)
        zeros++;
    pf_source_take(gzip->layer.below, zeros);
    if (zeros == have)
        return;
    if (packed[zeros] != 0x1f) {
        fail(gzip, "bytes that are not gzip follow the gzip data", error);
    } else {
        inflateReset(&gzip->z);
        gzip->in_member = gzip->layer.member = true;
    }
}

/* Inflates once. Returns the number of bytes written. */
static size_t inflate_some(struct gzip_layer *gzip, const unsigned char *packed, size_t have,
                           unsigned char *bytes, size_t room, struct pf_error *error)
{
    z_stream *z = &gzip->z;
    int result;

    z->next_in = packed;
    z->avail_in = have < UINT_MAX ? (uInt)have : UINT_MAX;
    z->next_out = bytes;
    z->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    result = inflate(z, Z_NO_FLUSH);
    pf_source_take(gzip->layer.below, (size_t)(z->next_in - packed));
    if (result == Z_STREAM_END)
        gzip->in_member = false;
    else if (result == Z_MEM_ERROR)
        gzip->ended = pf_error_nomem(error) != PF_OK;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        fail(gzip, !z->msg ? "gzip data damaged" : z->msg, error);
    gzip->pending = gzip->in_member && z->avail_out == 0;
    return (size_t)(z->next_out - bytes);
}

/* Inflates bytes that the source below has in memory. */
static size_t read_held(struct pf_layer *layer, unsigned char *bytes, size_t room,
                        struct pf_error *error)
{
    struct gzip_layer *gzip = (struct gzip_layer *)layer;
    size_t size = 0, have;

    while (size == 0 && !gzip->ended) {
        const unsigned char *packed = pf_source_peek(layer->below, 0, &have);

        if (have == 0 && !gzip->pending)
            break;
        if (gzip->in_member)
            size = inflate_some(gzip, packed, have, bytes, room, error);
        else
            start_member(gzip, packed, have, error);
    }
    layer->offset = pf_source_raw_offset(layer->below);
    return size;
}

static size_t read_gzip(struct pf_layer *layer, unsigned char *bytes, size_t room,
                        struct pf_error *error)
{
    struct gzip_layer *gzip = (struct gzip_layer *)layer;
    size_t size, have;

    while ((size = read_held(layer, bytes, room, error)) == 0 && !gzip->ended) {
        pf_source_peek(layer->below, 1, &have);
        if (have > 0)
            continue;
        pf_source_status(layer->below, error);
        if (gzip->in_member)
            fail(gzip, "gzip data cut: the end of a member is missing", error);
        gzip->ended = true;
    }
    return size;
}

static void close_gzip(struct pf_layer *layer)
{
    inflateEnd(&((struct gzip_layer *)layer)->z);
    free(layer);
}

/* --- a thread that inflates ahead of the reader ------------------------------------------------
 */

/* 4 MiB ahead: a small file is read completely while the file before it is used */
enum { BLOCKS = 64 };

struct block {
    unsigned char *bytes; /* PF_LAYER_ROOM */
    size_t size;          /* 0: the end */
    bool member;          /* layer->member after the read of these bytes */
    uint64_t offset;      /* layer->offset after this read */
};

struct unpack_layer {
    struct pf_layer layer;
    struct pf_layer *packed;
    pthread_t thread;
    /* a ring: the reader has blocks used_count to given_count - 1, the thread has the others */
    struct block blocks[BLOCKS];
    struct pf_error error; /* set before the end is signalled */

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t given, used;
    size_t given_count, used_count;
    bool stopped;
};

static bool wait_for_room(struct unpack_layer *unpack)
{
    pthread_mutex_lock(&unpack->lock);
    while (unpack->given_count - unpack->used_count == BLOCKS && !unpack->stopped)
        pthread_cond_wait(&unpack->used, &unpack->lock);
    bool wanted = !unpack->stopped;
    pthread_mutex_unlock(&unpack->lock);
    return wanted;
}

static void give_block(struct unpack_layer *unpack)
{
    pthread_mutex_lock(&unpack->lock);
    unpack->given_count++;
    pthread_cond_signal(&unpack->given);
    pthread_mutex_unlock(&unpack->lock);
}

static void fill_block(struct unpack_layer *unpack, struct block *block)
{
    struct pf_layer *packed = unpack->packed;

    block->size = 0;
    if (block->bytes || (block->bytes = malloc(PF_LAYER_ROOM)))
        block->size = packed->read(packed, block->bytes, PF_LAYER_ROOM, &unpack->error);
    else
        pf_error_nomem(&unpack->error);
    block->member = packed->member;
    block->offset = packed->offset;
    packed->member = false;
}

static void *unpack_blocks(void *arg)
{
    struct unpack_layer *unpack = arg;
    bool more = true;
    while (more && wait_for_room(unpack)) {
        /* only this thread changes given_count */
        struct block *block = &unpack->blocks[unpack->given_count % BLOCKS];
        fill_block(unpack, block);
        more = block->size > 0;
        give_block(unpack);
    }
    return NULL;
}

static struct block *wait_for_block(struct unpack_layer *unpack)
{
    pthread_mutex_lock(&unpack->lock);
    while (unpack->given_count == unpack->used_count)
        pthread_cond_wait(&unpack->given, &unpack->lock);
    struct block *block = &unpack->blocks[unpack->used_count % BLOCKS];
    pthread_mutex_unlock(&unpack->lock);
    return block;
}

static void release_block(struct unpack_layer *unpack)
{
    pthread_mutex_lock(&unpack->lock);
    unpack->used_count++;
    pthread_cond_signal(&unpack->used);
    pthread_mutex_unlock(&unpack->lock);
}

static size_t read_unpacked(struct pf_layer *layer, unsigned char *bytes, size_t room,
                            struct pf_error *error)
{
    struct unpack_layer *unpack = (struct unpack_layer *)layer;
    const struct block *block = wait_for_block(unpack);
    size_t size = block->size;

    (void)room;
    layer->member = block->member;
    layer->offset = block->offset;
    if (size == 0) {
        *error = unpack->error;
        return 0;
    }
    memcpy(bytes, block->bytes, size);
    release_block(unpack);
    return size;
}

static void free_unpack(struct unpack_layer *unpack)
{
    pthread_cond_destroy(&unpack->used);
    pthread_cond_destroy(&unpack->given);
    pthread_mutex_destroy(&unpack->lock);
    free(unpack);
}

static void close_unpack(struct pf_layer *layer)
{
    struct unpack_layer *unpack = (struct unpack_layer *)layer;

    pthread_mutex_lock(&unpack->lock);
    unpack->stopped = true;
    pthread_cond_signal(&unpack->used);
    pthread_mutex_unlock(&unpack->lock);
    pthread_join(unpack->thread, NULL);
    for (size_t i = 0; i < BLOCKS; i++)
        free(unpack->blocks[i].bytes);
    pf_layer_close(unpack->packed);
    free_unpack(unpack);
}

/* Starts a thread that reads the layer `packed`, up to 4 MiB ahead, and returns a layer with the
 * same bytes, members and offsets. Reads of `packed` must not wait for another process. The new
 * layer owns `packed`; until the new layer is closed, only the thread uses `packed` and the source
 * below `packed`. The new layer has no source below. NULL: no thread or memory available; `packed`
 * is still the caller's. */
static struct pf_layer *unpack_start(struct pf_layer *packed)
{
    struct unpack_layer *unpack = calloc(1, sizeof *unpack);
    if (!unpack)
        return NULL;
    unpack->layer = (struct pf_layer){.read = read_unpacked, .close = close_unpack};
    unpack->packed = packed;
    pthread_mutex_init(&unpack->lock, NULL);
    pthread_cond_init(&unpack->given, NULL);
    pthread_cond_init(&unpack->used, NULL);
    if (pf_thread_start(&unpack->thread, unpack_blocks, unpack))
        return &unpack->layer;
    free_unpack(unpack);
    return NULL;
}

/* --- opening -----------------------------------------------------------------------------------
 */

static struct pf_layer *open_layer(struct pf_source *below, bool thread)
{
    struct gzip_layer *gzip = calloc(1, sizeof *gzip);
    struct pf_layer *ahead = NULL;

    /* 16: only gzip, not zlib */
    if (!gzip || inflateInit2(&gzip->z, 16 + MAX_WBITS) != Z_OK) {
        free(gzip);
        return NULL;
    }
    gzip->layer = (struct pf_layer){
        .read = read_gzip, .read_held = read_held, .close = close_gzip, .below = below};
    gzip->in_member = true;
    if (thread && pf_source_raw_size(below) >= UNPACK_LEAST)
        ahead = unpack_start(&gzip->layer);
    return ahead ? ahead : &gzip->layer;
}

const struct pf_coding pf_coding_gzip = {.begins = begins, .open = open_layer};
