/* Events and measures. The name of an event may carry its unit, as in Xdebug's `Time_(10ns)` and pprof's `cpu(ms)`; its long name may
 * (`event: sysTime : sysTime (elapsed ns)`). ruby-prof's times are in microseconds and do not say so. */
#ifndef PF_FORMAT_CALLGRIND_EVENTS_H
#define PF_FORMAT_CALLGRIND_EVENTS_H

#include "base/bytes.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>

/* The measure of an event: its name, units, scale and nature; kind and role are the caller's to set. `long_name` may be empty. */
void pf_cg_event_measure(struct pf_dict *, struct pf_bytes event, struct pf_bytes long_name, struct pf_measure *);

/* Splits what stands behind `event:` into the short and the long name. False where it defines a sum of others, or nothing. */
bool pf_cg_event_split(struct pf_bytes definition, struct pf_bytes *event, struct pf_bytes *long_name);

/* Appends the event's name that a measure of that scale is read from; *num and *den lead from the measure's values to those that
 * are written: 1 / 1 unless the scale has no name. */
void pf_cg_event_name(const struct pf_dict *, const struct pf_measure *, struct pf_buffer *, uint64_t *num, uint64_t *den);

/* Whether both have the same name, unit and scale. */
bool pf_cg_event_same(const struct pf_measure *, const struct pf_measure *);

#endif
