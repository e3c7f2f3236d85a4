/* The path from the root to a stack node, kept while nodes are visited in the order of their ids. Nodes made one after the other are
 * mostly parent and child, so a step is a push, or a few pops and a push. Each node on the path has a tag (the key of its
 * function, say), and for each tag it is known how often it is on the path: that is how recursion is counted once. */
#ifndef PF_ANALYSIS_PATH_H
#define PF_ANALYSIS_PATH_H

#include "base/error.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Zero-initialise; free with pf_path_free. The owner sets `open`: a zeroed count per tag. */
struct pf_path {
    struct pf_step {
        uint32_t node, tag;
    } *steps;            /* root first */
    size_t depth, capacity;
    uint32_t *open;      /* borrowed: by tag */
    uint32_t *missing;   /* ancestors that are not on the path yet, innermost first */
    size_t missing_capacity;
};

static inline void pf_path_free(struct pf_path *path)
{
    free(path->steps);
    free(path->missing);
}

static inline void pf_path_pop(struct pf_path *path, uint32_t node)
{
    while (path->depth > 0 && path->steps[path->depth - 1].node > node)
        path->open[path->steps[--path->depth].tag]--;
}

static inline uint32_t pf_path_top(const struct pf_path *path)
{
    return path->depth > 0 ? path->steps[path->depth - 1].node : 0;
}

/* Leads the path to the parent of `node`. *missing ancestors (in path->missing) are still to be pushed, from the last to the first.
 * Parents have smaller ids, so whatever is on the path and has a greater id than an ancestor is not an ancestor. */
static inline int pf_path_approach(struct pf_path *path, const struct pf_dict *dict, uint32_t node, size_t *missing)
{
    uint32_t at = pf_dict_stack(dict, node)->parent;

    *missing = 0;
    pf_path_pop(path, at);
    while (pf_path_top(path) != at) {
        if (!pf_grow(&path->missing, &path->missing_capacity, *missing + 1, sizeof *path->missing))
            return PF_NOMEM;
        path->missing[(*missing)++] = at;
        at = pf_dict_stack(dict, at)->parent;
        pf_path_pop(path, at);
    }
    return pf_grow(&path->steps, &path->capacity, path->depth + *missing + 1, sizeof *path->steps) ? PF_OK : PF_NOMEM;
}

/* Puts a node on the path, for which pf_path_approach made room. True: its tag was not on the path before. */
static inline bool pf_path_push(struct pf_path *path, uint32_t node, uint32_t tag)
{
    path->steps[path->depth++] = (struct pf_step){node, tag};
    return path->open[tag]++ == 0;
}

#endif
