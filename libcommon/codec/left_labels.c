#include "codec/left_labels.h"

#include "base/memory.h"
#include "codec/format.h"

#include <stdlib.h>

static bool add_key(struct pf_left_labels *left, uint32_t key)
{
    for (size_t k = 0; k < left->key_count; k++)
        if (left->keys[k] == key)
            return true;
    if (!pf_grow(&left->keys, &left->key_capacity, left->key_count + 1, sizeof *left->keys))
        return false;
    left->keys[left->key_count++] = key;
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
    struct pf_buffer keys = {0};

    if (left->key_count == 0)
        return;
    for (size_t k = 0; k < left->key_count; k++) {
        struct pf_bytes key = pf_dict_string(writer->dict, left->keys[k]);

        pf_buffer_append(&keys, ", ", k > 0 ? 2 : 0);
        pf_buffer_append(&keys, key.data, key.size);
    }
    pf_report_send(&writer->report, PF_WARNING, "labels have no place and are left out: %.*s%s", (int)keys.size, keys.data ? keys.data : "",
                   left->of_samples ? " (proffilter --root-label=KEY makes frames of them)" : "");
    pf_buffer_free(&keys);
}

void pf_left_labels_free(struct pf_left_labels *left)
{
    free(left->seen);
    free(left->keys);
}

bool pf_holds_no_label(struct pf_writer *writer, const struct pf_label *label)
{
    (void)writer;
    (void)label;
    return false;
}
