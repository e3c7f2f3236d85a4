#include "analysis/merge/labels.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_merge_labels_free(struct pf_merge_labels *labels)
{
    free(labels->keys);
    free(labels->sets.to);
}

int pf_merge_labels_add(struct pf_merge_labels *labels, uint32_t key)
{
    if (!pf_grow(&labels->keys, &labels->capacity, labels->count + 1, sizeof *labels->keys))
        return PF_NOMEM;
    labels->keys[labels->count++] = key;
    return pf_dict_status(labels->dict);
}

int pf_merge_labels_only(struct pf_merge_labels *labels, const char *keys)
{
    int status = PF_OK;

    labels->only = true;
    while (status == PF_OK && *keys != '\0') {
        size_t size = strcspn(keys, ",");

        /* the dictionary may know a key that is not ASCII as UTF-8, as bytes, or both */
        if (size > 0)
            for (unsigned flags = 0; status == PF_OK && flags <= PF_UTF8; flags += PF_UTF8)
                status = pf_merge_labels_add(
                    labels, pf_dict_intern(labels->dict, (struct pf_bytes){keys, size}, flags));
        keys += size + (keys[size] == ',');
    }
    return status;
}

bool pf_merge_labels_stay(const struct pf_merge_labels *labels, uint32_t key)
{
    for (size_t k = 0; k < labels->count; k++)
        if (labels->keys[k] == key)
            return labels->only;
    return !labels->only;
}

static uint32_t map_set(struct pf_merge_labels *labels, uint32_t set)
{
    struct pf_label row = *pf_dict_label(labels->dict, set);
    uint32_t parent = pf_merge_id(&labels->sets, row.parent);

    if (!pf_merge_labels_stay(labels, row.key))
        return parent;
    if (parent == row.parent)
        return set;
    row.parent = parent;
    return pf_dict_chain_label(labels->dict, &row);
}

int pf_merge_labels_extend(struct pf_merge_labels *labels)
{
    struct pf_dict *dict = labels->dict;
    bool good = true;

    if (!labels->only && labels->count == 0)
        return PF_OK;
    if (labels->sets.known == 0)
        good = pf_merge_ids_put(&labels->sets, 0);
    while (good && labels->sets.known < dict->labels.count)
        good = pf_merge_ids_put(&labels->sets, map_set(labels, (uint32_t)labels->sets.known));
    return good && pf_dict_status(dict) == PF_OK ? PF_OK : PF_NOMEM;
}
