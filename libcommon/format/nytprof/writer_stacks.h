/* Lines and callers from stacks, for profiles of other formats: what a stack took is spent on the line of its leaf, and each frame is
 * called from the line of the frame outside it. */
#ifndef PF_FORMAT_NYTPROF_WRITER_STACKS_H
#define PF_FORMAT_NYTPROF_WRITER_STACKS_H

#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_nyt_stack {
    int64_t self, hits;         /* of records of this stack */
    int64_t total;              /* with what it called */
    uint32_t first, next;       /* stacks that it called */
    uint32_t recursion;         /* how often its function is among its callers */
    bool used;
};

struct pf_nyt_stacks {
    struct pf_nyt_stack *rows;  /* by stack of the dictionary */
    size_t count, capacity;
};

/* Zero-initialise. */
void pf_nyt_stacks_free(struct pf_nyt_stacks *);

/* PF_OK, PF_NOMEM, PF_OVERFLOW. */
int pf_nyt_stacks_add(struct pf_nyt_stacks *, uint32_t stack, int64_t self, int64_t hits, struct pf_error *);
/* Marks the callers of what was added as used, and fills in totals and recursion. PF_OK, PF_NOMEM, PF_OVERFLOW. */
int pf_nyt_stacks_settle(struct pf_nyt_stacks *, const struct pf_dict *, struct pf_error *);

#endif
