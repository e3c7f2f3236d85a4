/* Statements, summed by file and line in the order of first sight: files hold millions of records of a few thousand lines. */
#ifndef PF_FORMAT_NYTPROF_LINES_H
#define PF_FORMAT_NYTPROF_LINES_H

#include "base/number.h"
#include "base/table.h"
#include "format/nytprof/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Statements of files with blocks=1, apart by the first lines of their block and sub. */
struct pf_nyt_block {
    uint32_t fid, line, block, sub;
};

struct pf_nyt_lines {
    struct pf_nyt_line *rows;
    size_t count, capacity;
    uint32_t *slots;          /* index in rows + 1; 0 = empty */
    unsigned shift;           /* of a hash to a slot */
    bool left;                /* a sum left 64 bits */
    bool failed;              /* memory ran out */
    struct pf_table blocks;   /* struct pf_nyt_block */
    struct pf_nyt_line *sums; /* by id of a block */
    size_t sum_count, sum_capacity;
};

/* PF_OK or PF_NOMEM; free in any case, as often as one likes. */
int pf_nyt_lines_init(struct pf_nyt_lines *);
void pf_nyt_lines_free(struct pf_nyt_lines *);

/* The slow part of a find: adds the line. NULL: memory ran out. */
struct pf_nyt_line *pf_nyt_lines_add_new(struct pf_nyt_lines *, uint32_t fid, uint32_t line);

static inline size_t pf_nyt_lines_slot(const struct pf_nyt_lines *lines, uint32_t fid, uint32_t line)
{
    return (size_t)(((uint64_t)fid << 32 | line) * 0x9e3779b97f4a7c15u >> lines->shift);
}

static inline struct pf_nyt_line *pf_nyt_lines_find(struct pf_nyt_lines *lines, uint32_t fid, uint32_t line)
{
    uint32_t slot = lines->slots[pf_nyt_lines_slot(lines, fid, line)];
    struct pf_nyt_line *row = &lines->rows[slot];
    return row->line == line && row->fid == fid && slot != 0 ? row : pf_nyt_lines_add_new(lines, fid, line);
}

/* One statement; `count` is 0 where it was discounted. */
static inline void pf_nyt_lines_add(struct pf_nyt_lines *lines, uint32_t fid, uint32_t line, uint32_t ticks, unsigned count)
{
    struct pf_nyt_line *row = pf_nyt_lines_find(lines, fid, line);
    row->count += count;
    lines->left |= !pf_add64(row->ticks, (int32_t)ticks, &row->ticks);
}

void pf_nyt_lines_add_block(struct pf_nyt_lines *, struct pf_nyt_block, uint32_t ticks, unsigned count);

#endif
