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

/* Zero-initialise; the first pf_quantity_join fills it. Sums of a quantity are whole numbers of
 * measure.num / measure.den base units. */
struct pf_quantity {
    /* the first measure, with num, den, period and raw_unit of the common scale */
    struct pf_measure measure;
    bool joined; /* a measure has been added */
    bool mixed;  /* raw units differ in length */
    /* periods differ: the base unit is events, not measure.unit */
    bool events;
};

/* Adds a measure. The caller must then multiply earlier sums by *sums, and values of the new
 * measure by *values. If periods differ, the common scale is events. PF_OK; PF_UNSUPPORTED if a
 * period is then unknown; PF_OVERFLOW if the common scale overflows 64 bits. */
int pf_quantity_join(struct pf_quantity *, const struct pf_dict *, const struct pf_measure *,
                     int64_t *sums, int64_t *values, struct pf_error *);

/* The measure for records that hold the sums. If periods differ, its unit is events and it has no
 * period. Out of memory: pf_dict_status. */
struct pf_measure pf_quantity_measure(const struct pf_quantity *, struct pf_dict *);

/* Sets the error that two measures of one name have units that cannot be compared; returns
 * PF_UNSUPPORTED. */
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

/* How sums of a quantity become amounts: amount = sum * num / den, rounded half to even (exact if
 * den is 1). An amount of `parts` is one unit, whose name is `name`. */
struct pf_scale {
    uint64_t num, den, parts; /* parts 0 means 1 */
    struct pf_bytes name;     /* nanoseconds, bytes, count, tick ... */
    /* for pf_scale_print: NS to S: this unit; AUTO: a unit by size (times and bytes); COUNT: no
     * unit */
    enum pf_unit shown;
    bool time, bytes;
    bool group; /* for pf_scale_print: commas between the thousands of counts */
};

/* Chooses the scale of a quantity's amounts for the unit asked for.
 *
 * - Times are in nanoseconds if the raw unit is a whole or decimal number of nanoseconds, or longer
 *   than one nanosecond (then amounts are rounded); else in raw units.
 * - Other quantities are in such parts of the base unit that every sum is exact.
 * - PF_UNIT_TICKS: raw units. PF_UNIT_EVENTS: events.
 *
 * If the raw unit is a part of a unit (pf_unit_parts: "1/3 tick"), the whole unit decides, and
 * `parts` counts the parts. PF_OK, or PF_USAGE if the unit asked for does not fit the quantity. The
 * bytes of `name` belong to the dictionary or are constant. */
int pf_quantity_scale(const struct pf_quantity *, const struct pf_dict *, enum pf_unit,
                      struct pf_scale *, struct pf_error *);
/* The same for records, whose readers add amounts up, so nothing is rounded: times are in raw units
 * also if the raw unit is longer than one nanosecond but not a decimal number of nanoseconds. */
int pf_quantity_record_scale(const struct pf_quantity *, const struct pf_dict *, struct pf_scale *,
                             struct pf_error *);

/* Converts a sum to an amount; PF_OVERFLOW if it overflows 64 bits. */
int pf_scale_amount(const struct pf_scale *, int64_t sum, int64_t *amount, struct pf_error *);
/* The same for totals. A result beyond 128 bits is clamped (totals of 2^63 sums with a scale up to
 * 2^32 fit). */
pf_int128 pf_scale_total(const struct pf_scale *, pf_int128 sum);

/* Converts two scales to equal `parts`; false if they overflow 64 bits. */
bool pf_scale_join(struct pf_scale *, struct pf_scale *);

/* Prints an amount for people: 3.41s, 120ms, 17.50MB, 1234. Fractions have two decimals, or as many
 * as a value other than 0 needs to show two digits. With scale->group: 1,234. */
enum { PF_AMOUNT_TEXT = PF_DECIMAL_TEXT };
const char *pf_scale_print(const struct pf_scale *, pf_int128 amount, char text[PF_AMOUNT_TEXT]);
/* Inserts commas between thousands before the decimal point. */
void pf_group_digits(char text[PF_AMOUNT_TEXT]);

#endif
