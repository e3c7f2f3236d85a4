/* Shared by the tables of diff.h: blocks one after the other, as JSON, CSV or text (show.c);
 * amounts and lines of text (text.c). */
#ifndef PF_RENDER_DIFF_PARTS_H
#define PF_RENDER_DIFF_PARTS_H

#include "render/diff/diff.h"

enum { PF_DIFF_COLUMNS = 22 };

/* How a table shows its blocks. `state` belongs to the table. */
struct pf_diff_layout {
    const char *schema; /* of the JSON document */
    /* of JSON and CSV, at most PF_DIFF_COLUMNS; before them are row, function, file, line, image,
     * measure and unit, after them the column of --by */
    const struct pf_sheet_column *columns;
    size_t column_count;
    bool has_total; /* the first row may be a total: the first column says so */
    /* The number of rows to write of a block. */
    size_t (*rows)(const void *state, size_t block);
    /* Fills the cells of these columns, which are zeroed; returns the key of the row, 0 for the
     * total. */
    uint32_t (*fill)(void *state, size_t block, size_t row, struct pf_cell *cells);
    /* Writes the members of a measure that follow name, unit and kind in JSON. */
    void (*write_members)(const void *state, struct pf_sink *, size_t block);
    /* Writes a block as text. PF_OK or PF_NOMEM. */
    int (*write_text)(void *state, size_t block);
};

/* Writes all blocks in the form of the view. PF_OK or PF_NOMEM; the sink keeps failed writes. */
int pf_diff_show(const struct pf_diff_view *, const struct pf_diff_layout *, void *state);

/* amount / parts for people, shares in percent; `sign`: a + before positive amounts. */
const char *pf_diff_print(const struct pf_diff_view *, const struct pf_diff_block *,
                          pf_int128 amount, uint64_t parts, bool sign, char text[PF_AMOUNT_TEXT]);
/* Writes "LEFT     before/ (5 runs), after.out" for a block, and empties `left`. If memory runs
 * out, left->failed is set. */
void pf_diff_headline(const struct pf_diff_view *, const struct pf_diff_block *,
                      struct pf_buffer *left);
/* The number of shown rows out of `count`. */
size_t pf_diff_shown(const struct pf_diff_view *, size_t count);

/* One block as text. PF_OK or PF_NOMEM. */
int pf_diff_text(const struct pf_diff_view *, const struct pf_diff_block *,
                 const struct pf_diff_table *);

#endif
