#include "render/records/record.h"

#include "model/utf8.h"

#include <stdlib.h>

static bool add(struct pf_id_list *list, uint32_t id)
{
    if (!pf_grow(&list->ids, &list->capacity, list->count + 1, sizeof *list->ids))
        return false;
    list->ids[list->count++] = id;
    return true;
}

bool pf_record_frames(const struct pf_dict *dict, const struct pf_batch *batch, uint32_t row,
                      struct pf_id_list *list)
{
    list->count = 0;
    if (batch->kind != PF_SAMPLE)
        return (batch->kind == PF_FLAT || add(list, batch->callee ? batch->callee[row] : 0)) &&
               add(list, batch->location ? batch->location[row] : 0);
    for (uint32_t stack = batch->stack ? batch->stack[row] : 0; stack;
         stack = pf_dict_stack(dict, stack)->parent)
        if (!add(list, pf_dict_stack(dict, stack)->location))
            return false;
    return true;
}

/* A label, and its place in the set. */
struct placed_label {
    struct pf_bytes key; /* UTF-8 */
    size_t place;
    uint32_t id;
    bool section;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed_label *x = a, *y = b;
    int order = y->section - x->section;

    if (order == 0)
        order = pf_bytes_compare(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* The text of a key, in UTF-8, valid as long as the arena. */
static bool key_text(const struct pf_dict *dict, uint32_t key, struct pf_arena *arena,
                     struct pf_bytes *text)
{
    struct pf_buffer scratch = {0};
    struct pf_bytes bytes = pf_dict_string(dict, key);

    *text = pf_text_utf8(bytes, pf_record_flags(dict, key), &scratch);
    if (text->data != bytes.data)
        text->data = pf_arena_copy(arena, text->data, text->size);
    bool good = text->data && !scratch.failed;

    pf_buffer_free(&scratch);
    return good;
}

static bool place_labels(const struct pf_dict *dict, uint32_t labels, struct placed_label *placed,
                         size_t count, struct pf_arena *arena)
{
    for (uint32_t id = labels; id; id = pf_dict_label(dict, id)->parent) {
        const struct pf_label *label = pf_dict_label(dict, id);
        struct placed_label *row = &placed[--count];

        *row = (struct placed_label){.place = count,
                                     .id = id,
                                     .section = label->key == dict->section_key && !label->numeric};
        if (!key_text(dict, label->key, arena, &row->key))
            return false;
    }
    return true;
}

bool pf_record_labels(const struct pf_dict *dict, uint32_t labels, struct pf_label_list *list)
{
    struct placed_label *placed;
    struct pf_arena arena = {0};
    size_t count = 0;

    list->count = 0;
    for (uint32_t id = labels; id; id = pf_dict_label(dict, id)->parent)
        count++;
    placed = malloc((count + 1) * sizeof *placed);
    bool good = placed && place_labels(dict, labels, placed, count, &arena) &&
                pf_grow(&list->rows, &list->capacity, count + 1, sizeof *list->rows);

    if (good && count > 0)
        qsort(placed, count, sizeof *placed, compare_placed);
    for (; good && list->count < count; list->count++) {
        const struct placed_label *row = &placed[list->count];
        bool same_key = list->count > 0 && row[-1].section == row->section &&
                        pf_bytes_equal(row[-1].key, row->key);

        list->rows[list->count] = (struct pf_record_label){row->id, row->section, same_key};
    }
    free(placed);
    pf_arena_free(&arena);
    return good;
}

unsigned pf_record_flags(const struct pf_dict *dict, uint32_t string)
{
    return dict->strings.rows[string].flags;
}

unsigned pf_record_frame_flags(const struct pf_dict *dict, uint32_t location)
{
    return pf_record_flags(
        dict, pf_dict_function(dict, pf_dict_location(dict, location)->function)->name);
}
