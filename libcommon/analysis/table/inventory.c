#include "analysis/table/inventory.h"

#include "analysis/sum/sort.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_inventory_free(struct pf_inventory *inventory)
{
    free(inventory->measures);
    free(inventory->stacks.seen);
    free(inventory->locations.seen);
    free(inventory->labels.seen);
    free(inventory->sections);
}

void pf_inventory_clear(struct pf_inventory *inventory)
{
    const struct pf_inventory fresh = {.dict = inventory->dict,
                                       .totals_only = inventory->totals_only};

    pf_inventory_free(inventory);
    *inventory = fresh;
}

static bool make_room(struct pf_id_set *set, size_t count)
{
    return pf_grow_zeroed(&set->seen, &set->count, &set->capacity, count, sizeof *set->seen);
}

/* Marks the ids of a column, all below `limit`; a column that is NULL has only id 0, which is not
 * marked. */
static bool mark_ids(struct pf_id_set *set, const uint32_t *ids, uint32_t rows, uint32_t limit)
{
    if (!make_room(set, limit))
        return false;
    for (uint32_t row = 0; ids && row < rows; row++)
        set->seen[ids[row]] = true;
    return true;
}

static bool is_marked(const struct pf_id_set *set, uint32_t id)
{
    return id < set->count && set->seen[id];
}

static bool add_values(struct pf_inventory *inventory, const struct pf_value_column *column,
                       uint32_t rows)
{
    struct pf_inventory_measure *measure;
    bool sums = pf_measures_row(&inventory->dict->measures, column->measure)->aggregation == PF_SUM;

    if (!pf_grow_zeroed(&inventory->measures, &inventory->measure_count,
                        &inventory->measure_capacity, (size_t)column->measure + 1,
                        sizeof *inventory->measures))
        return false;
    measure = &inventory->measures[column->measure];
    measure->seen = true;
    for (uint32_t row = 0; row < rows; row++)
        if (sums)
            measure->total += column->data[row];
        else if (column->data[row] > measure->total)
            measure->total = column->data[row];
    return true;
}

static bool empty_mark(const struct pf_batch *batch, uint32_t row)
{
    if (batch->stack && batch->stack[row] != 0)
        return false;
    for (uint32_t k = 0; k < batch->value_count; k++)
        if (batch->values[k].data[row] != 0)
            return false;
    return true;
}

int pf_inventory_add(struct pf_inventory *inventory, const struct pf_batch *batch)
{
    const struct pf_dict *dict = inventory->dict;
    bool good = true;

    if (batch->kind >= PF_RECORD_KINDS)
        return PF_OK;
    inventory->records[batch->kind] += batch->rows;
    for (uint32_t k = 0; good && k < batch->value_count; k++)
        good = add_values(inventory, &batch->values[k], batch->rows);
    if (inventory->totals_only)
        return good ? PF_OK : PF_NOMEM;
    good = good && mark_ids(&inventory->labels, batch->labels, batch->rows, dict->labels.count);
    if (batch->kind == PF_SAMPLE) {
        good = good && mark_ids(&inventory->stacks, batch->stack, batch->rows, dict->stacks.count);
        for (uint32_t row = 0; row < batch->rows; row++)
            inventory->samples += !empty_mark(batch, row);
    } else {
        good =
            good &&
            mark_ids(&inventory->locations, batch->location, batch->rows, dict->locations.count) &&
            mark_ids(&inventory->locations, batch->kind == PF_EDGE ? batch->callee : NULL,
                     batch->rows, dict->locations.count);
    }
    return good ? PF_OK : PF_NOMEM;
}

/* Marks the locations of all frames of the seen stacks. A parent has a smaller id than its
 * children, so one pass from the end reaches all parents. */
static bool mark_frames(struct pf_inventory *inventory)
{
    const struct pf_dict *dict = inventory->dict;
    struct pf_id_set *stacks = &inventory->stacks;

    if (!make_room(&inventory->locations, dict->locations.count))
        return false;
    for (size_t id = stacks->count; id-- > 1;) {
        if (!stacks->seen[id])
            continue;
        const struct pf_stack *stack = pf_dict_stack(dict, (uint32_t)id);

        stacks->seen[stack->parent] = true;
        inventory->locations.seen[stack->location] = true;
    }
    return true;
}

static bool count_functions(struct pf_inventory *inventory)
{
    const struct pf_dict *dict = inventory->dict;
    struct pf_id_set functions = {0};

    if (!make_room(&functions, dict->functions.count))
        return false;
    for (uint32_t id = 1; id < dict->locations.count; id++)
        if (is_marked(&inventory->locations, id))
            functions.seen[pf_dict_location(dict, id)->function] = true;
    for (uint32_t id = 1; id < dict->functions.count; id++)
        inventory->functions += functions.seen[id];
    free(functions.seen);
    return true;
}

static int compare_names(const void *dict, const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    int order = pf_bytes_compare(pf_dict_string(dict, *x), pf_dict_string(dict, *y));

    return order != 0 ? order : *x > *y ? 1 : -1;
}

static bool add_section(struct pf_inventory *inventory, uint32_t name)
{
    if (!pf_grow(&inventory->sections, &inventory->section_capacity, inventory->section_count + 1,
                 sizeof *inventory->sections))
        return false;
    inventory->sections[inventory->section_count++] = name;
    return true;
}

static bool list_sections(struct pf_inventory *inventory)
{
    const struct pf_dict *dict = inventory->dict;
    struct pf_id_set *labels = &inventory->labels, names = {0};
    bool good = make_room(&names, dict->strings.count);

    inventory->section_count = 0;
    for (size_t id = labels->count; good && id-- > 1;) {
        if (!labels->seen[id])
            continue;
        const struct pf_label *label = pf_dict_label(dict, (uint32_t)id);

        labels->seen[label->parent] = true;
        if (label->key == dict->section_key && !label->numeric && !names.seen[label->text]) {
            names.seen[label->text] = true;
            good = add_section(inventory, label->text);
        }
    }
    free(names.seen);
    return good && pf_sort(inventory->sections, inventory->section_count,
                           sizeof *inventory->sections, compare_names, dict) == PF_OK;
}

int pf_inventory_sum(struct pf_inventory *inventory)
{
    inventory->functions = 0;
    return mark_frames(inventory) && count_functions(inventory) && list_sections(inventory)
               ? PF_OK
               : PF_NOMEM;
}
