#include "model/amounts.h"

#include "base/number.h"

#include <stdio.h>

static uint64_t power(int exponent)
{
    uint64_t result = 1;

    for (; exponent > 0; exponent--)
        result *= 10;
    return result;
}

void pf_amounts_scale(struct pf_dict *dict, struct pf_decimals *amounts, const struct pf_amount_unit *unit, struct pf_measure *measure)
{
    bool time = pf_bytes_equal(pf_bytes_of(unit->base), PF_BYTES("nanoseconds"));
    int finest = unit->exponent + unit->fine;
    char raw[64];

    amounts->rounded = amounts->rounded || amounts->places > finest;
    if (amounts->places <= unit->exponent)
        pf_decimals_rescale(amounts, unit->exponent);
    else if (time || amounts->places > finest)
        pf_decimals_rescale(amounts, finest);
    uint64_t num = power(unit->exponent), den = power(amounts->places), common = pf_gcd(num, den);
    measure->unit = pf_dict_intern_word(dict, unit->base);
    measure->num = num / common;
    measure->den = den / common;
    if (measure->num == 1 && measure->den == 1)
        return;
    if (time && amounts->places == finest)
        snprintf(raw, sizeof raw, "picoseconds");
    else
        snprintf(raw, sizeof raw, "1e-%d %s", amounts->places, unit->exponent > 0 ? unit->name : unit->base);
    measure->raw_unit = pf_dict_intern_word(dict, raw);
}
