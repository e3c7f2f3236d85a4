#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

enum { LARGE_PAGE = 2 * 1024 * 1024 };

/* Asks for large pages. Random access to tables of tens of megabytes misses the TLB each time:
 * filling a table of 3 million stacks takes 0.9 of the time with large pages. Advises the whole
 * mapping, up to both ends: the kernel splits a mapping that is advised in part, and realloc then
 * copies the array instead of moving its pages (12 million rows of 32 bytes: 190,000 page faults
 * instead of 11,000). */
static void large_pages(void *bytes, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)bytes / page * page;
    uintptr_t end = ((uintptr_t)bytes + size + page - 1) / page * page;

    if (bytes && size >= ((uintptr_t)bytes % LARGE_PAGE == 0 ? 1 : 2) * LARGE_PAGE)
        madvise((void *)start, end - start, MADV_HUGEPAGE); /* only a wish: failure does no harm */
#else
    (void)bytes;
    (void)size;
#endif
}

void *pf_zeroed(size_t count, size_t size)
{
    void *bytes;

    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    if (count * size < LARGE_PAGE)
        return calloc(count, size);
    if (posix_memalign(&bytes, LARGE_PAGE, count * size) != 0)
        return NULL;
    large_pages(bytes, count * size);
    memset(bytes, 0, count * size);
    return bytes;
}

const void *pf_last_up_to(const void *array, size_t count, size_t size, uint64_t most)
{
    const char *rows = array;
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t key;

        memcpy(&key, rows + middle * size, sizeof key);
        if (key <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? rows + (low - 1) * size : NULL;
}

bool pf_grow(void *array, size_t *capacity, size_t need, size_t size)
{
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    void *old, *grown;

    if (need <= *capacity)
        return true;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2)
            return false;
        wanted *= 2;
    }
    if (size != 0 && wanted > SIZE_MAX / size)
        return false;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, wanted * size);
    if (!grown)
        return false;
    large_pages(grown, wanted * size);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

static void zero(void *array, size_t from, size_t to, size_t size)
{
    char *bytes;

    memcpy(&bytes, array, sizeof bytes);
    if (to > from)
        memset(bytes + from * size, 0, (to - from) * size);
}

/* Zeroes a few elements more than needed, not all: pages of the array that nobody writes take no
 * memory. */
bool pf_grow_zeroed(void *array, size_t *count, size_t *capacity, size_t need, size_t size)
{
    enum { MORE = 512 };

    if (need <= *count)
        return true;
    if (!pf_grow(array, capacity, need, size))
        return false;
    size_t end = *capacity - need < MORE ? *capacity : need + MORE;

    zero(array, *count, end, size);
    *count = end;
    return true;
}

bool pf_grow_clear(void *array, size_t *capacity, size_t need, size_t size)
{
    size_t count = *capacity;

    if (!pf_grow(array, capacity, need, size))
        return false;
    zero(array, count, *capacity, size);
    return true;
}

struct pf_arena_chunk {
    struct pf_arena_chunk *next;
    uint64_t data[];
};

enum { CHUNK_SIZE = 64 * 1024, ARENA_ALIGN = 8 };

static void *chunk_new(struct pf_arena *arena, size_t size, bool current)
{
    struct pf_arena_chunk *chunk;

    if (size > SIZE_MAX - sizeof *chunk)
        return NULL;
    chunk = malloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    if (current || !arena->chunk) {
        chunk->next = arena->chunk;
        arena->chunk = chunk;
        arena->size = size;
        arena->used = size;
    } else {
        chunk->next = arena->chunk->next;
        arena->chunk->next = chunk;
    }
    return chunk->data;
}

void *pf_arena_alloc(struct pf_arena *arena, size_t size)
{
    void *data;

    if (size > SIZE_MAX - ARENA_ALIGN)
        return NULL;
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (!arena->chunk || size > arena->size - arena->used) {
        /* a big object has a chunk of its own, so that the rest of the current chunk is not lost */
        if (size > CHUNK_SIZE / 4)
            return chunk_new(arena, size, false);
        if (!chunk_new(arena, CHUNK_SIZE, true))
            return NULL;
        arena->used = 0;
    }
    data = (char *)arena->chunk->data + arena->used;
    arena->used += size;
    return data;
}

char *pf_arena_copy(struct pf_arena *arena, const void *bytes, size_t size)
{
    char *copy = size == SIZE_MAX ? NULL : pf_arena_alloc(arena, size + 1);

    if (!copy)
        return NULL;
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

char *pf_arena_take(struct pf_arena *arena, struct pf_buffer *text)
{
    char *copy = text->failed ? NULL : pf_arena_copy(arena, text->data, text->size);

    pf_buffer_free(text);
    return copy;
}

void pf_arena_free(struct pf_arena *arena)
{
    struct pf_arena_chunk *chunk = arena->chunk;

    while (chunk) {
        struct pf_arena_chunk *next = chunk->next;

        free(chunk);
        chunk = next;
    }
    *arena = (struct pf_arena){0};
}

void *pf_buffer_extend(struct pf_buffer *buffer, size_t size)
{
    void *end;

    /* one byte more than requested, so that the end of an empty buffer is not NULL */
    if (buffer->failed || size >= SIZE_MAX - buffer->size ||
        !pf_grow(&buffer->data, &buffer->capacity, buffer->size + size + 1, 1)) {
        buffer->failed = true;
        return NULL;
    }
    end = buffer->data + buffer->size;
    buffer->size += size;
    return end;
}

bool pf_buffer_append(struct pf_buffer *buffer, const void *bytes, size_t size)
{
    void *end;

    if (size == 0)
        return !buffer->failed;
    end = pf_buffer_extend(buffer, size);
    if (!end)
        return false;
    memcpy(end, bytes, size);
    return true;
}

bool pf_buffer_byte(struct pf_buffer *buffer, unsigned char byte)
{
    return pf_buffer_append(buffer, &byte, 1);
}

void pf_buffer_vprintf(struct pf_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    int size;
    char *room;

    va_copy(again, arguments);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    buffer->failed = buffer->failed || size < 0;
    room = pf_buffer_extend(buffer, (size_t)(size < 0 ? 0 : size) + 1);
    if (!room)
        return;
    vsnprintf(room, (size_t)size + 1, format, arguments);
    buffer->size--; /* the NUL */
}

void pf_buffer_printf(struct pf_buffer *buffer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pf_buffer_vprintf(buffer, format, arguments);
    va_end(arguments);
}

void pf_buffer_free(struct pf_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct pf_buffer){0};
}
