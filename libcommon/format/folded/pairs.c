#include "format/folded/folded.h"

#include <stdlib.h>

bool pf_folded_pairs_add(struct pf_folded_pairs *pairs, uint32_t stack, struct pf_bytes tail, struct pf_folded_count before,
                         struct pf_folded_count after)
{
    size_t at = pairs->tails.size;

    if (!pf_grow(&pairs->rows, &pairs->capacity, pairs->count + 1, sizeof *pairs->rows) ||
        !pf_buffer_append(&pairs->tails, tail.data, tail.size))
        return false;
    pairs->rows[pairs->count++] = (struct pf_folded_pair){stack, (uint32_t)tail.size, at, before, after};
    if (before.decimals > pairs->decimals)
        pairs->decimals = before.decimals;
    if (after.decimals > pairs->decimals)
        pairs->decimals = after.decimals;
    return true;
}

void pf_folded_pairs_free(struct pf_folded_pairs *pairs)
{
    free(pairs->rows);
    pf_buffer_free(&pairs->tails);
}
