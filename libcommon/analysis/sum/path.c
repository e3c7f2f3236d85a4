#include "analysis/sum/path.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_path_free(struct pf_path *path)
{
    free(path->tags);
    free(path->open);
    *path = (struct pf_path){0};
}

int pf_path_reserve(struct pf_path *path, uint32_t depth, uint32_t tag)
{
    size_t capacity = path->open_count;

    if (!pf_grow(&path->tags, &path->capacity, depth, sizeof *path->tags) ||
        !pf_grow(&path->open, &capacity, (size_t)tag + 1, sizeof *path->open))
        return PF_NOMEM;
    memset(path->open + path->open_count, 0, (capacity - path->open_count) * sizeof *path->open);
    path->open_count = capacity;
    return PF_OK;
}
