#include "base/hash.h"

#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#if defined(__linux__) || defined(__FreeBSD__)
#include <sys/random.h>
#endif

uint64_t pf_hash_seed;

/* Before main, so that threads only ever read the seed. */
__attribute__((constructor)) static void draw_seed(void)
{
    struct timespec now;

#if defined(__linux__) || defined(__FreeBSD__)
    if (getrandom(&pf_hash_seed, sizeof pf_hash_seed, GRND_NONBLOCK) == (ssize_t)sizeof pf_hash_seed)
        return;
#endif
    clock_gettime(CLOCK_REALTIME, &now);
    pf_hash_seed = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 16 ^ (uint64_t)(uintptr_t)&now;
}

uint64_t pf_hash(const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, pf_hash_seed);
}

uint64_t pf_xxh64(const void *bytes, size_t size)
{
    return XXH64(bytes, size, 0);
}
