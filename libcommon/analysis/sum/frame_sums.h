/* Sums of samples by stack for formats whose frames are names with a place: a frame is (name, file,
 * line, column), a stack a node of a tree, and a measure a column of sums. Samples that differ in
 * labels alone fall together, but for the values of one label on request. */
#ifndef PF_ANALYSIS_SUM_FRAME_SUMS_H
#define PF_ANALYSIS_SUM_FRAME_SUMS_H

#include "analysis/sum/ledger.h"
#include "analysis/sum/outermost.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_sum_frame {
    uint32_t name, file; /* strings; a name is never 0 */
    int64_t line;        /* 0 = not known; never less */
    uint32_t column, reserved;
};

struct pf_sum_node {
    uint32_t parent, frame;
};

/* Zero-initialise but for what the owner decides. */
struct pf_frame_sums {
    struct pf_dict *dict;
    /* set by the owner: the key of the label that keeps sums apart; 0 = none */
    uint32_t group_key;
    struct pf_outermost outermost; /* of that key */
    /* set by the owner: places are where functions begin, not the lines being executed */
    bool of_functions;

    struct pf_table frames, nodes; /* parents before their children */
    struct pf_table rows;          /* node, group */
    struct pf_table groups;        /* labels: key, text; each is a pf_label without a parent */
    uint32_t *frame_of, *node_of;  /* by location, by stack; 0 = not yet */
    size_t frame_count, frame_capacity, node_count, node_capacity;
    uint32_t *path;
    size_t path_capacity;
    struct pf_ledger ledger; /* wide, by row */
};

struct pf_sum_row {
    uint32_t node, group; /* node 0: no frames */
    uint64_t used;
};

/* PF_OK or PF_NOMEM; free in any case */
int pf_frame_sums_init(struct pf_frame_sums *, struct pf_error *);
void pf_frame_sums_free(struct pf_frame_sums *);
/* Adds a batch of samples, or of no rows, which makes the columns. */
int pf_frame_sums_add(struct pf_frame_sums *, const struct pf_batch *, struct pf_error *);

/* All rows in an order in which stacks that begin alike stand together, those of one group before
 * those of the next: `order` has room for rows.count - 1. False: out of memory. */
bool pf_frame_sums_order(const struct pf_frame_sums *, uint32_t *order);
/* All nodes in that order: a node, then what it called. `order` has room for nodes.count - 1. */
bool pf_frame_sums_preorder(const struct pf_frame_sums *, uint32_t *order);

/* The column of the main measure (model/main_measure.h), without the column `but`, which may be
 * NULL. NULL if no other column is there. */
const struct pf_sums *pf_frame_sums_main(const struct pf_frame_sums *, const struct pf_sums *but);
/* The column for a place that holds amounts in `unit`: the marked one, else the first that is
 * called `name`, else the first in this unit. NULL: no column is in this unit. */
const struct pf_sums *pf_frame_sums_find(const struct pf_frame_sums *, const char *unit,
                                         const char *name);

/* An amount in base units as JSON has numbers, exactly where it has an end (10, 0.125), else as a
 * fraction of 18 digits: sum * num / den. The length; at most PF_SUM_TEXT. *cut is set then. */
enum { PF_SUM_TEXT = 96 };
size_t pf_frame_sums_print(const struct pf_sums *, pf_int128 sum, uint64_t per,
                           char text[PF_SUM_TEXT], bool *cut);

#endif
