#include "render/record.h"

#include <stdlib.h>

static bool add(struct pf_id_list *list, uint32_t id)
{
    if (!pf_grow(&list->ids, &list->capacity, list->count + 1, sizeof *list->ids))
        return false;
    list->ids[list->count++] = id;
    return true;
}

bool pf_record_frames(const struct pf_dict *dict, const struct pf_batch *batch, uint32_t row, struct pf_id_list *list)
{
    list->count = 0;
    if (batch->kind != PF_SAMPLE)
        return (batch->kind == PF_FLAT || add(list, batch->callee ? batch->callee[row] : 0)) &&
               add(list, batch->location ? batch->location[row] : 0);
    for (uint32_t stack = batch->stack ? batch->stack[row] : 0; stack; stack = pf_dict_stack(dict, stack)->parent)
        if (!add(list, pf_dict_stack(dict, stack)->location))
            return false;
    return true;
}

/* Labels of a set with the place they have in it. */
struct placed_label {
    struct pf_bytes key;
    size_t place;
    uint32_t id;
    bool section;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed_label *x = a, *y = b;
    int order = y->section - x->section;

    if (order == 0 && !x->section)
        order = pf_bytes_compare(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

bool pf_record_labels(const struct pf_dict *dict, uint32_t labels, struct pf_id_list *list, size_t *sections)
{
    struct placed_label *placed;
    size_t count = 0, k;

    list->count = *sections = 0;
    for (uint32_t id = labels; id; id = pf_dict_label(dict, id)->parent)
        count++;
    placed = malloc((count + 1) * sizeof *placed);
    if (!placed)
        return false;
    k = count;
    for (uint32_t id = labels; id; id = pf_dict_label(dict, id)->parent) {
        uint32_t key = pf_dict_label(dict, id)->key;
        bool section = key == dict->section_key && !pf_dict_label(dict, id)->numeric;

        k--;
        placed[k] = (struct placed_label){pf_dict_string(dict, key), k, id, section};
        *sections += section;
    }
    qsort(placed, count, sizeof *placed, compare_placed);
    for (k = 0; k < count && add(list, placed[k].id); k++)
        ;
    free(placed);
    return k == count;
}

unsigned pf_record_flags(const struct pf_dict *dict, uint32_t string)
{
    return dict->strings.rows[string].flags;
}

unsigned pf_record_frame_flags(const struct pf_dict *dict, uint32_t location)
{
    return pf_record_flags(dict, pf_dict_function(dict, pf_dict_location(dict, location)->function)->name);
}
