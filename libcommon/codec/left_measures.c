#include "codec/left_measures.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_held_measures_add(struct pf_held_measures *held, const struct pf_measure *measure)
{
    if (held->count < PF_HELD_MEASURES)
        held->rows[held->count++] = *measure;
}

void pf_left_measures_free(struct pf_left_measures *left)
{
    for (size_t k = 0; k < left->count; k++)
        free(left->sets[k].measures);
    free(left->sets);
}

static bool same_set(const struct pf_measure_set *set, const struct pf_batch *batch)
{
    bool same = set->kind == batch->kind && set->count == batch->value_count;

    for (uint32_t k = 0; same && k < set->count; k++)
        same = set->measures[k] == batch->values[k].measure;
    return same;
}

static bool add_set(struct pf_left_measures *left, const struct pf_batch *batch, const char *input)
{
    uint32_t *measures;

    if (!pf_grow(&left->sets, &left->capacity, left->count + 1, sizeof *left->sets))
        return false;
    measures = malloc((batch->value_count + 1) * sizeof *measures);
    if (!measures)
        return false;
    for (uint32_t k = 0; k < batch->value_count; k++)
        measures[k] = batch->values[k].measure;
    left->sets[left->count++] = (struct pf_measure_set){measures, batch->value_count, batch->kind, 0, input};
    return true;
}

int pf_left_measures_add(struct pf_left_measures *left, const struct pf_batch *batch, const char *input)
{
    size_t at = left->last;

    if (batch->kind >= PF_RECORD_KINDS || batch->rows == 0 || batch->value_count == 0)
        return PF_OK;
    if (at >= left->count || !same_set(&left->sets[at], batch))
        for (at = 0; at < left->count && !same_set(&left->sets[at], batch);)
            at++;
    if (at == left->count && !add_set(left, batch, input))
        return PF_NOMEM;
    left->sets[at].rows += batch->rows;
    left->last = at;
    return PF_OK;
}

static bool holds(const struct pf_measure_set *set, const struct pf_dict *dict, const struct pf_held_measures *held)
{
    for (uint32_t k = 0; k < set->count; k++)
        for (size_t i = 0; i < held->count; i++)
            if (pf_measure_same(pf_measures_row(&dict->measures, set->measures[k]), &held->rows[i]))
                return true;
    return false;
}

uint64_t pf_left_measures_count(const struct pf_left_measures *left, const struct pf_dict *dict, const struct pf_held_measures *held,
                                uint64_t *all, const char **input)
{
    uint64_t lacking = 0;

    *all = 0;
    *input = NULL;
    for (size_t k = 0; k < left->count; k++) {
        const struct pf_measure_set *set = &left->sets[k];

        if (held->count == 0 || set->kind != (enum pf_kind)held->rows[0].kind)
            continue;
        *all += set->rows;
        if (holds(set, dict, held))
            continue;
        lacking += set->rows;
        *input = *input ? *input : set->input;
    }
    /* Where no record has one, the writer has made the measure: differences, stacks made of calls. */
    return lacking < *all ? lacking : 0;
}
