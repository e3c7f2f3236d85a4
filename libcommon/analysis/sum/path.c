#include "analysis/sum/path.h"

#include "base/memory.h"

#include <stdlib.h>

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
