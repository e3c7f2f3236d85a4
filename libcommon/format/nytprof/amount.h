/* Amounts of time whose unit is decided at the end: whole ticks if all that were added are, else picoseconds. */
#ifndef PF_FORMAT_NYTPROF_AMOUNT_H
#define PF_FORMAT_NYTPROF_AMOUNT_H

#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* Ticks in a second as the stream says; 0 = it does not. Without them a fine unit is a millionth of a tick. */
struct pf_nyt_clock {
    uint64_t ticks_per_sec;
};

struct pf_nyt_amount {
    int64_t ticks, fine;
};

/* What was added to the amounts of one measure. Zero-initialise. */
struct pf_nyt_unit {
    bool broken;       /* some were no whole ticks */
    bool ticks_left, fine_left; /* a sum left 64 bits */
};

/* Adds a number of ticks, or of seconds: those are whole when they are within 1e-6 of it, or as near as a double can tell. */
void pf_nyt_amount_add_ticks(struct pf_nyt_amount *, struct pf_nyt_unit *, struct pf_nyt_clock, double ticks);
void pf_nyt_amount_add_seconds(struct pf_nyt_amount *, struct pf_nyt_unit *, struct pf_nyt_clock, double seconds);
void pf_nyt_amount_add(struct pf_nyt_amount *, struct pf_nyt_unit *, struct pf_nyt_amount);

static inline bool pf_nyt_unit_ticks(const struct pf_nyt_unit *unit)
{
    return !unit->broken && !unit->ticks_left;
}
static inline int64_t pf_nyt_amount_value(struct pf_nyt_amount amount, const struct pf_nyt_unit *unit)
{
    return pf_nyt_unit_ticks(unit) ? amount.ticks : amount.fine;
}

/* A measure of time, in ticks or in the fine unit, added to the dictionary; UINT32_MAX when memory ran out. */
uint32_t pf_nyt_time_measure(struct pf_dict *, const char *name, enum pf_kind, enum pf_role, bool main, struct pf_nyt_clock,
                             bool ticks);
/* A measure that counts. */
uint32_t pf_nyt_count_measure(struct pf_dict *, const char *name, enum pf_kind, enum pf_aggregation);

#endif
