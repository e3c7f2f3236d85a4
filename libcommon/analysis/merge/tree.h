/* The tree of a merge of many inputs. Its leaves are the inputs, sorted by name; at each level
 * neighbours form groups, and each group is merged into one partial profile.
 *
 * The hash of a name decides where a group begins, so groups depend neither on the number of the
 * inputs nor on their contents. An input more or less changes at most two groups of a level, and an
 * input with other contents changes one group of each level. */
#ifndef PF_ANALYSIS_MERGE_TREE_H
#define PF_ANALYSIS_MERGE_TREE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The groups of a level: group k has the members starts[k] to starts[k + 1] - 1 of the level below.
 * The members of the first level are leaves. */
struct pf_merge_groups {
    size_t *starts; /* count + 1 numbers */
    size_t count, capacity;
};

/* The last level has one group. Zero-initialise; free with pf_merge_tree_free. */
struct pf_merge_tree {
    struct pf_merge_groups *levels;
    size_t depth, capacity;
};

/* Makes the tree over `count` > 0 leaves. `names` are the names of the leaves, sorted: a group has
 * the name of its first leaf. `fan_in` >= 2 is the mean number of members of a group. PF_OK or
 * PF_NOMEM; free in any case. */
int pf_merge_tree_make(struct pf_merge_tree *, const char *const *names, size_t count,
                       uint64_t fan_in);
void pf_merge_tree_free(struct pf_merge_tree *);

#endif
