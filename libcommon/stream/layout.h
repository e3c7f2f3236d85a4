/* Constants and table layouts of the native stream, which profstream(5) describes. */
#ifndef PF_STREAM_LAYOUT_H
#define PF_STREAM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PF_STREAM_MAJOR = 1,
    PF_FRAME_HEADER = 32,
    PF_COLUMN_HEADER = 16,
    PF_FRAME_PAYLOAD_MAX = 16 * 1024 * 1024,
    PF_FRAME_ROWS_MAX = 65536,
    PF_SEGMENT_MEASURES_MAX = 1024,
    PF_INFLATE_RATIO_MAX = 1040
};

enum pf_frame_flag { PF_FRAME_DEFLATED = 1 };

enum pf_end_flag { PF_END_INCOMPLETE = 1, PF_END_NO_TOTALS = 2 };

/* Domains of D frames. */
enum pf_stream_table {
    PF_TABLE_NONE, /* for a field that is not an id */
    PF_TABLE_STRINGS,
    PF_TABLE_MEASURES,
    PF_TABLE_IMAGES,
    PF_TABLE_FUNCTIONS,
    PF_TABLE_LOCATIONS,
    PF_TABLE_STACKS,
    PF_TABLE_LABELS,
    PF_TABLES
};

/* Columns of B frames. */
enum pf_record_column {
    PF_COLUMN_STACK = 1,
    PF_COLUMN_LABELS,
    PF_COLUMN_LOCATION,
    PF_COLUMN_CALLEE,
    PF_COLUMN_TIME,
    PF_COLUMN_VALUE = 256
};

enum { PF_COLUMN_MAY_SKIP = 0x8000 };

/* A column of a table, and the field of the model's row that it holds. The column number is the
 * index of the field + 1, with PF_COLUMN_MAY_SKIP for a column that readers of earlier versions
 * skip. */
struct pf_stream_field {
    uint8_t offset, size; /* of the field in the row, in bytes */
    uint8_t refers;       /* enum pf_stream_table: the table of its ids */
    uint64_t limit;       /* values are below this limit; 0: any value that fits `size` */
    bool may_skip;
};

enum { PF_STREAM_FIELDS_MAX = 14, PF_STREAM_ROW_MAX = 64 };

struct pf_stream_layout {
    const char *name; /* "strings" */
    uint32_t field_count;
    struct pf_stream_field fields[PF_STREAM_FIELDS_MAX]; /* those with may_skip are the last */
};

/* The layouts of all tables except strings, whose bytes follow the columns. */
extern const struct pf_stream_layout pf_stream_layouts[PF_TABLES];

struct pf_dict;
struct pf_table;

/* The rows of a table of the dictionary, except strings. */
const struct pf_table *pf_stream_rows(const struct pf_dict *, enum pf_stream_table);

/* Get a field of a row as a number; set it. */
int64_t pf_stream_field_get(const struct pf_stream_field *, const void *row);
void pf_stream_field_set(const struct pf_stream_field *, void *row, int64_t value);

#endif
