/* A batch: columns of up to PF_BATCH_ROWS records of one kind, in the order of the profile. The
 * maker of a batch owns it; the batch is valid until the next call of its maker. Absent columns
 * (NULL) mean 0 in every row; a measure without a column means 0. Ids belong to the dictionary
 * of the reader. A batch without rows but with value columns declares measures. */
#ifndef PF_MODEL_BATCH_H
#define PF_MODEL_BATCH_H

#include "model/dict.h"

#include <stdint.h>

/* any size from 512 to 65536 is about as fast (measured for the stream) */
enum { PF_BATCH_ROWS = 8192 };

struct pf_value_column {
    uint32_t measure; /* its kind is the batch's */
    const int64_t *data;
};

struct pf_batch {
    enum pf_kind kind;
    uint32_t rows;

    /* SAMPLE, FLAT and EDGE */
    const uint32_t *stack;    /* SAMPLE */
    const uint32_t *location; /* FLAT: the place; EDGE: the caller's place */
    const uint32_t *callee;   /* EDGE: location of the called function */
    const uint32_t *labels;
    const int64_t *time; /* nanoseconds; NULL if the records have no times */
    const struct pf_value_column *values;
    uint32_t value_count;

    /* META: rows of metadata between records; string ids, all three columns if there are rows.
     * An origin that begins with '.' is private to the format that wrote it: kept and written
     * back, but not shown. */
    const uint32_t *origin, *key, *value;

    /* TEXT: source texts, not in the dictionary because they are big and occur once */
    const struct pf_text *texts;
};

/* A piece of source text: one line of a file (NYTProf), or a whole text (StatProfiler evals; line
 * 0). */
struct pf_text {
    struct pf_bytes name, text;
    uint32_t name_flags, text_flags; /* PF_UTF8 */
    uint32_t name_string;            /* the name as a string of the dictionary; 0: not looked up */
    uint64_t line;
};

#endif
