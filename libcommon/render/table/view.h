/* What the views of top.h share: they show blocks, one after the other. */
#ifndef PF_RENDER_TABLE_VIEW_H
#define PF_RENDER_TABLE_VIEW_H

#include "render/table/top.h"

/* Cells for measure and unit: `name` is the string of the measure. */
void pf_top_measure_cells(const struct pf_top *, const struct pf_top_block *, uint32_t name,
                          struct pf_cell cells[2]);
/* What rows with flat values name as their measure: that of these values, or the one asked for by
 * name. */
uint32_t pf_top_measure(const struct pf_top_block *);

/* True when --list asks for the key: its function or the function's file matches. `scratch` is
 * working space. */
bool pf_top_list_has(const struct pf_top *, const struct pf_keys *, uint32_t key,
                     struct pf_buffer *scratch);

/* Writes which rows are left out, if any. PF_OK or PF_NOMEM. */
int pf_top_hidden(const struct pf_top *, const struct pf_top_block *, const struct pf_hidden *);

/* How a view shows blocks, one at a time. `state` belongs to the view. */
struct pf_top_view {
    const char *schema; /* of forms other than text, with their columns */
    const struct pf_sheet_column *columns;
    size_t column_count;
    /* values are those of the measure shown; else there are flat ones and cumulative ones */
    bool of_calls;
    /* Finds out what the block shows: here it fails for what is in the profile. Nothing is written
     * yet. */
    int (*make)(void *state, const struct pf_top_block *, struct pf_error *);
    /* Writes what was made: rows of the sheet, or text below the line that heads the block. Out of
     * memory it says in drop. */
    void (*write)(void *state, struct pf_sheet *);
    /* Frees what was made, also what was not made to the end. `status`, or PF_NOMEM where writing
     * ran out of memory. */
    int (*drop)(void *state, int status, struct pf_error *);
};

/* Writes the lines above a block: total, samples, sections, inputs; duration; other kinds of
 * records. PF_OK or PF_NOMEM. */
int pf_top_head(const struct pf_top *, const struct pf_top_view *, const struct pf_top_block *);
/* Shows all blocks. Nothing is written unless all can be: no document that says it is complete
 * breaks off. PF_OK or as `make` says. */
int pf_top_show(const struct pf_top *, const struct pf_top_view *, void *state, struct pf_error *);

#endif
