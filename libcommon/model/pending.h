/* Records that wait: formats that tell the names of frames behind the samples, or the values behind
 * the stacks, hold their records as numbers until all is known, and then give them batch by
 * batch. */
#ifndef PF_MODEL_PENDING_H
#define PF_MODEL_PENDING_H

#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_PENDING_COLUMNS = 16 };

/* Rows of one kind. Zero-initialise; the owner fills the columns (all of them `count` long), which
 * are freed with it. */
struct pf_pending {
    enum pf_kind kind;
    uint32_t *stacks;           /* SAMPLE: stacks; FLAT: locations; EDGE: locations of callers */
    uint32_t *callees, *labels; /* may be NULL */
    struct pf_value_column columns[PF_PENDING_COLUMNS];
    int64_t *values[PF_PENDING_COLUMNS];
    unsigned column_count;
    size_t count, given;
    bool declared;
};

void pf_pending_free(struct pf_pending *);
/* Adds a column of values, which it frees from then on. */
void pf_pending_column(struct pf_pending *, uint32_t measure, int64_t *values);
/* The next batch of at most PF_BATCH_ROWS rows, which the rows themselves are; the first has none
 * and declares the measures. False: all are given. */
bool pf_pending_give(struct pf_pending *, struct pf_batch *);

/* Stacks of numbers: frames that have no location yet. */
struct pf_paths {
    struct pf_dict dict; /* its stacks: of numbers + 1 where locations would be */
    struct pf_stack_memo *memo;
};

int pf_paths_init(struct pf_paths *); /* PF_OK or PF_NOMEM; free in any case */
void pf_paths_free(struct pf_paths *);
/* Puts the id of a path into *path, at the latest when pf_paths_flush is called. `leaf_first` holds
 * numbers + 1. */
void pf_paths_queue(struct pf_paths *, const uint32_t *leaf_first, size_t depth, uint32_t *path);
void pf_paths_flush(struct pf_paths *);
/* The path of frame `number` called from `parent`; 0 and dict.stacks.status when memory ran out. */
uint32_t pf_paths_frame(struct pf_paths *, uint32_t parent, uint32_t number);

/* Stacks by path, in `dict`, from the locations of the numbers; UINT32_MAX where a number is not
 * below `count` or has location 0. The caller frees them; NULL: out of memory. */
uint32_t *pf_paths_stacks(const struct pf_paths *, struct pf_dict *dict, const uint32_t *locations,
                          size_t count);

#endif
