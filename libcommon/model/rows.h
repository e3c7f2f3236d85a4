/* The builder of batches. A reader declares measures, adds records one by one and metadata between
 * them, and takes batches in the same order.
 *
 * A reader adds until pf_rows_ready, then gives a batch. A reader that holds a whole input may add
 * everything first. If memory runs out, the dictionary's status is set (pf_dict_status) and later
 * rows are lost, so the caller need not check each step. */
#ifndef PF_MODEL_ROWS_H
#define PF_MODEL_ROWS_H

#include "base/error.h"
#include "model/batch.h"
#include "model/stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_rows_wanted;

/* A part of the queue: rows of one kind with the same columns, rows of metadata, or a
 * declaration. */
struct pf_rows_piece {
    enum pf_kind kind; /* PF_META: rows of metadata */
    bool declares;
    uint32_t counted;
    size_t first, columns; /* its measures: `columns` of them from rows->measures[first] on */
    size_t rows;           /* rows not given yet */
};

/* Use one builder for a reader, or one for each kind if records of two kinds are collected at the
 * same time. The owner may read and change the frames and set root_first; the other members are for
 * the inline functions below. */
struct pf_rows {
    struct pf_dict *dict;
    uint32_t *frames; /* of the current sample, in the order of adding */
    size_t depth;
    bool root_first; /* frames are added outermost first; else leaf first */
    bool declared;   /* a declaration was queued */
    bool open;       /* the next record can join the last piece */

    struct pf_stack_memo *memo;
    bool memo_shared; /* the memo is the owner's */
    size_t frame_capacity;
    /* The columns of queued rows. Times and values from row `count` on are 0. */
    uint32_t *places;           /* stacks; locations of FLAT; callers of EDGE */
    uint32_t *callees, *labels; /* NULL: none yet */
    int64_t *times;
    int64_t **values; /* by column; NULL: none yet */
    size_t value_capacity;
    int64_t *ones; /* the column of `counted`: PF_BATCH_ROWS times 1; NULL: none yet */
    size_t count, capacity;
    size_t given; /* rows given in batches */

    enum pf_kind kind; /* of the records being added */
    uint32_t counted;  /* a measure that is 1 in each record (pf_rows_count); UINT32_MAX: none */
    /* measures of the columns of all pieces; those of the current columns come last, from `first`
     * on */
    uint32_t *measures;
    size_t first, measure_count, measure_capacity;

    struct pf_rows_piece *pieces; /* the queue */
    size_t piece_count, piece_capacity;
    size_t pieces_given;
    size_t ahead; /* number of declarations at the beginning of the queue; more may follow */

    uint32_t *metadata[3]; /* origin, key, value */
    size_t metadata_count, metadata_given, metadata_capacity[3];

    struct pf_value_column *columns; /* of the last batch given */
    size_t column_capacity;

    struct pf_rows_wanted *wanted; /* locations to be interned when the next batch is given */
    size_t wanted_count, wanted_capacity;
};

/* Initialises the builder; allocates nothing. Free it in any case. */
void pf_rows_init(struct pf_rows *, struct pf_dict *);
void pf_rows_free(struct pf_rows *);
/* Uses a memo of stacks that the owner keeps for the next reader of the same dictionary, because
 * inputs of one program share most stacks. */
void pf_rows_share_stacks(struct pf_rows *, struct pf_stack_memo *);

/* --- measures --------------------------------------------------------------------------------- */

/* Begins a kind: records added from now on have this kind, and the columns added from now on. The
 * first kind is PF_SAMPLE. A reader whose batches should have only the columns that their records
 * use calls this whenever `open` is false. */
void pf_rows_begin(struct pf_rows *, enum pf_kind kind);
/* The column of a measure, which is added if new; columns are numbered 0, 1, ... in the order of
 * adding. Make a measure only when its records come, or when it is declared, because tables choose
 * among all measures of the dictionary. */
uint32_t pf_rows_measure(struct pf_rows *, uint32_t measure);
/* True if the current columns include the measure. */
bool pf_rows_has(const struct pf_rows *, uint32_t measure);
/* Every record gets the value 1 of this measure. Its column comes after the others. */
void pf_rows_count(struct pf_rows *, uint32_t measure);
/* Queues a batch without rows that declares the current columns. If no declaration was queued, the
 * first record queues one. */
void pf_rows_declare(struct pf_rows *);
/* The same, but before queued metadata and records; several such declarations keep their order. */
void pf_rows_declare_ahead(struct pf_rows *);

/* The number of current columns, without that of pf_rows_count. */
static inline size_t pf_rows_column_count(const struct pf_rows *rows)
{
    return rows->measure_count - rows->first;
}

/* The measure of a current column. */
static inline uint32_t pf_rows_measure_of(const struct pf_rows *rows, size_t column)
{
    return rows->measures[rows->first + column];
}

/* --- records ---------------------------------------------------------------------------------- */

/* The text for a stack of more than PF_STACK_DEPTH_MAX frames; the function sets it as a PF_FAILED
 * error at `offset`. */
#define PF_TOO_DEEP "more than 1048575 frames"
int pf_rows_too_deep(struct pf_error *, uint64_t offset);

/* The slow parts of pf_rows_frame_room and pf_rows_frame. */
bool pf_rows_grow_frames(struct pf_rows *, size_t need);
int pf_rows_more_frames(struct pf_rows *, uint32_t location, struct pf_error *, uint64_t offset);

/* Adds a frame to the current sample. PF_OK, or a failure in `error`: out of memory, or more than
 * PF_STACK_DEPTH_MAX frames, at `offset`. */
static inline int pf_rows_frame(struct pf_rows *rows, uint32_t location, struct pf_error *error,
                                uint64_t offset)
{
    if (rows->depth == rows->frame_capacity)
        return pf_rows_more_frames(rows, location, error, offset);
    rows->frames[rows->depth++] = location;
    return PF_OK;
}

/* Makes room for `count` more frames, which the owner writes after the others. False: out of
 * memory. */
static inline bool pf_rows_frame_room(struct pf_rows *rows, size_t count)
{
    return rows->frame_capacity - rows->depth >= count ||
           pf_rows_grow_frames(rows, rows->depth + count);
}

/* Adds the current sample as a record, and begins the next sample without frames. */
void pf_rows_sample(struct pf_rows *, uint32_t labels);
/* Adds a sample with the given frames, leaf first. */
void pf_rows_sample_of(struct pf_rows *, const uint32_t *leaf_first, size_t depth, uint32_t labels);
/* Adds a sample with the given stack. */
void pf_rows_stack(struct pf_rows *, uint32_t stack, uint32_t labels);
/* Adds a FLAT record; an EDGE record. */
void pf_rows_flat(struct pf_rows *, uint32_t location, uint32_t labels);
void pf_rows_edge(struct pf_rows *, uint32_t caller, uint32_t callee, uint32_t labels);
/* The same for locations that are interned when the next batch of records is given: then the
 * processor waits for many of them at once (0.96 s instead of 1.14 s for 3.7 million locations of a
 * callgrind profile). */
void pf_rows_flat_at(struct pf_rows *, const struct pf_location *, uint32_t labels);
void pf_rows_edge_at(struct pf_rows *, const struct pf_location *caller,
                     const struct pf_location *callee, uint32_t labels);

/* Makes room for `count` records. The caller then writes rows->places and each column of
 * rows->values, from index rows->count on. False: out of memory. */
bool pf_rows_room(struct pf_rows *, size_t count);
/* Adds the records that the caller has written there, with these labels. */
void pf_rows_wrote(struct pf_rows *, size_t count, uint32_t labels);

/* The number of queued records. */
static inline size_t pf_rows_waiting(const struct pf_rows *rows)
{
    return rows->count - rows->given;
}

/* Sets the value of the last record in a column; a value that is not set is 0. */
static inline void pf_rows_set(struct pf_rows *rows, uint32_t column, int64_t value)
{
    if (rows->open && column < rows->measure_count - rows->first)
        rows->values[column][rows->count - 1] = value;
}

/* The same for `count` columns from `first` on. */
static inline void pf_rows_set_values(struct pf_rows *rows, uint32_t first, const int64_t *values,
                                      uint32_t count)
{
    size_t row = rows->count - 1;

    if (rows->open && first + count <= rows->measure_count - rows->first)
        for (uint32_t k = 0; k < count; k++)
            rows->values[first + k][row] = values[k];
}

/* Adds `amount` to the value of record number `row` (from 0), before any batch of records was
 * given. False: the sum overflows 64 bits; the value is unchanged. */
bool pf_rows_add_to(struct pf_rows *, size_t row, uint32_t column, int64_t amount);

/* Sets the time of the last record. */
void pf_rows_time(struct pf_rows *, int64_t nanoseconds);

/* --- metadata --------------------------------------------------------------------------------- */

/* Adds a row of metadata after the records added so far. Key and value are kept as bytes; they
 * count as UTF-8 if they are valid. */
void pf_rows_meta(struct pf_rows *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* The same for a number in decimal. */
void pf_rows_meta_number(struct pf_rows *, const char *origin, const char *key, int64_t value);
/* The same for strings of the dictionary. */
void pf_rows_meta_strings(struct pf_rows *, uint32_t origin, uint32_t key, uint32_t value);

/* --- batches ---------------------------------------------------------------------------------- */

/* True if nothing is queued. */
static inline bool pf_rows_empty(const struct pf_rows *rows)
{
    return rows->pieces_given == rows->piece_count;
}

/* True if a full batch is queued, or several pieces are. */
static inline bool pf_rows_ready(const struct pf_rows *rows)
{
    const struct pf_rows_piece *piece;
    size_t waiting = rows->piece_count - rows->pieces_given;

    if (waiting != 1)
        return waiting > 1;
    piece = &rows->pieces[rows->pieces_given];
    return piece->declares || piece->rows >= PF_BATCH_ROWS;
}
/* Gives the next batch, of at most PF_BATCH_ROWS rows, valid until something is added. False:
 * nothing is queued. */
bool pf_rows_give(struct pf_rows *, struct pf_batch *);

#endif
