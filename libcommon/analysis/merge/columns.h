/* The values of a merge: a ledger with a column for each quantity and a row for each record, and
 * what a merge knows of a column besides. Sums are whole numbers of pieces of the quantity's raw
 * unit, so that weights that are fractions lose nothing; they are rounded once, when they are
 * given. */
#ifndef PF_ANALYSIS_MERGE_COLUMNS_H
#define PF_ANALYSIS_MERGE_COLUMNS_H

#include "analysis/sum/ledger.h"
#include "base/number.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_merge_facts {
    uint64_t inputs;     /* how many have the column */
    uint64_t last_input; /* the last one that has, from 1 */
    bool left_out;       /* not in all inputs, where that was asked for */
    pf_int128 times;     /* how often the first input counted that did, in pieces; 0 = none did */
    bool uneven;         /* another counted another number of times */
    struct {
        pf_int128 pieces, values;
        pf_uint128 size; /* of all values without their signs */
        bool unknown;    /* one of them left 128 bits */
    } given;             /* sums that were given so far, and what they were rounded to */
};

/* Zero-initialise but for what the caller decides; free with pf_merge_columns_free. */
struct pf_merge_columns {
    struct pf_dict *dict;
    bool force;  /* measures that differ in what is known of them are added all the same */
    bool shares; /* sums are shares of something: units are brought together, but the sums have none
                  */
    bool compares; /* inputs are compared, not added up: what is in events is not held against
                      counts with a period */
    struct pf_ledger ledger;
    struct pf_merge_facts *facts; /* by column */
    size_t facts_capacity;
};

void pf_merge_columns_free(struct pf_merge_columns *);

/* Makes the member of value column `number` of the batch, of input number `input` (from 1), if its
 * measure is new. PF_OK; PF_UNSUPPORTED if its values cannot be added to those of the same name
 * that other inputs have; PF_OVERFLOW; PF_NOMEM. */
int pf_merge_columns_find(struct pf_merge_columns *, const struct pf_batch *, uint32_t number,
                          uint64_t input, struct pf_error *);
/* A copy without rows: the same columns, facts and members. The total of each column is 1, so that
 * it tells how many times as many pieces the sums have after further measures were found. PF_OK or
 * PF_NOMEM; free in any case. */
int pf_merge_columns_copy(struct pf_merge_columns *copy, const struct pf_merge_columns *);
/* The input at hand has ended: its values counted `times` pieces. */
void pf_merge_columns_counted(struct pf_merge_columns *, uint64_t input, pf_int128 times);
/* The measure under which a column is written, with values in 1/`pieces` of a raw unit: the measure
 * of the inputs if all inputs have the same. A weight other than 1 makes a sampled measure an
 * unknown one. UINT32_MAX: out of memory. */
uint32_t pf_merge_columns_measure(const struct pf_merge_columns *, size_t column, pf_int128 pieces);

/* A sum is given as this value. */
void pf_merge_given(struct pf_merge_facts *, pf_int128 sum, int64_t value);
/* Whether the values given add up to something else than the sums do, by more than 0.1 % of them;
 * the totals. */
bool pf_merge_drifts(const struct pf_merge_facts *, pf_int128 pieces, pf_int128 *values,
                     pf_int128 *sums);

/* sum / pieces, rounded half to even; pieces is not 0. */
pf_int128 pf_merge_round(pf_int128 sum, pf_int128 pieces);

#endif
