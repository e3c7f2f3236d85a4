#include "analysis/sum/outermost.h"

#include "base/memory.h"

#include <stdlib.h>

void pf_outermost_free(struct pf_outermost *outermost)
{
    free(outermost->nodes);
    *outermost = (struct pf_outermost){0};
}

bool pf_outermost_extend(struct pf_outermost *outermost, const struct pf_dict *dict,
                         struct pf_bytes key)
{
    if (!pf_grow(&outermost->nodes, &outermost->capacity, dict->labels.count,
                 sizeof *outermost->nodes))
        return false;
    /* a parent has a smaller id */
    for (; outermost->count < dict->labels.count; outermost->count++) {
        uint32_t set = (uint32_t)outermost->count;
        const struct pf_label *label = pf_dict_label(dict, set);
        uint32_t found = set != 0 ? outermost->nodes[label->parent] : 0;

        if (set != 0 && found == 0 && pf_bytes_equal(pf_dict_string(dict, label->key), key))
            found = set;
        outermost->nodes[set] = found;
    }
    return true;
}
