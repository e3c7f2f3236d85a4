/* Callers and callees: an amount for each pair of keys. */
#ifndef PF_ANALYSIS_TABLE_EDGES_H
#define PF_ANALYSIS_TABLE_EDGES_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/rank.h"
#include "analysis/sum/subject.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_call {
    uint32_t caller, callee; /* keys */
    int64_t value;           /* amount */
};

/* Zero-initialise; free with pf_calls_free. */
struct pf_calls {
    struct pf_call *rows;
    size_t count;
};

void pf_calls_free(struct pf_calls *);

/* Computes the amount of each pair of caller and callee. SAMPLE: a record counts once for each pair
 * of neighbouring frames in its stack (the subject's sums become those of subtrees, as in
 * pf_rank_make). EDGE: the values of subject->shown. Pairs without an amount are left out. Sorted
 * by magnitude, the greatest first, then by the names of caller and callee. PF_OK; PF_USAGE for
 * FLAT records; PF_NOMEM; PF_OVERFLOW. */
int pf_calls_make(struct pf_calls *, const struct pf_accumulator *, const struct pf_subject *,
                  struct pf_keys *, struct pf_error *);
/* For inclusive EDGE values: limits the amounts. With recursion every level counts in the calls
 * within it, so an amount may exceed the total. The limit is rank->bound (`rank` has the same
 * subject and keys); if lines have self values (callgrind), a call within one function is limited
 * to the cum of its caller. Sorted as before. Other subjects are unchanged. PF_OK or PF_NOMEM. */
int pf_calls_cap(struct pf_calls *, const struct pf_subject *, const struct pf_rank *,
                 const struct pf_keys *, struct pf_error *);

/* The functions of a profile of calls, for trees and stacks that are made of calls.
 * Zero-initialise; free with pf_call_graph_free. */
struct pf_call_graph {
    struct pf_calls calls; /* inclusive amounts, sorted by caller, else as pf_calls_make sorts */
    struct pf_graph_function {
        int64_t flat, cum;
        /* amounts and numbers of its calls of other functions, and of calls by other functions */
        pf_int128 callees, callers;
        uint32_t callee_count, caller_count, caller; /* caller: one of them */
        size_t first;                                /* its first call in `calls` */
        bool listed;                                 /* the function is in `order` */
    } * functions;                                   /* by key */
    /* keys with amounts, from the greatest cumulative amount down; then callers without a self cost
     * and without callers, which pf_rank_make leaves out */
    uint32_t *order;
    size_t order_count;
};

void pf_call_graph_free(struct pf_call_graph *);

/* Makes the graph of an EDGE subject with inclusive values; of a FLAT subject without calls.
 * `capped`: limits amounts of calls by pf_calls_cap. As pf_rank_make and pf_calls_make. */
int pf_call_graph_make(struct pf_call_graph *, const struct pf_accumulator *,
                       const struct pf_subject *, struct pf_keys *, bool capped, struct pf_error *);

#endif
