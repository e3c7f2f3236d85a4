/* Metadata of a merge. An input announces itself by the row `profutils` `input`; its own rows
 * follow. The format of a row's origin decides (codec/merging.h) whether the result has the row
 * once, once for each input, or not at all. */
#ifndef PF_ANALYSIS_MERGE_META_H
#define PF_ANALYSIS_MERGE_META_H

#include "analysis/names/meta_names.h"
#include "base/table.h"
#include "codec/format.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, set dict; free with pf_merge_meta_free. */
struct pf_merge_meta {
    struct pf_dict *dict;
    struct pf_merge_meta_row {
        uint32_t origin, key, value;
        uint32_t rule; /* enum pf_meta_rule */
    } * rows;
    size_t count, capacity, given;
    struct pf_table met; /* the rows that occur once in the result */
    uint64_t sources;    /* rows `profutils` `input` so far */
    /* key of the labels whose numbers are valid within one input only; 0: none */
    uint32_t own_label;
    uint32_t columns[3][PF_BATCH_ROWS];
};

void pf_merge_meta_free(struct pf_merge_meta *);
/* Adds the rows of a META batch. PF_OK or PF_NOMEM. */
int pf_merge_meta_add(struct pf_merge_meta *, const struct pf_batch *);
/* Appends one row. PF_OK or PF_NOMEM. */
int pf_merge_meta_append(struct pf_merge_meta *, uint32_t origin, uint32_t key, uint32_t value);
/* Call after the last row of the last input: makes one identity of several, and removes rows whose
 * rule excludes them. PF_OK or PF_NOMEM. */
int pf_merge_meta_end(struct pf_merge_meta *);
/* Edits the names of files and functions in the rows as `edit` says. Failures are in
 * pf_dict_status. */
void pf_merge_meta_rename(struct pf_merge_meta *, const struct pf_meta_edit *);
/* Gives the next rows, valid until the next call; false at the end. */
bool pf_merge_meta_next(struct pf_merge_meta *, struct pf_batch *);

#endif
