/* A batch: columns of up to PF_BATCH_ROWS records of one kind, in the order of the profile. It is
 * owned by who made it and valid until that one is called again. Absent columns (NULL) mean 0 in
 * every row; a measure without a column means 0. Ids are of the dictionary the batch travels with.
 * A batch of no rows with value columns declares measures. */
#ifndef PF_MODEL_BATCH_H
#define PF_MODEL_BATCH_H

#include "model/dict.h"

#include <stdint.h>

/* between 512 and 65536 hardly matters (measured in the stream's design) */
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
    const uint32_t *callee;   /* EDGE: location of the function called */
    const uint32_t *labels;
    const int64_t *time; /* nanoseconds; NULL where records carry none */
    const struct pf_value_column *values;
    uint32_t value_count;

    /* META: rows of metadata that stand between records here; all three columns where there are
     * rows. Strings; an origin that begins with '.' is private to the format that wrote it: carried
     * and written back, not shown. */
    const uint32_t *origin, *key, *value;

    /* TEXT: source texts, self-contained because they are big and seen once */
    const struct pf_text *texts;
};

/* A piece of source text: one line of a file (NYTProf), or a whole text (StatProfiler evals; line
 * 0). */
struct pf_text {
    struct pf_bytes name, text;
    uint32_t name_flags, text_flags; /* PF_UTF8 */
    uint64_t line;
};

#endif
