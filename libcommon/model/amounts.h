/* Numbers with decimals as the values of a measure. */
#ifndef PF_MODEL_AMOUNTS_H
#define PF_MODEL_AMOUNTS_H

#include "base/decimal.h"
#include "model/dict.h"

/* A unit numbers are written in: 10^exponent of the base unit. What is finer than 10^-fine of that
 * is rounded. */
struct pf_amount_unit {
    const char *name, *base;
    int exponent, fine;
};

/* The unit of this spelling: one of time, else a base unit of its own. The text must stay. */
struct pf_amount_unit pf_amount_unit_of(const char *name);

/* Counts the amounts in the base unit where all are whole in it, times else in picoseconds, others
 * in a power of ten of the unit, and sets unit, raw_unit, num and den of the measure
 * accordingly. */
void pf_amounts_scale(struct pf_dict *, struct pf_decimals *, const struct pf_amount_unit *,
                      struct pf_measure *);

#endif
