/* How units of time are spelled, in profiles and in options. */
#ifndef PF_MODEL_UNITS_H
#define PF_MODEL_UNITS_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

/* Suffixes of times for pf_parse_scaled(): nanoseconds in one. */
#define PF_TIME_SUFFIXES "ns=1,us=1000,\xce\xbcs=1000,\xc2\xb5s=1000,ms=1000000,s=1000000000"

/* `num / den` nanoseconds make one of the unit: ps, ns, us (or with the letter mu or the micro sign), ms, s, and their names in full, of one
 * or of many. False: no unit of time. */
bool pf_time_unit(struct pf_bytes name, uint64_t *num, uint64_t *den);

#endif
