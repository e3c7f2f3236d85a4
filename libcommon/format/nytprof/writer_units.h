/* Times of the model as NYTProf holds them: whole ticks of statements, ticks of returns and seconds of callers as doubles. */
#ifndef PF_FORMAT_NYTPROF_WRITER_UNITS_H
#define PF_FORMAT_NYTPROF_WRITER_UNITS_H

#include "base/number.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* Ticks per second that Devel::NYTProf can hold; what it has on most systems; what a time is rounded to that has no whole ticks. */
enum { PF_NYT_RATE_CUSTOM = 10000000, PF_NYT_RATE_FINE = 1000000000 };
#define PF_NYT_RATE_MAX UINT32_MAX

/* A value of a measure is value * num / rate seconds, `num` and `rate` without common divisor. Rate 0: ticks of no known length, value *
 * num / den of them. */
struct pf_nyt_time {
    uint64_t num, rate, den;
};

/* False when the measure is no time. */
bool pf_nyt_time_of(const struct pf_dict *, const struct pf_measure *, struct pf_nyt_time *);

/* The rate with which values of this time are whole ticks: `rate` where it does, else the time's own; PF_NYT_RATE_FINE (0: for returns,
 * which take fractions, PF_NYT_RATE_CUSTOM) where that is more than the format holds. */
uint64_t pf_nyt_time_rate(const struct pf_nyt_time *, uint64_t rate, bool fractions);

/* Whole ticks of such a rate; *rounded is set where they are not exact. False: more than 64 bits. */
bool pf_nyt_time_ticks(const struct pf_nyt_time *, uint64_t rate, int64_t value, int64_t *ticks, bool *rounded);

/* A part of a value small enough that a double tells it exactly when it is read; taken off *value. */
int64_t pf_nyt_time_part(int64_t *value);
/* How many parts that are. */
uint64_t pf_nyt_time_parts(int64_t value);
/* A part as the doubles that are read back as the same. */
double pf_nyt_time_seconds(const struct pf_nyt_time *, int64_t part);
double pf_nyt_time_fraction(const struct pf_nyt_time *, uint64_t rate, int64_t part);
/* Whether that double is read back as the same, for more than a part. */
bool pf_nyt_time_exact(const struct pf_nyt_time *, uint64_t rate, int64_t value);

#endif
