#include "format/nytprof/meta.h"

#include "base/memory.h"

#include <stdlib.h>

void pf_nyt_metas_add(struct pf_nyt_metas *metas, uint32_t origin, uint32_t key, uint32_t value)
{
    if (metas->given == metas->count)
        metas->given = metas->count = 0;
    if (!pf_grow(&metas->origin, &metas->origin_capacity, metas->count + 1, sizeof *metas->origin) ||
        !pf_grow(&metas->key, &metas->key_capacity, metas->count + 1, sizeof *metas->key) ||
        !pf_grow(&metas->value, &metas->value_capacity, metas->count + 1, sizeof *metas->value)) {
        metas->failed = true;
        return;
    }
    metas->origin[metas->count] = origin;
    metas->key[metas->count] = key;
    metas->value[metas->count++] = value;
}

void pf_nyt_metas_free(struct pf_nyt_metas *metas)
{
    free(metas->origin);
    free(metas->key);
    free(metas->value);
}

bool pf_nyt_metas_give(struct pf_nyt_metas *metas, size_t limit, struct pf_batch *batch)
{
    size_t rows = limit - metas->given < PF_BATCH_ROWS ? limit - metas->given : PF_BATCH_ROWS;
    if (metas->given >= limit)
        return false;
    batch->kind = PF_META;
    batch->rows = (uint32_t)rows;
    batch->origin = metas->origin + metas->given;
    batch->key = metas->key + metas->given;
    batch->value = metas->value + metas->given;
    metas->given += rows;
    return true;
}
