#include "format/nytprof_writer_subs.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct said {
    uint32_t name, file;
};

struct row {
    uint32_t name, file, fid, first, last;
};

/* Stands for the file of subs in C. */
#define IN_C UINT32_MAX

int pf_nyt_subs_init(struct pf_nyt_subs *subs)
{
    *subs = (struct pf_nyt_subs){0};
    int said = pf_table_init(&subs->said, sizeof(struct said));
    return pf_table_init(&subs->rows, sizeof(struct row)) == PF_OK ? said : PF_NOMEM;
}

void pf_nyt_subs_free(struct pf_nyt_subs *subs)
{
    pf_table_free(&subs->said);
    pf_table_free(&subs->rows);
    free(subs->seen);
}

bool pf_nyt_subs_say(struct pf_nyt_subs *subs, uint32_t name, uint32_t file, uint32_t fid, uint32_t first, uint32_t last)
{
    uint32_t known = subs->rows.count;
    pf_table_intern(&subs->rows, &(struct row){name, file, fid, first, last});
    pf_table_intern(&subs->said, &(struct said){name, file});
    if (first == 0 && last == 0)
        pf_nyt_subs_say_xsub(subs, name);
    subs->failed |= subs->rows.status != PF_OK || subs->said.status != PF_OK;
    return subs->rows.count > known;
}

void pf_nyt_subs_say_xsub(struct pf_nyt_subs *subs, uint32_t name)
{
    pf_table_intern(&subs->said, &(struct said){name, IN_C});
}

void pf_nyt_subs_see(struct pf_nyt_subs *subs, const struct pf_dict *dict, uint32_t location, bool guess)
{
    const struct pf_location *place = pf_dict_location(dict, location);
    if (place->function == 0)
        return;
    if (place->function >= subs->count) {
        size_t count = (size_t)place->function + 1;
        if (!pf_grow(&subs->seen, &subs->capacity, count, sizeof *subs->seen)) {
            subs->failed = true;
            return;
        }
        memset(subs->seen + subs->count, 0, (count - subs->count) * sizeof *subs->seen);
        subs->count = count;
    }
    struct pf_nyt_seen *seen = &subs->seen[place->function];
    seen->location = location;
    seen->guess |= guess;
    if (place->line > 0 && (seen->first == 0 || place->line < seen->first))
        seen->first = place->line;
    if (place->line > seen->last)
        seen->last = place->line;
}

bool pf_nyt_subs_place(const struct pf_nyt_subs *subs, const struct pf_dict *dict, size_t function, struct pf_nyt_sub_place *place)
{
    const struct pf_nyt_seen *seen = &subs->seen[function];
    const struct pf_function *row = pf_dict_function(dict, (uint32_t)function);
    unsigned kind = pf_dict_location(dict, seen->location)->kind;
    if (seen->location == 0 || row->name == 0 || kind == PF_FRAME_MAIN || kind == PF_FRAME_EVAL)
        return false;
    *place = (struct pf_nyt_sub_place){row->name, row->file, row->start_line, seen->last};
    if (kind == PF_FRAME_XSUB) {
        place->first = place->last = 0;
        return pf_table_find(&subs->said, &(struct said){row->name, IN_C}) == 0;
    }
    if (place->first <= 0 && seen->guess)
        place->first = seen->first > 0 ? seen->first : 1;
    if (row->file == 0 || place->first <= 0 || pf_table_find(&subs->said, &(struct said){row->name, row->file}) != 0)
        return false;
    place->last = place->last > place->first ? place->last : place->first;
    return true;
}
