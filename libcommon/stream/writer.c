#include "stream/stream.h"

#include "stream/columns.h"
#include "stream/emit.h"
#include "stream/renumber.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_ROWS = PF_BATCH_ROWS,
    TEXT_COLUMNS = 4, /* end of text, end of name, line, flags */
    BLOCKS = PF_META + 1,
    TEXT_BYTES_AT_ONCE =
        1048576 /* bytes of source texts in a frame; a longer text has a frame of its own */
};

/* A column of rows that wait until their block is full. Rows from `filled` on are 0. */
struct column {
    char *data;
    size_t capacity;
    uint32_t filled;
};

/* Waiting records of one kind, or metadata. Value columns are in struct measure. */
struct block {
    uint32_t rows;
    struct column ids[PF_ID_COLUMNS], time;
};

struct measure {
    struct pf_total total;
    struct column column;
    const int64_t *values; /* values of the block being written; NULL: all 0 */
};

/* Metadata and texts are written before records that come after them, and the reverse. */
enum turn { RECORDS, METADATA, TEXTS };

struct writer {
    struct pf_emit emit;
    struct pf_renumber renumber;
    struct measure *measures;
    size_t measures_capacity;
    uint64_t records, kind_records[PF_RECORD_KINDS];
    enum turn turn;
    struct block blocks[BLOCKS];    /* by kind */
    uint32_t *rooms[PF_ID_COLUMNS]; /* renumbered columns, BLOCK_ROWS each */

    uint32_t text_rows;
    struct column texts[TEXT_COLUMNS];
    struct pf_buffer text_bytes;
};

/* The columns of a block: its own, or those of a batch that is as big as a block. */
struct view {
    const uint32_t *ids[PF_ID_COLUMNS];
    const int64_t *time;
};

static struct writer *state_of(const struct pf_writer *writer)
{
    return *(struct writer **)writer->state;
}

static uint32_t measure_count(const struct writer *w)
{
    return w->renumber.tables[PF_TABLE_MEASURES].next - 1;
}

/* --- waiting columns -------------------------------------------------------------------------- */

static bool append(struct column *column, uint32_t at, const void *data, uint32_t rows, size_t size)
{
    if (!data)
        return true;
    if (!pf_grow(&column->data, &column->capacity, (at + rows) * size, 1))
        return false;
    memset(column->data + column->filled * size, 0, (at - column->filled) * size);
    memcpy(column->data + at * size, data, rows * size);
    column->filled = at + rows;
    return true;
}

/* Fills a column that is not empty with zeros up to `rows`. False: out of memory. */
static bool complete(struct column *column, uint32_t rows, size_t size)
{
    if (column->filled == 0 || column->filled == rows)
        return true;
    if (!pf_grow(&column->data, &column->capacity, rows * size, 1))
        return false;
    memset(column->data + column->filled * size, 0, (rows - column->filled) * size);
    column->filled = rows;
    return true;
}

/* Empties a complete column and returns its data, which are valid until the next append. NULL: the
 * column is all 0. */
static const void *release(struct column *column)
{
    const void *data = column->filled == 0 ? NULL : column->data;

    column->filled = 0;
    return data;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* The number of rows that fit in a frame even if all columns have the greatest width. */
static uint32_t rows_that_fit(uint32_t columns, uint32_t rows)
{
    size_t each = (PF_FRAME_PAYLOAD_MAX / (size_t)columns - PF_COLUMN_HEADER - 8) / 8;
    return each < rows ? (uint32_t)each : rows;
}

static int write_rows(struct writer *w, enum pf_kind kind, const struct view *view, uint32_t first,
                      uint32_t rows)
{
    struct pf_buffer *payload = &w->emit.payload;

    for (unsigned i = 0; i < PF_ID_COLUMNS; i++)
        if (view->ids[i])
            pf_column_append_ids(payload, (uint16_t)(i + 1), w->rooms[i] + first, rows);
    if (view->time)
        pf_column_append_values(payload, PF_COLUMN_TIME, view->time + first, rows);
    for (uint32_t k = 0; k < measure_count(w); k++)
        if (w->measures[k].values)
            pf_column_append_values(payload, (uint16_t)(PF_COLUMN_VALUE + k),
                                    w->measures[k].values + first, rows);
    if (kind == PF_META)
        return pf_emit_frame(&w->emit, 'M', 0, rows, (uint32_t)w->records);
    w->records += rows;
    w->kind_records[kind] += rows;
    return pf_emit_frame(&w->emit, 'B', (unsigned)kind + 1, rows,
                         w->renumber.tables[PF_TABLE_STACKS].next);
}

/* Writes a block from a view and from the values of the measures, and resets these. */
static int write_view(struct pf_writer *writer, struct writer *w, enum pf_kind kind,
                      const struct view *view, uint32_t rows)
{
    uint32_t columns = PF_ID_COLUMNS + 1;

    for (unsigned i = 0; i < PF_ID_COLUMNS; i++)
        if (view->ids[i])
            pf_renumber_column(&w->renumber, writer->dict,
                               (enum pf_dict_table)pf_batch_tables[kind][i], view->ids[i], rows,
                               w->rooms[i]);
    for (uint32_t k = 0; k < measure_count(w); k++) {
        if (!w->measures[k].values)
            continue;
        pf_total_add(&w->measures[k].total, w->measures[k].values, rows);
        columns++;
    }
    int status = pf_renumber_write(&w->renumber, writer->dict, &w->emit);
    uint32_t step = rows_that_fit(columns, rows);
    for (uint32_t first = 0; first < rows && status == PF_OK; first += step)
        status = write_rows(w, kind, view, first, rows - first < step ? rows - first : step);
    for (uint32_t k = 0; k < measure_count(w); k++)
        w->measures[k].values = NULL;
    return status;
}

static int write_block(struct pf_writer *writer, struct writer *w, enum pf_kind kind)
{
    struct block *block = &w->blocks[kind];
    struct view view;
    uint32_t rows = block->rows;
    bool good = complete(&block->time, rows, sizeof(int64_t));

    if (rows == 0)
        return PF_OK;
    for (unsigned i = 0; i < PF_ID_COLUMNS; i++) {
        good = good && complete(&block->ids[i], rows, sizeof(uint32_t));
        view.ids[i] = release(&block->ids[i]);
    }
    view.time = release(&block->time);
    for (uint32_t k = 0; k < measure_count(w) && good; k++)
        if (w->measures[k].total.kind == kind) {
            good = complete(&w->measures[k].column, rows, sizeof(int64_t));
            w->measures[k].values = release(&w->measures[k].column);
        }
    block->rows = 0;
    return good ? write_view(writer, w, kind, &view, rows) : PF_NOMEM;
}

static int write_texts(struct writer *w)
{
    struct pf_buffer *payload = &w->emit.payload;
    uint32_t rows = w->text_rows;

    if (rows == 0)
        return PF_OK;
    for (unsigned i = 0; i < TEXT_COLUMNS; i++)
        pf_column_append_values(payload, (uint16_t)(i + 1), release(&w->texts[i]), rows);
    pf_buffer_append(payload, w->text_bytes.data, w->text_bytes.size);
    payload->failed |= w->text_bytes.failed;
    w->text_bytes.size = 0;
    w->text_rows = 0;
    return pf_emit_frame(&w->emit, 's', 0, rows, 0);
}

static int write_all(struct pf_writer *writer, struct writer *w)
{
    int status = PF_OK;

    for (unsigned kind = 0; kind < BLOCKS && status == PF_OK; kind++)
        status = write_block(writer, w, (enum pf_kind)kind);
    if (status == PF_OK)
        status = write_texts(w);
    return status == PF_OK ? pf_renumber_write(&w->renumber, writer->dict, &w->emit) : status;
}

/* --- segments and measures -------------------------------------------------------------------- */

static int start_segment(struct writer *w)
{
    pf_renumber_start(&w->renumber);
    w->records = 0;
    memset(w->kind_records, 0, sizeof w->kind_records);
    return pf_emit_head(&w->emit);
}

static int end_segment(struct pf_writer *writer, struct writer *w, bool incomplete)
{
    int status = write_all(writer, w);
    uint32_t count = measure_count(w);
    pf_int128 none = 0, *totals = count == 0 ? &none : calloc(count, sizeof *totals);

    if (!totals)
        return PF_NOMEM;
    for (uint32_t k = 0; k < count; k++)
        totals[k] =
            pf_total_amount(&w->measures[k].total, w->kind_records[w->measures[k].total.kind]);
    if (status == PF_OK)
        status = pf_emit_end(&w->emit, w->records, totals, count, incomplete);
    if (totals != &none)
        free(totals);
    return status;
}

/* The number + 1 of a measure in the segment; 0: the segment does not have it. */
static uint32_t find_measure(const struct writer *w, uint32_t measure)
{
    const struct pf_renumber_table *table = &w->renumber.tables[PF_TABLE_MEASURES];
    return measure + 1 < table->known && table->map[measure + 1] != UINT32_MAX
               ? table->map[measure + 1]
               : 0;
}

/* True if the segment already has the same measure with another scale or description. */
static bool clashes(const struct pf_writer *writer, const struct writer *w, uint32_t measure)
{
    const struct pf_measures *measures = &writer->dict->measures;

    for (uint32_t k = 0; k < measure_count(w); k++)
        if (pf_measure_same(pf_measures_row(measures, measure),
                            pf_measures_row(measures, w->measures[k].total.measure)))
            return true;
    return false;
}

static int add_measure(struct pf_writer *writer, struct writer *w, uint32_t measure)
{
    uint32_t k = measure_count(w);
    const struct pf_measure *row = pf_measures_row(&writer->dict->measures, measure);

    if (k == PF_SEGMENT_MEASURES_MAX)
        return pf_error_set(&writer->error, PF_UNSUPPORTED,
                            "the native stream holds at most %d measures, the profile has more",
                            PF_SEGMENT_MEASURES_MAX);
    if (!pf_grow_clear(&w->measures, &w->measures_capacity, (size_t)k + 1, sizeof *w->measures))
        return PF_NOMEM;
    pf_renumber_id(&w->renumber, writer->dict, PF_TABLE_MEASURES, measure + 1);
    w->measures[k].total =
        (struct pf_total){.measure = measure, .kind = row->kind, .aggregation = row->aggregation};
    return w->renumber.failed ? PF_NOMEM : PF_OK;
}

/* Adds the measures of the batch to the segment; first begins a new segment if one of them
 * clashes. */
static int declare(struct pf_writer *writer, struct writer *w, const struct pf_batch *batch)
{
    int status = PF_OK;
    bool clash = false;

    for (uint32_t i = 0; i < batch->value_count; i++) {
        uint32_t measure = batch->values[i].measure;
        clash |= find_measure(w, measure) == 0 && clashes(writer, w, measure);
    }
    if (clash) {
        status = end_segment(writer, w, false);
        status = status == PF_OK ? start_segment(w) : status;
    }
    for (uint32_t i = 0; i < batch->value_count && status == PF_OK; i++)
        if (find_measure(w, batch->values[i].measure) == 0)
            status = add_measure(writer, w, batch->values[i].measure);
    return status;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Adds rows of a batch to the waiting block. */
static bool append_rows(struct writer *w, struct pf_batch *batch, uint32_t first, uint32_t rows)
{
    struct block *block = &w->blocks[batch->kind];
    uint32_t at = block->rows;
    bool good =
        append(&block->time, at, !batch->time ? NULL : batch->time + first, rows, sizeof(int64_t));

    for (unsigned i = 0; i < PF_ID_COLUMNS && good; i++) {
        const uint32_t *ids =
            pf_batch_tables[batch->kind][i] != PF_TABLE_NONE ? *pf_batch_ids(batch, i) : NULL;

        good = append(&block->ids[i], at, !ids ? NULL : ids + first, rows, sizeof *ids);
    }
    for (uint32_t i = 0; i < batch->value_count && good; i++) {
        uint32_t number = find_measure(w, batch->values[i].measure);
        good = append(&w->measures[number - 1].column, at, batch->values[i].data + first, rows,
                      sizeof(int64_t));
    }
    block->rows += rows;
    return good;
}

/* Writes a batch that is a whole block without copying it. */
static int write_batch(struct pf_writer *writer, struct writer *w, struct pf_batch *batch)
{
    struct view view = {.time = batch->time};

    for (unsigned i = 0; i < PF_ID_COLUMNS; i++)
        if (pf_batch_tables[batch->kind][i] != PF_TABLE_NONE)
            view.ids[i] = *pf_batch_ids(batch, i);
    for (uint32_t i = 0; i < batch->value_count; i++) {
        uint32_t number = find_measure(w, batch->values[i].measure);
        w->measures[number - 1].values = batch->values[i].data;
    }
    return write_view(writer, w, batch->kind, &view, batch->rows);
}

/* Adds a batch of records or metadata to its block, and writes full blocks. */
static int write_records(struct pf_writer *writer, struct writer *w, struct pf_batch batch)
{
    struct block *block = &w->blocks[batch.kind];
    int status = declare(writer, w, &batch);

    if (status == PF_OK && block->rows == 0 && batch.rows == BLOCK_ROWS)
        return write_batch(writer, w, &batch);
    for (uint32_t first = 0; first < batch.rows && status == PF_OK;) {
        uint32_t left = batch.rows - first, room = BLOCK_ROWS - block->rows,
                 rows = left < room ? left : room;
        if (!append_rows(w, &batch, first, rows))
            return PF_NOMEM;
        if (block->rows == BLOCK_ROWS)
            status = write_block(writer, w, batch.kind);
        first += rows;
    }
    return status;
}

static int add_text(struct pf_writer *writer, struct writer *w, const struct pf_text *text)
{
    size_t size;

    if (!pf_add_size(text->name.size, text->text.size, &size) || size > PF_STRING_MAX)
        return pf_error_set(
            &writer->error, PF_UNSUPPORTED,
            "the native stream holds source texts of at most %zu bytes, a text is longer",
            PF_STRING_MAX);
    if (w->text_rows == BLOCK_ROWS ||
        (w->text_rows > 0 && w->text_bytes.size + size > TEXT_BYTES_AT_ONCE)) {
        int status = write_texts(w);
        if (status != PF_OK)
            return status;
    }
    pf_buffer_append(&w->text_bytes, text->name.data, text->name.size);
    int64_t name_end = (int64_t)w->text_bytes.size;
    pf_buffer_append(&w->text_bytes, text->text.data, text->text.size);
    int64_t flags = (text->name_flags & PF_UTF8 ? 1 : 0) | (text->text_flags & PF_UTF8 ? 2 : 0);
    int64_t row[TEXT_COLUMNS] = {(int64_t)w->text_bytes.size, name_end, (int64_t)text->line, flags};
    for (unsigned i = 0; i < TEXT_COLUMNS; i++)
        if (!append(&w->texts[i], w->text_rows, &row[i], 1, sizeof row[i]))
            return PF_NOMEM;
    w->text_rows++;
    return PF_OK;
}

/* --- the format ------------------------------------------------------------------------------- */

int pf_stream_open_writer(struct pf_writer *writer)
{
    struct writer *w = calloc(1, sizeof *w);
    bool good = w;

    *(struct writer **)writer->state = w;
    for (unsigned i = 0; i < PF_ID_COLUMNS && good; i++) {
        w->rooms[i] = malloc(BLOCK_ROWS * sizeof *w->rooms[i]);
        good = w->rooms[i];
    }
    if (!good)
        return pf_error_nomem(&writer->error);
    w->emit.sink = writer->sink;
    w->emit.level = writer->compression > 0 ? writer->compression : 0;
    int status = start_segment(w);
    return status == PF_OK ? PF_OK : pf_sink_status(writer->sink, &writer->error);
}

int pf_stream_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct writer *w = state_of(writer);
    enum turn turn = batch->kind == PF_META ? METADATA : batch->kind == PF_TEXT ? TEXTS : RECORDS;
    int status = PF_OK;

    if (batch->rows > 0 && turn != w->turn) {
        status = write_all(writer, w);
        w->turn = turn;
    }
    if (status != PF_OK)
        return status;
    if (turn != TEXTS)
        return write_records(writer, w, *batch);
    for (uint32_t row = 0; row < batch->rows && status == PF_OK; row++)
        status = add_text(writer, w, &batch->texts[row]);
    return status;
}

int pf_stream_flush(struct pf_writer *writer)
{
    int status;

    if (!writer->sink->live)
        return PF_OK;
    status = write_all(writer, state_of(writer));
    return status == PF_OK ? pf_sink_flush(writer->sink) : status;
}

int pf_stream_finish(struct pf_writer *writer)
{
    struct writer *w = state_of(writer);
    int status = end_segment(writer, w, writer->failed_input);

    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

void pf_stream_close_writer(struct pf_writer *writer)
{
    struct writer *w = state_of(writer);

    if (!w)
        return;
    for (unsigned kind = 0; kind < BLOCKS; kind++) {
        for (unsigned i = 0; i < PF_ID_COLUMNS; i++)
            free(w->blocks[kind].ids[i].data);
        free(w->blocks[kind].time.data);
    }
    for (size_t k = 0; k < w->measures_capacity; k++)
        free(w->measures[k].column.data);
    for (unsigned i = 0; i < PF_ID_COLUMNS; i++)
        free(w->rooms[i]);
    for (unsigned i = 0; i < TEXT_COLUMNS; i++)
        free(w->texts[i].data);
    free(w->measures);
    pf_buffer_free(&w->text_bytes);
    pf_renumber_free(&w->renumber);
    pf_emit_free(&w->emit);
    free(w);
}
