/* Who called whom: SUB_CALLERS records, summed by caller, place and called sub. */
#ifndef PF_FORMAT_NYTPROF_EDGES_H
#define PF_FORMAT_NYTPROF_EDGES_H

#include "base/table.h"
#include "format/nytprof/amount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_NYT_INCL, PF_NYT_EXCL, PF_NYT_RECI, PF_NYT_EDGE_TIMES };

struct pf_nyt_edge {
    uint32_t caller, callee; /* strings */
    uint32_t fid, line;
};

struct pf_nyt_edge_sums {
    int64_t calls;
    uint32_t depth;          /* the greatest */
    struct pf_nyt_amount times[PF_NYT_EDGE_TIMES];
};

struct pf_nyt_edges {
    struct pf_table rows;    /* struct pf_nyt_edge */
    struct pf_nyt_edge_sums *sums; /* by id of a row; 0 is that of calls from nowhere to nothing */
    size_t count, capacity;
    struct pf_nyt_unit units[PF_NYT_EDGE_TIMES];
    bool failed;             /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_edges_init(struct pf_nyt_edges *);
void pf_nyt_edges_free(struct pf_nyt_edges *);

void pf_nyt_edges_add(struct pf_nyt_edges *, const struct pf_nyt_edge *, struct pf_nyt_clock, uint32_t calls,
                      const double seconds[PF_NYT_EDGE_TIMES], uint32_t depth);

#endif
