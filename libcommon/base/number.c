#include "base/number.h"

#define UINT128_LIMIT (~(pf_uint128)0)

/* Appends a decimal digit; false if the number overflows 128 bits. */
static bool append_digit(pf_uint128 *number, char c)
{
    unsigned d = (unsigned)(c - '0');

    if (*number > UINT128_LIMIT / 10 ||
        (*number == UINT128_LIMIT / 10 && d > (unsigned)(UINT128_LIMIT % 10)))
        return false;
    *number = *number * 10 + d;
    return true;
}

/* Removes an optional sign; true if it is '-'. */
static bool take_sign(struct pf_bytes *text)
{
    bool negative = text->size > 0 && text->data[0] == '-';

    if (negative || (text->size > 0 && text->data[0] == '+')) {
        text->data++;
        text->size--;
    }
    return negative;
}

/* Converts a magnitude and a sign to int64; false if it overflows. */
static bool signed64(pf_uint128 number, bool negative, int64_t *value)
{
    if (number > (pf_uint128)INT64_MAX + (negative ? 1 : 0))
        return false;
    *value = (int64_t)(negative ? -(uint64_t)number : (uint64_t)number);
    return true;
}

/* Quotient and remainder, avoiding the 128-bit division if possible: it is a library call several
 * times as slow. */
static void divide(pf_uint128 number, uint64_t by, pf_uint128 *quotient, uint64_t *rest)
{
    if (number <= UINT64_MAX) {
        *quotient = (uint64_t)number / by;
        *rest = (uint64_t)number % by;
    } else {
        *quotient = number / by;
        *rest = (uint64_t)(number % by);
    }
}

bool pf_scale64(pf_int128 value, uint64_t num, uint64_t den, int64_t *result)
{
    pf_uint128 product = pf_magnitude(value), quotient;
    uint64_t rest;

    if (product > UINT64_MAX && num != 0 && product > UINT128_LIMIT / num)
        return false;
    product *= num;
    divide(product, den, &quotient, &rest);
    if (rest > den - rest || (rest == den - rest && (quotient & 1) != 0))
        quotient++;
    return signed64(quotient, value < 0, result);
}

pf_int128 pf_divide128(pf_int128 value, pf_int128 divisor)
{
    pf_int128 whole = value / divisor;
    pf_uint128 size = pf_magnitude(divisor), left = pf_magnitude(value % divisor);

    if (left > size - left || (left == size - left && (whole & 1) != 0))
        whole += (value < 0) == (divisor < 0) ? 1 : -1;
    return whole;
}

bool pf_scale128(pf_int128 value, uint64_t num, uint64_t den, pf_int128 *result)
{
    pf_int128 product;

    if (__builtin_mul_overflow(value, (pf_int128)num, &product))
        return false;
    *result = pf_divide128(product, (pf_int128)den);
    return true;
}

uint64_t pf_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

bool pf_parse_int128(struct pf_bytes text, pf_int128 *value)
{
    bool negative = take_sign(&text);
    pf_uint128 number = 0;

    if (text.size == 0)
        return false;
    for (size_t k = 0; k < text.size; k++) {
        if (!pf_digit(text.data[k]) || !append_digit(&number, text.data[k]))
            return false;
    }
    if (number > (UINT128_LIMIT >> 1) + (negative ? 1 : 0))
        return false;
    *value = (pf_int128)(negative ? -number : number);
    return true;
}

bool pf_parse_int(struct pf_bytes text, int64_t low, int64_t high, int64_t *value)
{
    bool negative = take_sign(&text);
    uint64_t number = 0;
    int64_t result;

    if (text.size == 0)
        return false;
    for (size_t k = 0; k < text.size; k++) {
        if (!pf_digit(text.data[k]) || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text.data[k] - '0'), &number))
            return false;
    }
    if (!signed64(number, negative, &result) || result < low || result > high)
        return false;
    *value = result;
    return true;
}

/* The factor of `suffix` in a list "k=1000,M=1000000"; 0 if it is not in the list. */
static uint64_t suffix_factor(struct pf_bytes suffix, const char *list)
{
    while (list && *list != '\0') {
        size_t name = strcspn(list, "=");
        uint64_t factor = 0;
        const char *p = list + name;

        if (*p == '=')
            p++;
        for (; pf_digit(*p); p++)
            factor = factor * 10 + (uint64_t)(*p - '0');
        if (pf_bytes_equal(suffix, (struct pf_bytes){list, name}))
            return factor;
        list = *p == ',' ? p + 1 : NULL;
    }
    return 0;
}

/* Divides number * factor by prime^power; false if the result is not whole. */
static bool divide_power(pf_uint128 *number, uint64_t *factor, unsigned prime, size_t power)
{
    for (; power > 0; power--) {
        if (*factor % prime == 0)
            *factor /= prime;
        else if (*number % prime == 0)
            *number /= prime;
        else
            return false;
    }
    return true;
}

bool pf_parse_scaled(struct pf_bytes text, const char *suffixes, int64_t *value)
{
    bool negative = take_sign(&text);
    size_t k = 0, whole, places = 0;
    uint64_t factor = 1;
    pf_uint128 number = 0;

    for (; k < text.size && pf_digit(text.data[k]); k++) {
        if (!append_digit(&number, text.data[k]))
            return false;
    }
    whole = k;
    if (k < text.size && text.data[k] == '.') {
        size_t first = ++k, last = first;

        for (; k < text.size && pf_digit(text.data[k]); k++) {
            if (text.data[k] != '0')
                last = k + 1;
        }
        if (k == first)
            return false;
        for (size_t j = first; j < last; j++) {
            if (!append_digit(&number, text.data[j]))
                return false;
        }
        places = last - first;
    } else if (whole == 0) {
        return false;
    }
    if (k < text.size)
        factor = suffix_factor((struct pf_bytes){text.data + k, text.size - k}, suffixes);
    if (number == 0 && factor > 0)
        places = 0;
    if (factor == 0 || !divide_power(&number, &factor, 2, places) ||
        !divide_power(&number, &factor, 5, places))
        return false;
    return number <= UINT128_LIMIT / factor && signed64(number * factor, negative, value);
}

char *pf_print_before(char *end, uint64_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

size_t pf_print_int(int64_t value, char text[PF_INT_TEXT])
{
    char digits[PF_INT_TEXT], *end = digits + sizeof digits;
    char *at = pf_print_before(end, (uint64_t)pf_magnitude(value));

    if (value < 0)
        *--at = '-';
    memcpy(text, at, (size_t)(end - at));
    return (size_t)(end - at);
}

size_t pf_print_int128(pf_int128 value, char text[PF_INT128_TEXT])
{
    char digits[PF_INT128_TEXT], *end = digits + sizeof digits, *at = end;
    pf_uint128 number = pf_magnitude(value);
    size_t length;

    for (; number > UINT64_MAX; number /= 10)
        *--at = (char)('0' + (int)(number % 10));
    at = pf_print_before(at, (uint64_t)number);
    if (value < 0)
        *--at = '-';
    length = (size_t)(end - at);
    memcpy(text, at, length);
    text[length] = '\0';
    return length;
}
