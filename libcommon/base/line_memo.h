/* An id for each distinct line of an input with many repeated lines. A line mostly has the same
 * successor as last time, so this successor is compared first: if it matches, the end of the line
 * need not be searched and the line is not hashed (true for four of five frames of perf script). */
#ifndef PF_BASE_LINE_MEMO_H
#define PF_BASE_LINE_MEMO_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdint.h>

struct pf_line_memo {
    struct pf_line_memo_row {
        const char *bytes; /* a line feed follows */
        uint32_t size;
        uint32_t next;  /* the line that followed this line last time */
        uint32_t value; /* for the owner; initially 0 */
    } * rows;           /* by id; row 0 is unused */
    uint32_t count;     /* next id */
    size_t capacity;
    struct pf_slot *slots;
    uint64_t seed; /* seed of the hashes */
    size_t mask;
    struct pf_arena arena;
};

/* False: out of memory; free in any case. */
bool pf_line_memo_init(struct pf_line_memo *);
void pf_line_memo_free(struct pf_line_memo *);

/* The id of the line at `bytes`, with its line feed, if the same line followed line `after` last
 * time; else 0. */
static inline uint32_t pf_line_memo_expect(const struct pf_line_memo *memo, uint32_t after,
                                           const void *bytes, size_t have)
{
    uint32_t id = memo->rows[after].next;
    const struct pf_line_memo_row *row = &memo->rows[id];

    return id && row->size < have && memcmp(bytes, row->bytes, (size_t)row->size + 1) == 0 ? id : 0;
}

/* The id of a known line (without its line feed, less than 4 GiB) that follows line `after`; 0
 * if the line is not known. */
uint32_t pf_line_memo_find(struct pf_line_memo *, uint32_t after, struct pf_bytes line);
/* The same, but a new line is added: its id is the previous memo->count. 0: out of memory. */
uint32_t pf_line_memo_intern(struct pf_line_memo *, uint32_t after, struct pf_bytes line);

#endif
