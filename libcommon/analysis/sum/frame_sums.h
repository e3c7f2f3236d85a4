/* Sums samples by stack, for output formats whose frames are names with a place. A frame is (name,
 * file, line, column), a stack is a node of a tree, a measure is a column of sums. Samples that
 * differ only in labels are added up, except that one label's values can keep sums apart. */
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
    int64_t line;        /* 0: not known; never negative */
    uint32_t column, reserved;
};

struct pf_sum_node {
    uint32_t parent, frame;
};

/* Zero-initialise, set dict, group_key and of_functions, call pf_frame_sums_init; free with
 * pf_frame_sums_free. */
struct pf_frame_sums {
    struct pf_dict *dict;
    /* the key of the label that keeps sums apart, a string; 0: none */
    uint32_t group_key;
    struct pf_outermost outermost; /* labels with group_key */
    /* the place of a frame is where its function begins, not the executed line */
    bool of_functions;

    struct pf_table frames, nodes; /* parents before their children */
    struct pf_table rows;          /* struct pf_sum_row */
    struct pf_table groups;        /* labels with group_key, as struct pf_label without parents */
    uint32_t *frame_of, *node_of;  /* by location; by stack; 0: not known yet */
    size_t frame_count, frame_capacity, node_count, node_capacity;
    uint32_t *path;
    size_t path_capacity;
    struct pf_ledger ledger; /* wide sums, by row */
};

struct pf_sum_row {
    uint32_t node, group; /* node 0: the empty stack */
    uint64_t used;        /* always 1, so that no row is all 0 */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_frame_sums_init(struct pf_frame_sums *, struct pf_error *);
void pf_frame_sums_free(struct pf_frame_sums *);
/* Adds a batch of samples; a batch without rows declares columns. PF_OK; PF_NOMEM; PF_OVERFLOW if a
 * sum overflows 128 bits; or as pf_quantity_join. */
int pf_frame_sums_add(struct pf_frame_sums *, const struct pf_batch *, struct pf_error *);

/* Lists all rows: group by group, and within a group so that stacks with a common beginning are
 * next to each other. `order` has room for all rows but row 0. False: out of memory. */
bool pf_frame_sums_order(const struct pf_frame_sums *, uint32_t *order);
/* Lists all nodes in preorder: a node, then the nodes below it. `order` has room for all nodes but
 * node 0. False: out of memory. */
bool pf_frame_sums_preorder(const struct pf_frame_sums *, uint32_t *order);

/* The column of the main measure (model/main_measure.h) among all columns except `but` (may be
 * NULL); NULL if there is no other column. */
const struct pf_sums *pf_frame_sums_main(const struct pf_frame_sums *, const struct pf_sums *but);
/* The column for a field of the output that holds amounts in `unit`: the main measure, else the
 * first measure called `name`, else the first measure in this unit. NULL: no column is in this
 * unit. */
const struct pf_sums *pf_frame_sums_find(const struct pf_frame_sums *, const char *unit,
                                         const char *name);

/* Prints sum * num / den / per, in base units divided by `per`, as a JSON number: exactly if the
 * fraction has at most 18 digits (10, 0.125), else cut to 18 digits, and *cut becomes true. Returns
 * the length, at most PF_SUM_TEXT. sum * num must fit into 128 bits (pf_scale128 tells). */
enum { PF_SUM_TEXT = 96 };
size_t pf_frame_sums_print(const struct pf_sums *, pf_int128 sum, uint64_t per,
                           char text[PF_SUM_TEXT], bool *cut);

#endif
