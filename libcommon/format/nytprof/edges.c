#include "format/nytprof/edges.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int pf_nyt_edges_init(struct pf_nyt_edges *edges)
{
    *edges = (struct pf_nyt_edges){0};
    return pf_table_init(&edges->rows, sizeof(struct pf_nyt_edge));
}

void pf_nyt_edges_free(struct pf_nyt_edges *edges)
{
    pf_table_free(&edges->rows);
    free(edges->sums);
}

void pf_nyt_edges_add(struct pf_nyt_edges *edges, const struct pf_nyt_edge *edge, struct pf_nyt_clock clock, uint32_t calls,
                      const double seconds[PF_NYT_EDGE_TIMES], uint32_t depth)
{
    uint32_t id = pf_table_intern(&edges->rows, edge);
    if (edges->rows.status != PF_OK || !pf_grow(&edges->sums, &edges->capacity, (size_t)id + 1, sizeof *edges->sums)) {
        edges->failed = true;
        return;
    }
    if (id >= edges->count) {
        memset(edges->sums + edges->count, 0, (id + 1 - edges->count) * sizeof *edges->sums);
        edges->count = (size_t)id + 1;
    }
    struct pf_nyt_edge_sums *sums = &edges->sums[id];
    sums->calls += calls; /* of 32 bits: it takes 2^31 records to leave 64 */
    sums->depth = depth > sums->depth ? depth : sums->depth;
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
        pf_nyt_amount_add_seconds(&sums->times[k], &edges->units[k], clock, seconds[k]);
}
