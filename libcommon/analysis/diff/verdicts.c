#include "analysis/diff/verdicts.h"

#include "analysis/diff/judge.h"

#include <stdlib.h>

int pf_verdicts_make(struct pf_verdicts *verdicts, struct pf_diff *diff,
                     const struct pf_diff_terms *terms, struct pf_error *error)
{
    int status = PF_OK;

    verdicts->diff = diff;
    verdicts->tables = calloc(diff->block_count, sizeof *verdicts->tables);
    if (!verdicts->tables)
        return pf_error_nomem(error);
    for (size_t i = 0; i < diff->block_count && status == PF_OK; i++) {
        const struct pf_diff_block *block = &diff->blocks[i];

        if (block->measure.kind == PF_RECORD_KINDS)
            continue;
        status = pf_diff_table_make(&verdicts->tables[i], diff, block, terms, error);
        if (status == PF_OK)
            status = pf_diff_judge(&verdicts->tables[i], diff, block, terms, error);
    }
    return status;
}

void pf_verdicts_free(struct pf_verdicts *verdicts)
{
    for (size_t i = 0; verdicts->tables && i < verdicts->diff->block_count; i++)
        pf_diff_table_free(&verdicts->tables[i]);
    free(verdicts->tables);
}

const struct pf_diff_table *pf_verdicts_table(const struct pf_verdicts *verdicts,
                                              struct pf_bytes measure, enum pf_by by)
{
    const struct pf_diff *diff = verdicts->diff;

    for (size_t i = 0; i < diff->block_count && diff->by == by; i++) {
        const struct pf_measure *row = &diff->blocks[i].measure;

        if (row->kind == PF_SAMPLE &&
            pf_bytes_equal(pf_dict_string(diff->dict, row->name), measure))
            return &verdicts->tables[i];
    }
    return NULL;
}

static int compare_key(const void *key, const void *element)
{
    uint32_t a = *(const uint32_t *)key, b = ((const struct pf_diff_row *)element)->key;

    return (a > b) - (a < b);
}

const struct pf_diff_row *pf_verdicts_row(const struct pf_verdicts *verdicts,
                                          const struct pf_diff_table *table,
                                          const struct pf_dict *dict, const struct pf_key *function)
{
    struct pf_dict *own = verdicts->diff->dict;
    struct pf_key same = *function;
    uint32_t key;

    same.name = pf_dict_same_string(own, dict, function->name);
    same.file = pf_dict_same_string(own, dict, function->file);
    same.image = pf_dict_same_string(own, dict, function->image);
    key = pf_table_find(&verdicts->diff->keys.table, &same);
    return key == 0 || table->count == 0
               ? NULL
               : bsearch(&key, table->rows, table->count, sizeof *table->rows, compare_key);
}
