/* The path from the root to the current node of a walk. Each node has a tag, for example the key of
 * its function, and the path knows how often each tag is on it. Callers use this to count recursion
 * once. */
#ifndef PF_ANALYSIS_SUM_PATH_H
#define PF_ANALYSIS_SUM_PATH_H

#include "analysis/sum/walk.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise; free with pf_path_free. */
struct pf_path {
    uint32_t *tags; /* root first */
    size_t depth, capacity;
    uint32_t *open; /* by tag: how often the tag is on the path */
    size_t open_count;
    bool again; /* a node above the last entered node has the same tag */
};

void pf_path_free(struct pf_path *);

/* Makes room for a path of `depth` nodes and for the tag. PF_OK or PF_NOMEM. */
int pf_path_reserve(struct pf_path *, uint32_t depth, uint32_t tag);

/* Enters the current node of a walk; sets path->again. Enter nodes in the order of the walk. If a
 * node is not entered, enter no node below it. PF_OK or PF_NOMEM. */
static inline int pf_path_enter(struct pf_path *path, const struct pf_walk *walk, uint32_t tag)
{
    if ((walk->depth > path->capacity || tag >= path->open_count) &&
        pf_path_reserve(path, walk->depth, tag) != PF_OK)
        return PF_NOMEM;
    while (path->depth >= walk->depth)
        path->open[path->tags[--path->depth]]--;
    path->tags[path->depth++] = tag;
    path->again = path->open[tag]++ > 0;
    return PF_OK;
}

#endif
