#include "format/nytprof/amount.h"

#include "base/number.h"

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
    struct pf_measure measure = {
        .name = pf_dict_intern_word(dict, name),
        .unit = pf_dict_intern_word(dict, clock.ticks_per_sec ? "nanoseconds" : "ticks"),
        .kind = (uint8_t)kind,
        .role = (uint8_t)role,
        .nature = PF_TIMED,
        .num = 1,
        .den = 1,
        .main = main,
    };
    if (ticks && clock.ticks_per_sec) {
        uint64_t common = pf_gcd(1000000000, clock.ticks_per_sec);
        measure.num = 1000000000 / common;
        measure.den = clock.ticks_per_sec / common;
        measure.raw_unit = pf_dict_intern_word(dict, "tick");
    } else if (!ticks) {
        measure.den = clock.ticks_per_sec ? 1000 : 1000000;
        measure.raw_unit = pf_dict_intern_word(dict, clock.ticks_per_sec ? "picosecond" : "1e-6 tick");
    }
    return pf_measures_intern(&dict->measures, &measure);
}

uint32_t pf_nyt_count_measure(struct pf_dict *dict, const char *name, enum pf_kind kind, enum pf_aggregation aggregation)
{
    struct pf_measure measure = {
        .name = pf_dict_intern_word(dict, name),
        .unit = pf_dict_intern_word(dict, "count"),
        .kind = (uint8_t)kind,
        .role = PF_COUNT,
        .nature = PF_EXACT,
        .aggregation = (uint8_t)aggregation,
        .num = 1,
        .den = 1,
    };
    return pf_measures_intern(&dict->measures, &measure);
}
