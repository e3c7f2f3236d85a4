#include "base/hash.h"

#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#if defined(__linux__) || defined(__FreeBSD__)
#include <sys/random.h>
#endif

uint64_t pf_hash_seed(void)
{
    struct timespec now;
    uint64_t seed;

#if defined(__linux__) || defined(__FreeBSD__)
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
        return seed;
#endif
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 16;
    return pf_hash_mix(seed ^ (uint64_t)(uintptr_t)&now);
}

uint64_t pf_hash(const void *bytes, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, size, seed);
}

uint64_t pf_xxh64(const void *bytes, size_t size)
{
    return XXH64(bytes, size, 0);
}
