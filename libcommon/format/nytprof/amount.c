#include "format/nytprof/amount.h"

#include "base/number.h"
#include "model/units.h"

#include <math.h>

/* A sum of quotients is off by some of its last bits. */
static const double TICK_ERROR = 1e-6, RELATIVE_ERROR = 0x1p-50;
static const double LIMIT = 0x1p63;

/* The nearest whole number; false when it leaves 64 bits or is none. */
static bool nearest(double value, int64_t *whole)
{
    double rounded = nearbyint(value);
    if (!(rounded > -LIMIT && rounded < LIMIT))
        return false;
    *whole = (int64_t)rounded;
    return true;
}

static void add(int64_t *sum, double value, bool *left)
{
    int64_t whole;
    if (!nearest(value, &whole) || !pf_add64(*sum, whole, sum))
        *left = true;
}

static void add_both(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit, double ticks, double fine)
{
    double error = fabs(ticks) * RELATIVE_ERROR;
    if (!(fabs(ticks - nearbyint(ticks)) <= (error > TICK_ERROR ? error : TICK_ERROR)))
        unit->broken = true;
    add(&amount->ticks, ticks, &unit->ticks_left);
    add(&amount->fine, fine, &unit->fine_left);
}

void pf_nyt_amount_add_ticks(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit, struct pf_nyt_clock clock, double ticks)
{
    double fine = clock.ticks_per_sec ? ticks / (double)clock.ticks_per_sec * 1e12 : ticks * 1e6;
    add_both(amount, unit, ticks, fine);
}

void pf_nyt_amount_add_seconds(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit, struct pf_nyt_clock clock, double seconds)
{
    if (clock.ticks_per_sec == 0)
        unit->broken = true;
    add_both(amount, unit, seconds * (double)clock.ticks_per_sec, seconds * 1e12);
}

void pf_nyt_amount_add(struct pf_nyt_amount *amount, struct pf_nyt_unit *unit, struct pf_nyt_amount other)
{
    if (!pf_add64(amount->ticks, other.ticks, &amount->ticks))
        unit->ticks_left = true;
    if (!pf_add64(amount->fine, other.fine, &amount->fine))
        unit->fine_left = true;
}

uint32_t pf_nyt_time_measure(struct pf_dict *dict, const char *name, enum pf_kind kind, enum pf_role role, bool main,
                             struct pf_nyt_clock clock, bool ticks)
{
    struct pf_measure measure =
        pf_measure_make(dict, name, clock.ticks_per_sec ? "nanoseconds" : "ticks", kind, role, PF_TIMED);

    measure.main = main;
    if (ticks && clock.ticks_per_sec) {
        pf_measure_set_scale(&measure, PF_SECOND, clock.ticks_per_sec);
        measure.raw_unit = pf_dict_intern_word(dict, "tick");
    } else if (!ticks) {
        measure.den = clock.ticks_per_sec ? 1000 : 1000000;
        measure.raw_unit = pf_dict_intern_word(dict, clock.ticks_per_sec ? "picosecond" : "1e-6 tick");
    }
    return pf_dict_add_measure(dict, measure);
}

uint32_t pf_nyt_count_measure(struct pf_dict *dict, const char *name, enum pf_kind kind, enum pf_aggregation aggregation)
{
    struct pf_measure measure = pf_measure_make(dict, name, "count", kind, PF_COUNT, PF_EXACT);

    measure.aggregation = (uint8_t)aggregation;
    return pf_dict_add_measure(dict, measure);
}
