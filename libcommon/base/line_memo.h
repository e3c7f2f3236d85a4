/* Lines that come again and again: an id for each distinct one. A line mostly follows the one it
 * followed last time, which is looked at first: then a line is neither searched for its end nor
 * hashed (of perf script's frames four in five). */
#ifndef PF_BASE_LINE_MEMO_H
#define PF_BASE_LINE_MEMO_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdint.h>

struct pf_line_memo {
    struct pf_line_memo_row {
        const char *bytes; /* a line feed stands behind them */
        uint32_t size;
        uint32_t next;  /* the line that came behind this one last */
        uint32_t value; /* the owner's; 0 at first */
    } * rows;           /* by id; row 0 is none */
    uint32_t count;     /* next id */
    size_t capacity;
    struct pf_line_memo_slot {
        uint32_t tag, id; /* id 0 = empty */
    } * slots;
    uint64_t seed; /* of hashes */
    size_t mask;
    struct pf_arena arena;
};

/* False: out of memory; free in any case. */
bool pf_line_memo_init(struct pf_line_memo *);
void pf_line_memo_free(struct pf_line_memo *);

/* The id of the line that stands at `bytes`, with its line feed, if it is the one that came behind
 * line `after` last; else 0. */
static inline uint32_t pf_line_memo_expect(const struct pf_line_memo *memo, uint32_t after,
                                           const void *bytes, size_t have)
{
    uint32_t id = memo->rows[after].next;
    const struct pf_line_memo_row *row = &memo->rows[id];

    return id && row->size < have && memcmp(bytes, row->bytes, (size_t)row->size + 1) == 0 ? id : 0;
}

/* The id of a line (without its line feed, less than 4 GiB) that is there and came behind line
 * `after`; 0 when it is not there. */
uint32_t pf_line_memo_find(struct pf_line_memo *, uint32_t after, struct pf_bytes line);
/* The same, added when new: the id is then what memo->count was. 0: out of memory. */
uint32_t pf_line_memo_intern(struct pf_line_memo *, uint32_t after, struct pf_bytes line);

#endif
