/* The numbers of runs in a merge (model/replicates.h): records that count runs are kept apart from
 * the other records, so that scaling, --measures and empty stacks do not touch them. */
#ifndef PF_ANALYSIS_MERGE_REPLICATES_H
#define PF_ANALYSIS_MERGE_REPLICATES_H

#include "base/error.h"
#include "base/number.h"
#include "base/table.h"
#include "model/replicates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, set dict and groups, call pf_merge_replicates_init; free with
 * pf_merge_replicates_free. */
struct pf_merge_replicates {
    struct pf_dict *dict;
    unsigned groups; /* K of --replicates; 0: the inputs' own groups only */
    bool dropped;    /* the label `replicate` is dropped, and the numbers of runs with it */

    uint32_t key;
    struct pf_replicates parts;
    struct pf_table names; /* string: name of a group; 0 for records without the label is row 1 */
    struct pf_merge_group {
        pf_int128 runs; /* of the inputs before, in pieces */
        int64_t own;    /* runs that records of the current input count */
        bool counted;   /* a record of the current input counts runs */
        bool here;      /* the current input has the group */
    } * rows;           /* by row of `names` */
    size_t capacity;
    uint32_t *of_set; /* group by label set; 0: not known */
    size_t set_capacity;
    uint32_t *here; /* groups of the current input */
    size_t here_count, here_capacity;
    uint32_t given;
    uint32_t labels[PF_BATCH_ROWS];
    int64_t values[PF_BATCH_ROWS];
    struct pf_value_column column;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_merge_replicates_init(struct pf_merge_replicates *);
void pf_merge_replicates_free(struct pf_merge_replicates *);

/* Begins an input. */
void pf_merge_replicates_begin(struct pf_merge_replicates *);
/* Takes the records that count runs out of a batch of records; *plain has the others. With `groups`
 * notes the groups of the records. PF_OK; PF_NOMEM; PF_USAGE if the records belong to other groups
 * than `groups` makes; PF_OVERFLOW. */
int pf_merge_replicates_take(struct pf_merge_replicates *, const struct pf_batch *,
                             struct pf_batch *plain, struct pf_error *);
/* Ends the input, whose runs count `weight` times, in pieces. With `groups`, a group without a
 * record that counts runs is one run; `name` is the group of an input without records, and 0 for an
 * input that continues a run already counted. PF_OK, PF_NOMEM or PF_OVERFLOW. */
int pf_merge_replicates_end(struct pf_merge_replicates *, int64_t weight, uint32_t name,
                            struct pf_error *);

/* Call after the last input. `pieces` is the number of pieces in a run. PF_OK, or PF_UNSUPPORTED if
 * a number of runs is not whole or overflows 64 bits. */
int pf_merge_replicates_check(const struct pf_merge_replicates *, pf_int128 pieces,
                              struct pf_error *);
/* True if a group has runs. */
bool pf_merge_replicates_any(const struct pf_merge_replicates *);
/* Gives the next records that count runs, valid until the next call. PF_OK, PF_EOF or PF_NOMEM. */
int pf_merge_replicates_next(struct pf_merge_replicates *, pf_int128 pieces, struct pf_batch *);

#endif
