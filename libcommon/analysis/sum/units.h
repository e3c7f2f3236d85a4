/* Quantities: equal measures (pf_measure_same) converted to one scale, and the printing of their
 * amounts. */
#ifndef PF_ANALYSIS_SUM_UNITS_H
#define PF_ANALYSIS_SUM_UNITS_H

#include "base/decimal.h"
#include "base/error.h"
#include "base/number.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise; the first join fills it. Sums of a quantity are whole numbers of `measure.num /
 * measure.den` base units. */
struct pf_quantity {
    /* as the first one; num, den, period and raw_unit of the common scale */
    struct pf_measure measure;
    bool joined; /* there is at least one measure in it */
    bool mixed;  /* the raw units are of different lengths */
    /* periods differ: the base unit is what a period counts, not measure.unit */
    bool events;
};

/* Adds a measure. The caller then multiplies earlier sums by *sums, and values of the new
 * measure by *values. If periods differ, the common scale is events. PF_UNSUPPORTED if a period
 * is then unknown, PF_OVERFLOW if the common scale overflows 64 bits. */
int pf_quantity_join(struct pf_quantity *, const struct pf_dict *, const struct pf_measure *,
                     int64_t *sums, int64_t *values, struct pf_error *);

/* The measure of records that hold the sums. Where periods differ the sums count events, and the
 * measure has no period. Out of memory: pf_dict_status() of the dictionary. */
struct pf_measure pf_quantity_measure(const struct pf_quantity *, struct pf_dict *);

/* PF_UNSUPPORTED, with a text: two measures of one name are in units that cannot be compared. */
int pf_measure_differ(const struct pf_dict *, const struct pf_measure *,
                      const struct pf_measure *other, struct pf_error *);

/* -u: the unit of shown amounts. */
enum pf_unit {
    PF_UNIT_AUTO,
    PF_UNIT_NS,
    PF_UNIT_US,
    PF_UNIT_MS,
    PF_UNIT_S,
    PF_UNIT_TICKS,
    PF_UNIT_EVENTS,
    PF_UNIT_COUNT,
    PF_UNIT_BYTES
};

/* Finds a unit by its name for --unit; false if unknown. */
bool pf_unit_find(const char *name, enum pf_unit *);

/* How sums of a quantity become amounts: amount = sum * num / den, rounded half to even. So many
 * `parts` of an amount make one of what `name` is: where den is 1 nothing is rounded but what is
 * printed. */
struct pf_scale {
    uint64_t num, den, parts; /* parts 0 is 1 */
    struct pf_bytes name;     /* nanoseconds, bytes, count, tick ... */
    /* for pf_scale_print: NS to S fixed, AUTO by size (times and bytes), COUNT plain */
    enum pf_unit shown;
    bool time, bytes;
    bool group; /* for pf_scale_print: commas between the thousands of counts */
};

/* Amounts are base units: of times whole ones where the scale is whole, a decimal fraction or more
 * than 1, else raw units, and of parts of a raw unit (pf_unit_parts) what they would be of the
 * whole one; of all else parts of base units (or of the raw units asked for), so that each sum has
 * its own. PF_USAGE, with a text, when the unit asked for does not fit the quantity. Bytes of
 * `name` belong to the dictionary or are constant. */
int pf_quantity_scale(const struct pf_quantity *, const struct pf_dict *, enum pf_unit,
                      struct pf_scale *, struct pf_error *);
/* The same for records, whose amounts are added up by those who read them: raw units also where the
 * scale is more than 1 and no decimal fraction. */
int pf_quantity_record_scale(const struct pf_quantity *, const struct pf_dict *, struct pf_scale *,
                             struct pf_error *);

/* Converts a sum to an amount; PF_OVERFLOW if it overflows 64 bits. */
int pf_scale_amount(const struct pf_scale *, int64_t sum, int64_t *amount, struct pf_error *);
/* The same for totals; what overflows 128 bits is clamped (a total of 2^63 sums of any scale up to
 * 2^32 fits). */
pf_int128 pf_scale_total(const struct pf_scale *, pf_int128 sum);

/* Converts two scales to the same parts; false if they overflow 64 bits. */
bool pf_scale_join(struct pf_scale *, struct pf_scale *);

/* An amount for people: 3.41s, 120ms, 17.50MB, 1234. Fractions have two decimals, or as many as
 * a value other than 0 needs. With scale->group 1,234. */
enum { PF_AMOUNT_TEXT = PF_DECIMAL_TEXT };
const char *pf_scale_print(const struct pf_scale *, pf_int128 amount, char text[PF_AMOUNT_TEXT]);
/* Inserts commas between thousands before the decimal point. */
void pf_group_digits(char text[PF_AMOUNT_TEXT]);

#endif
