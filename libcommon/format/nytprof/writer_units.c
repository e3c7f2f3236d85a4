#include "format/nytprof/writer_units.h"

#include "model/units.h"

#include <math.h>

/* A quotient is off by 2^-53 of itself, and so is what a reader makes of it: below 2^50 that is less than half a unit. */
#define PART_MAX ((int64_t)1 << 50)

enum { NEIGHBOURS = 16 };

bool pf_nyt_time_of(const struct pf_dict *dict, const struct pf_measure *measure, struct pf_nyt_time *time)
{
    uint64_t rate;

    if (pf_bytes_equal(pf_dict_string(dict, measure->unit), PF_BYTES("ticks"))) {
        *time = (struct pf_nyt_time){measure->num, 0, measure->den};
        return true;
    }
    if (!pf_measure_is_time(dict, measure) || __builtin_mul_overflow(measure->den, PF_SECOND, &rate))
        return false;
    uint64_t common = pf_gcd(rate, measure->num);
    *time = (struct pf_nyt_time){measure->num / common, rate / common, 1};
    return true;
}

uint64_t pf_nyt_time_rate(const struct pf_nyt_time *time, uint64_t rate, bool fractions)
{
    if (time->rate == 0 || (rate != 0 && rate % time->rate == 0))
        return rate;
    if (time->rate <= PF_NYT_RATE_MAX)
        return time->rate;
    if (fractions)
        return rate != 0 ? rate : PF_NYT_RATE_CUSTOM;
    return PF_NYT_RATE_FINE;
}

bool pf_nyt_time_ticks(const struct pf_nyt_time *time, uint64_t rate, int64_t value, int64_t *ticks, bool *rounded)
{
    uint64_t num = time->num, den = time->den;
    pf_int128 exact;
    if (time->rate != 0) {
        uint64_t common = pf_gcd(rate, time->rate);
        den = time->rate / common;
        if (__builtin_mul_overflow(num, rate / common, &num))
            return false;
    }
    if (den == 1)
        return !__builtin_mul_overflow(value, num, ticks);
    *rounded = *rounded || __builtin_mul_overflow((pf_int128)value, (pf_int128)num, &exact) || exact % (pf_int128)den != 0;
    return pf_scale64(value, num, den, ticks);
}

int64_t pf_nyt_time_part(int64_t *value)
{
    int64_t part = *value > PART_MAX ? PART_MAX : *value < -PART_MAX ? -PART_MAX : *value;
    *value -= part;
    return part;
}

uint64_t pf_nyt_time_parts(int64_t value)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    return (size + PART_MAX - 1) / PART_MAX;
}

double pf_nyt_time_seconds(const struct pf_nyt_time *time, int64_t part)
{
    if (time->rate == 0)
        return (double)part / 1e12;
    return (double)part * (double)time->num / (double)time->rate;
}

/* What a reader makes of ticks, in units of the time. */
static double read_back(const struct pf_nyt_time *time, uint64_t rate, double ticks)
{
    double units = time->rate != 0 ? ticks / (double)rate * (double)time->rate / (double)time->num
                                   : ticks * (double)time->den / (double)time->num;
    return nearbyint(units);
}

bool pf_nyt_time_exact(const struct pf_nyt_time *time, uint64_t rate, int64_t value)
{
    double read = read_back(time, rate, pf_nyt_time_fraction(time, rate, value));
    return fabs(read) < 0x1p63 && (int64_t)read == value;
}

double pf_nyt_time_fraction(const struct pf_nyt_time *time, uint64_t rate, int64_t part)
{
    double ticks = time->rate != 0 ? (double)part * (double)time->num * (double)rate / (double)time->rate
                                   : (double)part * (double)time->num / (double)time->den;
    double wanted = (double)part, less = ticks, more = ticks;
    if (time->rate != 0 && rate % time->rate == 0)
        return (double)part * ((double)time->num * (double)(rate / time->rate));
    for (int k = 0; k < NEIGHBOURS && read_back(time, rate, ticks) != wanted; k++) {
        less = nextafter(less, -INFINITY);
        more = nextafter(more, INFINITY);
        ticks = read_back(time, rate, less) == wanted ? less : more;
    }
    return ticks;
}
