/* Numbers with decimals, kept exactly: text of the form -?digits[.digits][e-?digits] as whole
 * numbers of a power of ten. */
#ifndef PF_BASE_DECIMAL_H
#define PF_BASE_DECIMAL_H

#include "base/bytes.h"
#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *value = number * 10^shift, rounded half to even where that is not whole: *exact says so. False:
 * no number, or it leaves int64. */
bool pf_decimal_scale(struct pf_bytes text, int shift, int64_t *value, bool *exact);
/* The same, of up to 38 digits. */
bool pf_decimal_scale128(struct pf_bytes text, int shift, pf_int128 *value, bool *exact);

/* amount / parts with at most `places` decimals, rounded half to even where there are more; whole
 * numbers have no point, and no number ends in a zero behind it. parts 0 is 1; places <= 24.
 * NUL-terminated; returns the length. */
enum { PF_DECIMAL_TEXT = 72, PF_DECIMAL_PLACES = 6 /* what outputs for machines show */ };
size_t pf_print_parts(pf_int128 amount, uint64_t parts, unsigned places,
                      char text[PF_DECIMAL_TEXT]);

/* *common = the least number that both are divisors of; false when it leaves 64 bits. Neither is
 * 0. */
bool pf_parts_join(uint64_t a, uint64_t b, uint64_t *common);

/* A column of such numbers in one scale, which becomes finer when a number needs it.
 * Zero-initialise but for `most`; free(values). */
struct pf_decimals {
    int64_t *values;
    size_t count, capacity;
    int64_t carried; /* one more value in the same scale, for the caller */
    int places;      /* a value counts 10^-places */
    int most;        /* places there may be */
    bool rounded;    /* some number had more, or did not leave room for as many */
    int64_t rest;    /* what rounding has left of parts, in 10^-12 of what a value counts; */
    int rest_of;     /* of the values with so many places */
};

/* PF_OK and *value, in the scale that the column has from then on; PF_FAILED: no number;
 * PF_OVERFLOW: it leaves int64 even without decimals. */
int pf_decimals_take(struct pf_decimals *, struct pf_bytes text, int64_t *value);
/* The same of a number that is a part of a whole: what is rounded is not lost but added to the
 * parts that follow, so that their sums, too, are those of the numbers, rounded once. */
int pf_decimals_take_part(struct pf_decimals *, struct pf_bytes text, int64_t *value);
/* Adds a value; PF_OK or PF_NOMEM. */
int pf_decimals_add(struct pf_decimals *, int64_t value);
/* Counts all values in 10^-places from here on: rounds half to even where that is coarser. PF_OK or
 * PF_OVERFLOW (nothing changed). */
int pf_decimals_rescale(struct pf_decimals *, int places);

#endif
