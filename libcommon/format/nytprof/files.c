#include "format/nytprof/files.h"

#include "base/error.h"

int pf_nyt_files_init(struct pf_nyt_files *files)
{
    *files = (struct pf_nyt_files){0};
    int names = pf_nyt_map_init(&files->names), owners = pf_nyt_map_init(&files->owners);
    return names != PF_OK ? names : owners;
}

void pf_nyt_files_free(struct pf_nyt_files *files)
{
    pf_nyt_map_free(&files->names);
    pf_nyt_map_free(&files->owners);
}

/* The map spreads its pairs by the first number. */
static uint64_t *entry(struct pf_nyt_files *files, uint32_t fid)
{
    return pf_nyt_map_entry(&files->names, fid >> 1, fid & 1);
}

static uint64_t value_of(const struct pf_nyt_files *files, uint32_t fid)
{
    return pf_nyt_map_get(&files->names, fid >> 1, fid & 1);
}

void pf_nyt_files_define(struct pf_nyt_files *files, uint32_t fid, uint32_t name)
{
    uint64_t *own = entry(files, fid), *owner = pf_nyt_map_entry(&files->owners, name, 0);
    if (!own || !owner) {
        files->failed = true;
        return;
    }
    *own = (uint64_t)name + 1;
    if (*owner == 0 || value_of(files, (uint32_t)(*owner - 1)) != (uint64_t)name + 1)
        *owner = (uint64_t)fid + 1;
}

bool pf_nyt_files_name(const struct pf_nyt_files *files, uint32_t fid, uint32_t *name)
{
    uint64_t value = value_of(files, fid);
    *name = value ? (uint32_t)(value - 1) : 0;
    return value != 0;
}

bool pf_nyt_files_owner(const struct pf_nyt_files *files, uint32_t name, uint32_t *fid)
{
    uint64_t value = pf_nyt_map_get(&files->owners, name, 0);
    *fid = value ? (uint32_t)(value - 1) : 0;
    return value != 0;
}
