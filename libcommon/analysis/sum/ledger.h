/* A ledger: exact sums of measures by row. Each column has the sums of one quantity: measures that
 * are the same (pf_measure_same), brought to one scale. A measure with a finer unit may come late:
 * then the sums that are there are brought to that unit. Which record a row stands for, the owner
 * of the ledger knows. */
#ifndef PF_ANALYSIS_SUM_LEDGER_H
#define PF_ANALYSIS_SUM_LEDGER_H

#include "analysis/sum/units.h"
#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sums of one quantity. Zero-initialise, set `wide`; free with pf_sums_free. */
struct pf_sums {
    struct pf_quantity quantity;
    bool wide; /* which of the two arrays there is */
    union {
        int64_t *data;   /* by row: 64 bits, half the memory; users report a sum that leaves them */
        pf_int128 *sums; /* by row: 128 bits, rounded when they are written */
    };
    size_t count, capacity; /* rows behind `count` are 0 */

    /* pf_accumulator: */
    bool kept;       /* false: the owner wants no rows of this column, only `total` */
    pf_int128 total; /* of a column without rows; pf_sums_total */
    bool subtrees;   /* SAMPLE: pf_sums_subtrees was here; then `whole` is the total it found */
    pf_int128 whole;
    int64_t *nodes; /* PF_MAX: the sums of single nodes meanwhile, which no sum tells */
};

void pf_sums_free(struct pf_sums *);
/* Makes room for `count` rows; new rows are 0. False: out of memory. */
bool pf_sums_reserve(struct pf_sums *, size_t count);
/* The sums count this measure from now on as well; *factor brings its values to the scale of the
 * sums. PF_OK; PF_OVERFLOW; or as pf_quantity_join. After a failure the sums are as before. */
int pf_sums_join(struct pf_sums *, const struct pf_dict *, const struct pf_measure *,
                 int64_t *factor, struct pf_error *);
/* Wide sums: adds value * factor to the sum of each row (PF_MAX: takes the greater value). The
 * number of rows done: fewer than `count` if the next sum overflows 128 bits. The rows are there:
 * pf_sums_reserve. */
uint32_t pf_sums_add(struct pf_sums *, const uint32_t *rows, const int64_t *values, uint32_t count,
                     int64_t factor);
/* Wide sums: row k becomes row to[k], for `count` rows; sums of rows that become one are added up.
 * PF_OK, PF_OVERFLOW or PF_NOMEM. */
int pf_sums_regroup(struct pf_sums *, const uint32_t *to, size_t count);

/* Sum of all rows; the greatest value for PF_MAX. */
pf_int128 pf_sums_total(const struct pf_sums *);

/* The sum of a row, of narrow and of wide sums. */
static inline int64_t pf_sums_at(const struct pf_sums *sums, size_t row)
{
    return row < sums->count ? sums->data[row] : 0;
}
static inline pf_int128 pf_sums_wide_at(const struct pf_sums *sums, size_t row)
{
    return row < sums->count ? sums->sums[row] : 0;
}

/* Zero-initialise, set `wide`; free with pf_ledger_free. */
struct pf_ledger {
    bool wide;
    struct pf_sums *sums; /* columns, in the order in which they were met */
    uint32_t count;
    size_t capacity;
    struct pf_member {
        uint32_t sums;  /* index of the column + 1; 0 = not met yet */
        bool dropped;   /* only an input that was left out had the measure */
        int64_t factor; /* brings values of the measure to the scale of the sums */
    } * members;        /* by measure */
    size_t member_count, member_capacity;
    struct pf_table quantities; /* struct pf_measure_key: columns by the first measure of each */
};

void pf_ledger_free(struct pf_ledger *);
/* Makes room for the members of all measures that the dictionary has. False: out of memory. */
bool pf_ledger_reserve(struct pf_ledger *, const struct pf_dict *);
/* The column of the measures that are the same as this one (pf_measure_same); NULL if the ledger
 * has no such column. */
struct pf_sums *pf_ledger_same(const struct pf_ledger *, const struct pf_measure *);
/* Adds the column of a measure. Call pf_ledger_same first: the ledger must not have that column
 * yet. NULL: out of memory. */
struct pf_sums *pf_ledger_new(struct pf_ledger *, const struct pf_measure *);
/* Measure number `index`, for which there is a member, goes into this column from now on. `measure`
 * is its row, or what the owner takes for it. As pf_sums_join. */
int pf_ledger_join(struct pf_ledger *, struct pf_sums *, const struct pf_dict *, uint32_t index,
                   const struct pf_measure *measure, struct pf_error *);
/* Makes the member of measure number `index`, and its column, if the measure is new. PF_OK;
 * PF_NOMEM; or as pf_sums_join. */
int pf_ledger_find(struct pf_ledger *, const struct pf_dict *, uint32_t index, struct pf_error *);
/* The column of a measure; NULL: the ledger has not met it. */
static inline struct pf_sums *pf_ledger_of(const struct pf_ledger *ledger, uint32_t measure)
{
    uint32_t sums = measure < ledger->member_count ? ledger->members[measure].sums : 0;

    return sums != 0 ? &ledger->sums[sums - 1] : NULL;
}

#endif
