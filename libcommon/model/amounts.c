#include "model/amounts.h"

#include "model/units.h"

static uint64_t power(int exponent)
{
    uint64_t result = 1;

    for (; exponent > 0; exponent--)
        result *= 10;
    return result;
}

struct pf_amount_unit pf_amount_unit_of(const char *name)
{
    struct pf_amount_unit unit = {.name = name, .base = name, .fine = 9};
    struct pf_unit_size size;

    if (!pf_unit_parse(pf_bytes_of(name), PF_UNITS_TIME, &size))
        return unit;
    unit.base = size.base;
    unit.fine = 3;
    while (power(unit.exponent) < size.num)
        unit.exponent++;
    return unit;
}

void pf_amounts_scale(struct pf_dict *dict, struct pf_decimals *amounts,
                      const struct pf_amount_unit *unit, struct pf_measure *measure)
{
    bool time = pf_bytes_equal(pf_bytes_of(unit->base), PF_BYTES("nanoseconds"));
    int finest = unit->exponent + unit->fine;

    amounts->rounded = amounts->rounded || amounts->places > finest;
    if (amounts->places <= unit->exponent)
        pf_decimals_rescale(amounts, unit->exponent);
    else if (time || amounts->places > finest)
        pf_decimals_rescale(amounts, finest);
    measure->unit = pf_dict_intern_word(dict, unit->base);
    pf_measure_set_scale(measure, power(unit->exponent), power(amounts->places));
    if (measure->num == 1 && measure->den == 1)
        return;
    if (time && amounts->places == finest)
        measure->raw_unit = pf_dict_intern(dict, PF_BYTES("picoseconds"), 0);
    else
        measure->raw_unit =
            pf_unit_decimal(dict, (unsigned)amounts->places,
                            pf_bytes_of(unit->exponent > 0 ? unit->name : unit->base));
}
