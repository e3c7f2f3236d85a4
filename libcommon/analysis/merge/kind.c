#include "analysis/merge/kind.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/main_measure.h"

#include <stdlib.h>
#include <string.h>

void pf_merge_kind_free(struct pf_merge_kind *kind)
{
    pf_merge_records_free(&kind->records);
    pf_merge_columns_free(&kind->columns);
    free(kind->touched);
    free(kind->touched_by);
}

/* --- one input alone -------------------------------------------------------------------------------------- */

int pf_merge_kind_touch(struct pf_merge_kind *kind, const uint32_t *records, uint32_t rows, uint64_t input)
{
    size_t count = pf_merge_records_count(&kind->records), old = kind->touched_by_count;

    if (count > old) {
        if (!pf_grow(&kind->touched_by, &kind->touched_by_capacity, count, sizeof *kind->touched_by))
            return PF_NOMEM;
        memset(kind->touched_by + old, 0, (count - old) * sizeof *kind->touched_by);
        kind->touched_by_count = count;
    }
    if (!pf_grow(&kind->touched, &kind->touched_capacity, kind->touched_count + rows, sizeof *kind->touched))
        return PF_NOMEM;
    for (uint32_t i = 0; i < rows; i++)
        if (kind->touched_by[records[i]] != input) {
            kind->touched_by[records[i]] = input;
            kind->touched[kind->touched_count++] = records[i];
        }
    return PF_OK;
}

pf_int128 pf_merge_kind_staged(const struct pf_merge_kind *kind, const struct pf_merge_column *column)
{
    pf_int128 total = 0;

    for (size_t k = 0; k < kind->touched_count; k++)
        if (kind->touched[k] < column->staged_count)
            total += column->staged[kind->touched[k]];
    return total;
}

bool pf_merge_kind_fits(const struct pf_merge_kind *kind, pf_int128 times, const struct pf_merge_column **failed, uint32_t *record)
{
    for (size_t c = 0; c < kind->columns.count; c++)
        for (size_t k = 0; k < kind->touched_count; k++)
            if (!pf_merge_column_fits(&kind->columns.rows[c], kind->touched[k], times)) {
                *failed = &kind->columns.rows[c];
                *record = kind->touched[k];
                return false;
            }
    return true;
}

int pf_merge_kind_unstage(struct pf_merge_kind *kind, pf_int128 times)
{
    int status = PF_OK;

    for (size_t c = 0; c < kind->columns.count; c++)
        for (size_t k = 0; status == PF_OK && k < kind->touched_count; k++)
            status = pf_merge_column_unstage(&kind->columns.rows[c], kind->touched[k], times);
    kind->touched_count = 0;
    return status;
}

int pf_merge_kind_mark(struct pf_merge_kind *kind)
{
    kind->marked = pf_merge_records_count(&kind->records);
    return pf_merge_columns_mark(&kind->columns);
}

void pf_merge_kind_drop(struct pf_merge_kind *kind)
{
    for (size_t c = 0; c < kind->columns.count; c++) {
        struct pf_merge_column *column = &kind->columns.rows[c];

        for (size_t k = 0; k < kind->touched_count; k++)
            if (kind->touched[k] < column->staged_count)
                column->staged[kind->touched[k]] = 0;
    }
    kind->touched_count = 0;
    pf_merge_columns_drop(&kind->columns);
    pf_merge_records_truncate(&kind->records, kind->marked);
}

/* --- the end ---------------------------------------------------------------------------------------------- */

int pf_merge_kind_regroup(struct pf_merge_kind *kind, const struct pf_merge_map *map, const struct pf_merge_labels *labels,
                          const struct pf_merge_column **failed)
{
    const struct pf_merge_ids *places = kind->kind == PF_SAMPLE ? &map->stacks : &map->locations;
    size_t limit = kind->kind == PF_SAMPLE ? map->dict->stacks.count : map->dict->locations.count;
    size_t count = pf_merge_records_count(&kind->records);
    uint32_t *to = malloc((count + 1) * sizeof *to);
    struct pf_merge_records was = kind->records;
    int status = to != NULL ? PF_OK : PF_NOMEM;

    *failed = NULL;
    kind->records = (struct pf_merge_records){0};
    for (size_t k = 0; status == PF_OK && k < count; k++) {
        const struct pf_merge_key *key = pf_merge_records_key(&was, k);
        uint32_t place = pf_merge_id(places, key->place - 1), callee = pf_merge_id(&map->locations, key->callee);
        uint32_t set = pf_merge_id(&labels->sets, key->labels);

        status = pf_merge_records_find(&kind->records, limit, &place, &callee, &set, 1, &to[k]);
    }
    for (size_t c = 0; status == PF_OK && c < kind->columns.count; c++) {
        *failed = &kind->columns.rows[c];
        status = pf_merge_column_regroup(&kind->columns.rows[c], to, count);
    }
    pf_merge_records_free(&was);
    free(to);
    return status;
}

struct pf_merge_column *pf_merge_kind_main(const struct pf_merge_kind *kind)
{
    struct pf_main_choice choice = {0};
    struct pf_merge_column *best = NULL;

    for (size_t c = 0; c < kind->columns.count; c++) {
        const struct pf_measure *measure = &kind->columns.rows[c].quantity.measure;

        if (measure->aggregation == PF_SUM && pf_main_offer(&choice, kind->columns.dict, measure))
            best = &kind->columns.rows[c];
    }
    return best;
}
