/* Units of time and size: how profiles and options spell them, and in which steps people read them.
 *
 * The unit of a measure is a base unit: "nanoseconds", "bytes", "count", "events" (of which a
 * period is a number), or a name that only the format knows. */
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

/* Sets of spellings. A format accepts the sets that its producers write: another unit is a base
 * unit of its own, so a set more changes what is read. */
enum pf_unit_set {
    /* ns, us (or with the letter mu or the micro sign), ms, s; names in full */
    PF_UNITS_TIME = 1,
    PF_UNITS_FINE = 2,   /* ps, picosecond, picoseconds: less than the base unit */
    PF_UNITS_BYTES = 4,  /* bytes, B */
    PF_UNITS_SIZES = 8,  /* b, byte, bytes; kb, mb, gb and their names, in powers of 1024 */
    PF_UNITS_COUNT = 16, /* count */
};

/* `num / den` base units make one unit. */
struct pf_unit_size {
    const char *base;
    uint64_t num, den;
};

/* The unit of this spelling. False: none of the sets has it. */
bool pf_unit_parse(struct pf_bytes spelling, unsigned sets, struct pf_unit_size *);

/* Raw units that are parts of another: `1/3 tick` gives 3 and *whole `tick`, `1e-2 tick` gives 100.
 * Another name gives 1 and itself. */
uint64_t pf_unit_parts(struct pf_bytes raw_unit, struct pf_bytes *whole);
/* The name of such a raw unit, `1e-2 tick`. 0: out of memory, which pf_dict_status() says too. */
uint32_t pf_unit_decimal(struct pf_dict *, unsigned places, struct pf_bytes unit);
/* Formats without scales write the name of a part as the unit: makes it the raw unit of the
 * measure, and the whole its unit. */
void pf_unit_take_parts(struct pf_dict *, struct pf_measure *);

/* Units in which amounts are shown, the largest first; `size` base units make one. The lists end
 * with a NULL name. */
struct pf_unit_step {
    const char *name;
    double size;
};
extern const struct pf_unit_step pf_time_steps[];
extern const struct pf_unit_step pf_byte_steps[];

/* Whether the unit of the measure is nanoseconds, bytes, count. */
bool pf_measure_is_time(const struct pf_dict *, const struct pf_measure *);
bool pf_measure_is_bytes(const struct pf_dict *, const struct pf_measure *);
bool pf_measure_is_count(const struct pf_dict *, const struct pf_measure *);
/* Whether the measure counts samples by the name that all formats use: "samples" in "count". */
bool pf_measure_is_samples(const struct pf_dict *, const struct pf_measure *);

#endif
