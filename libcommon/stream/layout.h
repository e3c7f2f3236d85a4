/* Constants of the native stream, which profstream(5) describes. model/tables.h has the tables. */
#ifndef PF_STREAM_LAYOUT_H
#define PF_STREAM_LAYOUT_H

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

/* Columns of B frames; columns 1 to PF_ID_COLUMNS hold ids (model/tables.h). */
enum pf_record_column { PF_COLUMN_TIME = 5, PF_COLUMN_VALUE = 256 };

/* A bit of a column number: readers that do not know the column skip the column. */
enum { PF_COLUMN_MAY_SKIP = 0x8000 };

#endif
