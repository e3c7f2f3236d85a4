/* Numbers and positions in a line of callgrind's profiles. */
#ifndef PF_FORMAT_CALLGRIND_LINE_H
#define PF_FORMAT_CALLGRIND_LINE_H

#include "base/scan.h"

#include <stdbool.h>
#include <stdint.h>

/* What a line of costs begins with. */
#define PF_CG_COST_BEGINS "0123456789+-*"

/* True for the characters of the word before the `:` or `=` of a line. */
static inline bool pf_cg_word_char(char c)
{
    return pf_word_char(c) || c == '-';
}

static inline bool pf_cg_comment(struct pf_bytes line)
{
    return pf_bytes_starts(line, PF_BYTES("#")) || pf_bytes_starts(line, PF_BYTES("===="));
}

/* A whole number, decimal or 0x and hexadecimal, without a sign. False for anything else, and for more than 64 bits. */
static inline bool pf_cg_number(struct pf_bytes word, uint64_t *value)
{
    return pf_scan_0x(&word) ? pf_parse_hex(word, value) : pf_parse_digits(word, UINT64_MAX, value);
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
