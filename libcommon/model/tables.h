/* The tables of a dictionary, described as data: the fields of each row, and the table that an id
 * in a field or in a column of a batch refers to. With the description a loop copies, reads or
 * writes the rows of any table. */
#ifndef PF_MODEL_TABLES_H
#define PF_MODEL_TABLES_H

#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

/* The domains of D frames in the native stream. A row refers only to rows of earlier tables and to
 * earlier rows of its own table. */
enum pf_dict_table {
    PF_TABLE_NONE, /* for a field that is not an id */
    PF_TABLE_STRINGS,
    PF_TABLE_MEASURES, /* id k + 1 is measure k */
    PF_TABLE_IMAGES,
    PF_TABLE_FUNCTIONS,
    PF_TABLE_LOCATIONS,
    PF_TABLE_STACKS,
    PF_TABLE_LABELS,
    PF_TABLES
};

/* A field of a row. In the native stream it is a column of the table; the number of the column is
 * the index of the field + 1, with PF_COLUMN_MAY_SKIP for a column that readers of earlier versions
 * skip. */
struct pf_row_field {
    uint8_t offset, size; /* of the field in the row, in bytes */
    uint8_t refers;       /* enum pf_dict_table: the table of its ids */
    uint64_t limit;       /* values are below this limit; 0: any value that fits `size` */
    bool may_skip;
};

enum { PF_ROW_FIELDS_MAX = 14 };

struct pf_row_layout {
    const char *name; /* "strings" */
    uint32_t field_count;
    struct pf_row_field fields[PF_ROW_FIELDS_MAX]; /* those with may_skip are the last */
};

/* The layouts of all tables. Strings have no fields. */
extern const struct pf_row_layout pf_row_layouts[PF_TABLES];

/* Room for a row of any table except strings. */
union pf_any_row {
    struct pf_measure measure;
    struct pf_image image;
    struct pf_function function;
    struct pf_location location;
    struct pf_stack stack;
    struct pf_label label;
};

/* Get a field of a row as a number; set it. */
int64_t pf_row_get(const struct pf_row_field *, const void *row);
void pf_row_set(const struct pf_row_field *, void *row, int64_t value);
/* Replaces each id in a row by map(arg, table, id). */
void pf_row_map(enum pf_dict_table, void *row,
                uint32_t (*map)(const void *arg, enum pf_dict_table, uint32_t id), const void *arg);

/* The rows of a table, except strings. */
const struct pf_table *pf_dict_rows(const struct pf_dict *, enum pf_dict_table);
/* The number of rows of a table with row 0, also of strings. */
uint32_t pf_dict_count(const struct pf_dict *, enum pf_dict_table);
/* The id of a row, which is added if new, of any table except strings. 0: out of memory
 * (pf_dict_status), or all fields are 0. */
uint32_t pf_dict_add_row(struct pf_dict *, enum pf_dict_table, const void *row);

/* The columns of ids of a batch, in the order of the native stream: stack, labels, location and
 * callee of records; origin, key and value of metadata. */
enum { PF_ID_COLUMNS = 4 };
/* The table of a column by kind of the batch; PF_TABLE_NONE: this kind has no such column. */
extern const uint8_t pf_batch_tables[PF_TEXT + 1][PF_ID_COLUMNS];
/* The field of the batch for a column of ids, which the kind of the batch must have. */
const uint32_t **pf_batch_ids(struct pf_batch *, unsigned column);

#endif
