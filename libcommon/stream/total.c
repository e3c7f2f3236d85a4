#include "stream/total.h"

#include "model/measure.h"

void pf_total_add(struct pf_total *total, const int64_t *values, uint32_t rows)
{
    if (total->aggregation == PF_MAX) {
        int64_t max = pf_column_max(values, rows);
        if (total->rows == 0 || max > total->amount)
            total->amount = max;
    } else {
        total->amount += pf_column_sum(values, rows);
    }
    total->rows += rows;
}

void pf_total_add_column(struct pf_total *total, const struct pf_column *column,
                         const int64_t *values, uint32_t rows, uint64_t stored)
{
    int64_t minimum = (int64_t)column->minimum;

    /* needs that minimum + stored number did not wrap in any row */
    if (total->aggregation == PF_MAX || column->width == 8 || minimum > INT64_MAX - UINT32_MAX) {
        pf_total_add(total, values, rows);
        return;
    }
    total->amount += (pf_int128)minimum * rows + stored;
    total->rows += rows;
}

pf_int128 pf_total_amount(const struct pf_total *total, uint64_t records)
{
    if (total->aggregation == PF_MAX && total->rows < records && total->amount < 0)
        return 0;
    return total->amount;
}
