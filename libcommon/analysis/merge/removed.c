#include "analysis/merge/removed.h"

#include "analysis/merge/columns.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_merge_removed_free(struct pf_merge_removed *removed)
{
    pf_before_free(&removed->input);
    pf_before_free(&removed->all);
}

void pf_merge_removed_begin(struct pf_merge_removed *removed)
{
    removed->input.count = 0;
}

int pf_merge_removed_add(struct pf_merge_removed *removed, struct pf_dict *dict,
                         const struct pf_batch *batch)
{
    return pf_before_read(&removed->input, dict, batch);
}

/* Whether the greatest amount counts, not the sum (PF_MAX). */
static bool is_greatest(const struct pf_dict *dict, const struct pf_before_row *row)
{
    for (uint32_t k = 0; k < pf_measures_count(&dict->measures); k++) {
        const struct pf_measure *measure = pf_measures_row(&dict->measures, k);

        if (measure->aggregation == PF_MAX && measure->kind == row->kind &&
            measure->name == row->name && measure->unit == row->unit)
            return true;
    }
    return false;
}

static struct pf_before_row *find(struct pf_before *before, const struct pf_before_row *like)
{
    struct pf_before_row *row;

    for (size_t k = 0; k < before->count; k++) {
        row = &before->rows[k];
        if (row->kind == like->kind && row->name == like->name && row->unit == like->unit &&
            row->num == like->num && row->den == like->den)
            return row;
    }
    if (!pf_grow(&before->rows, &before->capacity, before->count + 1, sizeof *before->rows))
        return NULL;
    row = &before->rows[before->count++];
    *row = *like;
    row->amount = 0;
    row->records = 0;
    return row;
}

int pf_merge_removed_input(struct pf_merge_removed *removed, const struct pf_dict *dict,
                           pf_int128 times)
{
    for (size_t k = 0; k < removed->input.count; k++) {
        const struct pf_before_row *from = &removed->input.rows[k];
        struct pf_before_row *to = find(&removed->all, from);
        bool greatest = is_greatest(dict, from);
        pf_int128 amount;

        if (!to)
            return PF_NOMEM;
        to->records += from->records;
        if (greatest)
            to->amount = from->amount > to->amount ? from->amount : to->amount;
        else if (__builtin_mul_overflow(from->amount, times, &amount) ||
                 __builtin_add_overflow(to->amount, amount, &to->amount))
            *to = removed->all.rows[--removed->all.count];
    }
    return PF_OK;
}

void pf_merge_removed_end(struct pf_merge_removed *removed, const struct pf_dict *dict,
                          pf_int128 pieces)
{
    for (size_t k = 0; k < removed->all.count; k++) {
        struct pf_before_row *row = &removed->all.rows[k];

        if (!is_greatest(dict, row))
            row->amount = pf_merge_round(row->amount, pieces);
    }
}
