/* Hashes: XXH3 for tables in memory, XXH64 for the stream's check words (libxxhash). A table has
 * a random seed, so that no input can choose names that all collide. No output may depend on the
 * seed. */
#ifndef PF_BASE_HASH_H
#define PF_BASE_HASH_H

#include "base/bytes.h"
#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A random seed for one table, from the kernel. */
uint64_t pf_hash_seed(void);
/* XXH3, for tables only: never write the hash, because versions of the library may differ. */
uint64_t pf_hash(const void *bytes, size_t size, uint64_t seed);
/* XXH64 with seed 0, as profstream(5) demands. */
uint64_t pf_xxh64(const void *bytes, size_t size);
/* A hash that names contents: XXH3 with 128 bits and seed 0, which is the same in all versions of
 * the library since 0.8. */
struct pf_hash128 {
    uint64_t high, low;
};
/* Hashes bytes that come in pieces. pf_xxh128_new: NULL if out of memory. pf_xxh128_end returns the
 * hash and frees the state (NULL is allowed: 0). */
struct pf_xxh128;
struct pf_xxh128 *pf_xxh128_new(void);
void pf_xxh128_add(struct pf_xxh128 *, const void *bytes, size_t size);
struct pf_hash128 pf_xxh128_end(struct pf_xxh128 *);

/* 32 hexadecimal digits, the most significant first, as xxh128sum prints them. The text is valid
 * until the end of the expression. */
enum { PF_HASH_DIGITS = 32 };
struct pf_hash_text {
    char text[PF_HASH_DIGITS + 1];
};
struct pf_hash_text pf_hash128_text(struct pf_hash128);
/* Parses 32 hexadecimal digits; false for any other text. */
bool pf_hash128_parse(struct pf_hash128 *, struct pf_bytes);

static inline bool pf_hash128_equal(struct pf_hash128 a, struct pf_hash128 b)
{
    return a.high == b.high && a.low == b.low;
}

/* Spreads a 64-bit key over 64 bits (the finaliser of SplitMix64, Steele et al. 2014). Different
 * keys have different hashes. */
static inline uint64_t pf_hash_mix(uint64_t key)
{
    key ^= key >> 30;
    key *= 0xbf58476d1ce4e5b9u;
    key ^= key >> 27;
    key *= 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

/* The beginning of a slot of a table with open addressing. A search starts at slot `tag & mask` and
 * goes on until an empty slot. 32 bits are enough for tables of up to 2^32 slots. */
struct pf_slot {
    uint32_t tag; /* lower half of the hash */
    uint32_t id;  /* 0: the slot is empty */
};

/* Doubles a table of *mask + 1 slots of `size` bytes; `slots` is a pointer to the array. False: out
 * of memory, the table is unchanged. */
bool pf_slots_double(void *slots, size_t *mask, size_t size);

/* The hash of a 64-bit key for a table with a random seed: the halves of the 128-bit product are
 * combined by xor. A third of the instructions of pf_hash_mix, but two keys may have one hash. */
static inline uint64_t pf_hash_key(uint64_t key, uint64_t seed)
{
    pf_uint128 product = (pf_uint128)(key ^ seed) * 0x9e3779b97f4a7c15u;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
