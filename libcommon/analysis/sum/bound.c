#include "analysis/sum/bound.h"

#include "base/number.h"
#include "model/units.h"

#include <string.h>

enum { MILLION = 1000000 };

bool pf_bound_parse(const char *text, struct pf_bound *bound)
{
    static const char times[] = PF_TIME_SUFFIXES;
    static const char amounts[] = PF_COUNT_SUFFIXES ",count=1,bytes=1";
    size_t size = strlen(text);
    struct pf_bytes bytes = {text, size};
    char digits[64];

    *bound = (struct pf_bound){.percent = size > 0 && text[size - 1] == '%'};
    if (!bound->percent) {
        bound->bare = size > 0 && strspn(text, "0123456789.") == size;
        bound->time = !bound->bare && pf_parse_scaled(bytes, times, &bound->amount);
        return (bound->time || pf_parse_scaled(bytes, amounts, &bound->amount)) &&
               bound->amount >= 0;
    }
    if (size >= sizeof digits)
        return false;
    memcpy(digits, text, size);
    digits[size - 1] = 'u'; /* parse the number in millionths */
    return pf_parse_scaled((struct pf_bytes){digits, size}, "u=1000000", &bound->amount) &&
           bound->amount >= 0;
}

int pf_bound_check(const struct pf_bound *bound, const struct pf_scale *scale,
                   struct pf_error *error)
{
    if (bound->time && !scale->time)
        return pf_error_set(error, PF_USAGE, "a time cannot bound %s", pf_clip(scale->name).text);
    return PF_OK;
}

/* True if a / b > c / d; b and d are not 0. Compares continued fractions, because the products
 * could overflow 128 bits. */
static bool greater(pf_uint128 a, pf_uint128 b, pf_uint128 c, pf_uint128 d)
{
    pf_uint128 left = a % b, right = c % d;

    if (a / b != c / d)
        return a / b > c / d;
    return left != 0 && (right == 0 || greater(d, right, b, left));
}

bool pf_bound_passed(const struct pf_bound *bound, pf_int128 amount, pf_int128 whole,
                     uint64_t parts)
{
    const pf_uint128 size = whole < 0 ? -(pf_uint128)whole : (pf_uint128)whole;

    if (amount <= 0)
        return false;
    if (!bound->percent)
        return greater((pf_uint128)amount, parts, (pf_uint128)bound->amount, 1);
    return size == 0 || greater((pf_uint128)amount, size, (pf_uint128)bound->amount, 100 * MILLION);
}

pf_int128 pf_bound_amount(const struct pf_bound *bound, pf_int128 whole, uint64_t parts)
{
    const pf_int128 all = 100 * MILLION, most = (pf_int128)(~(pf_uint128)0 >> 1);
    pf_int128 amount;

    if (!bound->percent)
        return (pf_int128)bound->amount * (pf_int128)parts;
    whole = whole < 0 ? -whole : whole;
    if (__builtin_mul_overflow(whole / all, (pf_int128)bound->amount, &amount) ||
        __builtin_add_overflow(amount, whole % all * bound->amount / all, &amount))
        return most;
    return amount;
}

pf_int128 pf_bound_least(const struct pf_bound *bound, pf_int128 whole)
{
    const pf_int128 all = 100 * MILLION;

    return pf_bound_amount(bound, whole, 1) + (whole % all * bound->amount % all != 0);
}
