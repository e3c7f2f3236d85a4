/* Shared by the views of top.h: they show blocks, one after the other. */
#ifndef PF_RENDER_TABLE_VIEW_H
#define PF_RENDER_TABLE_VIEW_H

#include "render/table/top.h"

/* Cells for measure and unit: `name` is the string of the measure. */
void pf_top_measure_cells(const struct pf_top *, const struct pf_top_block *, uint32_t name,
                          struct pf_cell cells[2]);
/* The measure named in rows with flat values: the measure of these values, or the measure that
 * the user named. */
uint32_t pf_top_measure(const struct pf_top_block *);

/* Makes the keys of a view; free them in any case. PF_OK or PF_NOMEM. */
int pf_top_keys(const struct pf_top *, enum pf_by, uint32_t label, struct pf_keys *,
                struct pf_error *);

/* True if --list selects the key: its function or the function's file matches. `scratch` is
 * working space. */
bool pf_top_list_has(const struct pf_top *, const struct pf_keys *, uint32_t key,
                     struct pf_buffer *scratch);

/* Writes the note about left-out rows, if any. PF_OK or PF_NOMEM. */
int pf_top_hidden(const struct pf_top *, const struct pf_top_block *, const struct pf_hidden *);

/* How a view shows blocks, one at a time. `state` belongs to the view. */
struct pf_top_view {
    const char *schema; /* for forms other than text, with their columns */
    const struct pf_sheet_column *columns;
    size_t column_count;
    /* values are those of the shown measure; else flat and cumulative values */
    bool of_calls;
    /* Computes the block and writes nothing: failures caused by the profile occur here. */
    int (*make)(void *state, const struct pf_top_block *, struct pf_error *);
    /* Writes the computed block: rows of the sheet, or text below the head line. `drop` reports
     * out of memory. */
    void (*write)(void *state, struct pf_sheet *);
    /* Frees the block, even if `make` failed. Returns `status`, or PF_NOMEM if writing ran out
     * of memory. */
    int (*drop)(void *state, int status, struct pf_error *);
};

/* Writes the lines above a block: total, samples, sections, inputs; duration; other kinds of
 * records. PF_OK or PF_NOMEM. */
int pf_top_head(const struct pf_top *, const struct pf_top_view *, const struct pf_top_block *);
/* Shows all blocks. Nothing is written unless all blocks can be made, so no document breaks off.
 * PF_OK or the failure of `make`. */
int pf_top_show(const struct pf_top *, const struct pf_top_view *, void *state, struct pf_error *);

#endif
