/* Decimal numbers as values of a measure. */
#ifndef PF_MODEL_AMOUNTS_H
#define PF_MODEL_AMOUNTS_H

#include "base/decimal.h"
#include "model/dict.h"

/* The unit of written numbers: 10^exponent base units. Decimals finer than 10^-fine of the unit
 * are rounded. */
struct pf_amount_unit {
    const char *name, *base;
    int exponent, fine;
};

/* The unit with this spelling: a unit of time, else a base unit of its own. The caller keeps the
 * text. */
struct pf_amount_unit pf_amount_unit_of(const char *name);

/* Converts the amounts to the base unit if all are whole numbers of this unit; else times to
 * picoseconds, other amounts to a power of ten of the unit. Sets unit, raw_unit, num and den of the
 * measure. */
void pf_amounts_scale(struct pf_dict *, struct pf_decimals *, const struct pf_amount_unit *,
                      struct pf_measure *);

#endif
