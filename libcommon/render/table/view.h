/* Shared by the views of top.h: they show blocks, one after the other. */
#ifndef PF_RENDER_TABLE_VIEW_H
#define PF_RENDER_TABLE_VIEW_H

#include "render/table/top.h"

/* What is written: one block at a time. */
struct pf_top_page {
    const struct pf_top *top;
    const struct pf_top_view *view;
    struct pf_error *error; /* receives failures */
    bool *matched;          /* a pattern of `top` matched a function */
    void *own; /* view->own_size bytes for the view, zero at the beginning of each block */

    /* the block, its keys by top->look.by, and its rows if the view makes them (pf_top_rank) */
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_rank rank;
    struct pf_hidden hidden;
    /* working space; a failed allocation fails the block */
    struct pf_buffer label, scratch, second;
};

/* How a view shows blocks. */
struct pf_top_view {
    const char *schema; /* for forms other than text, with their columns */
    const struct pf_sheet_column *columns;
    size_t column_count;
    bool adds_column; /* one more column if --by adds one (pf_look_added_column) */
    /* calls: values are of the shown measure; if functions are requested, the head names the
     * measures of flat and cumulative values */
    bool of_calls;
    size_t own_size;
    /* Computes the block and writes nothing: failures caused by the profile occur here. PF_OK,
     * PF_NOMEM, or another failure with the error set. */
    int (*make)(struct pf_top_page *);
    /* Write the computed block: text below the head line; rows of the sheet. As `make`. */
    int (*write_text)(struct pf_top_page *);
    int (*write_rows)(struct pf_top_page *, struct pf_sheet *);
    void (*free_own)(void *own); /* frees the memory of `own`; NULL: it has none */
};

extern const struct pf_top_view pf_top_table, pf_top_calls, pf_top_tree, pf_top_list;

/* Shows all blocks. Nothing is written unless all blocks can be made, so no document breaks off.
 * PF_OK or the failure of `make`. */
int pf_top_show(struct pf_top_page *);
/* For pf_top_show: makes a block; frees the block, even if it could not be made, and returns
 * `status`, or PF_NOMEM if writing ran out of memory. */
int pf_top_make(struct pf_top_page *, const struct pf_top_block *);
int pf_top_drop(struct pf_top_page *, int status);
/* Shows the tree of the first block as nested JSON for d3-flame-graph. */
int pf_top_flame(struct pf_top_page *);

/* Makes page->rank; with --list only the rows whose function or file matches. As pf_rank_make. */
int pf_top_rank(struct pf_top_page *);

/* Cells for measure and unit: `name` is the string of the measure. */
void pf_top_measure_cells(const struct pf_top_page *, uint32_t name, struct pf_cell cells[2]);
/* The measure named in rows with flat values: the measure of these values, or the measure that
 * the user named. */
uint32_t pf_top_measure(const struct pf_top_block *);

/* Writes the lines above a block: total, samples, sections, inputs; duration; other measures and
 * kinds of records. PF_OK or PF_NOMEM. */
int pf_top_head(const struct pf_top_page *);
/* True if the head of the first block has the line about other measures and kinds of records. */
bool pf_top_has_others(const struct pf_top *);
/* Writes the note about the rows in page->hidden, if there are any, which `look` names. PF_OK or
 * PF_NOMEM. */
int pf_top_hidden(const struct pf_top_page *, const struct pf_look *);

#endif
