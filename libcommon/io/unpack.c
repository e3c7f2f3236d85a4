#include "io/unpack.h"

#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* 4 MiB ahead: a small file is read completely while the file before it is used */
enum { BLOCKS = 64 };

struct block {
    unsigned char *bytes;
    size_t size; /* 0: the end */
    bool member; /* a gzip member begins with this block; none begins within it */
    uint64_t raw;
};

struct pf_unpack {
    pf_unpack_read *read;
    void *owner;
    pthread_t thread;
    /* a ring; the counts tell whether the thread or the user has a block */
    struct block blocks[BLOCKS];
    struct pf_error error; /* set before the end is signalled */
    bool begun;            /* a block has been given to the user */

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t given, used;
    size_t given_count, used_count;
    bool stopped;
};

static bool wait_for_room(struct pf_unpack *unpack)
{
    pthread_mutex_lock(&unpack->lock);
    while (unpack->given_count - unpack->used_count == BLOCKS && !unpack->stopped)
        pthread_cond_wait(&unpack->used, &unpack->lock);
    bool wanted = !unpack->stopped;
    pthread_mutex_unlock(&unpack->lock);
    return wanted;
}

static void give(struct pf_unpack *unpack)
{
    pthread_mutex_lock(&unpack->lock);
    unpack->given_count++;
    pthread_cond_signal(&unpack->given);
    pthread_mutex_unlock(&unpack->lock);
}

static void fill(struct pf_unpack *unpack, struct block *block)
{
    block->size = 0;
    if (block->bytes || (block->bytes = malloc(PF_UNPACK_MOST)))
        block->size = unpack->read(unpack->owner, block->bytes, PF_UNPACK_MOST, &block->member,
                                   &block->raw, &unpack->error);
    else
        pf_error_nomem(&unpack->error);
}

static void *run(void *arg)
{
    struct pf_unpack *unpack = arg;
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

struct pf_unpack *pf_unpack_start(pf_unpack_read *read, void *owner)
{
    struct pf_unpack *unpack = calloc(1, sizeof *unpack);
    if (!unpack)
        return NULL;
    unpack->read = read;
    unpack->owner = owner;
    pthread_mutex_init(&unpack->lock, NULL);
    pthread_cond_init(&unpack->given, NULL);
    pthread_cond_init(&unpack->used, NULL);
    if (pf_thread_start(&unpack->thread, run, unpack))
        return unpack;
    free(unpack);
    return NULL;
}

void pf_unpack_stop(struct pf_unpack *unpack)
{
    if (!unpack)
        return;
    pthread_mutex_lock(&unpack->lock);
    unpack->stopped = true;
    pthread_cond_signal(&unpack->used);
    pthread_mutex_unlock(&unpack->lock);
    pthread_join(unpack->thread, NULL);
    for (size_t i = 0; i < BLOCKS; i++)
        free(unpack->blocks[i].bytes);
    pthread_cond_destroy(&unpack->used);
    pthread_cond_destroy(&unpack->given);
    pthread_mutex_destroy(&unpack->lock);
    free(unpack);
}

/* Waits for the next block. Unless it is the first, the user has finished with the block before. */
static struct block *next_block(struct pf_unpack *unpack, bool first)
{
    pthread_mutex_lock(&unpack->lock);
    if (!first) {
        unpack->used_count++;
        pthread_cond_signal(&unpack->used);
    }
    while (unpack->given_count == unpack->used_count)
        pthread_cond_wait(&unpack->given, &unpack->lock);
    struct block *block = &unpack->blocks[unpack->used_count % BLOCKS];
    pthread_mutex_unlock(&unpack->lock);
    return block;
}

size_t pf_unpack_next(struct pf_unpack *unpack, const unsigned char **bytes, bool *member,
                      uint64_t *raw, struct pf_error *error)
{
    struct block *block = next_block(unpack, !unpack->begun);
    unpack->begun = true;
    *bytes = block->bytes;
    *member = block->member;
    *raw = block->raw;
    if (!block->size)
        *error = unpack->error;
    return block->size;
}
