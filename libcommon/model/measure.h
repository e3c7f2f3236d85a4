/* Measures: the meaning of a record's values. A stored value is a whole number of raw units;
 * `num / den` base units are one raw unit (a StatProfiler tick of 10 ms: raw unit "tick", unit
 * "nanoseconds", 10000000 / 1). */
#ifndef PF_MODEL_MEASURE_H
#define PF_MODEL_MEASURE_H

#include "base/bytes.h"
#include "base/table.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_strings;

enum pf_kind { PF_SAMPLE, PF_FLAT, PF_EDGE, PF_RECORD_KINDS, PF_META = PF_RECORD_KINDS, PF_TEXT };
enum pf_role { PF_SELF, PF_INCLUSIVE, PF_COUNT };
enum pf_nature { PF_UNKNOWN_NATURE, PF_SAMPLED, PF_TIMED, PF_EXACT };
enum pf_aggregation { PF_SUM, PF_MAX };
/* The sides of a difference. A difference has three measures for each compared measure:
 * NAME.before, NAME.after and NAME.delta; folded stacks of a difference have two columns, `before`
 * and `after`. */
enum pf_side { PF_NO_SIDE, PF_BEFORE, PF_AFTER, PF_DELTA, PF_SIDES };

struct pf_measure {
    uint32_t name, unit; /* strings; the unit is the base unit: nanoseconds, bytes, count, ... */
    uint32_t raw_unit;   /* string; 0 = the base unit */
    uint8_t kind, role, nature, aggregation;
    uint64_t num, den;     /* base units in a raw unit; den > 0 */
    uint64_t period;       /* period / period_parts events are one count (DCPI, perf); 0 = none */
    uint64_t period_parts; /* 0 is 1 */
    uint16_t main;         /* 1: the main measure */
    uint16_t runs;         /* 1: counts the runs of a group (model/replicates.h) */
    uint32_t side;         /* enum pf_side: the part of the measure in a difference */
};

/* The name of a measure of a difference keeps its ending (time.before), although `side` says the
 * same. Every output prints the name as it is, so the three measures keep different names in
 * formats without sides, and for readers of the native stream that skip the side. Code that asks
 * for the side reads the field and never the name; pf_dict_add_measure keeps both in step. Only the
 * following functions know the endings. */

/* "before", "after", "delta". */
const char *pf_side_word(enum pf_side);
/* The side that the name of a measure tells; PF_NO_SIDE if none. */
enum pf_side pf_side_of_name(struct pf_bytes name);
/* The name of a measure of this side without the word of the side, but with the point before it,
 * so that the measures of one difference have the same stem. A name without the word is its own
 * stem. */
struct pf_bytes pf_side_stem(struct pf_bytes name, enum pf_side);

/* Measures are numbered from 0, unlike the ids of other tables. */
struct pf_measures {
    struct pf_table table; /* id k + 1 of the table is measure k */
    /* --since or --until may leave profiles out: measure k counts only if counts[k] is 1 */
    bool some_count;
    uint8_t *counts;
    size_t count_capacity;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_measures_init(struct pf_measures *);
void pf_measures_free(struct pf_measures *);
/* The number of the measure, which is added if new. All fields count; the side must be set already
 * (pf_dict_add_measure sets it from the name). UINT32_MAX: out of memory. */
uint32_t pf_measures_intern(struct pf_measures *, const struct pf_measure *);

/* The number of measures; measure number k, valid until a measure is added. */
static inline uint32_t pf_measures_count(const struct pf_measures *measures)
{
    return measures->table.count - 1;
}
static inline const struct pf_measure *pf_measures_row(const struct pf_measures *measures,
                                                       uint32_t k)
{
    return (const struct pf_measure *)pf_table_row(&measures->table, k + 1);
}

/* Marks measure k as one of a profile that counts, and sets some_count. PF_OK or PF_NOMEM. */
int pf_measures_set_counts(struct pf_measures *, uint32_t k);
/* True if only profiles that do not count have measure k. */
static inline bool pf_measures_left_out(const struct pf_measures *measures, uint32_t k)
{
    return measures->some_count && (k >= measures->count_capacity || !measures->counts[k]);
}

/* Sets num and den in lowest terms; `den` > 0. */
void pf_measure_set_scale(struct pf_measure *, uint64_t num, uint64_t den);

/* True if two measures are the same for a merge or a table: kind, name, unit, aggregation, side and
 * `runs` are equal. Scale and period may differ. */
bool pf_measure_same(const struct pf_measure *, const struct pf_measure *);
/* The same as a key for tables: the keys of two measures have equal bytes if the measures are the
 * same. */
struct pf_measure_key {
    uint32_t kind, name, unit, aggregation, side;
    /* 1 + runs: keys must not be all zero, and a measure may have no name */
    uint32_t one;
};
struct pf_measure_key pf_measure_key(const struct pf_measure *);

/* The parts of the period, where 0 means 1. */
static inline uint64_t pf_measure_period_parts(const struct pf_measure *measure)
{
    return measure->period_parts ? measure->period_parts : 1;
}
/* True if one count of either measure is the same number of events, or neither has a period. */
bool pf_measure_same_period(const struct pf_measure *, const struct pf_measure *);

const char *pf_kind_name(enum pf_kind); /* "sample", "flat", "edge", "meta", "text" */

/* The words for enum pf_role, pf_nature and pf_aggregation: "self" and so on, "" for an unknown
 * nature. */
const char *pf_role_name(unsigned role);
const char *pf_nature_name(unsigned nature);
const char *pf_aggregation_name(unsigned aggregation);

#endif
