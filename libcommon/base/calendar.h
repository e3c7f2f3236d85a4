/* Times of the calendar: nanoseconds since 1970-01-01 00:00 UTC, as ISO 8601 writes them. The range
 * of int64_t goes from the year 1677 to 2262; leap seconds do not count. */
#ifndef PF_BASE_CALENDAR_H
#define PF_BASE_CALENDAR_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds of a number of seconds. False: out of range. */
bool pf_time_of_seconds(int64_t seconds, int64_t *time);
/* Reads a number of seconds since 1970, with a fraction of up to 9 digits or without: `1795208304`,
 * `1795208304.5`. False: not of this form, or out of range. */
bool pf_time_parse_seconds(struct pf_bytes, int64_t *time);
/* Reads a time as people type it: `2026-11-23` (midnight), `2026-11-23T14:05`, with seconds and a
 * fraction of up to 9 digits, with `Z`, `+01:00` or without a zone (UTC); a blank may replace the
 * T; or `@` and a number of seconds. False: not of this form, or out of range. */
bool pf_time_parse(struct pf_bytes, int64_t *time);

enum { PF_TIME_TEXT = 40, PF_TIME_DAY = 10 };

/* Prints a time: `2026-11-23T14:05:00Z`, with a fraction only if there is one. Returns the number
 * of bytes; the first PF_TIME_DAY are the day. */
size_t pf_time_print(int64_t time, char text[PF_TIME_TEXT]);

#endif
