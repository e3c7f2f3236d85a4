/* Tables of differences, for people and for notebooks. */
#ifndef PF_RENDER_DIFF_DIFF_H
#define PF_RENDER_DIFF_DIFF_H

#include "analysis/diff/rows.h"
#include "render/table/look.h"

#include <stdbool.h>
#include <stddef.h>

/* The request and the data; everything is borrowed. */
struct pf_diff_view {
    struct pf_look look;
    struct pf_diff *diff;
    const char *tool;            /* for `meta` */
    const char *const *operands; /* names of the inputs, NULL-terminated */
    const char *const *sides;    /* names of the sides */
    const char *const *nouns;    /* by side: what its runs are, "files" or "runs" */
    size_t side_count;
    const char *const *runs; /* --stats: names of the runs of `diff` */
    bool incomplete;         /* an input failed */

    enum pf_sheet_form form;
    enum pf_diff_sort sort;
    enum pf_diff_only only;
    struct pf_diff_terms terms;
    const char *gate_text;       /* --fail-above as typed */
    bool drop_negative, by_name; /* by_name: --stats sorts by name */
    size_t limit;                /* rows; 0: all */
};

/* Writes all blocks; without a sink only judges them. *rose: true if a row rose above the gate.
 * PF_OK, PF_NOMEM, the result of pf_diff_table_make, or PF_USAGE if a block has too few runs for
 * the gate; the sink keeps failed writes. */
int pf_diff_write(const struct pf_diff_view *, bool *rose, struct pf_error *);
/* --stats: each row over all runs of all sides. */
int pf_diff_stats(const struct pf_diff_view *, struct pf_error *);

#endif
