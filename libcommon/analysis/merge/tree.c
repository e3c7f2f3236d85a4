#include "analysis/merge/tree.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* After so many levels all members form one group, in case the hashes never join them. Each level
 * is expected to be `fan_in` times shorter, so a second level of that kind needs bad luck. */
enum { LEVELS_MAX = 128 };

/* True if the member with this name begins a group of the level. Hashes of different levels are
 * independent, so members that begin groups in one level form groups of usual size in the next. */
static int begins(size_t level, const char *name, uint64_t fan_in, bool *answer)
{
    struct pf_buffer text = {0};

    pf_buffer_printf(&text, "%zu ", level);
    if (!pf_buffer_append(&text, name, strlen(name))) {
        pf_buffer_free(&text);
        return PF_NOMEM;
    }
    *answer = pf_hash_mix(pf_xxh64(text.data, text.size)) % fan_in == 0;
    pf_buffer_free(&text);
    return PF_OK;
}

static bool add_start(struct pf_merge_groups *groups, size_t start)
{
    if (!pf_grow(&groups->starts, &groups->capacity, groups->count + 2, sizeof *groups->starts))
        return false;
    groups->starts[groups->count++] = start;
    return true;
}

/* Fills a level. `leaves`: the first leaf of each member. */
static int make_level(struct pf_merge_groups *groups, size_t level, const char *const *names,
                      const size_t *leaves, size_t members, uint64_t fan_in)
{
    int status = add_start(groups, 0) ? PF_OK : PF_NOMEM;

    for (size_t k = 1; k < members && status == PF_OK && level < LEVELS_MAX; k++) {
        bool first;

        status = begins(level, names[leaves[k]], fan_in, &first);
        if (status == PF_OK && first && !add_start(groups, k))
            status = PF_NOMEM;
    }
    if (status == PF_OK)
        groups->starts[groups->count] = members;
    return status;
}

int pf_merge_tree_make(struct pf_merge_tree *tree, const char *const *names, size_t count,
                       uint64_t fan_in)
{
    size_t *leaves = calloc(count, sizeof *leaves), members = count;
    int status = leaves ? PF_OK : PF_NOMEM;

    for (size_t k = 0; k < count && leaves; k++)
        leaves[k] = k;
    while (status == PF_OK && (members > 1 || tree->depth == 0)) {
        struct pf_merge_groups *groups;

        if (!pf_grow_clear(&tree->levels, &tree->capacity, tree->depth + 1, sizeof *tree->levels)) {
            status = PF_NOMEM;
            break;
        }
        groups = &tree->levels[tree->depth];
        tree->depth++;
        status = make_level(groups, tree->depth, names, leaves, members, fan_in);
        members = groups->count;
        for (size_t k = 0; k < members && status == PF_OK; k++)
            leaves[k] = leaves[groups->starts[k]];
    }
    free(leaves);
    return status;
}

void pf_merge_tree_free(struct pf_merge_tree *tree)
{
    for (size_t k = 0; k < tree->depth; k++)
        free(tree->levels[k].starts);
    free(tree->levels);
}
