#include "format/nytprof/writer_subs.h"

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

/* Stand for the file of subs in C, and for any. */
#define IN_C UINT32_MAX
#define ANYWHERE (UINT32_MAX - 1)

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
    pf_table_intern(&subs->said, &(struct said){name, ANYWHERE});
    if (first == 0 && last == 0)
        pf_nyt_subs_say_xsub(subs, name);
    subs->failed |= subs->rows.status != PF_OK || subs->said.status != PF_OK;
    return subs->rows.count > known;
}

void pf_nyt_subs_say_xsub(struct pf_nyt_subs *subs, uint32_t name)
{
    pf_table_intern(&subs->said, &(struct said){name, IN_C});
    pf_table_intern(&subs->said, &(struct said){name, ANYWHERE});
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

uint32_t pf_nyt_sub_name(struct pf_dict *dict, uint32_t location)
{
    const struct pf_location *place = pf_dict_location(dict, location);
    const struct pf_function *function = pf_dict_function(dict, place->function);
    struct pf_bytes name = pf_dict_string(dict, function->name);
    char scratch[32];
    if (place->kind == PF_FRAME_MAIN && pf_bytes_ends(name, PF_BYTES("(main)")))
        return pf_dict_intern(dict, PF_BYTES("main::RUNTIME"), 0);
    if (place->kind == PF_FRAME_EVAL && pf_bytes_equal(name, PF_BYTES("(eval)")))
        return pf_dict_intern(dict, PF_BYTES("main::(eval)"), 0);
    if (function->name != 0)
        return pf_bytes_equal(name, PF_BYTES("[unknown]")) ? 0 : function->name;
    if (function->system_name != 0 || !pf_dict_has_address(dict, place))
        return function->system_name;
    return pf_dict_intern(dict, pf_dict_frame_name(dict, location, scratch), 0);
}

static bool is_said(const struct pf_nyt_subs *subs, uint32_t name, uint32_t file)
{
    return pf_table_find(&subs->said, &(struct said){name, file}) != 0;
}

bool pf_nyt_subs_place(const struct pf_nyt_subs *subs, struct pf_dict *dict, size_t function, struct pf_nyt_sub_place *place)
{
    const struct pf_nyt_seen *seen = &subs->seen[function];
    const struct pf_function *row = pf_dict_function(dict, (uint32_t)function);
    unsigned kind = pf_dict_location(dict, seen->location)->kind;
    uint32_t name = seen->location != 0 ? pf_nyt_sub_name(dict, seen->location) : 0;
    bool scope = kind == PF_FRAME_MAIN || kind == PF_FRAME_EVAL;
    if (name == 0 || (!seen->guess && scope) || (seen->guess && is_said(subs, name, ANYWHERE)))
        return false;
    *place = (struct pf_nyt_sub_place){name, row->file, row->start_line, seen->last};
    if (kind == PF_FRAME_XSUB || (seen->guess && row->file == 0)) {
        place->first = place->last = 0;
        return !is_said(subs, name, IN_C);
    }
    if (scope)
        place->first = place->last = 1;
    else if (place->first <= 0 && seen->guess)
        place->first = seen->first > 0 ? seen->first : 1;
    if (row->file == 0 || place->first <= 0 || is_said(subs, name, row->file))
        return false;
    place->last = place->last > place->first ? place->last : place->first;
    return true;
}
