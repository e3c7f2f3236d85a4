#include "base/hash.h"

#include "base/memory.h"
#include "base/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

struct pf_xxh128 *pf_xxh128_new(void)
{
    XXH3_state_t *state = XXH3_createState();

    if (state)
        XXH3_128bits_reset(state);
    return (struct pf_xxh128 *)state;
}

void pf_xxh128_add(struct pf_xxh128 *state, const void *bytes, size_t size)
{
    XXH3_128bits_update((XXH3_state_t *)state, bytes, size);
}

struct pf_hash128 pf_xxh128_end(struct pf_xxh128 *state)
{
    XXH128_hash_t hash = {0, 0};

    if (state)
        hash = XXH3_128bits_digest((XXH3_state_t *)state);
    XXH3_freeState((XXH3_state_t *)state);
    return (struct pf_hash128){hash.high64, hash.low64};
}

struct pf_hash_text pf_hash128_text(struct pf_hash128 hash)
{
    struct pf_hash_text text;

    snprintf(text.text, sizeof text.text, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
    return text;
}

bool pf_hash128_parse(struct pf_hash128 *hash, struct pf_bytes text)
{
    enum { HALF = PF_HASH_DIGITS / 2 };

    return text.size == PF_HASH_DIGITS &&
           pf_parse_hex((struct pf_bytes){text.data, HALF}, &hash->high) &&
           pf_parse_hex(pf_bytes_skip(text, HALF), &hash->low);
}

static bool is_used(const char *place)
{
    struct pf_slot slot;

    memcpy(&slot, place, sizeof slot);
    return slot.id != 0;
}

static inline void move_slots(char *to, size_t mask, const char *from, size_t count, size_t size)
{
    for (size_t k = 0; k < count; k++) {
        struct pf_slot slot;
        size_t at;

        memcpy(&slot, from + k * size, sizeof slot);
        if (slot.id == 0)
            continue;
        for (at = slot.tag & mask; is_used(to + at * size);)
            at = (at + 1) & mask;
        memcpy(to + at * size, from + k * size, size);
    }
}

bool pf_slots_double(void *slots, size_t *mask, size_t size)
{
    size_t grown_mask = *mask * 2 + 1;
    char *old, *grown = pf_zeroed(grown_mask + 1, size);

    if (!grown)
        return false;
    memcpy(&old, slots, sizeof old);
    if (size == sizeof(struct pf_slot)) /* a size known to the compiler */
        move_slots(grown, grown_mask, old, *mask + 1, sizeof(struct pf_slot));
    else
        move_slots(grown, grown_mask, old, *mask + 1, size);
    free(old);
    memcpy(slots, &grown, sizeof grown);
    *mask = grown_mask;
    return true;
}
