#include "analysis/sum/walk.h"

#include "base/error.h"

#include <stdlib.h>

int pf_walk_init(struct pf_walk *walk, const struct pf_table *nodes, uint32_t count)
{
    *walk = (struct pf_walk){.nodes = nodes,
                             .links = pf_zeroed((size_t)count + 1, sizeof *walk->links)};
    if (!walk->links)
        return PF_NOMEM;
    for (uint32_t node = count; node-- > 1;) {
        struct pf_walk_links *parent = &walk->links[pf_walk_parent(walk, node)];
        walk->links[node].next = parent->first;
        parent->first = node;
    }
    return PF_OK;
}

void pf_walk_free(struct pf_walk *walk)
{
    free(walk->links);
    walk->links = NULL;
}
