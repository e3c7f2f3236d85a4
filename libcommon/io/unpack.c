#include "io/unpack.h"

#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* 4 MiB ahead: a small file is read completely while the file before it is used */
enum { BLOCKS = 64 };

struct block {
    unsigned char *bytes; /* PF_LAYER_ROOM */
    size_t size;          /* 0: the end */
    bool member;          /* as in the layer after it read these bytes */
    uint64_t offset;      /* as in the layer after it read these bytes */
};

struct unpack_layer {
    struct pf_layer layer;
    struct pf_layer *packed;
    pthread_t thread;
    /* a ring; the counts tell whether the thread or the reader has a block */
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

static void give(struct unpack_layer *unpack)
{
    pthread_mutex_lock(&unpack->lock);
    unpack->given_count++;
    pthread_cond_signal(&unpack->given);
    pthread_mutex_unlock(&unpack->lock);
}

static void fill(struct unpack_layer *unpack, struct block *block)
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

static void *run(void *arg)
{
    struct unpack_layer *unpack = arg;
    bool more = true;
    while (more && wait_for_room(unpack)) {
        /* only this thread changes given_count */
        struct block *block = &unpack->blocks[unpack->given_count % BLOCKS];
        fill(unpack, block);
        more = block->size > 0;
        give(unpack);
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

static void use(struct unpack_layer *unpack)
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
    use(unpack);
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

struct pf_layer *pf_unpack_start(struct pf_layer *packed)
{
    struct unpack_layer *unpack = calloc(1, sizeof *unpack);
    if (!unpack)
        return NULL;
    unpack->layer = (struct pf_layer){.read = read_unpacked, .close = close_unpack};
    unpack->packed = packed;
    pthread_mutex_init(&unpack->lock, NULL);
    pthread_cond_init(&unpack->given, NULL);
    pthread_cond_init(&unpack->used, NULL);
    if (pf_thread_start(&unpack->thread, run, unpack))
        return &unpack->layer;
    free_unpack(unpack);
    return NULL;
}
