/* The reader of NYTProf streams. It sums statements, calls and callers and gives the sums once at
 * the end, when the places of all subs are known; it gives metadata and source texts as they come.
 * Metadata behind the first statement or call come behind the sums, except file numbers, which the
 * source texts need. */
#ifndef PF_FORMAT_NYTPROF_READER_H
#define PF_FORMAT_NYTPROF_READER_H

#include "base/number.h"
#include "base/table.h"
#include "codec/format.h"
#include "format/nytprof/places.h"
#include "format/nytprof/wire.h"
#include "model/dict.h"
#include "model/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- amounts of time -------------------------------------------------------------------------- */

/* Ticks in a second; 0 = unknown, and then a fine unit is a millionth of a tick. */
struct pf_nyt_clock {
    uint64_t ticks_per_sec;
};

/* An amount of time in both units. At the end the unit is whole ticks if all amounts were whole,
 * else picoseconds. */
struct pf_nyt_amount {
    int64_t ticks, fine;
};

/* What the amounts of one measure have in common. Zero-initialise. */
struct pf_nyt_unit {
    bool broken;                /* some amounts were no whole ticks */
    bool ticks_left, fine_left; /* a sum left 64 bits */
};

static inline bool pf_nyt_unit_ticks(const struct pf_nyt_unit *unit)
{
    return !unit->broken && !unit->ticks_left;
}
static inline int64_t pf_nyt_amount_value(struct pf_nyt_amount amount,
                                          const struct pf_nyt_unit *unit)
{
    return pf_nyt_unit_ticks(unit) ? amount.ticks : amount.fine;
}

/* A measure of time, in ticks or in the fine unit, added to the dictionary; UINT32_MAX when memory
 * ran out. */
uint32_t pf_nyt_time_measure(struct pf_dict *, const char *name, enum pf_kind, enum pf_role,
                             bool main, struct pf_nyt_clock, bool ticks);
/* A measure that counts. */
uint32_t pf_nyt_count_measure(struct pf_dict *, const char *name, enum pf_kind,
                              enum pf_aggregation);

/* --- statements by line ----------------------------------------------------------------------- */

/* Statements of files with blocks=1 have the first lines of their block and sub, too. */
struct pf_nyt_block {
    uint32_t fid, line, block, sub;
};

/* Sums of statements by file and line in the order of first sight: files hold millions of records
 * of a few thousand lines. */
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

/* PF_OK or PF_NOMEM; free in any case, also twice. */
int pf_nyt_lines_init(struct pf_nyt_lines *);
void pf_nyt_lines_free(struct pf_nyt_lines *);

/* The slow part of pf_nyt_lines_find: adds the line. */
struct pf_nyt_line *pf_nyt_lines_add_new(struct pf_nyt_lines *, uint32_t fid, uint32_t line);

static inline size_t pf_nyt_lines_slot(const struct pf_nyt_lines *lines, uint32_t fid,
                                       uint32_t line)
{
    return (size_t)(((uint64_t)fid << 32 | line) * 0x9e3779b97f4a7c15u >> lines->shift);
}

static inline struct pf_nyt_line *pf_nyt_lines_find(struct pf_nyt_lines *lines, uint32_t fid,
                                                    uint32_t line)
{
    uint32_t slot = lines->slots[pf_nyt_lines_slot(lines, fid, line)];
    struct pf_nyt_line *row = &lines->rows[slot];
    return row->line == line && row->fid == fid && slot != 0
               ? row
               : pf_nyt_lines_add_new(lines, fid, line);
}

/* Adds a statement; `count` is 0 for a discounted one. */
static inline void pf_nyt_lines_add(struct pf_nyt_lines *lines, uint32_t fid, uint32_t line,
                                    uint32_t ticks, unsigned count)
{
    struct pf_nyt_line *row = pf_nyt_lines_find(lines, fid, line);
    row->count += count;
    lines->left |= !pf_add64(row->ticks, (int32_t)ticks, &row->ticks);
}

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
    uint32_t depth; /* the greatest */
    struct pf_nyt_amount times[PF_NYT_EDGE_TIMES];
};

/* Sums of SUB_CALLERS records by caller, place and called sub. */
struct pf_nyt_edges {
    struct pf_table rows;          /* struct pf_nyt_edge */
    struct pf_nyt_edge_sums *sums; /* by id of a row; id 0: calls from nowhere to nothing */
    size_t count, capacity;
    struct pf_nyt_unit units[PF_NYT_EDGE_TIMES];
    bool failed; /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_edges_init(struct pf_nyt_edges *);
void pf_nyt_edges_free(struct pf_nyt_edges *);

void pf_nyt_edges_add(struct pf_nyt_edges *, const struct pf_nyt_edge *, struct pf_nyt_clock,
                      uint32_t calls, const double seconds[PF_NYT_EDGE_TIMES], uint32_t depth);

/* --- the tree of calls ------------------------------------------------------------------------ */

/* A sub called in a chain of calls; node 0 is outside of all subs. Children are a ring, the last
 * one's next is the first. */
struct pf_nyt_node {
    uint32_t parent, name;     /* name: a string; 0 = a sub that never returned */
    uint32_t last_child, next; /* 0 = none; `next` of a free node: the next free one */
    uint32_t chain;            /* next of the same hash */
    int64_t calls;
    struct pf_nyt_amount self;
};

/* The tree of calls from records of returns. They come leaf first: the sub that returns from a
 * level called all subs that returned one level deeper since the last return from its own level. */
struct pf_nyt_tree {
    struct pf_nyt_node *nodes;
    uint32_t *buckets;
    uint64_t seed; /* of hashes */
    size_t count, capacity, bucket_mask, used, free;
    struct level {
        /* subs that returned at this depth and have no caller yet are the children of the node */
        uint32_t depth, node;
    } * levels; /* deepest last */
    size_t level_count, level_capacity;
    uint32_t *pairs; /* nodes to join, two by two */
    size_t pair_capacity;
    struct pf_nyt_unit unit;
    uint64_t returns, unknown; /* records; levels made for subs that never returned */
    bool shortened;            /* some stacks have fewer of those levels than their depth */
    bool failed;               /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case, also twice. */
int pf_nyt_tree_init(struct pf_nyt_tree *);
void pf_nyt_tree_free(struct pf_nyt_tree *);

/* A sub returns; depth 1 is a sub called from outside of all, and 0 counts as 1. */
void pf_nyt_tree_return(struct pf_nyt_tree *, uint32_t depth, uint32_t name, struct pf_nyt_clock,
                        double self_ticks);
/* Ends a process: subs without a caller were called by subs that never returned. */
void pf_nyt_tree_end_process(struct pf_nyt_tree *);

/* --- the reader ------------------------------------------------------------------------------- */

enum { PF_NYT_TEXTS = 256, PF_NYT_EPOCHS = 16 };

/* Statements and calls while one length of tick holds. */
struct pf_nyt_epoch {
    struct pf_nyt_clock clock;
    struct pf_nyt_lines lines;
    struct pf_nyt_tree tree;
};

enum pf_nyt_phase {
    PF_NYT_DECLARE,
    PF_NYT_PARSE,
    PF_NYT_FILL_LINES, /* this and the next three once for each epoch */
    PF_NYT_FILL_BLOCKS,
    PF_NYT_FILL_BLOCK_TIMES,
    PF_NYT_FILL_STACKS,
    PF_NYT_FILL_BEFORE_EDGES,
    PF_NYT_FILL_EDGES,
    PF_NYT_FILL_REST,
    PF_NYT_DONE
};

/* The current phase and its state. */
struct pf_nyt_filling {
    enum pf_nyt_phase phase;
    size_t epoch, next;
    struct pf_nyt_line *lines; /* of the phase; `owned` frees them */
    struct pf_nyt_line *owned;
    uint32_t *locations; /* of each of the lines; NULL: not looked for yet */
    size_t line_count;
    struct pf_nyt_step {
        uint32_t node, stack; /* the next node, and the stack of its caller */
        bool alone;           /* without its siblings, which had their turn */
    } * steps;
    size_t step_count, step_capacity;
};

struct pf_nyt_reader {
    struct pf_source *source; /* of the records: the file, or its inflated bytes */
    struct pf_nyt_nv nv;
    struct pf_nyt_clock clock;
    struct pf_nyt_places places;
    struct pf_nyt_edges edges;
    struct pf_nyt_epoch *epochs;
    size_t epoch_count, epoch;
    unsigned count; /* 0: the next statement is discounted */
    uint64_t discounts;
    bool eventful;           /* there were statements or calls */
    bool called;             /* there were callers */
    bool odd_line;           /* a line without `=` was warned of */
    uint64_t started, ended; /* processes */
    struct pf_rows rows;     /* for the next batches: metadata, then the sums */
    struct pf_rows held[2];  /* metadata that come behind records: before and behind the callers */
    struct pf_text texts[PF_NYT_TEXTS];
    size_t text_count;
    /* texts came; `text_fid`: their file, unless its name leads to the number */
    bool texted;
    uint32_t text_fid;
    uint32_t attribute_origin, option_origin, comment_origin, private_origin, comment_key;
    uint32_t stmts, block_key, sub_key;
    int result; /* what follows the last batch; an error stands in `error` */
    struct pf_error error;
    struct pf_nyt_filling filling;
};

int pf_nyt_open_reader(struct pf_reader *);
void pf_nyt_close_reader(struct pf_reader *);

/* Parses up to the next metadata or texts for a batch; at the end the phase becomes FILL_LINES.
 * PF_OK or a failure. */
int pf_nyt_parse(struct pf_reader *, struct pf_nyt_reader *);

#endif
