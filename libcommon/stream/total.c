#include "stream/total.h"

#include "model/measure.h"
#include "stream/columns.h"

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

pf_int128 pf_total_amount(const struct pf_total *total, uint64_t records)
{
    if (total->aggregation == PF_MAX && total->rows < records && total->amount < 0)
        return 0;
    return total->amount;
}
