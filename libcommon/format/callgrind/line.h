/* Numbers and positions in a line of callgrind's profiles. */
#ifndef PF_FORMAT_CALLGRIND_LINE_H
#define PF_FORMAT_CALLGRIND_LINE_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

/* What a line of costs begins with. */
#define PF_CG_COST_BEGINS "0123456789+-*"

/* True for the characters of the word before the `:` or `=` of a line. */
static inline bool pf_cg_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static inline bool pf_cg_comment(struct pf_bytes line)
{
    return pf_bytes_starts(line, PF_BYTES("#")) || pf_bytes_starts(line, PF_BYTES("===="));
}

/* The next word, taken with the blanks before it; empty at the end. */
static inline struct pf_bytes pf_cg_word(struct pf_bytes *text)
{
    const char *at = text->data, *end = at + text->size, *first;

    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (first = at; at < end && *at != ' ' && *at != '\t';)
        at++;
    *text = (struct pf_bytes){at, (size_t)(end - at)};
    return (struct pf_bytes){first, (size_t)(at - first)};
}

/* A whole number, decimal or 0x and hexadecimal, without a sign. False for anything else, and for more than 64 bits. */
static inline bool pf_cg_number(struct pf_bytes word, uint64_t *value)
{
    uint64_t sum = 0;
    size_t at = 0;

    if (word.size > 2 && word.data[0] == '0' && (word.data[1] | 32) == 'x') {
        for (at = 2; at < word.size; at++) {
            unsigned char c = (unsigned char)word.data[at], lower = c | 32;
            unsigned d = c >= '0' && c <= '9' ? c - 48u : lower >= 'a' && lower <= 'f' ? lower - 87u : 16u;
            if (d == 16 || sum >> 60 != 0)
                return false;
            sum = sum << 4 | d;
        }
        *value = sum;
        return true;
    }
    for (; at < word.size; at++) {
        unsigned d = (unsigned char)word.data[at] - (unsigned)'0';
        if (d > 9 || (at > 17 && (__builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, d, &sum))))
            return false;
        if (at <= 17)
            sum = sum * 10 + d;
    }
    *value = sum;
    return word.size > 0;
}

/* The same below 2^63 and with an optional `-`. */
static inline bool pf_cg_signed(struct pf_bytes word, int64_t *value)
{
    bool negative = word.size > 1 && word.data[0] == '-';
    uint64_t number;

    if (negative)
        word = (struct pf_bytes){word.data + 1, word.size - 1};
    if (!pf_cg_number(word, &number) || number > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

/* A subposition: absolute, or `+n`, `-n`, `*` from `last`. False for what is none, and outside 0 .. 2^64-1. */
static inline bool pf_cg_position(struct pf_bytes word, uint64_t last, uint64_t *value)
{
    uint64_t number;

    if (word.size == 1 && word.data[0] == '*') {
        *value = last;
        return true;
    }
    if (word.size > 1 && (word.data[0] == '+' || word.data[0] == '-')) {
        if (!pf_cg_number((struct pf_bytes){word.data + 1, word.size - 1}, &number))
            return false;
        return word.data[0] == '+' ? !__builtin_add_overflow(last, number, value) : !__builtin_sub_overflow(last, number, value);
    }
    return pf_cg_number(word, value);
}

#endif
