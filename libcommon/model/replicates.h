/* Replicates: groups of runs that stay apart when profiles are merged (profmerge --replicates). The
 * records of a group have the label `replicate`; its value names the group, such as "07-of-32". For
 * each group a profile has one record that is not a measurement: a SAMPLE without frames, with this
 * label alone and the number of runs in the measure `runs`, whose field `runs` is set. A measure
 * `runs` of another profile does not have the field and is like any other. */
#ifndef PF_MODEL_REPLICATES_H
#define PF_MODEL_REPLICATES_H

#include "model/batch.h"
#include "model/copied_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_REPLICATES_MAX = 9999 };

/* The key of the label: a string of the dictionary. Failures as pf_dict_intern. */
uint32_t pf_replicate_key(struct pf_dict *);
/* The name of group `group` (from 0) of `groups`: "01-of-32" to "32-of-32". */
uint32_t pf_replicate_name(struct pf_dict *, unsigned group, unsigned groups);
/* The number of groups that the name of a group tells; 0: pf_replicate_name does not make such a
 * name. */
unsigned pf_replicate_groups(struct pf_bytes name);
/* The measure `runs`. */
struct pf_measure pf_replicate_measure(struct pf_dict *);

/* The first label of a set with this key; 0: none. */
uint32_t pf_label_find(const struct pf_dict *, uint32_t set, uint32_t key);

/* The memory of pf_replicates_part. Zero-initialise; free with pf_replicates_free. */
struct pf_replicates {
    struct pf_copied_rows plain, runs;
    uint32_t *order;
    size_t order_capacity, column_capacity[2];
    struct pf_value_column *columns[2];
};

void pf_replicates_free(struct pf_replicates *);
/* True if the batch has a column that counts runs. */
bool pf_replicates_here(const struct pf_dict *, const struct pf_batch *);
/* Divides a batch of records: *runs has the records that count runs, with the columns that count
 * runs; *plain has the other columns of the records that do not count runs or have a value in these
 * columns. Both may have no rows. Both are valid until the next call. PF_OK or PF_NOMEM. */
int pf_replicates_part(struct pf_replicates *, const struct pf_dict *, const struct pf_batch *,
                       struct pf_batch *plain, struct pf_batch *runs);
/* The number of runs that row `row` of *runs counts. */
int64_t pf_replicates_count(const struct pf_batch *runs, uint32_t row);

#endif
