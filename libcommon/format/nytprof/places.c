/* Files, subs and lines: from the numbers of an input to locations, and back to the numbers of an
 * output. */
#include "format/nytprof/places.h"

#include "analysis/sum/sort.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- files ------------------------------------------------------------------------------------ */

static void files_free(struct pf_nyt_files *files)
{
    pf_pair_map_free(&files->names);
    pf_pair_map_free(&files->owners);
}

/* The number that owns a name. False: no number has this name. */
static bool find_owner(const struct pf_nyt_files *files, uint32_t name, uint32_t *fid)
{
    uint32_t now;
    return pf_pair_map_get(&files->owners, name, 0, fid) && pf_nyt_files_name(files, *fid, &now) &&
           now == name;
}

void pf_nyt_files_define(struct pf_nyt_files *files, uint32_t fid, uint32_t name)
{
    uint32_t owner;
    bool kept = pf_pair_map_put(&files->names, fid, 0, name);
    if (!find_owner(files, name, &owner))
        kept &= pf_pair_map_put(&files->owners, name, 0, fid);
    files->failed |= !kept;
}

bool pf_nyt_files_name(const struct pf_nyt_files *files, uint32_t fid, uint32_t *name)
{
    *name = 0;
    return pf_pair_map_get(&files->names, fid, 0, name);
}

bool pf_nyt_files_owns(const struct pf_nyt_files *files, uint32_t fid)
{
    uint32_t name, owner;
    return pf_nyt_files_name(files, fid, &name) &&
           pf_pair_map_get(&files->owners, name, 0, &owner) && owner == fid;
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
    return pf_table_init(&places->subs, sizeof(struct pf_nyt_sub));
}

void pf_nyt_places_free(struct pf_nyt_places *places)
{
    files_free(&places->files);
    pf_table_free(&places->subs);
    pf_pair_map_free(&places->homes);
    pf_pair_map_free(&places->in_files);
    pf_pair_map_free(&places->xsubs);
    free(places->sorted);
}

/* The sub that a map has for a name and a number; a row of zeros if the map has none. */
static const struct pf_nyt_sub *find_sub(const struct pf_nyt_places *places,
                                         const struct pf_pair_map *map, uint32_t name, uint32_t fid)
{
    uint32_t id = 0;
    pf_pair_map_get(map, name, fid, &id);
    return pf_table_row(&places->subs, id);
}

bool pf_nyt_places_add_sub(struct pf_nyt_places *places, struct pf_nyt_sub sub)
{
    uint32_t known = places->subs.count, id = pf_table_intern(&places->subs, &sub);
    places->failed |= places->subs.status != PF_OK;
    if (id == 0)
        return false;
    uint32_t home;
    bool kept = pf_pair_map_put(&places->in_files, sub.name, sub.fid, id);
    if (!pf_pair_map_get(&places->homes, sub.name, 0, &home) ||
        sub.fid <= find_sub(places, &places->homes, sub.name, 0)->fid)
        kept &= pf_pair_map_put(&places->homes, sub.name, 0, id);
    places->failed |= !kept;
    return kept && places->subs.count > known;
}

bool pf_nyt_places_add_xsub(struct pf_nyt_places *places, uint32_t name)
{
    uint32_t marked;
    if (pf_pair_map_get(&places->xsubs, name, 0, &marked))
        return false;
    bool kept = pf_pair_map_put(&places->xsubs, name, 0, 1);
    places->failed |= !kept;
    return kept;
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
    const struct pf_nyt_sub *home = find_sub(places, &places->homes, name, 0);
    uint32_t marked;
    bool known = home->name == name && name != 0,
         xsub = pf_pair_map_get(&places->xsubs, name, 0, &marked);
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
    struct pf_function function = {
        .name = name, .start_line = find_sub(places, &places->in_files, name, fid)->first};
    bool file = pf_nyt_files_name(&places->files, fid, &function.file);
    return name == 0 && !file && line == 0 ? 0
                                           : add_location(places, &function, line, PF_FRAME_SUB);
}

uint32_t pf_nyt_places_label(struct pf_nyt_places *places, uint32_t fid)
{
    if (fid == 0 || pf_nyt_files_owns(&places->files, fid))
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
        places->sorted[i] =
            *(const struct pf_nyt_sub *)pf_table_row(&places->subs, (uint32_t)i + 1);
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
    return pf_table_init(&numbers->rows, sizeof(struct pf_nyt_file));
}

void pf_nyt_numbers_free(struct pf_nyt_numbers *numbers)
{
    files_free(&numbers->input);
    pf_pair_map_free(&numbers->ours);
    pf_pair_map_free(&numbers->known);
    pf_pair_map_free(&numbers->names);
    pf_pair_map_free(&numbers->used);
    pf_pair_map_free(&numbers->of_row);
    pf_table_free(&numbers->rows);
}

void pf_nyt_numbers_restart(struct pf_nyt_numbers *numbers)
{
    files_free(&numbers->input);
    numbers->at++;
}

static void put_number(struct pf_nyt_numbers *numbers, struct pf_pair_map *map, uint32_t a,
                       uint32_t b, uint32_t fid)
{
    if (!pf_pair_map_put(map, a, b, fid))
        numbers->status = PF_NOMEM;
}

/* The same, unless the map has the pair. */
static void put_first(struct pf_nyt_numbers *numbers, struct pf_pair_map *map, uint32_t a,
                      uint32_t fid)
{
    uint32_t known;
    if (!pf_pair_map_get(map, a, 0, &known))
        put_number(numbers, map, a, 0, fid);
}

/* A free number of the output. The first input keeps its numbers: `wanted`, if it is free. 0, and
 * sets `status`: all numbers are used. */
static uint32_t new_number(struct pf_nyt_numbers *numbers, uint32_t wanted)
{
    bool keeps = numbers->at == 1 && !numbers->renamed;
    uint32_t texts,
        fid = keeps && !pf_pair_map_get(&numbers->used, wanted, 0, &texts) ? wanted : numbers->next;
    if (numbers->next == UINT32_MAX && fid == UINT32_MAX) {
        numbers->status = numbers->status == PF_OK ? PF_USAGE : numbers->status;
        return 0;
    }
    put_number(numbers, &numbers->used, fid, 0, 0);
    if (fid >= numbers->next)
        numbers->next = fid < UINT32_MAX ? fid + 1 : UINT32_MAX;
    return fid;
}

uint32_t pf_nyt_numbers_of(struct pf_nyt_numbers *numbers, uint32_t fid)
{
    uint32_t ours = 0;
    if (fid != 0 && !pf_pair_map_get(&numbers->ours, numbers->at, fid, &ours)) {
        ours = new_number(numbers, fid);
        put_number(numbers, &numbers->ours, numbers->at, fid, ours);
    }
    return ours;
}

/* Finds the output's number of the same file in an earlier input. */
static bool find_same(struct pf_nyt_numbers *numbers, const struct pf_nyt_file *file, uint32_t *fid)
{
    if (numbers->renamed || (file->eval_fid == 0 && !(file->flags & EVAL)))
        return pf_pair_map_get(&numbers->names, file->name, 0, fid);
    return pf_pair_map_get(&numbers->of_row, pf_table_find(&numbers->rows, file), 0, fid);
}

uint32_t pf_nyt_numbers_define(struct pf_nyt_numbers *numbers, uint32_t fid,
                               struct pf_nyt_file *file, bool renamed, bool *write)
{
    uint32_t ours;
    bool again = pf_pair_map_get(&numbers->ours, numbers->at, fid, &ours);
    numbers->renamed |= renamed;
    file->eval_fid = pf_nyt_numbers_of(numbers, file->eval_fid);
    *write = again || (numbers->at == 1 && !numbers->renamed) || !find_same(numbers, file, &ours);
    if (*write && !again)
        ours = new_number(numbers, fid);
    pf_nyt_files_define(&numbers->input, fid, file->name);
    if (numbers->input.failed)
        numbers->status = PF_NOMEM;
    put_number(numbers, &numbers->ours, numbers->at, fid, ours);
    put_number(numbers, &numbers->known, file->name, fid, ours);
    put_first(numbers, &numbers->names, file->name, ours);
    uint32_t row = pf_table_intern(&numbers->rows, file);
    if (numbers->rows.status != PF_OK)
        numbers->status = PF_NOMEM;
    if (row != 0)
        put_first(numbers, &numbers->of_row, row, ours);
    return ours;
}

uint32_t pf_nyt_numbers_find(struct pf_nyt_numbers *numbers, uint32_t name, uint32_t label,
                             bool *write)
{
    uint32_t own, fid;
    *write = false;
    if (label != 0) {
        if (pf_nyt_files_name(&numbers->input, label, &own) ? own == name : name == 0)
            return pf_nyt_numbers_of(numbers, label);
        if (pf_pair_map_get(&numbers->known, name, label, &fid))
            return fid;
    } else {
        if (name == 0)
            return 0;
        if (find_owner(&numbers->input, name, &fid))
            return pf_nyt_numbers_of(numbers, fid);
        if (pf_pair_map_get(&numbers->names, name, 0, &fid))
            return fid;
    }
    fid = new_number(numbers, numbers->next);
    put_number(numbers, &numbers->known, name, label, fid);
    put_first(numbers, &numbers->names, name, fid);
    *write = true;
    return fid;
}

bool pf_nyt_numbers_text(struct pf_nyt_numbers *numbers, uint32_t fid)
{
    uint32_t from = 0;
    if (pf_pair_map_get(&numbers->used, fid, 0, &from) && from != 0)
        return from == numbers->at;
    put_number(numbers, &numbers->used, fid, 0, numbers->at);
    return numbers->status == PF_OK;
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
