/* What a reader reads becomes batches here: measures are declared, records are added one by one,
 * metadata stand between them, and batches come out in the order in which all of it was added.
 *
 * A reader adds until pf_rows_ready, then gives a batch. A reader that holds a whole input may add
 * everything first. Where memory runs out the status of the dictionary says so (pf_dict_status) and
 * what is added from then on is lost: the caller need not ask after each step. */
#ifndef PF_MODEL_ROWS_H
#define PF_MODEL_ROWS_H

#include "base/error.h"
#include "model/batch.h"
#include "model/stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_rows_wanted;

/* What stands together in the queue: rows of one kind with the same columns, rows of metadata, or
 * a declaration. */
struct pf_rows_piece {
    enum pf_kind kind; /* PF_META: rows of metadata */
    bool declares;
    uint32_t counted;
    size_t first, columns; /* of the measures */
    size_t rows;           /* not yet given */
};

/* One builder per reader, or one for each kind if records of two kinds are collected at the same
 * time. The owner may read and change the frames and set root_first; the rest is for the inline
 * functions below. */
struct pf_rows {
    struct pf_dict *dict;
    uint32_t *frames; /* of the sample at hand, in the order in which they were added */
    size_t depth;
    bool root_first; /* the order of frames: the outermost first; otherwise the leaf first */
    bool declared;   /* a declaration was queued */
    bool open;       /* the next record joins the one added last: the batch may be the same */

    struct pf_stack_memo *memo;
    bool memo_shared; /* the memo is the owner's */
    size_t frame_capacity;
    /* The columns of rows that wait. Behind `count` times and values are zero. */
    uint32_t *places;           /* stacks; locations of FLAT; callers of EDGE */
    uint32_t *callees, *labels; /* NULL: none yet */
    int64_t *times;
    int64_t **values; /* by column; NULL: none yet */
    size_t value_capacity;
    int64_t *ones;
    size_t count, capacity;
    size_t given; /* of them, in batches */

    enum pf_kind kind;  /* of the records that are added now */
    uint32_t counted;   /* the measure of which each record has 1; UINT32_MAX: none */
    uint32_t *measures; /* of the columns of all pieces, those of the current columns last */
    size_t first, measure_count, measure_capacity;

    struct pf_rows_piece *pieces; /* that wait, in order */
    size_t piece_count, piece_capacity;
    size_t pieces_given;

    uint32_t *metadata[3]; /* origin, key, value */
    size_t metadata_count, metadata_given, metadata_capacity[3];

    struct pf_value_column *columns; /* of the batch given last */
    size_t column_capacity;

    struct pf_rows_wanted *wanted; /* places that become locations with the next batch */
    size_t wanted_count, wanted_capacity;
};

/* Zeroes the builder. It allocates nothing; free it in any case. */
void pf_rows_init(struct pf_rows *, struct pf_dict *);
void pf_rows_free(struct pf_rows *);
/* Stacks are searched in a memo of the owner, who keeps it for the next reader of the same
 * dictionary: inputs of one program share most stacks. */
void pf_rows_share_stacks(struct pf_rows *, struct pf_stack_memo *);

/* --- measures --------------------------------------------------------------------------------- */

/* Records that are added from now on are of `kind` and have the columns added from now on. The
 * first kind is PF_SAMPLE. A reader whose batches shall have only the columns that their records
 * use begins anew wherever `open` is false. */
void pf_rows_begin(struct pf_rows *, enum pf_kind kind);
/* The column of a measure, added if there is none yet: 0, 1, ... in the order of adding. Tables
 * choose among all measures of the dictionary: make a measure only when its records come, or when
 * it is declared. */
uint32_t pf_rows_measure(struct pf_rows *, uint32_t measure);
bool pf_rows_has(const struct pf_rows *, uint32_t measure);
/* Each record has 1 of this measure. Its column stands behind the others. */
void pf_rows_count(struct pf_rows *, uint32_t measure);
/* Queues a batch without rows that declares the current columns. The first record does so where
 * no declaration was queued. */
void pf_rows_declare(struct pf_rows *);
/* The same, but ahead of metadata and records that wait: of several the first comes first. */
void pf_rows_declare_ahead(struct pf_rows *);

/* How many columns records have now, without the one that counts. */
static inline size_t pf_rows_column_count(const struct pf_rows *rows)
{
    return rows->measure_count - rows->first;
}

/* The measure of one of these columns. */
static inline uint32_t pf_rows_measure_of(const struct pf_rows *rows, size_t column)
{
    return rows->measures[rows->first + column];
}

/* --- records ---------------------------------------------------------------------------------- */

/* What messages say of more than PF_STACK_DEPTH_MAX frames, and the message at `offset`, as
 * PF_FAILED. */
#define PF_TOO_DEEP "more than 1048575 frames"
int pf_rows_too_deep(struct pf_error *, uint64_t offset);

/* The slow parts of pf_rows_frame_room and pf_rows_frame. */
bool pf_rows_grow_frames(struct pf_rows *, size_t need);
int pf_rows_more_frames(struct pf_rows *, uint32_t location, struct pf_error *, uint64_t offset);

/* Adds a frame to the sample at hand. PF_OK, or a failure in `error`: out of memory, or more than
 * PF_STACK_DEPTH_MAX frames, at `offset`. */
static inline int pf_rows_frame(struct pf_rows *rows, uint32_t location, struct pf_error *error,
                                uint64_t offset)
{
    if (rows->depth == rows->frame_capacity)
        return pf_rows_more_frames(rows, location, error, offset);
    rows->frames[rows->depth++] = location;
    return PF_OK;
}

/* Room for `count` frames more, which the owner writes behind the others. False: out of memory. */
static inline bool pf_rows_frame_room(struct pf_rows *rows, size_t count)
{
    return rows->frame_capacity - rows->depth >= count ||
           pf_rows_grow_frames(rows, rows->depth + count);
}

/* The sample at hand becomes a record, and the next one has no frames yet. */
void pf_rows_sample(struct pf_rows *, uint32_t labels);
/* A sample whose frames stand elsewhere, leaf first. */
void pf_rows_sample_of(struct pf_rows *, const uint32_t *leaf_first, size_t depth, uint32_t labels);
/* A sample whose stack is known. */
void pf_rows_stack(struct pf_rows *, uint32_t stack, uint32_t labels);
void pf_rows_flat(struct pf_rows *, uint32_t location, uint32_t labels);
void pf_rows_edge(struct pf_rows *, uint32_t caller, uint32_t callee, uint32_t labels);
/* The same for places, which become locations when the next batch of records is given: the
 * processor then waits for many of them at once (0.96 s instead of 1.14 s for 3.7 million places of
 * a callgrind profile). */
void pf_rows_flat_at(struct pf_rows *, const struct pf_location *, uint32_t labels);
void pf_rows_edge_at(struct pf_rows *, const struct pf_location *caller,
                     const struct pf_location *callee, uint32_t labels);

/* Room for `count` records, which the caller writes at once: from row rows->count on of
 * rows->places and of rows->values of each column. False: out of memory. */
bool pf_rows_room(struct pf_rows *, size_t count);
/* Adds the records that were written there, with these labels. */
void pf_rows_wrote(struct pf_rows *, size_t count, uint32_t labels);

/* How many records wait. */
static inline size_t pf_rows_waiting(const struct pf_rows *rows)
{
    return rows->count - rows->given;
}

/* The value of the record added last in a column; 0 where nobody sets it. */
static inline void pf_rows_set(struct pf_rows *rows, uint32_t column, int64_t value)
{
    if (rows->open && column < rows->measure_count - rows->first)
        rows->values[column][rows->count - 1] = value;
}

/* The same for the `count` columns from `first` on. */
static inline void pf_rows_set_values(struct pf_rows *rows, uint32_t first, const int64_t *values,
                                      uint32_t count)
{
    size_t row = rows->count - 1;

    if (rows->open && first + count <= rows->measure_count - rows->first)
        for (uint32_t k = 0; k < count; k++)
            rows->values[first + k][row] = values[k];
}

/* Adds to the value of record `row`, counted from 0, of a reader that has given no batch of records
 * yet. False: the sum overflows 64 bits, and the value is as it was. */
bool pf_rows_add_to(struct pf_rows *, size_t row, uint32_t column, int64_t amount);

/* The time of the record added last. */
void pf_rows_time(struct pf_rows *, int64_t nanoseconds);

/* --- metadata --------------------------------------------------------------------------------- */

/* A row of metadata behind the records added so far. Bytes as they are, known to be UTF-8 where
 * they are. */
void pf_rows_meta(struct pf_rows *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* The same for a number in decimal. */
void pf_rows_meta_number(struct pf_rows *, const char *origin, const char *key, int64_t value);
/* The same for strings of the dictionary. */
void pf_rows_meta_strings(struct pf_rows *, uint32_t origin, uint32_t key, uint32_t value);

/* --- batches ---------------------------------------------------------------------------------- */

/* True when nothing waits. */
static inline bool pf_rows_empty(const struct pf_rows *rows)
{
    return rows->pieces_given == rows->piece_count;
}

/* True when a batch is full, or something of another kind stands behind what waits. */
static inline bool pf_rows_ready(const struct pf_rows *rows)
{
    const struct pf_rows_piece *piece;
    size_t waiting = rows->piece_count - rows->pieces_given;

    if (waiting != 1)
        return waiting > 1;
    piece = &rows->pieces[rows->pieces_given];
    return piece->declares || piece->rows >= PF_BATCH_ROWS;
}
/* The next batch, of at most PF_BATCH_ROWS rows, valid until something is added. False: nothing
 * waits. */
bool pf_rows_give(struct pf_rows *, struct pf_batch *);

#endif
