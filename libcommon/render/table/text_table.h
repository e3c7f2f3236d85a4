/* Text tables: rows are kept until all are known, then laid out together. Columns are as wide as
 * their contents. On a terminal no line is wider than the terminal: first files are shortened,
 * then columns become narrow and are left out, so that names stay whole; then names lose their
 * middle. */
#ifndef PF_RENDER_TABLE_TEXT_TABLE_H
#define PF_RENDER_TABLE_TEXT_TABLE_H

#include "base/error.h"
#include "base/memory.h"
#include "io/sink.h"
#include "render/table/place.h"

#include <stdbool.h>
#include <stddef.h>

struct pf_sheet_column;
struct pf_cell;

enum { PF_TEXT_COLUMNS = 16 };

/* When a narrow terminal leaves out a column: numbers up to FOR_NAMES (with names for
 * differences) as soon as names would be shortened, in this order; larger numbers if almost
 * nothing of names would be left. 0: never. */
enum {
    PF_DROP_BAR = 1,
    PF_DROP_POINTS,
    PF_DROP_INTERVAL,
    PF_DROP_FOR_NAMES = PF_DROP_INTERVAL,
    PF_DROP_MOST = 9
};

struct pf_text_column {
    const char *name;
    /* the least width, right-aligned, if there is room; 0 for the last column */
    unsigned width;
    unsigned drop;
};

struct pf_text_cell {
    struct pf_bytes text; /* a clean line of UTF-8 */
    const char *color;    /* escape sequence before the text, a literal, or NULL */
};

/* Zero-initialise; pf_text_table_end frees it. */
struct pf_text_table {
    const struct pf_text_column *columns; /* borrowed */
    size_t column_count;
    size_t widths[PF_TEXT_COLUMNS]; /* width of the widest cell, with headings */
    struct pf_arena texts;          /* cells and places of all rows */
    struct pf_text_line *lines;
    size_t count, capacity;
    struct pf_buffer scratch;
    bool has_tails; /* of the files */
    bool failed;    /* out of memory */
};

/* Begins a table of at most PF_TEXT_COLUMNS columns; the last column shows places. */
void pf_text_table_begin(struct pf_text_table *, const struct pf_text_column *, size_t count);
/* Adds a row: a cell for each column except the last, and one or two places for the last. */
void pf_text_table_row(struct pf_text_table *, const struct pf_text_cell *, const struct pf_place *,
                       size_t place_count);
/* Adds a line of dashes with a + at the beginning of the last column. */
void pf_text_table_rule(struct pf_text_table *);
/* True if a terminal of this width shows the column. Call after all rows are added. */
bool pf_text_table_shows(struct pf_text_table *, size_t column, size_t terminal);
/* Writes the heading and all rows, then frees the table. `terminal` 0: no name is shortened and no
 * column left out; `mark` (one column wide) stands for the middle of a shortened name. Files lose
 * directories in lines of more than `paths` columns, 0: never. PF_OK or PF_NOMEM. */
int pf_text_table_end(struct pf_text_table *, struct pf_sink *, size_t terminal, size_t paths,
                      const char *mark);

#endif
