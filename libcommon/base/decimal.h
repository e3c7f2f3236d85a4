/* Exact decimal numbers: text of the form -?digits[.digits][e-?digits] becomes a whole number times
 * a power of ten. */
#ifndef PF_BASE_DECIMAL_H
#define PF_BASE_DECIMAL_H

#include "base/bytes.h"
#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for a number of any size. */
bool pf_decimal_is_number(struct pf_bytes text);

/* Parses a number: *value = number * 10^shift, rounded half to even; *exact is false if rounding
 * changed the value. False: the text is not a number, or the value overflows int64. */
bool pf_decimal_scale(struct pf_bytes text, int shift, int64_t *value, bool *exact);
/* The same, of up to 38 digits. */
bool pf_decimal_scale128(struct pf_bytes text, int shift, pf_int128 *value, bool *exact);

/* The number as value / 10^places, with as few places as possible. PF_OK; PF_FAILED if the text is
 * not a number; PF_OVERFLOW if the value overflows int64, or more than PF_POWER_MAX places are
 * needed. */
int pf_decimal_shortest(struct pf_bytes text, int64_t *value, unsigned *places);

/* 10^exponent, for exponents up to PF_POWER_MAX. */
enum { PF_POWER_MAX = 18 };
static inline int64_t pf_power_of_ten(unsigned exponent)
{
    int64_t power = 1;

    for (; exponent > 0; exponent--)
        power *= 10;
    return power;
}

/* Prints amount / parts with at most `places` decimals, rounded half to even. Whole numbers have
 * no point, and decimals do not end in 0. parts 0 means 1; places <= 24. The text is
 * NUL-terminated; returns its length. */
enum { PF_DECIMAL_TEXT = 72, PF_DECIMAL_PLACES = 6 /* decimals in machine formats */ };
size_t pf_print_parts(pf_int128 amount, uint64_t parts, unsigned places,
                      char text[PF_DECIMAL_TEXT]);

/* *common becomes the least common multiple of a and b, which must not be 0. False: it overflows 64
 * bits. */
bool pf_parts_join(uint64_t a, uint64_t b, uint64_t *common);

/* A column of decimal numbers with one scale, which becomes finer when a number needs more
 * decimals. Zero-initialise, set `most`; the caller frees `values` with free(). */
struct pf_decimals {
    int64_t *values;
    size_t count, capacity;
    int64_t carried; /* a value of the caller's that is rescaled too */
    int places;      /* a value counts 10^-places */
    int most;        /* the largest allowed `places` */
    bool rounded;    /* some number was rounded: it had more decimals, or was too large for them */
    int64_t rest;    /* the sum of rounding errors of parts, in 10^-12 of a value's unit */
    int rest_of;     /* the `places` for which `rest` is valid */
};

/* Parses a number; *value is in the column's scale, which may have changed. PF_OK; PF_FAILED if the
 * text is not a number; PF_OVERFLOW if it overflows int64 even without decimals. Does not add the
 * value. */
int pf_decimals_take(struct pf_decimals *, struct pf_bytes text, int64_t *value);
/* The same for a number that is a part of a whole: its rounding error is added to the next part, so
 * that a sum of parts is rounded only once. */
int pf_decimals_take_part(struct pf_decimals *, struct pf_bytes text, int64_t *value);
/* Adds a value in the column's scale. PF_OK or PF_NOMEM. */
int pf_decimals_add(struct pf_decimals *, int64_t value);
/* Changes the scale of all values to 10^-places; a coarser scale rounds half to even. PF_OK;
 * PF_OVERFLOW with nothing changed. */
int pf_decimals_rescale(struct pf_decimals *, int places);

#endif
