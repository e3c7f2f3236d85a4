#include "analysis/sum/slices.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

int pf_slices_init(struct pf_slices *slices, struct pf_dict *dict, uint32_t label)
{
    *slices = (struct pf_slices){0};
    slices->found = calloc(PF_BATCH_ROWS, sizeof *slices->found);
    if (!slices->found || pf_keys_init(&slices->keys, dict, PF_BY_LABEL, label) != PF_OK)
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
    free(slices->path);
    free(slices->found);
}

/* The slice with the values of `slice` and one more. Values are numbered in the order of first
 * occurrence, so a new value mostly comes last. */
static uint32_t add_value(struct pf_slices *slices, uint32_t slice, uint32_t value)
{
    size_t count = 0;

    while (slice != 0 && pf_slices_row(slices, slice)->value > value) {
        const struct pf_slice *last = pf_slices_row(slices, slice);

        if (!pf_grow(&slices->values, &slices->value_capacity, count + 1, sizeof *slices->values)) {
            slices->sets.status = PF_NOMEM;
            return 0;
        }
        slices->values[count++] = last->value;
        slice = last->parent;
    }
    if (slice == 0 || pf_slices_row(slices, slice)->value != value)
        slice = pf_table_intern(&slices->sets, &(struct pf_slice){slice, value});
    while (count > 0)
        slice = pf_table_intern(&slices->sets, &(struct pf_slice){slice, slices->values[--count]});
    return slice;
}

/* The slice of a label set. First looks at the sets that it extends; each set is looked at once. */
static uint32_t slice_of(struct pf_slices *slices, uint32_t labels)
{
    size_t depth = 0;
    uint32_t slice;

    for (; labels != 0 && slices->of_labels[labels] == 0;
         labels = pf_dict_label(slices->keys.dict, labels)->parent) {
        if (!pf_grow(&slices->path, &slices->path_capacity, depth + 1, sizeof *slices->path)) {
            slices->sets.status = PF_NOMEM;
            return 0;
        }
        slices->path[depth++] = labels;
    }
    slice = labels != 0 ? slices->of_labels[labels] - 1 : 0;
    while (depth > 0) {
        const struct pf_label *label =
            pf_dict_label(slices->keys.dict, labels = slices->path[--depth]);

        if (label->key == slices->keys.label)
            slice = add_value(slices, slice, pf_keys_value(&slices->keys, label));
        slices->of_labels[labels] = slice + 1;
    }
    return slice;
}

int pf_slices_find(struct pf_slices *slices, const struct pf_batch *batch, uint32_t *records)
{
    const struct pf_dict *dict = slices->keys.dict;

    if (!pf_grow_zeroed(&slices->of_labels, &slices->label_count, &slices->label_capacity,
                        dict->labels.count, sizeof *slices->of_labels))
        return PF_NOMEM;
    for (uint32_t i = 0; batch->labels && i < batch->rows; i++)
        slices->found[i] = slice_of(slices, batch->labels[i]);
    if (slices->sets.status != PF_OK || slices->keys.status != PF_OK)
        return PF_NOMEM;
    return pf_merge_records_find(&slices->records, dict->stacks.count, batch->stack, NULL,
                                 batch->labels ? slices->found : NULL, batch->rows, records);
}
