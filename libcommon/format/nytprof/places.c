#include "format/nytprof/places.h"

#include "analysis/sum/sort.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int pf_nyt_places_init(struct pf_nyt_places *places, struct pf_dict *dict)
{
    *places = (struct pf_nyt_places){
        .dict = dict,
        .fid_key = pf_dict_intern(dict, PF_BYTES("fid"), 0),
        .main_name = pf_dict_intern(dict, PF_BYTES("(main)"), 0),
        .unknown_name = pf_dict_intern(dict, PF_BYTES("[unknown]"), 0),
    };
    int files = pf_nyt_files_init(&places->files), subs = pf_table_init(&places->subs, sizeof(struct pf_nyt_sub));
    int homes = pf_nyt_map_init(&places->homes), in_files = pf_nyt_map_init(&places->in_files);
    int xsubs = pf_nyt_map_init(&places->xsubs);
    return files || subs || homes || in_files || xsubs ? PF_NOMEM : PF_OK;
}

void pf_nyt_places_free(struct pf_nyt_places *places)
{
    pf_nyt_files_free(&places->files);
    pf_table_free(&places->subs);
    pf_nyt_map_free(&places->homes);
    pf_nyt_map_free(&places->in_files);
    pf_nyt_map_free(&places->xsubs);
    free(places->sorted);
}

static const struct pf_nyt_sub *sub_row(const struct pf_nyt_places *places, uint64_t id)
{
    return pf_table_row(&places->subs, (uint32_t)id);
}

bool pf_nyt_places_add_sub(struct pf_nyt_places *places, struct pf_nyt_sub sub)
{
    uint32_t known = places->subs.count, id = pf_table_intern(&places->subs, &sub);
    places->failed |= places->subs.status != PF_OK;
    if (id == 0)
        return false;
    uint64_t *home = pf_nyt_map_entry(&places->homes, sub.name, 0), *in_file = pf_nyt_map_entry(&places->in_files, sub.name, sub.fid);
    if (!home || !in_file) {
        places->failed = true;
        return false;
    }
    *in_file = id;
    if (*home == 0 || sub.fid <= sub_row(places, *home)->fid)
        *home = id;
    return places->subs.count > known;
}

bool pf_nyt_places_add_xsub(struct pf_nyt_places *places, uint32_t name)
{
    uint64_t *marked = pf_nyt_map_entry(&places->xsubs, name, 0);
    bool new = marked && *marked == 0;
    if (marked)
        *marked = 1;
    else
        places->failed = true;
    return new;
}

static uint32_t location(struct pf_nyt_places *places, const struct pf_function *function, uint32_t line, enum pf_frame_kind kind)
{
    struct pf_location place = {
        .function = pf_dict_add_function(places->dict, function), .line = line, .kind = (uint16_t)kind};
    return pf_dict_add_location(places->dict, &place);
}

uint32_t pf_nyt_places_callee(struct pf_nyt_places *places, uint32_t name)
{
    const struct pf_nyt_sub *home = sub_row(places, pf_nyt_map_get(&places->homes, name, 0));
    bool known = home->name == name && name != 0, xsub = pf_nyt_map_get(&places->xsubs, name, 0) != 0;
    struct pf_function function = {.name = name ? name : places->unknown_name};
    if (name == 0)
        return location(places, &function, 0, PF_FRAME_PLAIN);
    if (xsub || (known && home->first == 0 && home->last == 0))
        return location(places, &function, 0, PF_FRAME_XSUB);
    if (known) {
        pf_nyt_files_name(&places->files, home->fid, &function.file);
        function.start_line = home->first;
    }
    return location(places, &function, 0, PF_FRAME_SUB);
}

uint32_t pf_nyt_places_caller(struct pf_nyt_places *places, uint32_t name, uint32_t fid, uint32_t line)
{
    uint64_t id = pf_nyt_map_get(&places->in_files, name, fid);
    struct pf_function function = {.name = name, .start_line = sub_row(places, id)->first};
    bool file = pf_nyt_files_name(&places->files, fid, &function.file);
    return name == 0 && !file && line == 0 ? 0 : location(places, &function, line, PF_FRAME_SUB);
}

uint32_t pf_nyt_places_label(struct pf_nyt_places *places, uint32_t fid)
{
    uint32_t name, owner;
    if (fid == 0 || (pf_nyt_files_name(&places->files, fid, &name) && pf_nyt_files_owner(&places->files, name, &owner) && owner == fid))
        return 0;
    return pf_dict_add_number(places->dict, 0, places->fid_key, fid, 0);
}

/* ---- Which sub a line is in ---- */

/* Names last: their ids depend on what was read before. */
static int compare_subs(const void *dict, const void *a, const void *b)
{
    const struct pf_nyt_sub *x = a, *y = b;
    if (x->fid != y->fid)
        return x->fid < y->fid ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last > y->last ? -1 : 1;
    return pf_bytes_compare(pf_dict_string(dict, x->name), pf_dict_string(dict, y->name));
}

struct ordered {
    uint32_t fid, line;
    size_t row;
};

static int compare_lines(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->fid != y->fid)
        return x->fid < y->fid ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static bool sort_subs(struct pf_nyt_places *places)
{
    size_t count = places->subs.count - 1;
    free(places->sorted);
    places->sorted = malloc((count + 1) * sizeof *places->sorted);
    if (!places->sorted)
        return false;
    places->sorted_count = count;
    for (size_t i = 0; i < count; i++)
        places->sorted[i] = *sub_row(places, i + 1);
    return pf_sort(places->sorted, count, sizeof *places->sorted, compare_subs, places->dict) == PF_OK;
}

/* Subs in C have no lines, and what runs outside of all subs is called PACKAGE::RUNTIME but has the lines of none. */
static bool has_lines(const struct pf_nyt_places *places, const struct pf_nyt_sub *sub)
{
    static const struct pf_bytes RUNTIME = {"::RUNTIME", 9};
    struct pf_bytes name = pf_dict_string(places->dict, sub->name);
    return sub->last > 0 &&
           (name.size < RUNTIME.size || memcmp(name.data + name.size - RUNTIME.size, RUNTIME.data, RUNTIME.size) != 0);
}

/* Lines in order, subs in order, and those that are open: the one opened last is the innermost. */
static void sweep(struct pf_nyt_places *places, const struct ordered *lines, size_t count, size_t *open, uint32_t *locations)
{
    size_t next = 0, depth = 0;
    bool subs = false;
    uint32_t fid = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || lines[i].fid != fid) {
            fid = lines[i].fid;
            depth = 0;
            while (next < places->sorted_count && places->sorted[next].fid < fid)
                next++;
            subs = next < places->sorted_count && places->sorted[next].fid == fid;
        }
        for (; next < places->sorted_count && places->sorted[next].fid == fid && places->sorted[next].first <= lines[i].line; next++) {
            while (depth > 0 && places->sorted[open[depth - 1]].last < places->sorted[next].first)
                depth--;
            if (has_lines(places, &places->sorted[next]))
                open[depth++] = next;
        }
        while (depth > 0 && places->sorted[open[depth - 1]].last < lines[i].line)
            depth--;
        struct pf_function function = {0};
        pf_nyt_files_name(&places->files, fid, &function.file);
        if (depth > 0) {
            function.name = places->sorted[open[depth - 1]].name;
            function.start_line = places->sorted[open[depth - 1]].first;
        } else if (subs) {
            function.name = places->main_name;
        }
        locations[lines[i].row] = location(places, &function, lines[i].line,
                                           depth > 0 ? PF_FRAME_SUB : subs ? PF_FRAME_MAIN : PF_FRAME_PLAIN);
    }
}

int pf_nyt_places_lines(struct pf_nyt_places *places, const struct pf_nyt_line *rows, size_t count, uint32_t *locations)
{
    if (!sort_subs(places))
        return PF_NOMEM;
    struct ordered *lines = malloc((count + 1) * sizeof *lines);
    size_t *open = malloc((places->sorted_count + 1) * sizeof *open);
    bool good = lines && open;
    for (size_t i = 0; good && i < count; i++)
        lines[i] = (struct ordered){rows[i].fid, rows[i].line, i};
    if (good) {
        qsort(lines, count, sizeof *lines, compare_lines);
        sweep(places, lines, count, open, locations);
    }
    free(lines);
    free(open);
    return good ? PF_OK : PF_NOMEM;
}
