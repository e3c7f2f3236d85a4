/* The path from the root to the node at hand of a walk. Each node on it has a tag (the key of its
 * function, say), and for each tag it is known how often it is on the path: that is how recursion
 * is counted once. */
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
    uint32_t *open; /* how often each tag is on the path */
    size_t open_count;
    bool again; /* the node that was entered last has a tag that is above it as well */
};

void pf_path_free(struct pf_path *);

/* Makes room for more. PF_OK or PF_NOMEM. */
int pf_path_reserve(struct pf_path *, uint32_t depth, uint32_t tag);

/* Enters the node at hand of a walk, after all above it: path->again tells of its tag. A node that
 * is not entered is left out together with all below it. PF_OK or PF_NOMEM. */
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
