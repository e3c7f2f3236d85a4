/* Hashes: XXH3 for tables in memory, XXH64 for the stream's check words (libxxhash). A table has
 * a random seed, so that no input can choose names that all collide. No output may depend on the
 * seed. */
#ifndef PF_BASE_HASH_H
#define PF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A random seed for one table, from the kernel. */
uint64_t pf_hash_seed(void);
/* XXH3. It may differ between versions of the library: use it for tables only, never write it. */
uint64_t pf_hash(const void *bytes, size_t size, uint64_t seed);
/* XXH64 with seed 0, as profstream(5) demands. */
uint64_t pf_xxh64(const void *bytes, size_t size);

/* Spreads a 64-bit key over 64 bits (the finaliser of SplitMix64, Steele et al. 2014). A table
 * combines its seed with the key by xor. */
static inline uint64_t pf_hash_mix(uint64_t key)
{
    key ^= key >> 30;
    key *= 0xbf58476d1ce4e5b9u;
    key ^= key >> 27;
    key *= 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

#endif
