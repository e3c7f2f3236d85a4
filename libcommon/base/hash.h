/* Hashes: XXH3 for tables in memory, XXH64 for the stream's check words (libxxhash). Hashes for tables depend on a seed that each process
 * draws anew, so that an input cannot choose names that all fall into one slot. No output may depend on them. */
#ifndef PF_BASE_HASH_H
#define PF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Random; set before main, constant from then on. */
extern uint64_t pf_hash_seed;

/* Differs between processes: for tables only, never written. */
uint64_t pf_hash(const void *bytes, size_t size);
/* XXH64 with seed 0, as profstream(5) wants it. */
uint64_t pf_xxh64(const void *bytes, size_t size);

/* Spreads a 64-bit key over 64 bits (the finaliser of SplitMix64, Steele et al. 2014). Differs between processes. */
static inline uint64_t pf_hash_mix(uint64_t key)
{
    key ^= pf_hash_seed;
    key ^= key >> 30;
    key *= 0xbf58476d1ce4e5b9u;
    key ^= key >> 27;
    key *= 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

#endif
