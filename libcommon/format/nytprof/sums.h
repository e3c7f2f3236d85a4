/* What the reader of NYTProf streams sums: statements by line, callers, and the tree of calls; and
 * the rows that the sums become at the end of the stream. */
#ifndef PF_FORMAT_NYTPROF_SUMS_H
#define PF_FORMAT_NYTPROF_SUMS_H

#include "base/error.h"
#include "base/number.h"
#include "base/table.h"
#include "format/nytprof/places.h"
#include "model/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- amounts of time -------------------------------------------------------------------------- */

/* Ticks in a second; 0: unknown. */
struct pf_nyt_clock {
    uint64_t ticks_per_sec;
};

/* An amount of time in two units: ticks, and a fine unit, which is a picosecond, or a millionth of
 * a tick if the length of a tick is unknown. At the end a measure is in ticks if all its amounts
 * were whole ticks, else in the fine unit. */
struct pf_nyt_amount {
    int64_t ticks, fine;
};

/* Which units fit the amounts of one measure. Zero-initialise. */
struct pf_nyt_unit {
    bool broken;                /* some amounts were not whole ticks */
    bool ticks_left, fine_left; /* a sum in this unit overflowed 64 bits */
};

/* True if the measure is in ticks. */
static inline bool pf_nyt_unit_ticks(const struct pf_nyt_unit *unit)
{
    return !unit->broken && !unit->ticks_left;
}
static inline int64_t pf_nyt_amount_value(struct pf_nyt_amount amount,
                                          const struct pf_nyt_unit *unit)
{
    return pf_nyt_unit_ticks(unit) ? amount.ticks : amount.fine;
}

/* --- statements by line ----------------------------------------------------------------------- */

/* A statement of a file with the option blocks=1: also the first line of its block and of its
 * sub. */
struct pf_nyt_block {
    uint32_t fid, line, block, sub;
};

/* Sums of statements by file and line, in the order in which lines first occur, in a hash table
 * that is made for speed: files hold millions of records of a few thousand lines. */
struct pf_nyt_lines {
    struct pf_nyt_line *rows;
    size_t count, capacity;
    uint32_t *slots;          /* index in rows + 1; 0 = empty */
    unsigned shift;           /* bits to drop from a hash to get a slot */
    bool left;                /* a sum overflowed 64 bits */
    bool failed;              /* memory ran out */
    struct pf_table blocks;   /* struct pf_nyt_block */
    struct pf_nyt_line *sums; /* by id of a block; NULL: no blocks */
    size_t sum_capacity;
};

/* PF_OK or PF_NOMEM; free in any case, also twice. */
int pf_nyt_lines_init(struct pf_nyt_lines *);
void pf_nyt_lines_free(struct pf_nyt_lines *);

/* The slow part of pf_nyt_lines_find: searches on, and adds a new line. Out of memory: sets
 * `failed` and returns row 0. */
struct pf_nyt_line *pf_nyt_lines_add_new(struct pf_nyt_lines *, uint32_t fid, uint32_t line);

static inline size_t pf_nyt_lines_slot(const struct pf_nyt_lines *lines, uint32_t fid,
                                       uint32_t line)
{
    return (size_t)(((uint64_t)fid << 32 | line) * 0x9e3779b97f4a7c15u >> lines->shift);
}

/* The row of a line; never NULL. */
static inline struct pf_nyt_line *pf_nyt_lines_find(struct pf_nyt_lines *lines, uint32_t fid,
                                                    uint32_t line)
{
    uint32_t slot = lines->slots[pf_nyt_lines_slot(lines, fid, line)];
    struct pf_nyt_line *row = &lines->rows[slot];
    return row->line == line && row->fid == fid && slot != 0
               ? row
               : pf_nyt_lines_add_new(lines, fid, line);
}

/* Adds a statement of 32-bit ticks; `count` is 1, or 0 if the statement is discounted: its time
 * counts, the statement does not. Failures: `left`, `failed`. */
static inline void pf_nyt_lines_add(struct pf_nyt_lines *lines, uint32_t fid, uint32_t line,
                                    uint32_t ticks, unsigned count)
{
    struct pf_nyt_line *row = pf_nyt_lines_find(lines, fid, line);
    row->count += count;
    lines->left |= !pf_add64(row->ticks, (int32_t)ticks, &row->ticks);
}

/* The same for a statement with blocks. */
void pf_nyt_lines_add_block(struct pf_nyt_lines *, struct pf_nyt_block, uint32_t ticks,
                            unsigned count);

/* --- callers ---------------------------------------------------------------------------------- */

enum { PF_NYT_INCL, PF_NYT_EXCL, PF_NYT_RECI, PF_NYT_EDGE_TIMES };

struct pf_nyt_edge {
    uint32_t caller, callee; /* strings */
    uint32_t fid, line;
};

struct pf_nyt_edge_sums {
    int64_t calls;
    uint32_t depth; /* the greatest depth of all records */
    struct pf_nyt_amount times[PF_NYT_EDGE_TIMES];
};

/* Sums of SUB_CALLERS records by caller, line of the call and called sub. */
struct pf_nyt_edges {
    struct pf_table rows;          /* struct pf_nyt_edge */
    struct pf_nyt_edge_sums *sums; /* by id of a row; 0: the edge whose fields are all 0 */
    size_t capacity;
    struct pf_nyt_unit units[PF_NYT_EDGE_TIMES];
    bool failed; /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_edges_init(struct pf_nyt_edges *);
void pf_nyt_edges_free(struct pf_nyt_edges *);

/* Adds a record; `seconds` are its times. Failures: `failed`, `units`. */
void pf_nyt_edges_add(struct pf_nyt_edges *, const struct pf_nyt_edge *, struct pf_nyt_clock,
                      uint32_t calls, const double seconds[PF_NYT_EDGE_TIMES], uint32_t depth);

/* --- the tree of calls ------------------------------------------------------------------------ */

/* A sub in a chain of calls; node 0 stands for the code outside of all subs. The children of a node
 * are a ring: `next` of the last child is the first child. */
struct pf_nyt_node {
    uint32_t parent, name;     /* name: a string; 0 = a sub that never returned */
    uint32_t last_child, next; /* 0 = none; `next` of a free node: the next free node */
    uint32_t chain;            /* next node with the same hash */
    int64_t calls;
    struct pf_nyt_amount self;
};

/* The tree of calls, made from SUB_RETURN records. A sub returns before its caller does: when a sub
 * returns from depth d, it called all subs that returned from depth d + 1 since the last return
 * from depth d. */
struct pf_nyt_tree {
    struct pf_nyt_node *nodes;
    uint32_t *buckets;
    uint64_t seed; /* of hashes */
    size_t count, capacity, bucket_mask, used, free;
    struct level {
        /* the children of `node` returned from this depth; the return of their caller has not come
         * yet */
        uint32_t depth, node;
    } * levels; /* deepest last */
    size_t level_count, level_capacity;
    uint32_t *pairs; /* pairs of nodes to join, used by join_children */
    size_t pair_capacity;
    struct pf_nyt_unit unit;
    /* `returns`: records; `unknown`: nodes made for subs that never returned */
    uint64_t returns, unknown;
    /* some stacks have fewer nodes for unknown subs than their depth asks for */
    bool shortened;
    bool failed; /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case, also twice. */
int pf_nyt_tree_init(struct pf_nyt_tree *);
void pf_nyt_tree_free(struct pf_nyt_tree *);

/* Adds a return. Depth 1: the sub was called from outside of all subs; 0 counts as 1. Failures:
 * `failed`, `unit`. */
void pf_nyt_tree_return(struct pf_nyt_tree *, uint32_t depth, uint32_t name, struct pf_nyt_clock,
                        double self_ticks);
/* Ends a process: the callers of the remaining subs never returned. */
void pf_nyt_tree_end_process(struct pf_nyt_tree *);

/* --- rows of the sums (rows.c) ---------------------------------------------------------------- */

/* What the making of rows needs. The pointers are borrowed: set them, then call
 * pf_nyt_rows_open. */
struct pf_nyt_rows {
    struct pf_rows *rows;         /* receives the rows */
    struct pf_nyt_places *places; /* files and subs of the input */
    struct pf_error *error;
    const struct pf_report *report;
    uint32_t stmts;              /* the measure of the number of statements */
    uint32_t block_key, sub_key; /* of labels: the first line of a block, of a sub */
};

/* Sets the measure and the keys. PF_OK or PF_NOMEM. */
int pf_nyt_rows_open(struct pf_nyt_rows *);
/* Declares the measures of lines before the queued rows. */
void pf_nyt_rows_declare(const struct pf_nyt_rows *, struct pf_nyt_clock);

/* Call the functions below when all files and subs are added to the places. They return PF_OK, or a
 * failure, which is also in `error`: PF_NOMEM, or PF_OVERFLOW if a sum overflows 64 bits. When the
 * dictionary or the places run out of memory, the caller finds the failure there. */

/* Adds FLAT records: the statements of each line, then the times of blocks and of subs. Sets file
 * and line of lines->sums. */
int pf_nyt_rows_lines(const struct pf_nyt_rows *, struct pf_nyt_lines *, struct pf_nyt_clock);
/* Adds SAMPLE records: the stack, self time and calls of each node that has calls. Warns if stacks
 * were shortened. */
int pf_nyt_rows_stacks(const struct pf_nyt_rows *, const struct pf_nyt_tree *, struct pf_nyt_clock);
/* Adds EDGE records: the calls from each line to each sub. */
int pf_nyt_rows_edges(const struct pf_nyt_rows *, const struct pf_nyt_edges *, struct pf_nyt_clock);

#endif
