#include "model/labels.h"

#include "base/memory.h"

#include <stdlib.h>

void pf_labels_free(struct pf_labels *labels)
{
    free(labels->items);
    *labels = (struct pf_labels){0};
}

/* --- order ------------------------------------------------------------------------------------ */

static struct pf_labels_item make_item(const struct pf_dict *dict, const struct pf_label *label,
                                       size_t place)
{
    return (struct pf_labels_item){
        .label = *label,
        .key = pf_dict_string(dict, label->key),
        .text = pf_dict_string(dict, label->text),
        .section = label->key == dict->section_key,
        .place = place,
    };
}

/* The order of labels in a set: by key, then text before numbers, then value. Equal labels, and
 * all sections, are in the order in which they were added. */
static int compare_items(const void *x, const void *y)
{
    const struct pf_labels_item *a = x, *b = y;
    int order = a->label.key != b->label.key ? pf_bytes_compare(a->key, b->key) : 0;

    if (order != 0)
        return order;
    if (!a->section && a->label.numeric != b->label.numeric)
        return a->label.numeric < b->label.numeric ? -1 : 1;
    if (!a->section && a->label.number != b->label.number)
        return a->label.number < b->label.number ? -1 : 1;
    if (!a->section)
        order = pf_bytes_compare(a->text, b->text);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

/* --- adding to a set -------------------------------------------------------------------------- */

static bool same_label(const struct pf_label *a, const struct pf_label *b)
{
    return a->key == b->key && a->text == b->text && a->numeric == b->numeric &&
           a->number == b->number;
}

/* Appends the last `count` labels of set `labels` to the set `on`, except labels with the key
 * `but_key`. */
static uint32_t append_labels(struct pf_dict *dict, uint32_t labels, size_t count, uint32_t on,
                              uint32_t but_key)
{
    struct pf_label few[64],
        *rows = count <= sizeof few / sizeof *few ? few : malloc(count * sizeof *rows);
    if (!rows) {
        dict->labels.status = PF_NOMEM;
        return 0;
    }
    for (size_t i = 0; i < count; i++, labels = pf_dict_label(dict, labels)->parent)
        rows[i] = *pf_dict_label(dict, labels);
    for (size_t i = count; i-- > 0;) {
        if (rows[i].key == but_key)
            continue;
        rows[i].parent = on;
        on = pf_dict_chain_label(dict, &rows[i]);
    }
    if (rows != few)
        free(rows);
    return on;
}

static uint32_t insert_label(struct pf_dict *dict, uint32_t labels, struct pf_label label)
{
    const struct pf_labels_item added = make_item(dict, &label, 1);
    size_t above = 0;

    for (label.parent = labels; label.parent; above++) {
        const struct pf_label *row = pf_dict_label(dict, label.parent);
        const struct pf_labels_item item = make_item(dict, row, 0);

        if (!added.section && same_label(row, &label))
            return labels;
        if (compare_items(&item, &added) < 0)
            break;
        label.parent = row->parent;
    }
    return append_labels(dict, labels, above, pf_dict_chain_label(dict, &label), UINT32_MAX);
}

uint32_t pf_dict_add_label(struct pf_dict *dict, uint32_t labels, uint32_t key, uint32_t text)
{
    return insert_label(dict, labels, (struct pf_label){.key = key, .text = text});
}

uint32_t pf_dict_add_number(struct pf_dict *dict, uint32_t labels, uint32_t key, int64_t number,
                            uint32_t unit)
{
    return insert_label(
        dict, labels, (struct pf_label){.key = key, .text = unit, .numeric = 1, .number = number});
}

uint32_t pf_dict_add_word_number(struct pf_dict *dict, uint32_t labels, const char *key,
                                 int64_t number)
{
    return pf_dict_add_number(dict, labels, pf_dict_intern_word(dict, key), number, 0);
}

uint32_t pf_dict_drop_label(struct pf_dict *dict, uint32_t labels, uint32_t key)
{
    size_t above = 0, count = 0;
    uint32_t last = 0; /* the innermost label of this key */
    for (uint32_t at = labels; at; at = pf_dict_label(dict, at)->parent, count++)
        if (pf_dict_label(dict, at)->key == key) {
            last = at;
            above = count;
        }
    return last ? append_labels(dict, labels, above, pf_dict_label(dict, last)->parent, key)
                : labels;
}

/* --- making a set at once --------------------------------------------------------------------- */

static bool add(struct pf_labels *labels, const struct pf_dict *dict, struct pf_label label)
{
    if (!pf_grow(&labels->items, &labels->capacity, labels->count + 1, sizeof *labels->items))
        return false;
    labels->items[labels->count] = make_item(dict, &label, labels->count);
    labels->count++;
    return true;
}

bool pf_labels_add(struct pf_labels *labels, const struct pf_dict *dict, uint32_t key,
                   uint32_t text)
{
    return add(labels, dict, (struct pf_label){.key = key, .text = text});
}

bool pf_labels_add_number(struct pf_labels *labels, const struct pf_dict *dict, uint32_t key,
                          int64_t number, uint32_t unit)
{
    return add(labels, dict,
               (struct pf_label){.key = key, .text = unit, .numeric = 1, .number = number});
}

bool pf_labels_add_set(struct pf_labels *labels, const struct pf_dict *dict, uint32_t set)
{
    size_t place = labels->count;
    for (uint32_t at = set; at; at = pf_dict_label(dict, at)->parent)
        place++;
    if (!pf_grow(&labels->items, &labels->capacity, place, sizeof *labels->items))
        return false;
    labels->count = place;
    for (; set; set = pf_dict_label(dict, set)->parent) {
        place--;
        labels->items[place] = make_item(dict, pf_dict_label(dict, set), place);
    }
    return true;
}

uint32_t pf_labels_take(struct pf_labels *labels, struct pf_dict *dict)
{
    struct pf_label last = {0};
    uint32_t set = 0;
    if (labels->count > 1)
        qsort(labels->items, labels->count, sizeof *labels->items, compare_items);
    for (size_t i = 0; i < labels->count; i++) {
        struct pf_label label = labels->items[i].label;
        if (set != 0 && label.key != dict->section_key && same_label(&label, &last))
            continue;
        last = label;
        label.parent = set;
        set = pf_dict_chain_label(dict, &label);
    }
    labels->count = 0;
    return set;
}

int pf_labels_take_checked(struct pf_labels *labels, struct pf_dict *dict, uint32_t *set,
                           struct pf_error *error, uint64_t offset)
{
    if (labels->count > PF_LABELS_MAX)
        return pf_error_at(error, PF_FAILED, offset, "a record of more than %d labels",
                           PF_LABELS_MAX);
    *set = pf_labels_take(labels, dict);
    return PF_OK;
}
