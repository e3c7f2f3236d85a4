#include "model/pending.h"

#include "base/error.h"
#include "model/stacks.h"

#include <stdlib.h>

void pf_pending_free(struct pf_pending *pending)
{
    free(pending->stacks);
    free(pending->callees);
    free(pending->labels);
    for (unsigned k = 0; k < pending->column_count; k++)
        free(pending->values[k]);
}

void pf_pending_column(struct pf_pending *pending, uint32_t measure, int64_t *values)
{
    pending->columns[pending->column_count].measure = measure;
    pending->values[pending->column_count++] = values;
}

bool pf_pending_give(struct pf_pending *pending, struct pf_batch *batch)
{
    static const int64_t none;
    size_t at = pending->given, left = pending->count - at;
    uint32_t rows = !pending->declared ? 0 : left < PF_BATCH_ROWS ? (uint32_t)left : PF_BATCH_ROWS;

    if (pending->declared && rows == 0)
        return false;
    pending->declared = true;
    batch->kind = pending->kind;
    batch->rows = rows;
    for (unsigned k = 0; k < pending->column_count; k++)
        pending->columns[k].data = rows ? pending->values[k] + at : &none;
    batch->values = pending->columns;
    batch->value_count = pending->column_count;
    pending->given += rows;
    if (rows == 0)
        return true;
    if (pending->kind == PF_SAMPLE)
        batch->stack = pending->stacks + at;
    else
        batch->location = pending->stacks + at;
    batch->callee = pending->callees ? pending->callees + at : NULL;
    batch->labels = pending->labels ? pending->labels + at : NULL;
    return true;
}

int pf_paths_init(struct pf_paths *paths)
{
    paths->memo = pf_stack_memo_new();
    return pf_dict_init(&paths->dict) == PF_OK && paths->memo ? PF_OK : PF_NOMEM;
}

void pf_paths_free(struct pf_paths *paths)
{
    pf_stack_memo_free(paths->memo);
    pf_dict_free(&paths->dict);
}

void pf_paths_queue(struct pf_paths *paths, const uint32_t *leaf_first, size_t depth,
                    uint32_t *path)
{
    pf_stack_memo_queue(paths->memo, &paths->dict, leaf_first, depth, path);
}

void pf_paths_flush(struct pf_paths *paths)
{
    pf_stack_memo_flush(paths->memo, &paths->dict);
}

uint32_t pf_paths_frame(struct pf_paths *paths, uint32_t parent, uint32_t number)
{
    return pf_dict_add_frame(&paths->dict, parent, number + 1);
}

uint32_t *pf_paths_stacks(const struct pf_paths *paths, struct pf_dict *dict,
                          const uint32_t *locations, size_t count)
{
    uint32_t *stacks = calloc(paths->dict.stacks.count, sizeof *stacks);

    for (uint32_t path = 1; stacks && path < paths->dict.stacks.count; path++) {
        const struct pf_stack *node = pf_dict_stack(&paths->dict, path);
        uint32_t parent = stacks[node->parent],
                 location = node->location - 1 < count ? locations[node->location - 1] : 0;

        stacks[path] = location == 0 || parent == UINT32_MAX
                           ? UINT32_MAX
                           : pf_dict_add_frame(dict, parent, location);
    }
    return stacks;
}
