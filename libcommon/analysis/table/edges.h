/* Callers and callees: an amount for each pair of keys. */
#ifndef PF_ANALYSIS_TABLE_EDGES_H
#define PF_ANALYSIS_TABLE_EDGES_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/rank.h"
#include "analysis/sum/subject.h"

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

/* SAMPLE: a record counts once for each pair that follow each other in its stack (the sums become
 * those of subtrees, as by pf_rank_make). EDGE: the values shown, inclusive ones where there are.
 * Greatest magnitude first, then by the names of caller and callee. Pairs without value are left
 * out. PF_USAGE for FLAT records; PF_NOMEM; PF_OVERFLOW. */
int pf_calls_make(struct pf_calls *, const struct pf_accumulator *, const struct pf_subject *,
                  struct pf_keys *, struct pf_error *);
/* EDGE, inclusive: as shown. Every level of a recursion counts in calls within it, which then
 * exceed all there is: an edge is no more than the bound of `rank` (of the same subject and keys)
 * and, where callgrind's lines know their own cost, an edge within one function no more than its
 * caller's cum. Sorted as before. PF_NOMEM. Other subjects stay as they are. */
int pf_calls_cap(struct pf_calls *, const struct pf_subject *, const struct pf_rank *,
                 const struct pf_keys *, struct pf_error *);

#endif
