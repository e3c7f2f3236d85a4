#include "model/replicates.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"

#include <stdio.h>
#include <stdlib.h>

static const struct pf_bytes of = {"-of-", 4};

uint32_t pf_replicate_key(struct pf_dict *dict)
{
    return pf_dict_intern_text(dict, PF_BYTES("replicate"));
}

uint32_t pf_replicate_name(struct pf_dict *dict, unsigned group, unsigned groups)
{
    char text[32];
    int width = snprintf(NULL, 0, "%u", groups);

    snprintf(text, sizeof text, "%0*u%s%u", width, group + 1, of.data, groups);
    return pf_dict_intern_text(dict, pf_bytes_of(text));
}

unsigned pf_replicate_groups(struct pf_bytes name)
{
    uint64_t group, groups;
    size_t digits = 0;

    while (digits < name.size && name.data[digits] >= '0' && name.data[digits] <= '9')
        digits++;
    if (!pf_bytes_starts(pf_bytes_skip(name, digits), of) || name.size != 2 * digits + of.size ||
        !pf_parse_digits((struct pf_bytes){name.data, digits}, PF_REPLICATES_MAX, &group) ||
        !pf_parse_digits(pf_bytes_skip(name, digits + of.size), PF_REPLICATES_MAX, &groups))
        return 0;
    return group >= 1 && group <= groups ? (unsigned)groups : 0;
}

struct pf_measure pf_replicate_measure(struct pf_dict *dict)
{
    struct pf_measure measure =
        pf_measure_make(dict, "runs", "count", PF_SAMPLE, PF_COUNT, PF_EXACT);

    measure.runs = 1;
    return measure;
}

uint32_t pf_label_find(const struct pf_dict *dict, uint32_t set, uint32_t key)
{
    uint32_t found = 0;

    for (uint32_t at = set; at != 0; at = pf_dict_label(dict, at)->parent)
        if (pf_dict_label(dict, at)->key == key)
            found = at;
    return found;
}

/* --- batches ---------------------------------------------------------------------------------- */

void pf_replicates_free(struct pf_replicates *replicates)
{
    pf_copied_rows_free(&replicates->plain);
    pf_copied_rows_free(&replicates->runs);
    free(replicates->order);
    free(replicates->columns[0]);
    free(replicates->columns[1]);
}

static bool counts_runs(const struct pf_dict *dict, const struct pf_value_column *column)
{
    return pf_measures_row(&dict->measures, column->measure)->runs != 0;
}

bool pf_replicates_here(const struct pf_dict *dict, const struct pf_batch *batch)
{
    for (uint32_t k = 0; batch->kind < PF_RECORD_KINDS && k < batch->value_count; k++)
        if (counts_runs(dict, &batch->values[k]))
            return true;
    return false;
}

int64_t pf_replicates_count(const struct pf_batch *runs, uint32_t row)
{
    for (uint32_t k = 0; k < runs->value_count; k++)
        if (runs->values[k].data && runs->values[k].data[row] != 0)
            return runs->values[k].data[row];
    return 0;
}

/* *some: the batch with only the columns that count runs, or only the others. */
static bool select_columns(struct pf_replicates *replicates, const struct pf_dict *dict,
                           const struct pf_batch *batch, bool runs, struct pf_batch *some)
{
    struct pf_value_column **columns = &replicates->columns[runs];

    *some = *batch;
    some->value_count = 0;
    if (!pf_grow(columns, &replicates->column_capacity[runs], batch->value_count, sizeof **columns))
        return false;
    for (uint32_t k = 0; k < batch->value_count; k++)
        if (counts_runs(dict, &batch->values[k]) == runs)
            (*columns)[some->value_count++] = batch->values[k];
    some->values = *columns;
    return true;
}

static bool has_value(const struct pf_batch *batch, uint32_t row)
{
    for (uint32_t k = 0; k < batch->value_count; k++)
        if (batch->values[k].data && batch->values[k].data[row] != 0)
            return true;
    return false;
}

int pf_replicates_part(struct pf_replicates *replicates, const struct pf_dict *dict,
                       const struct pf_batch *batch, struct pf_batch *plain, struct pf_batch *runs)
{
    uint32_t *order, kept = 0, counted = 0;

    *plain = *batch;
    *runs = (struct pf_batch){.kind = batch->kind};
    if (!pf_replicates_here(dict, batch))
        return PF_OK;
    if (!select_columns(replicates, dict, batch, false, plain) ||
        !select_columns(replicates, dict, batch, true, runs) ||
        !pf_grow(&replicates->order, &replicates->order_capacity, 2 * (size_t)batch->rows + 1,
                 sizeof *order)) /* + 1: not NULL even if the batch has no rows */
        return PF_NOMEM;
    order = replicates->order;
    for (uint32_t row = 0; row < batch->rows; row++) {
        bool counts = has_value(runs, row);

        if (counts)
            order[batch->rows + counted++] = row;
        if (!counts || has_value(plain, row))
            order[kept++] = row;
    }
    if (pf_copied_rows_take(&replicates->runs, runs, order + batch->rows, counted, runs) != PF_OK)
        return PF_NOMEM;
    return kept == batch->rows ? PF_OK
                               : pf_copied_rows_take(&replicates->plain, plain, order, kept, plain);
}
