/* The look of tables for people, and their shared texts: shares in percent, names with their
 * places, bars, notes. */
#ifndef PF_RENDER_TABLE_LOOK_H
#define PF_RENDER_TABLE_LOOK_H

#include "analysis/names/key.h"
#include "analysis/sum/units.h"
#include "render/table/place.h"
#include "render/table/sheet.h"
#include "render/table/text_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything is borrowed. */
struct pf_look {
    struct pf_sink *sink;
    struct pf_dict *dict;
    enum pf_by by;
    uint32_t label;    /* PF_BY_LABEL: key, a string */
    bool color, utf8;  /* utf8: bars and marks beyond ASCII */
    bool group;        /* 1,234 instead of 1234 */
    unsigned terminal; /* columns of the terminal; 0: no line is cut */
    unsigned paths;    /* in lines with more columns files lose directories; 0: never */
};

/* 27.43%, 100%, 0.05%, <0.01% */
enum { PF_PERCENT_TEXT = 32 };
struct pf_bytes pf_look_percent(double percent, char text[PF_PERCENT_TEXT]);
/* A number of things: 1,234. */
const char *pf_look_count(const struct pf_look *, size_t count, char text[PF_AMOUNT_TEXT]);
/* The word for a row, or for rows: function, functions, section ... */
const char *pf_look_noun(const struct pf_look *, bool many);

/* Appends a string of the dictionary as one clean line of UTF-8. If memory runs out, text->failed
 * is set. */
void pf_look_string(const struct pf_look *, uint32_t id, struct pf_buffer *text);
/* Name and place of a key, with a mark if its calls are inlined. The place borrows from `text`,
 * which is emptied first. If memory runs out, text->failed is set. */
void pf_look_place(const struct pf_look *, const struct pf_keys *, uint32_t key,
                   struct pf_buffer *text, struct pf_place *);
/* A cell with a string of the dictionary. */
struct pf_cell pf_look_cell(const struct pf_dict *, uint32_t id);
/* Cells for the columns function, file, line, image of a key, in this order. A name that is not in
 * the dictionary is written to `scratch`. */
void pf_look_place_cells(const struct pf_keys *, uint32_t key, struct pf_cell cells[4],
                         struct pf_buffer *scratch);
/* The column that --by adds to the columns of places: section, label, address or package; NULL:
 * none. */
const char *pf_look_added_column(const struct pf_look *);
/* The cell of the added column. Its text is in the dictionary, in `scratch` or in `address`. */
enum { PF_ADDRESS_TEXT = 32 };
struct pf_cell pf_look_added_cell(const struct pf_look *, const struct pf_keys *, uint32_t key,
                                  struct pf_buffer *scratch, char address[PF_ADDRESS_TEXT]);

/* Escape sequence for an amount of so many percent: red for heavy, blue for negative amounts, else
 * NULL. */
const char *pf_look_color(const struct pf_look *, double percent);
/* A bar for so many percent of PF_LOOK_BAR columns, in eighths of a column if `utf8`; blanks
 * follow. */
enum { PF_LOOK_BAR = 10 };
void pf_look_bar(struct pf_buffer *, bool utf8, double percent);

/* Each writes in the width of the terminal and returns PF_OK or PF_NOMEM. */
/* Writes and frees a table. */
int pf_look_end(const struct pf_look *, struct pf_text_table *);
/* Writes a text of one or more lines. */
int pf_look_prose(const struct pf_look *, const struct pf_buffer *text);
/* Writes and empties the text, so that the next line can begin. If memory runs out, text->failed is
 * set, and stays. */
void pf_look_line(const struct pf_look *, struct pf_buffer *text);
/* Writes a formatted line below a table. */
int pf_look_note(const struct pf_look *, const char *format, ...) PF_PRINTF(2, 3);
/* The note "... TEXT not shown; OPTIONS for all" with a formatted text, and the options that show
 * the rows behind the limit, and the rows that are too small. */
int pf_look_not_shown(const struct pf_look *, bool behind, bool small, const char *format, ...)
    PF_PRINTF(4, 5);
/* "LEFT      RIGHT", with RIGHT from column 66 on. A line that is too wide: RIGHT moves closer,
 * then `brief` takes its place, then the text continues on the next lines. */
int pf_look_headline(const struct pf_look *, struct pf_bytes left, struct pf_bytes right,
                     struct pf_bytes brief);

#endif
