/* Sheets: tables for programs, with the same rows as CSV, TSV, a JSON document or JSON rows. For
 * tables for people see text_table.h. */
#ifndef PF_RENDER_TABLE_SHEET_H
#define PF_RENDER_TABLE_SHEET_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/sink.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_sheet_form {
    PF_SHEET_TEXT,
    PF_SHEET_JSON,
    PF_SHEET_NDJSON,
    PF_SHEET_CSV,
    PF_SHEET_TSV,
    PF_SHEET_CSV_GUARD,
    PF_SHEET_TSV_GUARD
};

/* Finds a form by name, such as "text" or "csv:guard" (render/table/separated.h); false if
 * unknown. */
bool pf_sheet_form_find(struct pf_bytes name, enum pf_sheet_form *);

enum pf_cell_type {
    PF_CELL_TEXT,
    PF_CELL_INT,
    PF_CELL_BOOL, /* `integer`: 0 or 1 */
    PF_CELL_REAL,
    PF_CELL_NUMBER /* a real with ten significant digits */
};

struct pf_sheet_column {
    const char *name; /* JSON key and CSV heading */
    enum pf_cell_type type;
};

/* One value. */
struct pf_cell {
    struct pf_bytes text;
    unsigned flags; /* of the text: PF_UTF8 or 0 */
    pf_int128 integer;
    uint64_t parts; /* `integer` is divided by this number; 0 means 1 */
    double real;
    bool missing; /* no value: null in JSON, empty in CSV and TSV */
};

/* A table being written (not struct pf_table of base). */
struct pf_sheet {
    struct pf_sink *sink;
    enum pf_sheet_form form;
    const struct pf_sheet_column *columns;
    size_t column_count;
    uint64_t rows;
    struct pf_buffer scratch;
    int status;
};

/* The members of a JSON document before its rows. The sheet owns `meta` (and always frees it);
 * NULL: out of memory. `measures` writes a JSON value. */
struct pf_sheet_head {
    const char *schema;
    json_t *meta;
    void (*measures)(const void *arg, struct pf_sink *);
    const void *arg;
};

/* `columns` must outlive the sheet. Zero-initialise the sheet. The form must not be TEXT. `head`
 * is for JSON; other forms ignore it. */
void pf_sheet_begin(struct pf_sheet *, struct pf_sink *, enum pf_sheet_form,
                    const struct pf_sheet_column *, size_t count, struct pf_sheet_head head);
/* Writes a row, one cell per column. All text is UTF-8; in TSV tabs, line ends and backslashes
 * are \t \n \r \\. */
void pf_sheet_row(struct pf_sheet *, const struct pf_cell *cells);
/* PF_OK or PF_NOMEM; the sink keeps failed writes. */
int pf_sheet_end(struct pf_sheet *);

#endif
