#include "analysis/bound.h"

#include "base/number.h"

#include <string.h>

enum { MILLION = 1000000 };

bool pf_bound_parse(const char *text, struct pf_bound *bound)
{
    size_t size = strlen(text);
    struct pf_bytes bytes = {text, size};
    char digits[64];

    *bound = (struct pf_bound){.percent = size > 0 && text[size - 1] == '%', .time = size > 0 && text[size - 1] == 's'};
    if (!bound->percent)
        return pf_parse_scaled(bytes, "k=1000,M=1000000,G=1000000000,ns=1,us=1000,ms=1000000,s=1000000000", &bound->amount) &&
               bound->amount >= 0;
    if (size >= sizeof digits)
        return false;
    memcpy(digits, text, size);
    digits[size - 1] = 'u'; /* a millionth is the finest that is told apart */
    return pf_parse_scaled((struct pf_bytes){digits, size}, "u=1000000", &bound->amount) && bound->amount >= 0;
}

int pf_bound_check(const struct pf_bound *bound, const struct pf_scale *scale, struct pf_error *error)
{
    if (bound->time && !scale->time)
        return pf_error_set(error, PF_USAGE, "a time is no bound for %.*s", (int)scale->name.size, scale->name.data);
    return PF_OK;
}

bool pf_bound_passed(const struct pf_bound *bound, int64_t amount, int64_t whole)
{
    if (!bound->percent)
        return amount > bound->amount;
    return (pf_int128)amount * (100 * MILLION) > (pf_int128)bound->amount * (whole < 0 ? -(pf_int128)whole : whole);
}

pf_int128 pf_bound_amount(const struct pf_bound *bound, pf_int128 whole)
{
    const pf_int128 all = 100 * MILLION, most = (pf_int128)(~(pf_uint128)0 >> 1);
    pf_int128 amount;

    if (!bound->percent)
        return bound->amount;
    whole = whole < 0 ? -whole : whole;
    if (__builtin_mul_overflow(whole / all, (pf_int128)bound->amount, &amount) ||
        __builtin_add_overflow(amount, whole % all * bound->amount / all, &amount))
        return most;
    return amount;
}
