#include "model/metadata.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>

void pf_metadata_free(struct pf_metadata *meta)
{
    for (size_t k = 0; k < 3; k++)
        free(meta->columns[k]);
}

bool pf_metadata_add(struct pf_metadata *meta, struct pf_dict *dict, const char *origin, struct pf_bytes key, struct pf_bytes value)
{
    for (size_t k = 0; k < 3; k++)
        if (!pf_grow(&meta->columns[k], &meta->capacity[k], meta->count + 1, sizeof **meta->columns))
            return false;
    meta->columns[0][meta->count] = pf_dict_intern_word(dict, origin);
    meta->columns[1][meta->count] = pf_dict_intern_text(dict, key);
    meta->columns[2][meta->count++] = pf_dict_intern_text(dict, value);
    return true;
}

bool pf_metadata_add_number(struct pf_metadata *meta, struct pf_dict *dict, const char *origin, const char *key, int64_t value)
{
    char text[PF_INT128_TEXT];
    size_t size = pf_print_int128(value, text);

    return pf_metadata_add(meta, dict, origin, pf_bytes_of(key), (struct pf_bytes){text, size});
}

bool pf_metadata_give(struct pf_metadata *meta, struct pf_batch *batch)
{
    size_t given = meta->given, rows = meta->count - given;

    if (rows == 0) {
        meta->count = meta->given = 0;
        return false;
    }
    *batch = (struct pf_batch){
        .kind = PF_META,
        .rows = rows < PF_BATCH_ROWS ? (uint32_t)rows : PF_BATCH_ROWS,
        .origin = meta->columns[0] + given,
        .key = meta->columns[1] + given,
        .value = meta->columns[2] + given,
    };
    meta->given += batch->rows;
    return true;
}
