/* Seeded damage: the same seed always changes the same bytes in the same way. */
#ifndef PF_TESTS_MUTATE_H
#define PF_TESTS_MUTATE_H

#include "base/bytes.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct random {
    uint64_t state;
};

static uint64_t random_next(struct random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return pf_hash_mix(random->state);
}

/* 0 .. limit - 1; 0 for the limit 0 */
static size_t random_below(struct random *random, size_t limit)
{
    return limit ? (size_t)(random_next(random) % limit) : 0;
}

enum { MUTANT_GROWTH = 16384 }; /* bytes by which a mutation may grow */

struct mutant {
    unsigned char *data; /* capacity: size of the original + MUTANT_GROWTH */
    size_t size, capacity;
};

static void mutant_insert(struct mutant *mutant, size_t at, const void *bytes, size_t size)
{
    if (size > mutant->capacity - mutant->size)
        size = mutant->capacity - mutant->size;
    memmove(mutant->data + at + size, mutant->data + at, mutant->size - at);
    memcpy(mutant->data + at, bytes, size);
    mutant->size += size;
}

static void mutant_overwrite(struct mutant *mutant, size_t at, const void *bytes, size_t size)
{
    if (size > mutant->size - at)
        size = mutant->size - at;
    memmove(mutant->data + at, bytes, size);
}

/* Bytes that often break readers of lengths, numbers, lines and names. */
static struct pf_bytes nasty(struct random *random)
{
    static const struct pf_bytes list[] = {
        PF_BYTES("\xff"),
        PF_BYTES("\xff\xff"),
        PF_BYTES("\xff\xff\xff\xff"),
        PF_BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
        PF_BYTES("\xff\xff\xff\x7f"),
        PF_BYTES("\x7f\xff\xff\xff"),
        PF_BYTES("\x8f\xff\xff\xff\x7f"),
        PF_BYTES("\x00"),
        PF_BYTES("\x00\x00\x00\x00"),
        PF_BYTES("\x00\x00\x00\x80"),
        PF_BYTES("\x00\x00\x10\x00"),
        PF_BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
        PF_BYTES("99999999999999999999"),
        PF_BYTES("-1"),
        PF_BYTES("9223372036854775807"),
        PF_BYTES("1e400"),
        PF_BYTES("\n"),
        PF_BYTES(";"),
        PF_BYTES(" "),
        PF_BYTES("\r\n\r\n"),
        PF_BYTES(";;;; 7\n"),
        PF_BYTES("\xed\xa0\x80"),
        PF_BYTES("\""),
    };
    return list[random_below(random, sizeof list / sizeof *list)];
}

static void mutate_once(struct mutant *mutant, struct random *random)
{
    size_t size = mutant->size, at = random_below(random, size), from = random_below(random, size);
    /* mostly short ranges: after a long one little is left to read */
    size_t range = 1 + random_below(random, random_next(random) % 4 ? 16 : size / 2 + 1);
    unsigned char byte = (unsigned char)random_next(random);
    unsigned char copy[MUTANT_GROWTH / 8];
    struct pf_bytes bytes = nasty(random);
    if (range > size - at)
        range = size - at;
    size_t copied = size - from < range ? size - from : range;
    if (copied > sizeof copy)
        copied = sizeof copy;
    memcpy(copy, mutant->data + from, copied);
    switch (random_below(random, 10)) {
    case 0:
    case 1: mutant->data[at] ^= (unsigned char)(1u << (byte & 7)); break;
    case 2: mutant->data[at] = byte; break;
    case 3:
    case 4: mutant_overwrite(mutant, at, bytes.data, bytes.size); break;
    case 5: mutant_insert(mutant, at, bytes.data, bytes.size); break;
    case 6: /* delete a range */
        memmove(mutant->data + at, mutant->data + at + range, size - at - range);
        mutant->size -= range;
        break;
    case 7: /* copy a range */ mutant_insert(mutant, at, copy, copied); break;
    case 8: /* overwrite a range with another */ mutant_overwrite(mutant, at, copy, copied); break;
    default: /* keep the head of the file, then a tail from elsewhere */
        if (at < from) {
            memmove(mutant->data + at, mutant->data + from, size - from);
            mutant->size -= from - at;
        } else
            mutant->size = at;
    }
}

/* Size in bytes of the frame at `at` with its padding; 0 if no whole frame is there. */
static size_t pfs_step(const struct mutant *mutant, size_t at)
{
    if (mutant->size - at < 32 || memcmp(mutant->data + at, "\x89PFS", 4) != 0)
        return 0;
    size_t step = 32 + (((size_t)pf_load32le(mutant->data + at + 8) + 7) & ~(size_t)7);
    return step > mutant->size - at ? 0 : step;
}

/* Corrects the check words of all frames of a native stream, so that readers get as far as the
 * damage. */
static void pfs_repair(struct mutant *mutant)
{
    size_t step;
    for (size_t at = 0; (step = pfs_step(mutant, at)) > 0; at += step) {
        unsigned char *frame = mutant->data + at;
        pf_store32le(frame + 24, (uint32_t)pf_xxh64(frame + 32, pf_load32le(frame + 8)));
        pf_store32le(frame + 28, (uint32_t)pf_xxh64(frame, 28));
    }
}

/* Offset of a random frame. One choice in two is a block of records, because a stream has few of
 * them. */
static size_t pfs_frame(const struct mutant *mutant, struct random *random)
{
    size_t chosen = 0, count = 0, step;
    bool block = random_next(random) & 1;
    for (size_t at = 0; (step = pfs_step(mutant, at)) > 0; at += step)
        if ((!block || mutant->data[at + 4] == 'B') && random_below(random, ++count) == 0)
            chosen = at;
    return chosen;
}

/* Offset of column `number` of the frame at `frame`, or of the last column before damage. */
static size_t pfs_column(const struct mutant *mutant, size_t frame, size_t number)
{
    size_t at = frame + 32;
    while (number-- && mutant->size - at > 16) {
        size_t step = 16 + (((size_t)pf_load32le(mutant->data + at + 4) + 7) & ~(size_t)7);
        if (step > mutant->size - at)
            break;
        at += step;
    }
    return at;
}

/* Changes the structure of a stream: the header of a frame or of a column. */
static void pfs_mutate(struct mutant *mutant, struct random *random)
{
    size_t frame = pfs_frame(mutant, random);
    size_t column = mutant->size - frame > 32 ? pfs_column(mutant, frame, random_below(random, 8))
                                              : frame;
    size_t at = random_next(random) & 1 ? frame + 4 + random_below(random, 24)
                                        : column + random_below(random, 8);
    struct pf_bytes bytes = nasty(random);
    if (at >= mutant->size || column + 2 > mutant->size)
        return;
    switch (random_below(random, 4)) {
    case 0: mutant->data[at] ^= (unsigned char)(1u << (random_next(random) & 7)); break;
    case 1: mutant->data[at] = (unsigned char)random_below(random, 8); break;
    case 2: /* change a column's number: to a small number, the number of a measure, or any number
             */
        pf_store16le(mutant->data + column,
                     (uint16_t)(random_below(random, random_next(random) & 3 ? 8 : 65536) |
                                (random_next(random) & 256)));
        break;
    default: mutant_overwrite(mutant, at, bytes.data, bytes.size);
    }
}

/* Makes one to four changes. In a native stream every third seed only flips bits and leaves the
 * check words wrong (*sealed: the reader must find this damage); other seeds correct them, and half
 * of those change the structure. */
static inline void mutate(struct mutant *mutant, uint64_t seed, bool native, bool *sealed)
{
    struct random random = {seed};
    size_t changes = 1 + random_below(&random, 4);
    *sealed = native && seed % 3 == 0;
    for (; changes && mutant->size; changes--) {
        if (*sealed)
            mutant->data[random_below(&random, mutant->size)] ^=
                (unsigned char)(1u << (random_next(&random) & 7));
        else if (native && seed % 3 == 1)
            pfs_mutate(mutant, &random);
        else
            mutate_once(mutant, &random);
    }
    if (native && !*sealed)
        pfs_repair(mutant);
}

#endif
