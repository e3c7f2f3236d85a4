/* The values of a merge: a ledger with a column for each quantity and a row for each record, and
 * facts about each column. A sum counts pieces: a fixed fraction of the quantity's raw unit, chosen
 * so that fractional weights stay whole numbers. Sums are rounded once, when they are written. */
#ifndef PF_ANALYSIS_MERGE_COLUMNS_H
#define PF_ANALYSIS_MERGE_COLUMNS_H

#include "analysis/sum/ledger.h"
#include "base/number.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a merge knows about a column besides its sums. */
struct pf_merge_facts {
    uint64_t inputs;     /* number of inputs that have the column */
    uint64_t last_input; /* number of the last input that has the column, from 1 */
    pf_int128 weights;   /* sum of the weights of these inputs, in pieces */
    bool left_out;       /* the column is not written: not all inputs have it */
    pf_int128 times; /* weight of the last input that has the column, in pieces; 0: no input yet */
    bool uneven;     /* inputs that have the column differ in weight */
    struct {
        pf_int128 pieces, values;
        pf_uint128 size; /* sum of the magnitudes of `values` */
        bool unknown;    /* `pieces` overflowed 128 bits */
    } given;             /* totals of the sums written so far, and of the rounded values */
};

/* Zero-initialise, set dict and the flags; free with pf_merge_columns_free. */
struct pf_merge_columns {
    struct pf_dict *dict;
    bool force;  /* add measures up although their units or periods may not fit */
    bool shares; /* values are shares of a total: units are checked, but values are not converted */
    /* inputs are compared, not added up: events and counts with a period are different columns */
    bool compares;
    struct pf_ledger ledger;
    struct pf_merge_facts *facts; /* by column */
    size_t facts_capacity;
};

void pf_merge_columns_free(struct pf_merge_columns *);

/* Finds or makes the ledger's member for value column `number` of the batch, which belongs to input
 * `input` (numbered from 1), and notes that the input has the column. PF_OK; PF_UNSUPPORTED if the
 * values cannot be added to another input's values of the same name; PF_OVERFLOW; PF_NOMEM. */
int pf_merge_columns_find(struct pf_merge_columns *, const struct pf_batch *, uint32_t number,
                          uint64_t input, struct pf_error *);
/* Copies columns, facts and members without the rows. `total` of each copied column is 1; after
 * further calls of pf_merge_columns_find on the copy, `total` is the factor by which the sums of
 * the original must be multiplied. PF_OK or PF_NOMEM; free `copy` in any case. */
int pf_merge_columns_copy(struct pf_merge_columns *copy, const struct pf_merge_columns *);
/* Ends input number `input` of this weight, whose values were multiplied by `times`, in pieces. */
void pf_merge_columns_counted(struct pf_merge_columns *, uint64_t input, int64_t weight,
                              pf_int128 times);
/* The index of the measure as which a column is written. `pieces` is the number of pieces in a raw
 * unit. The measure is that of the inputs if it is the same in all of them; a sampled measure whose
 * values were weighted gets an unknown nature. UINT32_MAX: out of memory. */
uint32_t pf_merge_columns_measure(const struct pf_merge_columns *, size_t column, pf_int128 pieces);

/* Notes that `sum`, in pieces, is written as `value`. */
void pf_merge_given(struct pf_merge_facts *, pf_int128 sum, int64_t value);
/* True if the rounded values differ from the exact sums by more than 0.1 % in total; then *values
 * and *sums are the two totals in raw units. False also if the exact total overflows 128 bits. */
bool pf_merge_drifts(const struct pf_merge_facts *, pf_int128 pieces, pf_int128 *values,
                     pf_int128 *sums);

#endif
