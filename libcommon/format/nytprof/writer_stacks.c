#include "format/nytprof/writer_stacks.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

void pf_nyt_stacks_free(struct pf_nyt_stacks *stacks)
{
    free(stacks->rows);
    *stacks = (struct pf_nyt_stacks){0};
}

static int too_big(struct pf_error *error)
{
    return pf_error_set(error, PF_OVERFLOW, "a sum over stacks leaves 64 bits");
}

int pf_nyt_stacks_add(struct pf_nyt_stacks *stacks, uint32_t stack, int64_t self, int64_t hits, struct pf_error *error)
{
    if (stack >= stacks->count) {
        if (!pf_grow(&stacks->rows, &stacks->capacity, (size_t)stack + 1, sizeof *stacks->rows))
            return pf_error_nomem(error);
        memset(stacks->rows + stacks->count, 0, (stack + 1 - stacks->count) * sizeof *stacks->rows);
        stacks->count = (size_t)stack + 1;
    }
    struct pf_nyt_stack *row = &stacks->rows[stack];
    row->used = true;
    return pf_add64(row->self, self, &row->self) && pf_add64(row->hits, hits, &row->hits) ? PF_OK : too_big(error);
}

/* Sums, and the lists of called stacks; callers have smaller ids. */
static bool add_up(struct pf_nyt_stacks *stacks, const struct pf_dict *dict)
{
    for (size_t k = stacks->count; k-- > 1;) {
        struct pf_nyt_stack *row = &stacks->rows[k];
        if (!row->used)
            continue;
        struct pf_nyt_stack *above = &stacks->rows[pf_dict_stack(dict, (uint32_t)k)->parent];
        if (!pf_add64(row->total, row->self, &row->total) || !pf_add64(above->total, row->total, &above->total))
            return false;
        above->used = true;
        row->next = above->first;
        above->first = (uint32_t)k;
    }
    return true;
}

/* Walks down and up, counting the functions that are open. */
static void count_recursion(struct pf_nyt_stacks *stacks, const struct pf_dict *dict, uint32_t *open)
{
    uint32_t at = stacks->rows[0].first;
    while (at != 0) {
        uint32_t function = pf_dict_location(dict, pf_dict_stack(dict, at)->location)->function;
        stacks->rows[at].recursion = open[function]++;
        if (stacks->rows[at].first != 0) {
            at = stacks->rows[at].first;
            continue;
        }
        for (;;) {
            open[pf_dict_location(dict, pf_dict_stack(dict, at)->location)->function]--;
            if (stacks->rows[at].next != 0) {
                at = stacks->rows[at].next;
                break;
            }
            at = pf_dict_stack(dict, at)->parent;
            if (at == 0)
                break;
        }
    }
}

int pf_nyt_stacks_settle(struct pf_nyt_stacks *stacks, const struct pf_dict *dict, struct pf_error *error)
{
    if (stacks->count == 0)
        return PF_OK;
    uint32_t *open = calloc(dict->functions.count, sizeof *open);
    if (!open)
        return pf_error_nomem(error);
    bool good = add_up(stacks, dict);
    if (good)
        count_recursion(stacks, dict, open);
    free(open);
    return good ? PF_OK : too_big(error);
}
