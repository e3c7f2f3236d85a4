#include "analysis/names/evals.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/scan.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

static const struct pf_bytes HEAD = {"(eval ", 6};

enum { NESTING_MAX = 64 };

/* The first `(eval N)[PLACE]` in a name; the brackets of PLACE match. */
struct eval {
    size_t start, place, end; /* offsets of `(`, after `[`, and after the last `]` */
};

static bool parse_at(struct pf_bytes name, size_t at, struct eval *eval)
{
    unsigned open = 1;
    size_t i = at + HEAD.size;

    eval->start = at;
    i += pf_scan_digits(pf_bytes_skip(name, i));
    if (i == at + HEAD.size || i + 1 >= name.size || name.data[i] != ')' || name.data[i + 1] != '[')
        return false;
    eval->place = i += 2;
    for (; i < name.size && open > 0; i++)
        open += name.data[i] == '[' ? 1u : name.data[i] == ']' ? -1u : 0u;
    eval->end = i;
    return open == 0;
}

static bool find_eval(struct pf_bytes name, struct eval *eval)
{
    for (size_t at = 0; at + HEAD.size < name.size; at++)
        if (memcmp(name.data + at, HEAD.data, HEAD.size) == 0 && parse_at(name, at, eval))
            return true;
    return false;
}

static bool is_eval(struct pf_bytes name, struct eval *eval)
{
    return find_eval(name, eval) && eval->start == 0 && eval->end == name.size;
}

/* --- names ------------------------------------------------------------------------------------ */

static uint32_t rename_at(const struct pf_merge_evals *evals, struct pf_dict *dict, uint32_t name,
                          unsigned depth);

/* Renames the part of a name from `from` to `to`. */
static uint32_t replace(const struct pf_merge_evals *evals, struct pf_dict *dict, uint32_t name,
                        size_t from, size_t to, unsigned depth)
{
    struct pf_bytes text = pf_dict_string(dict, name);
    unsigned flags = dict->strings.rows[name].flags;
    uint32_t part = pf_dict_intern(dict, (struct pf_bytes){text.data + from, to - from}, flags);
    uint32_t now = rename_at(evals, dict, part, depth + 1);
    struct pf_bytes middle = pf_dict_string(dict, now);
    struct pf_buffer whole = {0};

    if (now == part)
        return name;
    pf_buffer_append(&whole, text.data, from);
    pf_buffer_append(&whole, middle.data, middle.size);
    pf_buffer_append(&whole, text.data + to, text.size - to);
    name = whole.failed ? 0
                        : pf_dict_intern(dict, (struct pf_bytes){whole.data, whole.size}, flags);
    if (whole.failed)
        dict->strings.status = PF_NOMEM;
    pf_buffer_free(&whole);
    return name;
}

static uint32_t rename_at(const struct pf_merge_evals *evals, struct pf_dict *dict, uint32_t name,
                          unsigned depth)
{
    struct pf_bytes text = pf_dict_string(dict, name);
    struct eval eval;
    uint32_t to;

    if (pf_id_map_get(&evals->names, name, &to))
        return to;
    if (depth == NESTING_MAX || !find_eval(text, &eval))
        return name;
    if (eval.start == 0 && eval.end == text.size)
        return replace(evals, dict, name, eval.place, eval.end - 1, depth);
    return replace(evals, dict, name, eval.start, eval.end, depth);
}

uint32_t pf_merge_evals_name(const struct pf_merge_evals *evals, struct pf_dict *dict,
                             uint32_t name)
{
    return rename_at(evals, dict, name, 0);
}

/* --- texts ------------------------------------------------------------------------------------ */

struct candidate {
    uint32_t name;    /* string id in the dictionary */
    unsigned nesting; /* number of evals nested in the name */
    bool has_text;    /* some line is not empty */
    uint64_t text;    /* sum of the hashes of its lines */
};

static uint64_t hash_line(const struct pf_merge_texts *texts, const struct pf_merge_text *row)
{
    struct pf_bytes text = pf_strings_bytes(&texts->strings, row->text);

    return pf_hash_mix(pf_xxh64(text.data, text.size) + row->line * UINT64_C(0x9e3779b97f4a7c15));
}

static unsigned nesting(struct pf_bytes name)
{
    struct eval eval;
    unsigned depth = 0;

    for (; find_eval(name, &eval); depth++)
        name = (struct pf_bytes){name.data + eval.place, eval.end - 1 - eval.place};
    return depth;
}

/* Lists the evals that have texts in *list, each name once. The caller frees *list. */
static int collect(const struct pf_merge_texts *texts, struct pf_dict *dict,
                   struct candidate **list, size_t *count)
{
    struct pf_id_map index = {0};
    size_t capacity = 0;
    bool good = true;

    for (uint32_t id = 1; good && texts->ready && id < texts->rows.count; id++) {
        const struct pf_merge_text *row = pf_table_row(&texts->rows, id);
        struct pf_bytes name = pf_strings_bytes(&texts->strings, row->name);
        struct eval eval;
        uint32_t at;

        if (!is_eval(name, &eval))
            continue;
        if (!pf_id_map_get(&index, row->name, &at)) {
            at = (uint32_t)*count;
            good = pf_grow(list, &capacity, *count + 1, sizeof **list) &&
                   pf_id_map_put(&index, row->name, at);
            if (!good)
                break;
            (*list)[(*count)++] = (struct candidate){
                .name = pf_dict_intern(dict, name, texts->strings.rows[row->name].flags),
                .nesting = nesting(name)};
        }
        (*list)[at].has_text |= row->text != 0;
        (*list)[at].text += hash_line(texts, row);
    }
    pf_id_map_free(&index);
    return good && pf_dict_status(dict) == PF_OK ? PF_OK : PF_NOMEM;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->nesting != y->nesting)
        return x->nesting < y->nesting ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

struct group_key {
    uint32_t place, reserved;
    uint64_t text;
};

/* The shorter name is the lesser, because it has the smaller number. */
static bool name_before(const struct pf_dict *dict, uint32_t a, uint32_t b)
{
    struct pf_bytes x = pf_dict_string(dict, a), y = pf_dict_string(dict, b);

    return x.size != y.size ? x.size < y.size : pf_bytes_compare(x, y) < 0;
}

/* Joins evals of one nesting depth, after those of lesser depth, so that their places have final
 * names: finds the least name of each group and maps the other names to it. */
static int join(struct pf_merge_evals *evals, struct pf_dict *dict, const struct candidate *list,
                size_t count)
{
    struct pf_table groups;
    uint32_t *least = calloc(count + 1, sizeof *least),
             *names = malloc((count + 1) * sizeof *names);
    uint32_t *of = malloc((count + 1) * sizeof *of);
    int status = pf_table_init(&groups, sizeof(struct group_key));

    if (!least || !names || !of)
        status = PF_NOMEM;
    for (size_t k = 0; status == PF_OK && k < count; k++) {
        struct eval eval = {0};

        names[k] = pf_merge_evals_name(evals, dict, list[k].name);
        struct pf_bytes text = pf_dict_string(dict, names[k]);

        find_eval(text, &eval);
        struct group_key key = {
            pf_dict_intern(dict, (struct pf_bytes){text.data + eval.place, text.size - eval.place},
                           0),
            0, list[k].has_text ? list[k].text : 0};

        of[k] = list[k].has_text ? pf_table_intern(&groups, &key) : 0;
        if (of[k] != 0 && (least[of[k]] == 0 || name_before(dict, names[k], least[of[k]])))
            least[of[k]] = names[k];
    }
    for (size_t k = 0; status == PF_OK && k < count; k++) {
        uint32_t to = of[k] != 0 ? least[of[k]] : names[k];

        if (to != list[k].name && !pf_id_map_put(&evals->names, list[k].name, to))
            status = PF_NOMEM;
        evals->count += to != list[k].name;
    }
    if (status == PF_OK)
        status = groups.status == PF_OK ? pf_dict_status(dict) : groups.status;
    free(least);
    free(names);
    free(of);
    pf_table_free(&groups);
    return status;
}

int pf_merge_evals_take(struct pf_merge_texts *texts, const struct pf_batch *batch)
{
    struct eval eval;
    int status = PF_OK;

    for (uint32_t i = 0; batch->kind == PF_TEXT && i < batch->rows && status == PF_OK; i++)
        if (is_eval(batch->texts[i].name, &eval))
            status = pf_merge_texts_add(
                texts, &(struct pf_batch){.kind = PF_TEXT, .rows = 1, .texts = &batch->texts[i]});
    return status;
}

int pf_merge_evals_find(struct pf_merge_evals *evals, struct pf_dict *dict,
                        const struct pf_merge_texts *texts)
{
    struct candidate *list = NULL;
    size_t count = 0;

    *evals = (struct pf_merge_evals){0};
    int status = collect(texts, dict, &list, &count);

    if (count > 0)
        qsort(list, count, sizeof *list, compare_candidates);
    for (size_t first = 0, next; status == PF_OK && first < count; first = next) {
        for (next = first; next < count && list[next].nesting == list[first].nesting;)
            next++;
        status = join(evals, dict, list + first, next - first);
    }
    free(list);
    return status;
}

void pf_merge_evals_free(struct pf_merge_evals *evals)
{
    pf_id_map_free(&evals->names);
}

int pf_merge_evals_texts(const struct pf_merge_evals *evals, struct pf_dict *dict,
                         struct pf_merge_texts *texts)
{
    struct pf_merge_texts renamed = {0};
    int status = PF_OK;

    for (uint32_t id = 1; status == PF_OK && evals->count > 0 && id < texts->rows.count; id++) {
        struct pf_text text = pf_merge_texts_row(texts, id);
        uint32_t name =
            pf_merge_evals_name(evals, dict, pf_dict_intern(dict, text.name, text.name_flags));
        struct pf_batch batch = {.kind = PF_TEXT, .rows = 1, .texts = &text};

        text.name = pf_dict_string(dict, name);
        text.name_flags = dict->strings.rows[name].flags;
        status = pf_dict_status(dict) == PF_OK ? pf_merge_texts_add(&renamed, &batch) : PF_NOMEM;
    }
    if (evals->count > 0 && status == PF_OK) {
        pf_merge_texts_free(texts);
        *texts = renamed;
    } else {
        pf_merge_texts_free(&renamed);
    }
    return status;
}
