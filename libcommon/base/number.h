/* Numbers: checked arithmetic, 128-bit totals, scales, parsing and printing. */
#ifndef PF_BASE_NUMBER_H
#define PF_BASE_NUMBER_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For totals of int64 values: the sum of 2^63 values fits. */
__extension__ typedef __int128 pf_int128;
__extension__ typedef unsigned __int128 pf_uint128;

#define PF_INT128_MAX ((pf_int128)(~(pf_uint128)0 >> 1))

/* *sum becomes a + b, *product a * b; false if the result overflows. */
static inline bool pf_add64(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool pf_mul64(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool pf_add_size(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* The magnitude of a number. */
static inline pf_uint128 pf_magnitude(pf_int128 value)
{
    return value < 0 ? -(pf_uint128)value : (pf_uint128)value;
}

/* value / divisor, rounded half to even; `divisor` must not be 0. */
pf_int128 pf_divide128(pf_int128 value, pf_int128 divisor);

/* *result becomes value * num / den, rounded once, half to even; den > 0. False: value * num
 * overflows 128 bits. */
bool pf_scale128(pf_int128 value, uint64_t num, uint64_t den, pf_int128 *result);
/* *result becomes value * num / den, rounded once, half to even; den > 0. False: value * num
 * overflows 128 bits, or the result overflows int64. */
bool pf_scale64(pf_int128 value, uint64_t num, uint64_t den, int64_t *result);

/* The greatest common divisor; pf_gcd(a, 0) is a. */
uint64_t pf_gcd(uint64_t a, uint64_t b);

/* A decimal digit in ASCII, whatever the locale. */
static inline bool pf_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parses a whole decimal number with an optional sign and nothing before or after it. False: not a
 * number, or out of low..high. */
bool pf_parse_int(struct pf_bytes, int64_t low, int64_t high, int64_t *value);

/* Parses a number with an optional fraction and an optional suffix from `suffixes`, a list
 * "k=1000,M=1000000"; *value is number * factor. False: not such a number, or the result is not
 * whole or overflows int64. */
bool pf_parse_scaled(struct pf_bytes, const char *suffixes, int64_t *value);

/* Writes the decimal digits of a number, at most 20, ending before `end`; returns a pointer to
 * the first digit. */
char *pf_print_before(char *end, uint64_t number);
/* Prints a number in decimal, at most 20 characters with the sign and no NUL; returns the
 * length. */
enum { PF_INT_TEXT = 20 };
size_t pf_print_int(int64_t value, char text[PF_INT_TEXT]);
/* Prints a 128-bit number in decimal, at most 40 characters with the sign and then a NUL; returns
 * the length without the NUL. */
enum { PF_INT128_TEXT = 48 };
size_t pf_print_int128(pf_int128 value, char text[PF_INT128_TEXT]);
/* As pf_parse_int, for 128 bits. */
bool pf_parse_int128(struct pf_bytes, pf_int128 *value);

#endif
