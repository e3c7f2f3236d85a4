#include "base/hash.h"

#include <xxhash.h>

uint64_t pf_hash(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

uint64_t pf_xxh64(const void *bytes, size_t size)
{
    return XXH64(bytes, size, 0);
}
