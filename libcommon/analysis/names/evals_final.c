/* The second half of names/evals.h: after the last input. */
#include "analysis/names/eval_name.h"
#include "analysis/names/evals.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Evals with equal keys are the same. `place` is a string: the place, the name, or 0. */
struct group_key {
    uint32_t place, has_text;
    uint64_t text;
};

/* Evals that are the same. Labels stand for groups in the places of the evals inside them, so that
 * names can be compared before the names of the evals around them are known. */
struct group {
    bool has_text;
    uint64_t text;
    uint32_t best;   /* the eval whose name the group gets */
    uint32_t name;   /* string: this name with labels, without ` #K` if there is a text */
    unsigned number; /* K of ` #K`; 0: none */
    uint32_t label;  /* string; 0: not made yet */
    uint32_t final;  /* string; 0: not made yet */
    bool busy;       /* the final name is being made */
};

struct finder {
    struct pf_evals *evals;
    bool single;
    struct pf_table keys; /* struct group_key */
    struct group *groups; /* by row of `keys`; row 0 is unused */
    size_t capacity;
    struct pf_id_map named; /* from a name with labels to the group with a text */
    struct pf_id_map bare;  /* from a name with labels to the group without a text */
    bool any_bare;          /* some evals have no text */
    uint64_t *order;        /* evals by nesting: nesting and rank, then 32 bits of the number */
};

enum { SEVERAL = UINT32_MAX - 1 }; /* in `named`: several groups */

/* --- names with labels ------------------------------------------------------------------------ */

static uint32_t label_of(struct finder *finder, struct group *group)
{
    struct pf_buffer text = {0};

    if (group->label == 0 && group->has_text) {
        pf_buffer_printf(&text, "\1%016llx %u\1", (unsigned long long)group->text,
                         finder->single || finder->evals->apart ? group->name : 0);
        group->label = pf_dict_intern_buffer(finder->evals->dict, &text, 0);
    } else if (group->label == 0) {
        group->label = group->name;
    }
    return group->label;
}

/* The group of the eval that has a name in batches. NULL: no eval has it. */
static struct group *group_at(const struct finder *finder, uint32_t eval)
{
    uint32_t number = pf_evals_owner(finder->evals, eval);

    return number != 0 && finder->evals->rows[number].group != 0
               ? &finder->groups[finder->evals->rows[number].group]
               : NULL;
}

static uint32_t label_now(void *arg, uint32_t eval)
{
    struct group *group = group_at(arg, eval);

    return group ? label_of(arg, group) : eval;
}

/* The part of an eval's name that its final name keeps. If the eval has a text, ` #K` is cut. */
static struct pf_eval_part kept_part(const struct finder *finder, uint32_t raw, bool has_text)
{
    struct pf_eval_name eval;

    pf_eval_name_is(pf_dict_string(finder->evals->dict, raw), &eval);
    return (struct pf_eval_part){eval.place, eval.place_end, has_text ? eval.bare_end : eval.end};
}

/* The name of an eval with labels for the evals around it; *place: its place alone. */
static uint32_t labelled(struct finder *finder, const struct pf_eval *row, uint32_t *place)
{
    struct pf_dict *dict = finder->evals->dict;
    struct pf_buffer text = {0};

    *place = 0;
    if (row->simple && !finder->single)
        return row->raw;
    struct pf_eval_part part = kept_part(finder, row->raw, row->has_text);

    if (pf_eval_name_replace(dict, row->raw, part, label_now, finder, &text) && finder->single)
        *place = pf_dict_intern(
            dict,
            (struct pf_bytes){text.data + part.from, text.size - part.from - (part.end - part.to)},
            0);
    return pf_dict_intern_buffer(dict, &text, dict->strings.rows[row->raw].flags);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* True if name `a` is before `b`: by number, then by length, then by bytes. */
static bool name_before(const struct finder *finder, uint32_t a, uint32_t b)
{
    struct pf_bytes x = pf_dict_string(finder->evals->dict, a),
                    y = pf_dict_string(finder->evals->dict, b);
    struct pf_eval_name of_x, of_y;

    pf_eval_name_is(x, &of_x);
    pf_eval_name_is(y, &of_y);
    if (of_x.number_end != of_y.number_end)
        return of_x.number_end < of_y.number_end;

    int order = memcmp(x.data, y.data, of_x.number_end);

    if (order != 0)
        return order < 0;
    return x.size != y.size ? x.size < y.size : pf_bytes_compare(x, y) < 0;
}

/* The group of a key; a new group has no best eval yet: *isnew. 0: out of memory. */
static uint32_t group_of(struct finder *finder, const struct group_key *key, bool *isnew)
{
    uint32_t count = finder->keys.count, id = pf_table_intern(&finder->keys, key);

    *isnew = id == count;
    if (id == 0 ||
        !pf_grow(&finder->groups, &finder->capacity, (size_t)id + 1, sizeof *finder->groups)) {
        finder->evals->status = PF_NOMEM;
        return 0;
    }
    if (*isnew)
        finder->groups[id] = (struct group){.has_text = key->has_text == 2, .text = key->text};
    return id;
}

static void put_id(struct finder *finder, struct pf_id_map *map, uint32_t from, uint32_t to)
{
    if (!pf_id_map_put(map, from, to))
        finder->evals->status = PF_NOMEM;
}

static void put_in_group(struct finder *finder, uint32_t number)
{
    struct pf_evals *evals = finder->evals;
    struct pf_eval *row = &evals->rows[number];
    uint32_t place, name = labelled(finder, row, &place), group, other;
    struct group_key key = {.has_text = row->has_text + 1u, .text = row->text};
    bool isnew;

    if (evals->status != PF_OK)
        return;
    if (!row->has_text && evals->names_win && pf_id_map_get(&finder->named, name, &group) &&
        group != SEVERAL) {
        row->group = group;
        evals->bare++;
        return;
    }
    key.place = !row->has_text || evals->apart ? name : place;
    if ((group = row->group = group_of(finder, &key, &isnew)) == 0)
        return;
    if (isnew || name_before(finder, name, finder->groups[group].name)) {
        finder->groups[group].best = number;
        finder->groups[group].name = name;
    }
    if (row->has_text && finder->any_bare)
        put_id(finder, &finder->named, name,
               pf_id_map_get(&finder->named, name, &other) && other != group ? SEVERAL : group);
    if (!row->has_text)
        put_id(finder, &finder->bare, name, group);
    evals->bare += !row->has_text && row->inputs > 1;
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sorts the evals by nesting: an eval comes after the evals around it. With names_win evals with a
 * text come before others of the same nesting. */
static bool order_evals(struct finder *finder)
{
    const struct pf_evals *evals = finder->evals;

    finder->order = malloc(evals->count * sizeof *finder->order);
    for (size_t k = 1; finder->order && k < evals->count; k++) {
        const struct pf_eval *row = &evals->rows[k];
        uint64_t nesting =
            row->simple ? 1 : pf_eval_name_nesting(pf_dict_string(evals->dict, row->raw));

        finder->any_bare |= !row->has_text;
        finder->order[k - 1] = (2 * nesting + (!row->has_text && evals->names_win)) << 32 | k;
    }
    if (finder->order)
        qsort(finder->order, evals->count - 1, sizeof *finder->order, compare_places);
    return finder->order;
}

/* --- final names ------------------------------------------------------------------------------ */

struct rank {
    uint32_t name, group;
    bool has_text;
    uint64_t text;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->has_text != y->has_text)
        return x->has_text ? 1 : -1;
    return (x->text > y->text) - (x->text < y->text);
}

/* True if an eval without a text has the name ` #number` added to `name`. */
static bool is_taken(struct finder *finder, uint32_t name, unsigned number)
{
    struct pf_dict *dict = finder->evals->dict;
    struct pf_bytes bytes = pf_dict_string(dict, name);
    struct pf_buffer text = {0};
    uint32_t group, numbered;

    pf_buffer_append(&text, bytes.data, bytes.size);
    pf_buffer_printf(&text, " #%u", number);
    numbered = pf_dict_intern_buffer(dict, &text, dict->strings.rows[name].flags);
    return pf_id_map_get(&finder->bare, numbered, &group);
}

/* Lists the groups that have the same name as other groups. */
static size_t list_ranks(struct finder *finder, struct rank *ranks)
{
    struct pf_id_map of = {0}; /* the first group with a name; 0: listed */
    size_t count = 0;

    for (uint32_t k = 1; k < finder->keys.count; k++) {
        const struct group *group = &finder->groups[k];
        uint32_t first;

        if (!pf_id_map_get(&of, group->name, &first)) {
            put_id(finder, &of, group->name, k);
            continue;
        }
        if (first != 0)
            ranks[count++] = (struct rank){group->name, first, finder->groups[first].has_text,
                                           finder->groups[first].text};
        put_id(finder, &of, group->name, 0);
        ranks[count++] = (struct rank){group->name, k, group->has_text, group->text};
    }
    pf_id_map_free(&of);
    return count;
}

/* Numbers the groups that have the same name. */
static int number_groups(struct finder *finder)
{
    struct rank *ranks = malloc((finder->keys.count + 1) * sizeof *ranks);
    size_t count = ranks ? list_ranks(finder, ranks) : 0;
    unsigned number = 0;

    if (!ranks)
        return PF_NOMEM;
    if (count > 1)
        qsort(ranks, count, sizeof *ranks, compare_ranks);
    for (size_t k = 1; k < count; k++) {
        number = ranks[k].name != ranks[k - 1].name ? 0 : number > 0 ? number + 1 : 2;
        while (number > 0 && is_taken(finder, ranks[k].name, number))
            number++;
        finder->groups[ranks[k].group].number = number;
    }
    free(ranks);
    return finder->evals->status;
}

static uint32_t final_of(struct finder *finder, struct group *group);

static uint32_t final_now(void *arg, uint32_t eval)
{
    struct group *group = group_at(arg, eval);
    uint32_t final = group ? final_of(arg, group) : 0;

    return final != 0 ? final : eval;
}

/* The final name of a group. 0: the name is being made, because a damaged profile has evals inside
 * each other. */
static uint32_t final_of(struct finder *finder, struct group *group)
{
    const struct pf_eval *best = &finder->evals->rows[group->best];
    struct pf_dict *dict = finder->evals->dict;
    struct pf_buffer text = {0};

    if (group->final == 0 && best->simple && group->number == 0)
        group->final = best->raw;
    if (group->final != 0 || group->busy)
        return group->final;
    group->busy = true;
    pf_eval_name_replace(dict, best->raw, kept_part(finder, best->raw, group->has_text), final_now,
                         finder, &text);
    if (group->number > 0)
        pf_buffer_printf(&text, " #%u", group->number);
    group->final = pf_dict_intern_buffer(dict, &text, dict->strings.rows[best->raw].flags);
    group->busy = false;
    return group->final;
}

static int find_groups(struct finder *finder)
{
    struct pf_evals *evals = finder->evals;
    int status;

    if (!order_evals(finder) || pf_table_init(&finder->keys, sizeof(struct group_key)) != PF_OK)
        return PF_NOMEM;
    for (size_t k = 0; evals->status == PF_OK && k + 1 < evals->count; k++)
        put_in_group(finder, (uint32_t)finder->order[k]);
    status = evals->status == PF_OK ? number_groups(finder) : evals->status;
    for (size_t k = 1; status == PF_OK && k < evals->count; k++) {
        const struct pf_eval *row = &evals->rows[k];
        uint32_t final = final_of(finder, &finder->groups[row->group]);

        if (final != row->string)
            put_id(finder, &evals->names, row->string, final);
        evals->renamed += final != row->string;
        status = evals->status;
    }
    return status == PF_OK ? pf_dict_status(evals->dict) : status;
}

/* True if no two evals have the same text: then, if no two evals have the same name, all names are
 * final. Also sets evals->bare. */
static bool all_differ(struct pf_evals *evals)
{
    struct pf_table texts;
    size_t bare = 0;
    bool differ = pf_table_init(&texts, sizeof evals->rows->text) == PF_OK;

    for (size_t k = 1; differ && k < evals->count; k++) {
        const struct pf_eval *row = &evals->rows[k];
        uint32_t next = texts.count;

        bare += !row->has_text && row->inputs > 1;
        differ = !row->has_text || pf_table_intern(&texts, &row->text) == next;
    }
    if (differ)
        evals->bare = bare;
    pf_table_free(&texts);
    return differ;
}

int pf_evals_find(struct pf_evals *evals, bool single)
{
    struct finder finder = {.evals = evals, .single = single};
    int status = evals->status;

    if (status == PF_OK && evals->count > 1 && !(evals->plain && all_differ(evals)))
        status = find_groups(&finder);
    pf_table_free(&finder.keys);
    free(finder.groups);
    free(finder.order);
    pf_id_map_free(&finder.named);
    pf_id_map_free(&finder.bare);
    return evals->status = status;
}

/* --- renaming --------------------------------------------------------------------------------- */

struct rename {
    const struct pf_evals *evals;
    unsigned depth;
};

static uint32_t renamed(struct rename *rename, uint32_t name);

static uint32_t rename_now(void *arg, uint32_t eval)
{
    struct rename *rename = arg;
    uint32_t to;

    if (pf_id_map_get(&rename->evals->names, eval, &to))
        return to;
    return pf_evals_owner(rename->evals, eval) != 0 ? eval : renamed(rename, eval);
}

/* Renames the evals in a name; in a name that is an eval, those around it. */
static uint32_t renamed(struct rename *rename, uint32_t name)
{
    struct pf_dict *dict = rename->evals->dict;
    struct pf_bytes text = pf_dict_string(dict, name);
    struct pf_eval_part part = {0, text.size, text.size};
    struct pf_eval_name eval;
    struct pf_buffer whole = {0};

    if (!pf_eval_name_find(text, 0, &eval) || rename->depth > 64)
        return name;
    if (eval.end - eval.start == text.size)
        part = (struct pf_eval_part){eval.place, eval.place_end, text.size};
    rename->depth++;
    pf_eval_name_replace(dict, name, part, rename_now, rename, &whole);
    rename->depth--;
    return pf_dict_intern_buffer(dict, &whole, dict->strings.rows[name].flags);
}

uint32_t pf_evals_name(const struct pf_evals *evals, uint32_t name)
{
    struct rename rename = {evals, 0};
    uint32_t to;

    if (evals->renamed == 0 || name == 0)
        return name;
    return pf_id_map_get(&evals->names, name, &to) ? to : renamed(&rename, name);
}

int pf_evals_rename(const struct pf_evals *evals)
{
    struct pf_dict *dict = evals->dict;
    struct pf_function *rows = (struct pf_function *)dict->functions.rows;

    for (uint32_t k = 1; evals->renamed > 0 && k < dict->functions.count; k++) {
        rows[k].name = pf_evals_name(evals, rows[k].name);
        rows[k].system_name = pf_evals_name(evals, rows[k].system_name);
        rows[k].file = pf_evals_name(evals, rows[k].file);
    }
    return pf_dict_status(dict);
}

int pf_evals_texts(const struct pf_evals *evals, struct pf_merge_texts *texts)
{
    struct pf_dict *dict = evals->dict;
    struct pf_merge_texts renamed = {0};
    int status = PF_OK;

    if (evals->renamed == 0)
        return PF_OK;
    for (uint32_t id = 1; status == PF_OK && id < texts->rows.count; id++) {
        struct pf_text text = pf_merge_texts_row(texts, id);
        uint32_t name = pf_evals_name(evals, pf_dict_intern(dict, text.name, text.name_flags));
        struct pf_batch batch = {.kind = PF_TEXT, .rows = 1, .texts = &text};

        text.name = pf_dict_string(dict, name);
        text.name_flags = dict->strings.rows[name].flags;
        status = pf_dict_status(dict) == PF_OK ? pf_merge_texts_add(&renamed, &batch) : PF_NOMEM;
    }
    if (status == PF_OK) {
        pf_merge_texts_free(texts);
        *texts = renamed;
    } else {
        pf_merge_texts_free(&renamed);
    }
    return status;
}
