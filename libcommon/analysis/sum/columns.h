/* The values of a merge: for each quantity (measures that are the same, brought to one scale) a column of exact sums, one for each
 * record. Sums are whole numbers of pieces of the quantity's raw unit, so that weights that are fractions lose nothing; they have 128
 * bits and are rounded once, when they are given. */
#ifndef PF_ANALYSIS_SUM_COLUMNS_H
#define PF_ANALYSIS_SUM_COLUMNS_H

#include "analysis/sum/units.h"
#include "base/number.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_merge_column {
    struct pf_quantity quantity;
    uint64_t inputs;     /* how many have it */
    uint64_t last_input; /* the last one that has, from 1 */
    bool left_out;       /* not in all inputs, where that was asked for */
    pf_int128 times;     /* how often the first input counted that did, in pieces; 0 = none did */
    bool uneven;         /* another counted another number of times */
    pf_int128 *sums;     /* by record; records behind `count` are 0 */
    size_t count, capacity;
    pf_int128 *staged;   /* of one input, until it is to be added */
    size_t staged_count, staged_capacity;
    struct {
        pf_int128 pieces, values;
        pf_uint128 size;     /* of all values without their signs */
        bool unknown;        /* one of them left 128 bits */
    } given;                 /* sums that were given so far, and what they were rounded to */
    pf_int128 rescaled;  /* how many times the pieces of the sums became as many since pf_merge_columns_mark */
};

/* Zero-initialise but for what the caller decides; free with pf_merge_columns_free. */
struct pf_merge_columns {
    struct pf_dict *dict;
    bool force; /* measures that differ in what is known of them are added all the same */
    struct pf_merge_column *rows;
    size_t count, capacity;
    struct pf_merge_member {
        uint32_t column; /* index + 1; 0 = not met */
        int64_t factor;
    } *members;          /* by measure */
    size_t member_count, member_capacity;

    struct pf_merge_column *marked; /* what was known when they were marked; sums and staged ones are not theirs */
    size_t marked_count, marked_capacity;
    struct pf_merge_member *marked_members;
    size_t marked_member_count, marked_member_capacity;
};

void pf_merge_columns_free(struct pf_merge_columns *);

/* The column that value column `number` of the batch goes to, and the factor that brings its values to that one's scale, for input number
 * `input` (from 1). PF_OK; PF_UNSUPPORTED where they cannot be added to those of the same name that other inputs have; PF_OVERFLOW;
 * PF_NOMEM. */
int pf_merge_columns_find(struct pf_merge_columns *, const struct pf_batch *, uint32_t number, uint64_t input,
                          struct pf_merge_member *, struct pf_error *);
/* Adds value * times for each row to the sum of its record (or takes the greater value, for PF_MAX, whatever `times`). `staged`: to the
 * values of one input alone. PF_OK; PF_NOMEM; PF_OVERFLOW, and *failed is the row. */
int pf_merge_column_add(struct pf_merge_column *, const uint32_t *records, const int64_t *values, uint32_t rows, int64_t times,
                        bool staged, uint32_t *failed);
/* Adds the staged sum of a record, `times` times, to its sum, and forgets it. PF_OK or PF_NOMEM. */
int pf_merge_column_unstage(struct pf_merge_column *, uint32_t record, pf_int128 times);
/* Whether pf_merge_column_unstage would not overflow. */
bool pf_merge_column_fits(const struct pf_merge_column *, uint32_t record, pf_int128 times);
/* Notes what is known of all columns. PF_OK or PF_NOMEM. */
int pf_merge_columns_mark(struct pf_merge_columns *);
/* All is as it was when they were marked, provided that no staged sum was added since. */
void pf_merge_columns_drop(struct pf_merge_columns *);
/* The input at hand has ended: its values counted `times` pieces. */
void pf_merge_columns_counted(struct pf_merge_columns *, uint64_t input, pf_int128 times);
/* Record k becomes record to[k], for all `count` of them: sums of those that become one are added up. PF_OK, PF_OVERFLOW, PF_NOMEM. */
int pf_merge_column_regroup(struct pf_merge_column *, const uint32_t *to, size_t count);
/* The measure of a column's values, of which `pieces` are a raw unit: as the inputs have it where they agree. What was counted twice, or
 * half, is no number of samples any more. UINT32_MAX: out of memory. */
uint32_t pf_merge_column_measure(const struct pf_merge_column *, struct pf_dict *, pf_int128 pieces);

/* A sum is given as this value. */
void pf_merge_column_given(struct pf_merge_column *, pf_int128 sum, int64_t value);
/* Whether the values given add up to something else than the sums do, by more than 0.1 % of them; the totals. */
bool pf_merge_column_drifts(const struct pf_merge_column *, pf_int128 pieces, pf_int128 *values, pf_int128 *sums);

/* sum / pieces, rounded half to even; pieces is not 0. */
pf_int128 pf_merge_round(pf_int128 sum, pf_int128 pieces);

#endif
