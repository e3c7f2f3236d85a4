#include "model/rows.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* A location to be interned for a row. */
struct pf_rows_wanted {
    struct pf_location place;
    size_t row;
    bool callee;
};

void pf_rows_init(struct pf_rows *rows, struct pf_dict *dict)
{
    *rows = (struct pf_rows){.dict = dict, .kind = PF_SAMPLE, .counted = UINT32_MAX};
}

void pf_rows_share_stacks(struct pf_rows *rows, struct pf_stack_memo *memo)
{
    rows->memo = memo;
    rows->memo_shared = true;
}

void pf_rows_free(struct pf_rows *rows)
{
    /* flush: the owner's memo must not write stacks to these rows later */
    if (rows->memo_shared)
        pf_stack_memo_flush(rows->memo, rows->dict);
    else
        pf_stack_memo_free(rows->memo);
    free(rows->frames);
    free(rows->places);
    free(rows->callees);
    free(rows->labels);
    free(rows->times);
    for (size_t k = 0; k < rows->value_capacity; k++)
        free(rows->values[k]);
    free(rows->values);
    free(rows->ones);
    free(rows->measures);
    free(rows->pieces);
    for (size_t k = 0; k < 3; k++)
        free(rows->metadata[k]);
    free(rows->columns);
    free(rows->wanted);
}

static bool out_of_memory(struct pf_rows *rows)
{
    rows->dict->strings.status = PF_NOMEM;
    return false;
}

/* --- room ------------------------------------------------------------------------------------- */

static void move_down(void *column, size_t size, size_t given, size_t count)
{
    char *bytes = column;

    if (bytes)
        memmove(bytes, bytes + given * size, (count - given) * size);
}

/* Moves values down and zeroes the rest: the value of a record that nobody sets is 0. */
static void move_values(int64_t *column, size_t given, size_t count)
{
    move_down(column, sizeof *column, given, count);
    if (column)
        memset(column + (count - given), 0, given * sizeof *column);
}

/* Removes rows, metadata and pieces that were given in batches. */
static void drop_given(struct pf_rows *rows)
{
    struct pf_rows_piece *waiting = rows->pieces ? rows->pieces + rows->pieces_given : NULL;
    size_t left = rows->piece_count - rows->pieces_given, first = rows->first;

    if (rows->given == 0 && rows->metadata_given == 0 && rows->pieces_given == 0 && left > 0 &&
        waiting[0].first == 0)
        return;
    for (size_t k = 0; k < left; k++)
        if (waiting[k].first < first)
            first = waiting[k].first;
    if (rows->given > 0) {
        move_down(rows->places, sizeof *rows->places, rows->given, rows->count);
        move_down(rows->callees, sizeof *rows->callees, rows->given, rows->count);
        move_down(rows->labels, sizeof *rows->labels, rows->given, rows->count);
        move_values(rows->times, rows->given, rows->count);
        for (size_t k = 0; k < rows->value_capacity; k++)
            move_values(rows->values[k], rows->given, rows->count);
        rows->count -= rows->given;
        rows->given = 0;
    }
    if (rows->metadata_given > 0) {
        for (size_t k = 0; k < 3; k++)
            move_down(rows->metadata[k], sizeof **rows->metadata, rows->metadata_given,
                      rows->metadata_count);
        rows->metadata_count -= rows->metadata_given;
        rows->metadata_given = 0;
    }
    if (left > 0)
        memmove(rows->pieces, waiting, left * sizeof *rows->pieces);
    if (first > 0)
        memmove(rows->measures, rows->measures + first,
                (rows->measure_count - first) * sizeof *rows->measures);
    for (size_t k = 0; k < left; k++)
        rows->pieces[k].first -= first;
    rows->first -= first;
    rows->measure_count -= first;
    rows->ahead -= rows->pieces_given < rows->ahead ? rows->pieces_given : rows->ahead;
    rows->piece_count = left;
    rows->pieces_given = 0;
}

/* A new piece at the end of the queue; NULL: out of memory. */
static struct pf_rows_piece *new_piece(struct pf_rows *rows, enum pf_kind kind)
{
    struct pf_rows_piece *piece;

    drop_given(rows);
    rows->open = false;
    if (!pf_grow(&rows->pieces, &rows->piece_capacity, rows->piece_count + 1, sizeof *piece)) {
        out_of_memory(rows);
        return NULL;
    }
    piece = &rows->pieces[rows->piece_count++];
    *piece = (struct pf_rows_piece){
        .kind = kind,
        .counted = rows->counted,
        .first = rows->first,
        .columns = pf_rows_column_count(rows),
    };
    return piece;
}

static bool resize(void *column, size_t size, size_t count, size_t capacity)
{
    char *bytes;

    memcpy(&bytes, column, sizeof bytes);
    if (!(bytes = realloc(bytes, capacity * size)))
        return false;
    memcpy(column, &bytes, sizeof bytes);
    memset(bytes + count * size, 0, (capacity - count) * size);
    return true;
}

/* Makes room for twice as many rows, or for the first batch. Flushes the memo first, because it
 * writes stacks to the old memory. */
static bool grow_rows(struct pf_rows *rows)
{
    size_t capacity = rows->capacity > 0 ? 2 * rows->capacity : PF_BATCH_ROWS;
    size_t count = rows->count;

    if (rows->memo)
        pf_stack_memo_flush(rows->memo, rows->dict);
    if (capacity > SIZE_MAX / 2 / sizeof(int64_t) ||
        !resize(&rows->places, sizeof *rows->places, count, capacity) ||
        (rows->callees && !resize(&rows->callees, sizeof *rows->callees, count, capacity)) ||
        (rows->labels && !resize(&rows->labels, sizeof *rows->labels, count, capacity)) ||
        (rows->times && !resize(&rows->times, sizeof *rows->times, count, capacity)))
        return out_of_memory(rows);
    for (size_t k = 0; k < rows->value_capacity; k++)
        if (rows->values[k] && !resize(&rows->values[k], sizeof **rows->values, count, capacity))
            return out_of_memory(rows);
    rows->capacity = capacity;
    return true;
}

/* Allocates the current columns. */
static bool allocate_columns(struct pf_rows *rows)
{
    size_t need = pf_rows_column_count(rows), had = rows->value_capacity;

    if (need > had && !pf_grow(&rows->values, &rows->value_capacity, need, sizeof *rows->values))
        return out_of_memory(rows);
    for (size_t k = had; k < rows->value_capacity; k++)
        rows->values[k] = NULL;
    for (size_t k = 0; k < need; k++)
        if (!rows->values[k] && !(rows->values[k] = calloc(rows->capacity, sizeof **rows->values)))
            return out_of_memory(rows);
    return true;
}

/* Makes room for a row in a piece with the current columns. False: out of memory. */
static bool make_room(struct pf_rows *rows)
{
    if (!rows->declared)
        pf_rows_declare(rows);
    if (rows->given > 0 || rows->pieces_given > 0)
        drop_given(rows);
    if (rows->count == rows->capacity && !grow_rows(rows))
        return rows->open = false;
    if (rows->open)
        return true;
    if (!allocate_columns(rows) || !new_piece(rows, rows->kind))
        return false;
    return rows->open = true;
}

static bool allocate_labels(struct pf_rows *rows)
{
    if (rows->labels || (rows->labels = calloc(rows->capacity, sizeof *rows->labels)))
        return true;
    rows->open = false;
    return out_of_memory(rows);
}

/* Adds a row; *row is its number. False: out of memory. */
static inline bool add_row(struct pf_rows *rows, uint32_t labels, size_t *row)
{
    if ((!rows->open || rows->count == rows->capacity || rows->given > 0) && !make_room(rows))
        return false;
    if (labels != 0 && !rows->labels && !allocate_labels(rows))
        return false;
    if (rows->labels)
        rows->labels[rows->count] = labels;
    rows->pieces[rows->piece_count - 1].rows++;
    *row = rows->count++;
    return true;
}

/* --- measures --------------------------------------------------------------------------------- */

void pf_rows_begin(struct pf_rows *rows, enum pf_kind kind)
{
    rows->open = false;
    rows->kind = kind;
    rows->counted = UINT32_MAX;
    rows->first = rows->measure_count;
    if (pf_rows_empty(rows))
        drop_given(rows);
}

static size_t find_column(const struct pf_rows *rows, uint32_t measure)
{
    size_t k = rows->first;

    while (k < rows->measure_count && rows->measures[k] != measure)
        k++;
    return k - rows->first;
}

bool pf_rows_has(const struct pf_rows *rows, uint32_t measure)
{
    return find_column(rows, measure) < pf_rows_column_count(rows);
}

uint32_t pf_rows_measure(struct pf_rows *rows, uint32_t measure)
{
    size_t column = find_column(rows, measure);

    if (column < pf_rows_column_count(rows))
        return (uint32_t)column;
    if (!pf_grow(&rows->measures, &rows->measure_capacity, rows->measure_count + 1,
                 sizeof *rows->measures)) {
        out_of_memory(rows);
        return 0;
    }
    rows->measures[rows->measure_count++] = measure;
    if (rows->open) {
        rows->pieces[rows->piece_count - 1].columns++;
        rows->open = allocate_columns(rows);
    }
    return (uint32_t)column;
}

void pf_rows_count(struct pf_rows *rows, uint32_t measure)
{
    if (!rows->ones) {
        if (!(rows->ones = malloc(PF_BATCH_ROWS * sizeof *rows->ones))) {
            out_of_memory(rows);
            return;
        }
        for (size_t k = 0; k < PF_BATCH_ROWS; k++)
            rows->ones[k] = 1;
    }
    rows->counted = measure;
    rows->open = false;
}

void pf_rows_declare(struct pf_rows *rows)
{
    struct pf_rows_piece *piece = new_piece(rows, rows->kind);

    rows->declared = true;
    if (piece)
        piece->declares = true;
}

void pf_rows_declare_ahead(struct pf_rows *rows)
{
    size_t count = rows->piece_count - rows->pieces_given;
    struct pf_rows_piece piece;

    pf_rows_declare(rows);
    if (rows->piece_count != count + 1)
        return;
    piece = rows->pieces[count];
    while (rows->ahead < count && rows->pieces[rows->ahead].declares)
        rows->ahead++;
    memmove(&rows->pieces[rows->ahead + 1], &rows->pieces[rows->ahead],
            (count - rows->ahead) * sizeof *rows->pieces);
    rows->pieces[rows->ahead] = piece;
}

/* --- records ---------------------------------------------------------------------------------- */

int pf_rows_too_deep(struct pf_error *error, uint64_t offset)
{
    return pf_error_at(error, PF_FAILED, offset, PF_TOO_DEEP);
}

bool pf_rows_grow_frames(struct pf_rows *rows, size_t need)
{
    if (!pf_grow(&rows->frames, &rows->frame_capacity, need, sizeof *rows->frames))
        return false;
    /* then pf_rows_frame notices the limit */
    if (rows->frame_capacity > PF_STACK_DEPTH_MAX)
        rows->frame_capacity = PF_STACK_DEPTH_MAX;
    return true;
}

int pf_rows_more_frames(struct pf_rows *rows, uint32_t location, struct pf_error *error,
                        uint64_t offset)
{
    if (rows->depth >= PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(error, offset);
    if (!pf_rows_grow_frames(rows, rows->depth + 1))
        return pf_error_nomem(error);
    rows->frames[rows->depth++] = location;
    return PF_OK;
}

static void reverse_frames(struct pf_rows *rows)
{
    for (size_t low = 0, high = rows->depth; low + 1 < high; low++) {
        uint32_t frame = rows->frames[low];

        rows->frames[low] = rows->frames[--high];
        rows->frames[high] = frame;
    }
}

void pf_rows_sample_of(struct pf_rows *rows, const uint32_t *leaf_first, size_t depth,
                       uint32_t labels)
{
    size_t row;

    if (!rows->memo && !(rows->memo = pf_stack_memo_new()))
        out_of_memory(rows);
    else if (add_row(rows, labels, &row))
        pf_stack_memo_queue(rows->memo, rows->dict, leaf_first, depth, &rows->places[row]);
}

void pf_rows_sample(struct pf_rows *rows, uint32_t labels)
{
    if (rows->root_first)
        reverse_frames(rows);
    pf_rows_sample_of(rows, rows->frames, rows->depth, labels);
    rows->depth = 0;
}

void pf_rows_stack(struct pf_rows *rows, uint32_t stack, uint32_t labels)
{
    size_t row;

    if (add_row(rows, labels, &row))
        rows->places[row] = stack;
}

void pf_rows_flat(struct pf_rows *rows, uint32_t location, uint32_t labels)
{
    pf_rows_stack(rows, location, labels);
}

void pf_rows_edge(struct pf_rows *rows, uint32_t caller, uint32_t callee, uint32_t labels)
{
    size_t row;

    if (!add_row(rows, labels, &row))
        return;
    rows->places[row] = caller;
    if (rows->callees || (rows->callees = calloc(rows->capacity, sizeof *rows->callees)))
        rows->callees[row] = callee;
    else
        out_of_memory(rows);
}

bool pf_rows_room(struct pf_rows *rows, size_t count)
{
    if ((!rows->open || rows->given > 0) && !make_room(rows))
        return false;
    while (rows->capacity - rows->count < count)
        if (!grow_rows(rows))
            return rows->open = false;
    return true;
}

void pf_rows_wrote(struct pf_rows *rows, size_t count, uint32_t labels)
{
    if (labels != 0 && !allocate_labels(rows))
        return;
    for (size_t k = 0; rows->labels && k < count; k++)
        rows->labels[rows->count + k] = labels;
    rows->pieces[rows->piece_count - 1].rows += count;
    rows->count += count;
}

/* Queues a location of a row to be interned. */
static inline void queue_location(struct pf_rows *rows, size_t row, const struct pf_location *place,
                                  bool callee)
{
    if (rows->wanted_count == rows->wanted_capacity &&
        !pf_grow(&rows->wanted, &rows->wanted_capacity, rows->wanted_count + 1,
                 sizeof *rows->wanted)) {
        out_of_memory(rows);
        return;
    }
    rows->wanted[rows->wanted_count++] = (struct pf_rows_wanted){*place, row, callee};
}

void pf_rows_flat_at(struct pf_rows *rows, const struct pf_location *place, uint32_t labels)
{
    size_t row;

    if (add_row(rows, labels, &row))
        queue_location(rows, row, place, false);
}

void pf_rows_edge_at(struct pf_rows *rows, const struct pf_location *caller,
                     const struct pf_location *callee, uint32_t labels)
{
    pf_rows_edge(rows, 0, 0, labels);
    if (!rows->open || !rows->callees)
        return;
    queue_location(rows, rows->count - 1, caller, false);
    queue_location(rows, rows->count - 1, callee, true);
}

/* Interns the queued locations, some at a time, so that prefetched memory is still in the cache. */
static void intern_queued(struct pf_rows *rows)
{
    enum { TOGETHER = 128 };
    struct pf_table *locations = &rows->dict->locations;

    for (size_t from = 0, to; from < rows->wanted_count; from = to) {
        to = rows->wanted_count - from < TOGETHER ? rows->wanted_count : from + TOGETHER;
        for (size_t k = from; k < to; k++)
            pf_table_hint(locations, &rows->wanted[k].place);
        for (size_t k = from; k < to; k++)
            pf_table_hint_row(locations, &rows->wanted[k].place);
        for (size_t k = from; k < to; k++) {
            const struct pf_rows_wanted *wanted = &rows->wanted[k];
            uint32_t *column = wanted->callee ? rows->callees : rows->places;

            column[wanted->row] = pf_dict_add_location(rows->dict, &wanted->place);
        }
    }
    rows->wanted_count = 0;
}

bool pf_rows_add_to(struct pf_rows *rows, size_t row, uint32_t column, int64_t amount)
{
    int64_t *values = column < rows->value_capacity ? rows->values[column] : NULL;

    /* memory ran out; the dictionary's status is set */
    if (!values || row >= rows->count)
        return true;
    return pf_add64(values[row], amount, &values[row]);
}

void pf_rows_time(struct pf_rows *rows, int64_t nanoseconds)
{
    if (!rows->open)
        return;
    if (rows->times || (rows->times = calloc(rows->capacity, sizeof *rows->times)))
        rows->times[rows->count - 1] = nanoseconds;
    else
        out_of_memory(rows);
}

/* --- metadata --------------------------------------------------------------------------------- */

void pf_rows_meta_strings(struct pf_rows *rows, uint32_t origin, uint32_t key, uint32_t value)
{
    const uint32_t row[3] = {origin, key, value};
    struct pf_rows_piece *piece;

    if (rows->metadata_given > 0 || rows->pieces_given > 0)
        drop_given(rows);
    for (size_t k = 0; k < 3; k++)
        if (!pf_grow(&rows->metadata[k], &rows->metadata_capacity[k], rows->metadata_count + 1,
                     sizeof **rows->metadata)) {
            out_of_memory(rows);
            return;
        }
    piece = rows->piece_count > 0 ? &rows->pieces[rows->piece_count - 1] : NULL;
    if (!piece || piece->kind != PF_META)
        piece = new_piece(rows, PF_META);
    if (!piece)
        return;
    for (size_t k = 0; k < 3; k++)
        rows->metadata[k][rows->metadata_count] = row[k];
    rows->metadata_count++;
    piece->rows++;
}

void pf_rows_meta(struct pf_rows *rows, const char *origin, struct pf_bytes key,
                  struct pf_bytes value)
{
    uint32_t id = pf_dict_intern_word(rows->dict, origin);
    uint32_t key_id = pf_dict_intern_text(rows->dict, key);

    pf_rows_meta_strings(rows, id, key_id, pf_dict_intern_text(rows->dict, value));
}

void pf_rows_meta_number(struct pf_rows *rows, const char *origin, const char *key, int64_t value)
{
    char text[PF_INT128_TEXT];
    size_t size = pf_print_int128(value, text);

    pf_rows_meta(rows, origin, pf_bytes_of(key), (struct pf_bytes){text, size});
}

/* --- batches ---------------------------------------------------------------------------------- */

static void give_metadata(struct pf_rows *rows, uint32_t count, struct pf_batch *batch)
{
    *batch = (struct pf_batch){
        .kind = PF_META,
        .rows = count,
        .origin = rows->metadata[0] + rows->metadata_given,
        .key = rows->metadata[1] + rows->metadata_given,
        .value = rows->metadata[2] + rows->metadata_given,
    };
    rows->metadata_given += count;
}

static bool give_columns(struct pf_rows *rows, const struct pf_rows_piece *piece,
                         struct pf_batch *batch)
{
    static const int64_t none;

    if (!pf_grow(&rows->columns, &rows->column_capacity, piece->columns + 1, sizeof *rows->columns))
        return out_of_memory(rows);
    for (size_t k = 0; k < piece->columns; k++)
        rows->columns[k] =
            (struct pf_value_column){rows->measures[piece->first + k],
                                     batch->rows > 0 ? rows->values[k] + rows->given : &none};
    batch->values = rows->columns;
    batch->value_count = (uint32_t)piece->columns;
    if (piece->counted != UINT32_MAX)
        rows->columns[batch->value_count++] = (struct pf_value_column){piece->counted, rows->ones};
    return true;
}

static bool give_rows(struct pf_rows *rows, const struct pf_rows_piece *piece, uint32_t count,
                      struct pf_batch *batch)
{
    *batch = (struct pf_batch){.kind = piece->kind, .rows = count};
    if (!give_columns(rows, piece, batch))
        return false;
    if (count == 0)
        return true;
    if (rows->memo)
        pf_stack_memo_flush(rows->memo, rows->dict);
    intern_queued(rows);
    if (piece->kind == PF_SAMPLE)
        batch->stack = rows->places + rows->given;
    else
        batch->location = rows->places + rows->given;
    if (piece->kind == PF_EDGE && rows->callees)
        batch->callee = rows->callees + rows->given;
    batch->labels = rows->labels ? rows->labels + rows->given : NULL;
    batch->time = rows->times ? rows->times + rows->given : NULL;
    rows->given += count;
    return true;
}

bool pf_rows_give(struct pf_rows *rows, struct pf_batch *batch)
{
    struct pf_rows_piece *piece;
    uint32_t count;

    if (pf_rows_empty(rows))
        return false;
    piece = &rows->pieces[rows->pieces_given];
    count = piece->rows < PF_BATCH_ROWS ? (uint32_t)piece->rows : PF_BATCH_ROWS;
    piece->rows -= count;
    if (piece->kind == PF_META)
        give_metadata(rows, count, batch);
    else if (!give_rows(rows, piece, count, batch))
        return false;
    if (piece->rows == 0)
        rows->pieces_given++;
    if (pf_rows_empty(rows))
        rows->open = false;
    return true;
}
