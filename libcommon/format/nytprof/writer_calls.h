/* The tree of calls as records of returns: leaf first, as they come when a program runs. What was never seen to return (no calls)
 * stays open and comes last among the subs that its caller called, so that nothing that returns later takes it for its own. */
#ifndef PF_FORMAT_NYTPROF_WRITER_CALLS_H
#define PF_FORMAT_NYTPROF_WRITER_CALLS_H

#include "base/error.h"
#include "base/table.h"
#include "format/nytprof/wire.h"
#include "format/nytprof/writer_units.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sub called in a chain of calls; node 0 is outside of all. */
struct pf_nyt_call {
    uint32_t name, parent;      /* name: a string; 0 = a sub nobody named */
    uint32_t first, last, next; /* children and siblings, 0 = none */
    uint32_t depth;
    int64_t calls, self;
    double total;               /* ticks, with those of all below */
};

struct pf_nyt_calls {
    struct pf_dict *dict;       /* borrowed */
    struct pf_table keys;       /* parent and name */
    struct pf_nyt_call *nodes;  /* by id of a key */
    size_t count, capacity;
    uint32_t *of_stack;         /* nodes by stack of the dictionary, + 1 */
    size_t stack_count, stack_capacity;
    uint32_t *path;             /* stacks on the way to a root */
    size_t path_capacity;
    double ticks;               /* self time of all that was written last */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_calls_init(struct pf_nyt_calls *, struct pf_dict *);
void pf_nyt_calls_free(struct pf_nyt_calls *);
static inline bool pf_nyt_calls_empty(const struct pf_nyt_calls *calls)
{
    return calls->count <= 1;
}

/* Adds to a stack; `self` is of the measure the writer minds. PF_OK, PF_NOMEM, PF_OVERFLOW. */
int pf_nyt_calls_add(struct pf_nyt_calls *, uint32_t stack, int64_t self, int64_t number, struct pf_error *);

/* Writes all and forgets it. PF_OK, PF_OVERFLOW, PF_USAGE. */
int pf_nyt_calls_write(struct pf_nyt_calls *, struct pf_nyt_out *, const struct pf_nyt_time *, uint64_t rate, struct pf_error *);

#endif
