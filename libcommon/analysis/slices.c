#include "analysis/slices.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int pf_slices_init(struct pf_slices *slices, struct pf_dict *dict, uint32_t label)
{
    *slices = (struct pf_slices){0};
    slices->found = calloc(PF_BATCH_ROWS, sizeof *slices->found);
    if (slices->found == NULL || pf_keys_init(&slices->keys, dict, PF_BY_LABEL, label) != PF_OK)
        return PF_NOMEM;
    return pf_table_init(&slices->sets, sizeof(struct pf_slice));
}

void pf_slices_free(struct pf_slices *slices)
{
    pf_keys_free(&slices->keys);
    pf_table_free(&slices->sets);
    pf_merge_records_free(&slices->records);
    free(slices->of_labels);
    free(slices->values);
    free(slices->found);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static uint32_t slice_of(struct pf_slices *slices, uint32_t labels)
{
    struct pf_slice set = {0};
    size_t count = 0;

    for (uint32_t value; (value = pf_keys_label(&slices->keys, &labels)) != 0;) {
        if (!pf_grow(&slices->values, &slices->value_capacity, count + 1, sizeof *slices->values)) {
            slices->sets.status = PF_NOMEM;
            return 0;
        }
        slices->values[count++] = value;
    }
    if (count > 1)
        qsort(slices->values, count, sizeof *slices->values, ascending);
    for (size_t i = 0; i < count; i++) {
        set.value = slices->values[i];
        set.parent = pf_table_intern(&slices->sets, &set);
    }
    return set.parent;
}

static bool reserve(struct pf_slices *slices, size_t count)
{
    size_t old = slices->label_count;

    if (count <= old)
        return true;
    if (!pf_grow(&slices->of_labels, &slices->label_capacity, count, sizeof *slices->of_labels))
        return false;
    memset(slices->of_labels + old, 0, (count - old) * sizeof *slices->of_labels);
    slices->label_count = count;
    return true;
}

int pf_slices_find(struct pf_slices *slices, const struct pf_batch *batch, uint32_t *records)
{
    const struct pf_dict *dict = slices->keys.dict;

    if (!reserve(slices, dict->labels.count))
        return PF_NOMEM;
    for (uint32_t i = 0; batch->labels != NULL && i < batch->rows; i++) {
        uint32_t *slice = &slices->of_labels[batch->labels[i]];
        if (*slice == 0)
            *slice = slice_of(slices, batch->labels[i]) + 1;
        slices->found[i] = *slice - 1;
    }
    if (slices->sets.status != PF_OK || slices->keys.status != PF_OK)
        return PF_NOMEM;
    return pf_merge_records_find(&slices->records, dict->stacks.count, batch->stack, NULL, batch->labels != NULL ? slices->found : NULL,
                                 batch->rows, records);
}
