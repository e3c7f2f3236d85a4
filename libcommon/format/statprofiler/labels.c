#include "format/statprofiler/statprofiler.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

bool pf_sp_labels_open(struct pf_sp_labels *labels, struct pf_dict *dict)
{
    labels->op_key = pf_dict_intern(dict, PF_BYTES("op"), 0);
    labels->slots = calloc(FIRST_SLOTS, sizeof *labels->slots);
    labels->mask = FIRST_SLOTS - 1;
    labels->seed = pf_hash_seed();
    return labels->slots != NULL;
}

void pf_sp_labels_close(struct pf_sp_labels *labels)
{
    pf_sp_open_free(&labels->open);
    free(labels->sets);
    free(labels->slots);
}

static uint32_t set_of(const struct pf_sp_labels *labels, size_t count)
{
    return count > 0 ? labels->sets[count - 1] : 0;
}

static uint32_t add_section(struct pf_dict *dict, uint32_t parent, uint32_t name)
{
    struct pf_label label = {.parent = parent, .key = dict->section_key, .text = name};
    return pf_dict_chain_label(dict, &label);
}

bool pf_sp_labels_start(struct pf_sp_labels *labels, struct pf_dict *dict, uint32_t name)
{
    size_t count = labels->open.count;
    if (!pf_grow(&labels->sets, &labels->set_capacity, count + 1, sizeof *labels->sets) ||
        !pf_sp_open_start(&labels->open, name))
        return false;
    labels->sets[count] = add_section(dict, set_of(labels, count), name);
    return true;
}

bool pf_sp_labels_end(struct pf_sp_labels *labels, struct pf_dict *dict, uint32_t name)
{
    size_t place = pf_sp_open_end(&labels->open, name);
    if (place == SIZE_MAX)
        return false;
    for (size_t i = place; i < labels->open.count; i++)
        labels->sets[i] = add_section(dict, set_of(labels, i), labels->open.names[i]);
    return true;
}

static struct pf_sp_label_slot *slot_of(const struct pf_sp_labels *labels, uint32_t sections, uint32_t op)
{
    size_t at = (size_t)pf_hash_mix(((uint64_t)op << 32 | sections) ^ labels->seed) & labels->mask;
    while (labels->slots[at].op != 0 && (labels->slots[at].op != op || labels->slots[at].sections != sections))
        at = (at + 1) & labels->mask;
    return &labels->slots[at];
}

static bool grow(struct pf_sp_labels *labels)
{
    struct pf_sp_labels old = *labels;
    labels->mask = 2 * old.mask + 1;
    labels->slots = calloc(labels->mask + 1, sizeof *labels->slots);
    if (!labels->slots) {
        labels->slots = old.slots;
        labels->mask = old.mask;
        return false;
    }
    for (size_t i = 0; i <= old.mask; i++)
        if (old.slots[i].op != 0)
            *slot_of(labels, old.slots[i].sections, old.slots[i].op) = old.slots[i];
    free(old.slots);
    return true;
}

static bool remember(struct pf_sp_labels *labels, uint32_t sections, uint32_t op, uint32_t set)
{
    if (labels->used >= labels->mask / 4 * 3 && !grow(labels))
        return false;
    *slot_of(labels, sections, op) = (struct pf_sp_label_slot){sections, op, set};
    labels->used++;
    return true;
}

bool pf_sp_labels_find(struct pf_sp_labels *labels, struct pf_dict *dict, uint32_t op, uint32_t *found)
{
    size_t count = labels->open.count, known = count + 1;
    struct pf_label label = {.key = labels->op_key, .text = op};
    uint32_t set = set_of(labels, count);
    *found = set;
    if (op == 0)
        return true;
    /* The first so many sections whose set with this op is known; then one more at a time. */
    do
        set = slot_of(labels, set_of(labels, --known), op)->labels;
    while (set == 0 && known > 0);
    if (set == 0) {
        set = pf_dict_chain_label(dict, &label);
        if (!remember(labels, 0, op, set))
            return false;
    }
    for (; known < count; known++) {
        set = add_section(dict, set, labels->open.names[known]);
        if (!remember(labels, labels->sets[known], op, set))
            return false;
    }
    *found = set;
    return true;
}
