#include "analysis/merge/weight.h"

#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 9 }; /* 10^10 has more than 31 bits */

static int refuse(struct pf_error *error, struct pf_bytes text, const char *why)
{
    return pf_error_set(error, PF_USAGE, "the weight '%s' %s", pf_clip(text).text, why);
}

/* Joins the digits before and after the point, without zeros at the end. */
static int parse_decimal(struct pf_weight *weight, struct pf_bytes text, const char *point,
                         struct pf_error *error)
{
    size_t whole = (size_t)(point - text.data), places = text.size - whole - 1;
    char digits[32];
    uint64_t den = 1;

    if (places == 0)
        return refuse(error, text, "has no digit after the decimal point");
    while (places > 0 && text.data[whole + places] == '0')
        places--;
    if (places > PLACES_MAX || whole + places >= sizeof digits)
        return refuse(error, text, "has too many digits: its denominator has more than 31 bits");
    memcpy(digits, text.data, whole);
    memcpy(digits + whole, point + 1, places);
    for (size_t k = 0; k < places; k++)
        den *= 10;
    *weight = (struct pf_weight){0, den};
    if (whole + places == 0 || !pf_parse_int((struct pf_bytes){digits, whole + places}, -INT64_MAX,
                                             INT64_MAX, &weight->num))
        return refuse(error, text, "is out of range");
    return PF_OK;
}

static int parse_fraction(struct pf_weight *weight, struct pf_bytes text, const char *slash,
                          struct pf_error *error)
{
    size_t size = (size_t)(slash - text.data);
    int64_t den;

    if (!pf_parse_int((struct pf_bytes){text.data, size}, -INT64_MAX, INT64_MAX, &weight->num) ||
        !pf_parse_int((struct pf_bytes){slash + 1, text.size - size - 1}, 1, INT64_MAX, &den))
        return refuse(error, text,
                      "is not a fraction of two whole numbers with a denominator above 0");
    weight->den = (uint64_t)den;
    return PF_OK;
}

struct pf_weight pf_weight_reduced(struct pf_weight weight)
{
    uint64_t size = weight.num < 0 ? -(uint64_t)weight.num : (uint64_t)weight.num;
    uint64_t common = pf_gcd(size, weight.den);

    return (struct pf_weight){weight.num / (int64_t)common, weight.den / common};
}

int pf_weight_parse(struct pf_weight *weight, struct pf_bytes text, struct pf_error *error)
{
    const char *slash = text.size > 0 ? memchr(text.data, '/', text.size) : NULL;
    const char *point = text.size > 0 ? memchr(text.data, '.', text.size) : NULL;
    int status = PF_OK;

    *weight = (struct pf_weight){0, 1};
    if (slash)
        status = parse_fraction(weight, text, slash, error);
    else if (point)
        status = parse_decimal(weight, text, point, error);
    else if (!pf_parse_int(text, -INT64_MAX, INT64_MAX, &weight->num))
        status = refuse(error, text, "is not an integer, decimal number or fraction in range");
    if (status != PF_OK)
        return status;
    *weight = pf_weight_reduced(*weight);
    if (weight->den > PF_WEIGHT_DEN_MAX)
        return refuse(error, text, "has a denominator of more than 31 bits");
    return PF_OK;
}

void pf_weights_free(struct pf_weights *weights)
{
    free(weights->rows);
}

int pf_weights_add(struct pf_weights *weights, struct pf_weight weight)
{
    if (!pf_grow(&weights->rows, &weights->capacity, weights->count + 1, sizeof *weights->rows))
        return PF_NOMEM;
    weights->rows[weights->count++] = weight;
    return PF_OK;
}

int pf_weights_join(struct pf_weights *weights, struct pf_error *error)
{
    uint64_t den = 1;

    for (size_t k = 0; k < weights->count; k++) {
        /* both factors have at most 31 bits, so the product fits */
        den *= weights->rows[k].den / pf_gcd(den, weights->rows[k].den);
        if (den > PF_WEIGHT_DEN_MAX)
            return pf_error_set(error, PF_USAGE,
                                "the weights have no common denominator of 31 bits: use coarser "
                                "ones, such as 0.33 for 1/3");
    }
    weights->den = den;
    for (size_t k = 0; k < weights->count; k++) {
        struct pf_weight *row = &weights->rows[k];

        if (!pf_mul64(row->num, (int64_t)(den / row->den), &row->num))
            return pf_error_set(error, PF_USAGE,
                                "the weights are too large: in units of 1/%" PRIu64
                                " a weight overflows 64 bits",
                                den);
        row->den = den;
    }
    return PF_OK;
}
