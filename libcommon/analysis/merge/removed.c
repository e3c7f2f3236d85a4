#include "analysis/merge/removed.h"

#include "analysis/merge/columns.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

/* True if the measure keeps the greatest amount, not the sum (PF_MAX). */
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

int pf_merge_removed_add(struct pf_before *all, struct pf_dict *dict, const struct pf_batch *batch,
                         pf_int128 times)
{
    struct pf_before input = {0};
    int status = pf_before_read(&input, dict, batch);

    for (size_t k = 0; k < input.count && status == PF_OK; k++) {
        const struct pf_before_row *from = &input.rows[k];
        struct pf_before_row *to = find(all, from);
        pf_int128 amount;

        if (!to) {
            status = PF_NOMEM;
            break;
        }
        to->records += from->records;
        if (is_greatest(dict, from))
            to->amount = from->amount > to->amount ? from->amount : to->amount;
        else if (__builtin_mul_overflow(from->amount, times, &amount) ||
                 __builtin_add_overflow(to->amount, amount, &to->amount))
            *to = all->rows[--all->count];
    }
    pf_before_free(&input);
    return status;
}

void pf_merge_removed_end(struct pf_before *all, const struct pf_dict *dict, pf_int128 pieces)
{
    for (size_t k = 0; k < all->count; k++)
        if (!is_greatest(dict, &all->rows[k]))
            all->rows[k].amount = pf_divide128(all->rows[k].amount, pieces);
}
