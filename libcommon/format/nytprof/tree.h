/* The tree of calls, put together from records of returns. They come leaf first: what returned from one level deeper since
 * the last return from a level was called by the sub that returns there next. */
#ifndef PF_FORMAT_NYTPROF_TREE_H
#define PF_FORMAT_NYTPROF_TREE_H

#include "format/nytprof/amount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sub called in a chain of calls; node 0 is outside of all subs. Children are a ring, the last one's next is the first. */
struct pf_nyt_node {
    uint32_t parent, name;      /* name: a string; 0 = a sub that never returned */
    uint32_t last_child, next;  /* 0 = none; `next` of a free node: the next free one */
    uint32_t chain;             /* next of the same hash */
    int64_t calls;
    struct pf_nyt_amount self;
};

struct pf_nyt_tree {
    struct pf_nyt_node *nodes;
    uint32_t *buckets;
    uint64_t seed;              /* of hashes */
    size_t count, capacity, bucket_mask, used, free;
    struct level {
        uint32_t depth, node;   /* what returned at this depth and has no caller yet, as children of a node of its own */
    } *levels;                  /* deepest last */
    size_t level_count, level_capacity;
    uint32_t *pairs;            /* nodes still to be joined, two by two */
    size_t pair_capacity;
    struct pf_nyt_unit unit;
    uint64_t returns, unknown;  /* records; levels gone down for subs that never returned */
    bool shortened;             /* fewer of those than the depth said */
    bool failed;                /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case, as often as one likes. */
int pf_nyt_tree_init(struct pf_nyt_tree *);
void pf_nyt_tree_free(struct pf_nyt_tree *);

/* A sub returns; depth 1 is a sub called from outside of all, and 0 is taken as 1. */
void pf_nyt_tree_return(struct pf_nyt_tree *, uint32_t depth, uint32_t name, struct pf_nyt_clock, double self_ticks);
/* No more returns of this process: what has no caller was called by subs that never returned. */
void pf_nyt_tree_settle(struct pf_nyt_tree *);

#endif
