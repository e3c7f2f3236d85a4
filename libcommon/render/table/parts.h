/* Parts that the views of top.h share. */
#ifndef PF_RENDER_TABLE_PARTS_H
#define PF_RENDER_TABLE_PARTS_H

#include "render/table/place.h"
#include "render/table/text_table.h"
#include "render/table/top.h"

/* 27.43%, 100%, 0.05%, <0.01% */
enum { PF_PERCENT_TEXT = 32 };
struct pf_bytes pf_top_percent(double percent, char text[PF_PERCENT_TEXT]);

/* Name and place of a key, with a mark where calls are inlined. They stand in `text`, which is emptied
 * first; out of memory `text` says. */
void pf_top_place(const struct pf_top *, const struct pf_keys *, uint32_t key, struct pf_buffer *text, struct pf_place *);

/* Cells for the columns function, file, line, image of a key, in this order. A name that is no string of the dictionary is put in
 * `scratch`. */
void pf_top_place_cells(const struct pf_keys *, uint32_t key, struct pf_cell cells[4], struct pf_buffer *scratch);
/* Cells for measure and unit: `name` is the string of the measure. */
void pf_top_measure_cells(const struct pf_top *, const struct pf_top_block *, uint32_t name, struct pf_cell cells[2]);
/* What rows with flat values name as their measure: that of these values, or the one asked for by name. */
uint32_t pf_top_measure(const struct pf_top_block *);

/* Escape sequence for an amount of so many percent: heavy ones red, negative ones blue, others NULL. */
const char *pf_top_color(const struct pf_top *, double percent);

/* True when --list asks for the key: its function or the function's file matches. `scratch` is anybody's. */
bool pf_top_list_has(const struct pf_top *, const struct pf_keys *, uint32_t key, struct pf_buffer *scratch);

/* What a row is: function, functions, section ... */
const char *pf_top_noun(const struct pf_top *, bool many);

/* A number of things: 1,234. */
const char *pf_top_count(const struct pf_top *, size_t count, char text[PF_AMOUNT_TEXT]);

/* A bar for so many percent of PF_TOP_BAR columns, in eighths of a column where the locale has them; blanks behind it. */
enum { PF_TOP_BAR = 10 };
void pf_top_bar(struct pf_buffer *, bool utf8, double percent);

/* Stands for the middle of a shortened name. */
const char *pf_top_mark(const struct pf_top *);
/* Writes a table in the width of the terminal and frees it. PF_OK or PF_NOMEM. */
int pf_top_end(const struct pf_top *, struct pf_text_table *);
/* Writes a line below a table, formatted, in the width of the terminal. PF_OK or PF_NOMEM. */
int pf_top_note(const struct pf_top *, const char *format, ...) PF_PRINTF(2, 3);
/* Whether shares of several rows add up: those of sections, which lie within each other, do not. */
bool pf_top_sums(const struct pf_top *);
/* Writes which rows are left out, if any. PF_OK or PF_NOMEM. */
int pf_top_hidden(const struct pf_top *, const struct pf_top_block *, const struct pf_hidden *);
/* Writes "LEFT      RIGHT", `right` from column 66 on; where the line does not fit: closer, with `brief` instead of `right`, on
 * several lines. PF_OK or PF_NOMEM. */
int pf_top_headline(const struct pf_top *, struct pf_bytes left, struct pf_bytes right, struct pf_bytes brief);

/* How a view shows blocks, one at a time. `state` is the view's own. */
struct pf_top_view {
    const char *schema;                     /* of forms other than text, with their columns */
    const struct pf_sheet_column *columns;
    size_t column_count;
    bool of_calls;                          /* values are those of the measure shown; else there are flat ones and cumulative ones */
    /* Finds out what the block shows: here it fails for what is in the profile. Nothing is written yet. */
    int (*make)(void *state, const struct pf_top_block *, struct pf_error *);
    /* Writes what was made: rows of the sheet, or text below the line that heads the block. Out of memory it says in drop. */
    void (*write)(void *state, struct pf_sheet *);
    /* Frees what was made, also what was not made to the end. `status`, or PF_NOMEM where writing ran out of memory. */
    int (*drop)(void *state, int status, struct pf_error *);
};

/* Writes the lines above a block: total, samples, sections, inputs; duration; other kinds of records. PF_OK or PF_NOMEM. */
int pf_top_head(const struct pf_top *, const struct pf_top_view *, const struct pf_top_block *);
/* Shows all blocks. Nothing is written unless all can be: no document that says it is complete breaks off. PF_OK or as `make` says. */
int pf_top_show(const struct pf_top *, const struct pf_top_view *, void *state, struct pf_error *);

#endif
