/* Files, subs and lines: from the numbers of an input to places of the model, and back to the
 * numbers of an output. */
#include "format/nytprof/places.h"

#include "analysis/sum/sort.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- pairs ------------------------------------------------------------------------------------ */

/* `a` + 1, because a table cannot hold a row of zeros. */
struct pair {
    uint32_t a_plus_1, b;
};

int pf_nyt_map_init(struct pf_nyt_map *map)
{
    *map = (struct pf_nyt_map){0};
    return pf_table_init(&map->keys, sizeof(struct pair));
}

void pf_nyt_map_free(struct pf_nyt_map *map)
{
    pf_table_free(&map->keys);
    free(map->values);
}

uint64_t *pf_nyt_map_entry(struct pf_nyt_map *map, uint32_t a, uint32_t b)
{
    uint32_t id = pf_table_intern(&map->keys, &(struct pair){a + 1, b});

    if (id == 0 || !pf_grow_zeroed(&map->values, &map->count, &map->capacity, (size_t)id + 1,
                                   sizeof *map->values))
        return NULL;
    return &map->values[id];
}

uint64_t pf_nyt_map_get(const struct pf_nyt_map *map, uint32_t a, uint32_t b)
{
    uint32_t id = pf_table_find(&map->keys, &(struct pair){a + 1, b});
    return id < map->count ? map->values[id] : 0;
}

/* --- files ------------------------------------------------------------------------------------ */

/* PF_OK or PF_NOMEM; free in any case. */
static int files_init(struct pf_nyt_files *files)
{
    *files = (struct pf_nyt_files){0};
    int names = pf_nyt_map_init(&files->names), owners = pf_nyt_map_init(&files->owners);
    return names != PF_OK ? names : owners;
}

static void files_free(struct pf_nyt_files *files)
{
    pf_nyt_map_free(&files->names);
    pf_nyt_map_free(&files->owners);
}

/* Two halves of the number, because pf_nyt_map_entry does not take UINT32_MAX as `a`. */
static uint64_t *name_entry(struct pf_nyt_files *files, uint32_t fid)
{
    return pf_nyt_map_entry(&files->names, fid >> 1, fid & 1);
}

static uint64_t name_value(const struct pf_nyt_files *files, uint32_t fid)
{
    return pf_nyt_map_get(&files->names, fid >> 1, fid & 1);
}

void pf_nyt_files_define(struct pf_nyt_files *files, uint32_t fid, uint32_t name)
{
    uint64_t *own = name_entry(files, fid), *owner = pf_nyt_map_entry(&files->owners, name, 0);
    if (!own || !owner) {
        files->failed = true;
        return;
    }
    *own = (uint64_t)name + 1;
    if (*owner == 0 || name_value(files, (uint32_t)(*owner - 1)) != (uint64_t)name + 1)
        *owner = (uint64_t)fid + 1;
}

bool pf_nyt_files_name(const struct pf_nyt_files *files, uint32_t fid, uint32_t *name)
{
    uint64_t value = name_value(files, fid);
    *name = value ? (uint32_t)(value - 1) : 0;
    return value != 0;
}

bool pf_nyt_files_owner(const struct pf_nyt_files *files, uint32_t name, uint32_t *fid)
{
    uint64_t value = pf_nyt_map_get(&files->owners, name, 0);
    *fid = value ? (uint32_t)(value - 1) : 0;
    return value != 0;
}

/* --- places of the input ---------------------------------------------------------------------- */

int pf_nyt_places_init(struct pf_nyt_places *places, struct pf_dict *dict)
{
    *places = (struct pf_nyt_places){
        .dict = dict,
        .fid_key = pf_dict_intern(dict, PF_BYTES("fid"), 0),
        .main_name = pf_dict_intern(dict, PF_BYTES("(main)"), 0),
        .unknown_name = pf_dict_intern(dict, PF_BYTES("[unknown]"), 0),
    };
    int files = files_init(&places->files),
        subs = pf_table_init(&places->subs, sizeof(struct pf_nyt_sub));
    int homes = pf_nyt_map_init(&places->homes), in_files = pf_nyt_map_init(&places->in_files);
    int xsubs = pf_nyt_map_init(&places->xsubs);
    return files || subs || homes || in_files || xsubs ? PF_NOMEM : PF_OK;
}

void pf_nyt_places_free(struct pf_nyt_places *places)
{
    files_free(&places->files);
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
    uint64_t *home = pf_nyt_map_entry(&places->homes, sub.name, 0),
             *in_file = pf_nyt_map_entry(&places->in_files, sub.name, sub.fid);
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
    bool new = marked &&*marked == 0;
    if (marked)
        *marked = 1;
    else
        places->failed = true;
    return new;
}

static uint32_t add_location(struct pf_nyt_places *places, const struct pf_function *function,
                             uint32_t line, enum pf_frame_kind kind)
{
    struct pf_location place = {.function = pf_dict_add_function(places->dict, function),
                                .line = line,
                                .kind = (uint16_t)kind};
    return pf_dict_add_location(places->dict, &place);
}

uint32_t pf_nyt_places_callee(struct pf_nyt_places *places, uint32_t name)
{
    const struct pf_nyt_sub *home = sub_row(places, pf_nyt_map_get(&places->homes, name, 0));
    bool known = home->name == name && name != 0,
         xsub = pf_nyt_map_get(&places->xsubs, name, 0) != 0;
    struct pf_function function = {.name = name ? name : places->unknown_name};
    if (name == 0)
        return add_location(places, &function, 0, PF_FRAME_PLAIN);
    if (xsub || (known && home->first == 0 && home->last == 0))
        return add_location(places, &function, 0, PF_FRAME_XSUB);
    if (known) {
        pf_nyt_files_name(&places->files, home->fid, &function.file);
        function.start_line = home->first;
    }
    return add_location(places, &function, 0, PF_FRAME_SUB);
}

uint32_t pf_nyt_places_caller(struct pf_nyt_places *places, uint32_t name, uint32_t fid,
                              uint32_t line)
{
    uint64_t id = pf_nyt_map_get(&places->in_files, name, fid);
    struct pf_function function = {.name = name, .start_line = sub_row(places, id)->first};
    bool file = pf_nyt_files_name(&places->files, fid, &function.file);
    return name == 0 && !file && line == 0 ? 0
                                           : add_location(places, &function, line, PF_FRAME_SUB);
}

uint32_t pf_nyt_places_label(struct pf_nyt_places *places, uint32_t fid)
{
    uint32_t name, owner;
    if (fid == 0 || (pf_nyt_files_name(&places->files, fid, &name) &&
                     pf_nyt_files_owner(&places->files, name, &owner) && owner == fid))
        return 0;
    return pf_dict_add_number(places->dict, 0, places->fid_key, fid, 0);
}

/* By file, first line, last line (outer subs first), then name. Names are compared as text: their
 * ids depend on earlier inputs. */
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
    return pf_sort(places->sorted, count, sizeof *places->sorted, compare_subs, places->dict) ==
           PF_OK;
}

/* False for subs in C, and for PACKAGE::RUNTIME, the code outside of all subs. */
static bool has_lines(const struct pf_nyt_places *places, const struct pf_nyt_sub *sub)
{
    static const struct pf_bytes RUNTIME = {"::RUNTIME", 9};
    struct pf_bytes name = pf_dict_string(places->dict, sub->name);
    return sub->last > 0 &&
           (name.size < RUNTIME.size ||
            memcmp(name.data + name.size - RUNTIME.size, RUNTIME.data, RUNTIME.size) != 0);
}

/* Finds the innermost sub around each line: walks through lines and subs in order with a stack of
 * open subs (`open`), the innermost last. */
static void place_lines(struct pf_nyt_places *places, const struct ordered *lines, size_t count,
                        size_t *open, uint32_t *locations)
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
        for (; next < places->sorted_count && places->sorted[next].fid == fid &&
               places->sorted[next].first <= lines[i].line;
             next++) {
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
        locations[lines[i].row] = add_location(places, &function, lines[i].line,
                                               depth > 0 ? PF_FRAME_SUB
                                               : subs    ? PF_FRAME_MAIN
                                                         : PF_FRAME_PLAIN);
    }
}

int pf_nyt_places_lines(struct pf_nyt_places *places, const struct pf_nyt_line *rows, size_t count,
                        uint32_t *locations)
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
        place_lines(places, lines, count, open, locations);
    }
    free(lines);
    free(open);
    return good ? PF_OK : PF_NOMEM;
}

/* --- file numbers of the output --------------------------------------------------------------- */

enum { EVAL = 0x100 };

int pf_nyt_numbers_init(struct pf_nyt_numbers *numbers)
{
    *numbers = (struct pf_nyt_numbers){.at = 1, .next = 1};
    struct pf_nyt_map *maps[] = {&numbers->ours, &numbers->known, &numbers->names, &numbers->used,
                                 &numbers->row_ids};
    int status = files_init(&numbers->input);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        status = pf_nyt_map_init(maps[k]) == PF_OK ? status : PF_NOMEM;
    return pf_table_init(&numbers->rows, sizeof(struct pf_nyt_file)) == PF_OK ? status : PF_NOMEM;
}

void pf_nyt_numbers_free(struct pf_nyt_numbers *numbers)
{
    struct pf_nyt_map *maps[] = {&numbers->ours, &numbers->known, &numbers->names, &numbers->used,
                                 &numbers->row_ids};
    files_free(&numbers->input);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        pf_nyt_map_free(maps[k]);
    pf_table_free(&numbers->rows);
}

void pf_nyt_numbers_restart(struct pf_nyt_numbers *numbers)
{
    files_free(&numbers->input);
    if (files_init(&numbers->input) != PF_OK)
        numbers->status = PF_NOMEM;
    numbers->at++;
}

static void put_number(struct pf_nyt_numbers *numbers, struct pf_nyt_map *map, uint32_t a,
                       uint32_t b, uint32_t fid)
{
    uint64_t *entry = pf_nyt_map_entry(map, a, b);
    if (entry)
        *entry = (uint64_t)fid + 1;
    else
        numbers->status = PF_NOMEM;
}

/* Two halves of the number, as in name_entry. */
static uint64_t *used_entry(struct pf_nyt_numbers *numbers, uint32_t fid)
{
    return pf_nyt_map_entry(&numbers->used, fid >> 1, fid & 1);
}

static bool is_used(const struct pf_nyt_numbers *numbers, uint32_t fid)
{
    return pf_nyt_map_get(&numbers->used, fid >> 1, fid & 1) != 0;
}

/* A free number of the output: `wanted` in the first input, so that its numbers stay, if it is
 * free. 0, and sets `status`: all numbers are used. */
static uint32_t new_number(struct pf_nyt_numbers *numbers, uint32_t wanted)
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
        ours = (uint64_t)new_number(numbers, fid) + 1;
        put_number(numbers, &numbers->ours, numbers->at, fid, (uint32_t)(ours - 1));
    }
    return (uint32_t)(ours - 1);
}

/* Finds the output's number of the same file in an earlier input. */
static bool find_same(struct pf_nyt_numbers *numbers, const struct pf_nyt_file *file, uint32_t *fid)
{
    bool plain = numbers->renamed || (file->eval_fid == 0 && !(file->flags & EVAL));
    uint32_t row = plain ? 0 : pf_table_find(&numbers->rows, file);
    uint64_t ours = plain ? pf_nyt_map_get(&numbers->names, file->name, 0)
                    : row ? pf_nyt_map_get(&numbers->row_ids, row, 0)
                          : 0;
    *fid = (uint32_t)(ours - 1);
    return ours != 0;
}

uint32_t pf_nyt_numbers_define(struct pf_nyt_numbers *numbers, uint32_t fid,
                               struct pf_nyt_file *file, bool renamed, bool *write)
{
    uint32_t ours;
    bool again = pf_nyt_map_get(&numbers->ours, numbers->at, fid) != 0;
    numbers->renamed |= renamed;
    file->eval_fid = pf_nyt_numbers_of(numbers, file->eval_fid);
    *write = again || (numbers->at == 1 && !numbers->renamed) || !find_same(numbers, file, &ours);
    if (*write)
        ours = again ? pf_nyt_numbers_of(numbers, fid) : new_number(numbers, fid);
    pf_nyt_files_define(&numbers->input, fid, file->name);
    if (numbers->input.failed)
        numbers->status = PF_NOMEM;
    put_number(numbers, &numbers->ours, numbers->at, fid, ours);
    put_number(numbers, &numbers->known, file->name, fid, ours);
    if (pf_nyt_map_get(&numbers->names, file->name, 0) == 0)
        put_number(numbers, &numbers->names, file->name, 0, ours);
    uint32_t row = pf_table_intern(&numbers->rows, file);
    if (numbers->rows.status != PF_OK)
        numbers->status = PF_NOMEM;
    if (row != 0 && pf_nyt_map_get(&numbers->row_ids, row, 0) == 0)
        put_number(numbers, &numbers->row_ids, row, 0, ours);
    return ours;
}

uint32_t pf_nyt_numbers_find(struct pf_nyt_numbers *numbers, uint32_t name, uint32_t label,
                             bool *write)
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
        if (pf_nyt_files_owner(&numbers->input, name, &fid) &&
            pf_nyt_files_name(&numbers->input, fid, &own) && own == name)
            return pf_nyt_numbers_of(numbers, fid);
        ours = pf_nyt_map_get(&numbers->names, name, 0);
    }
    if (ours != 0)
        return (uint32_t)(ours - 1);
    fid = new_number(numbers, numbers->next);
    put_number(numbers, &numbers->known, name, label, fid);
    if (pf_nyt_map_get(&numbers->names, name, 0) == 0)
        put_number(numbers, &numbers->names, name, 0, fid);
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

/* --- subs of the output ----------------------------------------------------------------------- */

struct defined {
    uint32_t name, file;
};

struct defined_row {
    uint32_t name, file, fid, first, last;
};

/* Marks in place of a file: the sub is written in C; the sub is defined in some file. */
#define IN_C     UINT32_MAX
#define ANYWHERE (UINT32_MAX - 1)

int pf_nyt_subs_init(struct pf_nyt_subs *subs)
{
    *subs = (struct pf_nyt_subs){0};
    int defined = pf_table_init(&subs->defined, sizeof(struct defined));
    return pf_table_init(&subs->rows, sizeof(struct defined_row)) == PF_OK ? defined : PF_NOMEM;
}

void pf_nyt_subs_free(struct pf_nyt_subs *subs)
{
    pf_table_free(&subs->defined);
    pf_table_free(&subs->rows);
    free(subs->seen);
}

bool pf_nyt_subs_define(struct pf_nyt_subs *subs, uint32_t name, uint32_t file, uint32_t fid,
                        uint32_t first, uint32_t last)
{
    uint32_t known = subs->rows.count;
    pf_table_intern(&subs->rows, &(struct defined_row){name, file, fid, first, last});
    pf_table_intern(&subs->defined, &(struct defined){name, file});
    pf_table_intern(&subs->defined, &(struct defined){name, ANYWHERE});
    if (first == 0 && last == 0)
        pf_nyt_subs_define_xsub(subs, name);
    subs->failed |= subs->rows.status != PF_OK || subs->defined.status != PF_OK;
    return subs->rows.count > known;
}

void pf_nyt_subs_define_xsub(struct pf_nyt_subs *subs, uint32_t name)
{
    pf_table_intern(&subs->defined, &(struct defined){name, IN_C});
    pf_table_intern(&subs->defined, &(struct defined){name, ANYWHERE});
}

void pf_nyt_subs_note(struct pf_nyt_subs *subs, const struct pf_dict *dict, uint32_t location,
                      bool guess)
{
    const struct pf_location *place = pf_dict_location(dict, location);
    if (place->function == 0)
        return;
    if (!pf_grow_zeroed(&subs->seen, &subs->count, &subs->capacity, (size_t)place->function + 1,
                        sizeof *subs->seen)) {
        subs->failed = true;
        return;
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

static bool is_defined(const struct pf_nyt_subs *subs, uint32_t name, uint32_t file)
{
    return pf_table_find(&subs->defined, &(struct defined){name, file}) != 0;
}

bool pf_nyt_subs_place(const struct pf_nyt_subs *subs, struct pf_dict *dict, size_t function,
                       struct pf_nyt_sub_place *place)
{
    const struct pf_nyt_seen *seen = &subs->seen[function];
    const struct pf_function *row = pf_dict_function(dict, (uint32_t)function);
    unsigned kind = pf_dict_location(dict, seen->location)->kind;
    uint32_t name = seen->location != 0 ? pf_nyt_sub_name(dict, seen->location) : 0;
    bool scope = kind == PF_FRAME_MAIN || kind == PF_FRAME_EVAL;
    if (name == 0 || (!seen->guess && scope) || (seen->guess && is_defined(subs, name, ANYWHERE)))
        return false;
    *place = (struct pf_nyt_sub_place){name, row->file, row->start_line, seen->last};
    if (kind == PF_FRAME_XSUB || (seen->guess && row->file == 0)) {
        place->first = place->last = 0;
        return !is_defined(subs, name, IN_C);
    }
    if (scope)
        place->first = place->last = 1;
    else if (place->first <= 0 && seen->guess)
        place->first = seen->first > 0 ? seen->first : 1;
    if (row->file == 0 || place->first <= 0 || is_defined(subs, name, row->file))
        return false;
    place->last = place->last > place->first ? place->last : place->first;
    return true;
}
