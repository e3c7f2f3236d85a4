/* A ledger: exact sums of measures, by row. A column has the sums of one quantity: of all measures
 * that are the same (pf_measure_same), converted to one scale. If a measure with a finer unit comes
 * later, the sums so far are converted to this unit. The owner of the ledger decides what its rows
 * are. */
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
    bool wide; /* which of the two arrays below is used */
    union {
        int64_t *data;   /* by row: 64 bits, half the memory; the caller reports overflow */
        pf_int128 *sums; /* by row: 128 bits */
    };
    size_t count, capacity; /* rows from `count` on are 0 */

    /* the rest is for pf_accumulator: */
    bool kept;       /* false: only `total` is needed, no rows */
    pf_int128 total; /* the sum of values that are in no row; pf_sums_total adds it */
    /* an event (pf_accumulator_samples): samples of the records that have a value of it, and of
     * those among them that have a value of another event, too */
    pf_int128 samples, shared;
    /* SAMPLE: the rows are sums of subtrees (pf_sums_subtrees), and `whole` is the total of the
     * nodes */
    bool subtrees;
    pf_int128 whole;
    /* PF_MAX: the values of the nodes, which cannot be computed from those of subtrees */
    int64_t *nodes;
};

void pf_sums_free(struct pf_sums *);
/* Makes room for `count` rows; new rows are 0. False: out of memory. */
bool pf_sums_reserve(struct pf_sums *, size_t count);
/* Adds a measure to the quantity, and converts the sums if needed. The values of the measure must
 * then be multiplied by *factor. PF_OK; PF_OVERFLOW; or as pf_quantity_join. After a failure the
 * sums are unchanged. */
int pf_sums_join(struct pf_sums *, const struct pf_dict *, const struct pf_measure *,
                 int64_t *factor, struct pf_error *);
/* For wide sums: adds values[i] * factor to the sum of row rows[i] (PF_MAX: takes the greater
 * value). The rows must exist (pf_sums_reserve). Returns the number of values added: fewer than
 * `count` if the next sum would overflow 128 bits. */
uint32_t pf_sums_add(struct pf_sums *, const uint32_t *rows, const int64_t *values, uint32_t count,
                     int64_t factor);
/* For wide sums: row k becomes row to[k], for the first `count` rows; sums of rows that become one
 * row are added up (PF_MAX: the greatest). PF_OK, PF_OVERFLOW or PF_NOMEM. */
int pf_sums_regroup(struct pf_sums *, const uint32_t *to, size_t count);

/* The sum of all rows; for PF_MAX the greatest value. */
pf_int128 pf_sums_total(const struct pf_sums *);

/* The sum of a row: of narrow sums, and of wide sums. */
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
    struct pf_sums *sums; /* columns, in the order of first use */
    uint32_t count;
    size_t capacity;
    struct pf_member {
        uint32_t sums;  /* index of the column + 1; 0: no column yet */
        bool dropped;   /* only an input that was left out had the measure */
        int64_t factor; /* brings values of the measure to the scale of the sums */
    } * members;        /* by measure */
    size_t member_count, member_capacity;
    struct pf_table quantities; /* struct pf_measure_key: columns by the first measure of each */
};

void pf_ledger_free(struct pf_ledger *);
/* Makes room for the members of all measures of the dictionary. False: out of memory. */
bool pf_ledger_reserve(struct pf_ledger *, const struct pf_dict *);
/* The column of the measures that are the same as this one (pf_measure_same); NULL if the ledger
 * has no such column. */
struct pf_sums *pf_ledger_same(const struct pf_ledger *, const struct pf_measure *);
/* Adds the column of a measure. Call pf_ledger_same first: the ledger must not have that column
 * yet. NULL: out of memory. */
struct pf_sums *pf_ledger_new(struct pf_ledger *, const struct pf_measure *);
/* Puts measure number `index` into a column. Its member must exist (pf_ledger_reserve). `measure`
 * is the measure's row of the dictionary, or a changed copy. As pf_sums_join. */
int pf_ledger_join(struct pf_ledger *, struct pf_sums *, const struct pf_dict *, uint32_t index,
                   const struct pf_measure *measure, struct pf_error *);
/* Finds or makes the member of measure number `index`, and its column. PF_OK; PF_NOMEM; or as
 * pf_sums_join. */
int pf_ledger_find(struct pf_ledger *, const struct pf_dict *, uint32_t index, struct pf_error *);
/* The column of a measure; NULL if the ledger does not know the measure. */
static inline struct pf_sums *pf_ledger_of(const struct pf_ledger *ledger, uint32_t measure)
{
    uint32_t sums = measure < ledger->member_count ? ledger->members[measure].sums : 0;

    return sums != 0 ? &ledger->sums[sums - 1] : NULL;
}

#endif
