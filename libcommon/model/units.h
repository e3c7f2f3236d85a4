/* Units of time and size: their spellings in profiles and options, and the units shown to people.
 *
 * The unit of a measure is a base unit: "nanoseconds", "bytes", "count", "events" (periods count
 * events), or a name that only the format knows. */
#ifndef PF_MODEL_UNITS_H
#define PF_MODEL_UNITS_H

#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* Lists of suffixes for pf_parse_scaled(): times in nanoseconds, counts, sizes in bytes. */
#define PF_TIME_SUFFIXES  "ns=1,us=1000,\xce\xbcs=1000,\xc2\xb5s=1000,ms=1000000,s=1000000000"
#define PF_COUNT_SUFFIXES "k=1000,M=1000000,G=1000000000"
#define PF_SIZE_SUFFIXES  "k=1024,K=1024,M=1048576,G=1073741824,T=1099511627776"

#define PF_SECOND UINT64_C(1000000000) /* in nanoseconds */

/* Sets of spellings. A format accepts the sets that its producers write. A unit outside of these
 * sets is a base unit of its own, so another set would change the result. */
enum pf_unit_set {
    /* ns, us (or with the letter mu or the micro sign), ms, s; names in full */
    PF_UNITS_TIME = 1,
    PF_UNITS_FINE = 2,   /* ps, picosecond, picoseconds: smaller than the base unit */
    PF_UNITS_BYTES = 4,  /* bytes, B */
    PF_UNITS_SIZES = 8,  /* b, byte, bytes; kb, mb, gb and their names, in powers of 1024 */
    PF_UNITS_COUNT = 16, /* count */
};

/* A unit: `num / den` base units. */
struct pf_unit_size {
    const char *base;
    uint64_t num, den;
};

/* Finds the unit with this spelling. False: the spelling is in none of the sets. */
bool pf_unit_parse(struct pf_bytes spelling, unsigned sets, struct pf_unit_size *);

/* Raw units that are fractions: `1/3 tick` returns 3 with *whole `tick`, `1e-2 tick` returns
 * 100. Any other name returns 1 and itself. */
uint64_t pf_unit_parts(struct pf_bytes raw_unit, struct pf_bytes *whole);
/* The name of such a raw unit, `1e-2 tick`. 0: out of memory, which pf_dict_status() reports
 * too. */
uint32_t pf_unit_decimal(struct pf_dict *, unsigned places, struct pf_bytes unit);
/* Formats without scales have a fraction such as `1/3 tick` as unit. Makes the fraction the raw
 * unit of the measure, and the whole its unit. */
void pf_unit_take_parts(struct pf_dict *, struct pf_measure *);

/* Units for showing amounts, the largest first; one unit is `size` base units. The lists end
 * with a NULL name. */
struct pf_unit_step {
    const char *name;
    double size;
};
extern const struct pf_unit_step pf_time_steps[];
extern const struct pf_unit_step pf_byte_steps[];

/* True if the unit of the measure is nanoseconds; bytes; count. */
bool pf_measure_is_time(const struct pf_dict *, const struct pf_measure *);
bool pf_measure_is_bytes(const struct pf_dict *, const struct pf_measure *);
bool pf_measure_is_count(const struct pf_dict *, const struct pf_measure *);
/* True if the measure counts samples by the name that formats use: "samples" in "count", or V8's
 * "hits" if they are sampled. */
bool pf_measure_is_samples(const struct pf_dict *, const struct pf_measure *);

#endif
