#include "codec/left_labels.h"

#include "base/memory.h"
#include "codec/format.h"

#include <stdio.h>
#include <stdlib.h>

static bool add_key(struct pf_left_labels *left, uint32_t key)
{
    if (!pf_grow_zeroed(&left->met, &left->met_count, &left->met_capacity, (size_t)key + 1, sizeof *left->met))
        return false;
    if (left->met[key])
        return true;
    left->met[key] = true;
    if (left->key_count < PF_LEFT_KEYS)
        left->keys[left->key_count] = key;
    left->key_count++;
    return true;
}

int pf_left_labels_add(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_left_labels *left = &writer->left_labels;

    if (!writer->format->holds_label || !batch->labels)
        return PF_OK;
    if (!pf_grow_zeroed(&left->seen, &left->seen_count, &left->seen_capacity, writer->dict->labels.count, sizeof *left->seen))
        return PF_NOMEM;
    for (uint32_t row = 0; row < batch->rows; row++)
        for (uint32_t set = batch->labels[row]; set != 0 && !left->seen[set];) {
            const struct pf_label *label = pf_dict_label(writer->dict, set);

            left->seen[set] = true;
            set = label->parent;
            if (writer->format->holds_label(writer, label))
                continue;
            left->of_samples = left->of_samples || batch->kind == PF_SAMPLE;
            if (!add_key(left, label->key))
                return PF_NOMEM;
        }
    return PF_OK;
}

void pf_left_labels_tell(struct pf_writer *writer)
{
    const struct pf_left_labels *left = &writer->left_labels;
    size_t named = left->key_count < PF_LEFT_KEYS ? left->key_count : PF_LEFT_KEYS;
    struct pf_buffer keys = {0};
    char more[48] = "";

    if (left->key_count == 0)
        return;
    if (left->key_count > named)
        snprintf(more, sizeof more, " and %zu more", left->key_count - named);
    for (size_t k = 0; k < named; k++) {
        struct pf_bytes key = pf_dict_string(writer->dict, left->keys[k]);

        pf_buffer_append(&keys, ", ", k > 0 ? 2 : 0);
        pf_buffer_append(&keys, key.data, key.size);
    }
    pf_report_send(&writer->report, PF_WARNING, "labels have no place and are left out: %.*s%s%s", (int)keys.size, keys.data ? keys.data : "",
                   more, left->of_samples ? " (proffilter --root-label=KEY makes frames of them)" : "");
    pf_buffer_free(&keys);
}

void pf_left_labels_free(struct pf_left_labels *left)
{
    free(left->seen);
    free(left->met);
}

bool pf_holds_no_label(struct pf_writer *writer, const struct pf_label *label)
{
    (void)writer;
    (void)label;
    return false;
}
