#include "format/dcpi/dcpi.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void pf_dcpi_cat_blocks_free(struct pf_dcpi_cat_blocks *blocks)
{
    free(blocks->lines);
}

int pf_dcpi_cat_blocks_add(struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict, const struct pf_batch *batch)
{
    for (uint32_t row = 0; row < batch->rows; row++) {
        struct pf_dcpi_cat_line line = {batch->key ? batch->key[row] : 0, batch->value ? batch->value[row] : 0, 0};

        if (!pf_bytes_equal(pf_dict_string(dict, batch->origin ? batch->origin[row] : 0), PF_BYTES("dcpicat")))
            continue;
        bool name = pf_bytes_equal(pf_dict_string(dict, line.key), PF_BYTES("name"));

        if (blocks->blocks == 0 || (name && blocks->named))
            blocks->blocks++;
        blocks->named = blocks->named || name;
        line.block = blocks->blocks;
        if (!pf_grow(&blocks->lines, &blocks->capacity, blocks->count + 1, sizeof line))
            return PF_NOMEM;
        blocks->lines[blocks->count++] = line;
    }
    return PF_OK;
}

size_t pf_dcpi_cat_blocks_find(const struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict, struct pf_bytes image,
                               size_t block)
{
    for (size_t k = 0; k < blocks->count; k++) {
        const struct pf_dcpi_cat_line *line = &blocks->lines[k];

        if (line->block > block && pf_bytes_equal(pf_dict_string(dict, line->key), PF_BYTES("image")) &&
            pf_dcpi_same_image(pf_dict_string(dict, line->value), image))
            return line->block;
    }
    return 0;
}

struct pf_bytes pf_dcpi_cat_blocks_value(const struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict, size_t block,
                                         struct pf_bytes key)
{
    for (size_t k = 0; k < blocks->count; k++)
        if (blocks->lines[k].block == block && pf_bytes_equal(pf_dict_string(dict, blocks->lines[k].key), key))
            return pf_dict_string(dict, blocks->lines[k].value);
    return PF_BYTES("");
}
