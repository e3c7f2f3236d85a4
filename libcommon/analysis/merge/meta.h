/* Metadata of a merge. Every input that a stream is made of keeps its own, behind the row
 * `profutils` `input` that announces it; what a format says of its rows (codec/format.h, struct
 * pf_merging) decides which rows the result has once, which for each input, and which not at all.
 */
#ifndef PF_ANALYSIS_MERGE_META_H
#define PF_ANALYSIS_MERGE_META_H

#include "analysis/names/meta_names.h"
#include "base/number.h"
#include "base/table.h"
#include "codec/format.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise but for `dict`; free with pf_merge_meta_free. */
struct pf_merge_meta {
    struct pf_dict *dict;
    struct pf_merge_meta_row {
        uint32_t origin, key, value;
        uint32_t rule; /* enum pf_meta_rule */
    } * rows;
    size_t count, capacity, given;
    struct pf_table met; /* rows that the result has once */
    uint64_t sources;    /* inputs announced */
    pf_int128 duration;  /* that the rows tell, in nanoseconds, of the input at hand */
    /* key of labels whose numbers mean something within one input only; 0 = none */
    uint32_t own_label;
    struct pf_merge_meta_mark {
        size_t count;
        uint32_t met, own_label;
        uint64_t sources;
    } mark; /* what was told before the input at hand */
    uint32_t columns[3][PF_BATCH_ROWS];
};

void pf_merge_meta_free(struct pf_merge_meta *);
/* Takes a META batch. PF_OK or PF_NOMEM. */
int pf_merge_meta_add(struct pf_merge_meta *, const struct pf_batch *);
/* A new input begins; what it told is forgotten. */
void pf_merge_meta_input(struct pf_merge_meta *);
void pf_merge_meta_drop(struct pf_merge_meta *);
/* One more row, behind all. PF_OK or PF_NOMEM. */
int pf_merge_meta_append(struct pf_merge_meta *, uint32_t origin, uint32_t key, uint32_t value);
/* All were given. PF_OK or PF_NOMEM. */
int pf_merge_meta_end(struct pf_merge_meta *);
/* Names of files and functions in the rows become what they are in the records. What fails is the
 * dictionary's status. */
void pf_merge_meta_rename(struct pf_merge_meta *, const struct pf_meta_edit *);
/* The next rows, valid until the next call; false at the end. */
bool pf_merge_meta_next(struct pf_merge_meta *, struct pf_batch *);

#endif
