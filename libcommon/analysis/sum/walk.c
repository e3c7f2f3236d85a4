#include "analysis/sum/walk.h"

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

void pf_path_free(struct pf_path *path)
{
    free(path->tags);
    free(path->open);
    *path = (struct pf_path){0};
}

int pf_path_reserve(struct pf_path *path, uint32_t depth, uint32_t tag)
{
    if (!pf_grow(&path->tags, &path->capacity, depth, sizeof *path->tags) ||
        !pf_grow_clear(&path->open, &path->open_count, (size_t)tag + 1, sizeof *path->open))
        return PF_NOMEM;
    return PF_OK;
}
