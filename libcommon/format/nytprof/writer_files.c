#include "format/nytprof/writer_files.h"

#include "base/error.h"

enum { EVAL = 0x100 };

int pf_nyt_numbers_init(struct pf_nyt_numbers *numbers)
{
    *numbers = (struct pf_nyt_numbers){.at = 1, .next = 1};
    struct pf_nyt_map *maps[] = {&numbers->ours, &numbers->known, &numbers->names, &numbers->used, &numbers->row_ids};
    int status = pf_nyt_files_init(&numbers->input);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        status = pf_nyt_map_init(maps[k]) == PF_OK ? status : PF_NOMEM;
    return pf_table_init(&numbers->rows, sizeof(struct pf_nyt_file)) == PF_OK ? status : PF_NOMEM;
}

void pf_nyt_numbers_free(struct pf_nyt_numbers *numbers)
{
    struct pf_nyt_map *maps[] = {&numbers->ours, &numbers->known, &numbers->names, &numbers->used, &numbers->row_ids};
    pf_nyt_files_free(&numbers->input);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        pf_nyt_map_free(maps[k]);
    pf_table_free(&numbers->rows);
}

void pf_nyt_numbers_restart(struct pf_nyt_numbers *numbers)
{
    pf_nyt_files_free(&numbers->input);
    if (pf_nyt_files_init(&numbers->input) != PF_OK)
        numbers->status = PF_NOMEM;
    numbers->at++;
}

static void put(struct pf_nyt_numbers *numbers, struct pf_nyt_map *map, uint32_t a, uint32_t b, uint32_t fid)
{
    uint64_t *entry = pf_nyt_map_entry(map, a, b);
    if (entry)
        *entry = (uint64_t)fid + 1;
    else
        numbers->status = PF_NOMEM;
}

/* The map spreads its pairs by the first number, which may not be the greatest. */
static uint64_t *used_entry(struct pf_nyt_numbers *numbers, uint32_t fid)
{
    return pf_nyt_map_entry(&numbers->used, fid >> 1, fid & 1);
}

static bool is_used(const struct pf_nyt_numbers *numbers, uint32_t fid)
{
    return pf_nyt_map_get(&numbers->used, fid >> 1, fid & 1) != 0;
}

/* A number nobody has: `wanted` in the first input, so that what it has stays as it is. */
static uint32_t take(struct pf_nyt_numbers *numbers, uint32_t wanted)
{
    bool keeps = numbers->at == 1 && !numbers->renamed;
    uint32_t fid = keeps && !is_used(numbers, wanted) ? wanted : numbers->next;
    if (numbers->next == UINT32_MAX && fid == UINT32_MAX) {
        numbers->status = numbers->status == PF_OK ? PF_USAGE : numbers->status;
        return 0;
    }
    uint64_t *used = used_entry(numbers, fid);
    if (used)
        *used = 1;
    else
        numbers->status = PF_NOMEM;
    if (fid >= numbers->next)
        numbers->next = fid < UINT32_MAX ? fid + 1 : UINT32_MAX;
    return fid;
}

uint32_t pf_nyt_numbers_of(struct pf_nyt_numbers *numbers, uint32_t fid)
{
    uint64_t ours = fid != 0 ? pf_nyt_map_get(&numbers->ours, numbers->at, fid) : 1;
    if (ours == 0) {
        ours = (uint64_t)take(numbers, fid) + 1;
        put(numbers, &numbers->ours, numbers->at, fid, (uint32_t)(ours - 1));
    }
    return (uint32_t)(ours - 1);
}

/* The number of an equal file that another input brought. */
static bool same(struct pf_nyt_numbers *numbers, const struct pf_nyt_file *file, uint32_t *fid)
{
    bool plain = numbers->renamed || (file->eval_fid == 0 && !(file->flags & EVAL));
    uint32_t row = plain ? 0 : pf_table_find(&numbers->rows, file);
    uint64_t ours = plain ? pf_nyt_map_get(&numbers->names, file->name, 0) : row ? pf_nyt_map_get(&numbers->row_ids, row, 0) : 0;
    *fid = (uint32_t)(ours - 1);
    return ours != 0;
}

uint32_t pf_nyt_numbers_define(struct pf_nyt_numbers *numbers, uint32_t fid, struct pf_nyt_file *file, bool renamed,
                               bool *write)
{
    uint32_t ours;
    bool again = pf_nyt_map_get(&numbers->ours, numbers->at, fid) != 0;
    numbers->renamed |= renamed;
    file->eval_fid = pf_nyt_numbers_of(numbers, file->eval_fid);
    *write = again || (numbers->at == 1 && !numbers->renamed) || !same(numbers, file, &ours);
    if (*write)
        ours = again ? pf_nyt_numbers_of(numbers, fid) : take(numbers, fid);
    pf_nyt_files_define(&numbers->input, fid, file->name);
    if (numbers->input.failed)
        numbers->status = PF_NOMEM;
    put(numbers, &numbers->ours, numbers->at, fid, ours);
    put(numbers, &numbers->known, file->name, fid, ours);
    if (pf_nyt_map_get(&numbers->names, file->name, 0) == 0)
        put(numbers, &numbers->names, file->name, 0, ours);
    uint32_t row = pf_table_intern(&numbers->rows, file);
    if (numbers->rows.status != PF_OK)
        numbers->status = PF_NOMEM;
    if (row != 0 && pf_nyt_map_get(&numbers->row_ids, row, 0) == 0)
        put(numbers, &numbers->row_ids, row, 0, ours);
    return ours;
}

uint32_t pf_nyt_numbers_find(struct pf_nyt_numbers *numbers, uint32_t name, uint32_t label, bool *write)
{
    uint32_t own, fid;
    uint64_t ours;
    *write = false;
    if (label != 0) {
        if (pf_nyt_files_name(&numbers->input, label, &own) ? own == name : name == 0)
            return pf_nyt_numbers_of(numbers, label);
        ours = pf_nyt_map_get(&numbers->known, name, label);
    } else {
        if (name == 0)
            return 0;
        if (pf_nyt_files_owner(&numbers->input, name, &fid) && pf_nyt_files_name(&numbers->input, fid, &own) && own == name)
            return pf_nyt_numbers_of(numbers, fid);
        ours = pf_nyt_map_get(&numbers->names, name, 0);
    }
    if (ours != 0)
        return (uint32_t)(ours - 1);
    fid = take(numbers, numbers->next);
    put(numbers, &numbers->known, name, label, fid);
    if (pf_nyt_map_get(&numbers->names, name, 0) == 0)
        put(numbers, &numbers->names, name, 0, fid);
    *write = true;
    return fid;
}

bool pf_nyt_numbers_text(struct pf_nyt_numbers *numbers, uint32_t fid)
{
    uint64_t *used = used_entry(numbers, fid);
    if (!used) {
        numbers->status = PF_NOMEM;
        return false;
    }
    if (*used <= 1)
        *used = (uint64_t)numbers->at + 1;
    return *used == (uint64_t)numbers->at + 1;
}
