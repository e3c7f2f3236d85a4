/* Memory: growing arrays and an arena. Nothing here aborts; NULL or false means out of memory. */
#ifndef PF_BASE_MEMORY_H
#define PF_BASE_MEMORY_H

#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room in *array (a pointer to an array of `size`-byte elements, capacity *capacity) for
 * at least `need` elements, doubling the capacity. False: out of memory, or the size overflows;
 * the array is unchanged. */
bool pf_grow(void *array, size_t *capacity, size_t need, size_t size);

/* The same for an array of *count zeroed elements; *count becomes `need` or more. If the elements
 * belong to the rows of another table, there may be elements without a row: look at the element
 * first, and at the row only if the element is not zero. */
bool pf_grow_zeroed(void *array, size_t *count, size_t *capacity, size_t need, size_t size);

/* The same for an array that is zeroed up to its capacity. */
bool pf_grow_clear(void *array, size_t *capacity, size_t need, size_t size);

/* Allocates `count` zeroed elements, or NULL; free() frees them. A big array is in large pages,
 * if the system has them. */
void *pf_zeroed(size_t count, size_t size);

/* The last of `count` elements of `size` bytes whose key is at most `most`; NULL if there is none.
 * The key is an element's first member, a uint64_t, and the array is sorted by it. */
const void *pf_last_up_to(const void *array, size_t count, size_t size, uint64_t most);

/* Starts to load these bytes into the cache, so that several waits for memory overlap. */
static inline void pf_prefetch(const void *address)
{
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

/* Bytes that live as long as the arena. Zero-initialise it; free with pf_arena_free. */
struct pf_arena {
    struct pf_arena_chunk *chunk;
    size_t used, size;
};

/* `size` uninitialised bytes aligned for any object up to 8 bytes; NULL when out of memory. */
void *pf_arena_alloc(struct pf_arena *, size_t size);
/* A copy, followed by a NUL. */
char *pf_arena_copy(struct pf_arena *, const void *bytes, size_t size);
void pf_arena_free(struct pf_arena *);

struct pf_buffer;
/* Copies the bytes of a buffer, followed by a NUL, and frees the buffer. NULL: out of memory, or
 * the buffer has failed. */
char *pf_arena_take(struct pf_arena *, struct pf_buffer *);

/* A growing byte buffer. Zero-initialise; the owner frees `data` with pf_buffer_free. Appends
 * return false when out of memory and then set `failed`, which stays: check it once at the end. */
struct pf_buffer {
    char *data;
    size_t size, capacity;
    bool failed;
};

/* The bytes of the buffer, valid until the next append. */
static inline struct pf_bytes pf_buffer_bytes(const struct pf_buffer *buffer)
{
    return (struct pf_bytes){buffer->data, buffer->size};
}

bool pf_buffer_append(struct pf_buffer *, const void *bytes, size_t size);
bool pf_buffer_byte(struct pf_buffer *, unsigned char byte);
/* `size` writable bytes at the end, counted as appended; NULL when out of memory. */
void *pf_buffer_extend(struct pf_buffer *, size_t size);
/* Appends formatted text of any length. */
void pf_buffer_printf(struct pf_buffer *, const char *format, ...) PF_PRINTF(2, 3);
void pf_buffer_vprintf(struct pf_buffer *, const char *format, va_list) PF_PRINTF(2, 0);
void pf_buffer_free(struct pf_buffer *);

#endif
