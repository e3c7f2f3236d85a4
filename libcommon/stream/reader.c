#include "stream/stream.h"

#include "base/bytes.h"
#include "stream/columns.h"
#include "stream/frame.h"
#include "stream/intern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* values unpacked for a batch; with many measures batches are short */
enum { VALUES_AT_ONCE = 128 * PF_BATCH_ROWS };

/* Inflates the payloads of frames one by one. Zero-initialise. */
struct inflater {
    z_stream stream; /* must not move once it is started */
    bool started;
    unsigned char *bytes; /* room for one payload, kept from frame to frame */
    size_t capacity;
};

struct reader {
    struct pf_sequence sequence;
    struct pf_intern intern;
    struct inflater inflater;
    struct pf_total *totals; /* of the segment's measures */
    size_t totals_capacity;
    uint64_t kind_records[PF_RECORD_KINDS];
    uint32_t declared; /* number of measures that batches have declared */
    unsigned declare_kind;

    /* the current frame, B, M or s: rows before `done` have been given, `step` rows at a time */
    struct pf_frame frame;
    const unsigned char *payload;
    uint32_t done, step;
    struct pf_column ids[PF_ID_COLUMNS], time; /* data NULL: absent */
    struct pf_column *values;
    struct pf_value_column *given; /* measure of each value column, and its room */
    size_t values_capacity, given_capacity;
    uint32_t value_count;
    const unsigned char *text_bytes;

    /* memory of batches */
    uint32_t *id_rooms[PF_ID_COLUMNS];
    int64_t *time_room, *value_room;
    struct pf_text *texts;
    size_t id_capacity[PF_ID_COLUMNS], time_capacity, value_capacity, texts_capacity;
};

static bool extend_room(struct inflater *inflater, size_t size)
{
    return pf_grow(&inflater->bytes, &inflater->capacity, size == 0 ? 1 : size, 1);
}

static bool start_inflater(struct inflater *inflater)
{
    if (inflater->started)
        return inflateReset(&inflater->stream) == Z_OK;
    inflater->started = inflateInit(&inflater->stream) == Z_OK;
    return inflater->started;
}

/* Inflates the payload if the frame is deflated; *payload is then valid until the next call. PF_OK,
 * PF_FAILED or PF_NOMEM. */
static int inflate_payload(struct inflater *inflater, const struct pf_frame *frame,
                           const unsigned char **payload, struct pf_error *error)
{
    if (!(frame->flags & PF_FRAME_DEFLATED))
        return PF_OK;
    /* frame->raw is limited by the bytes of the frame (pf_frame_parse) */
    if (!start_inflater(inflater) || !extend_room(inflater, frame->raw))
        return pf_error_nomem(error);
    z_stream *z = &inflater->stream;
    z->next_in = (z_const Bytef *)*payload;
    z->avail_in = frame->size;
    z->next_out = inflater->bytes;
    z->avail_out = frame->raw;
    int result = inflate(z, Z_FINISH);
    if (result != Z_STREAM_END || z->avail_in != 0 || z->avail_out != 0)
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "frame does not inflate to %lu bytes: %s", (unsigned long)frame->raw,
                           z->msg ? z->msg : "the frame has more or fewer bytes");
    *payload = inflater->bytes;
    return PF_OK;
}

/* Copies a payload that is not deflated to the inflater's memory, because the source may move the
 * payload. */
static int keep_payload(struct inflater *inflater, const struct pf_frame *frame,
                        const unsigned char **payload, struct pf_error *error)
{
    if (frame->flags & PF_FRAME_DEFLATED)
        return PF_OK;
    if (!extend_room(inflater, frame->size))
        return pf_error_nomem(error);
    memcpy(inflater->bytes, *payload, frame->size);
    *payload = inflater->bytes;
    return PF_OK;
}

static struct reader *state_of(const struct pf_reader *reader)
{
    return *(struct reader **)reader->state;
}

int pf_stream_open_reader(struct pf_reader *reader)
{
    struct reader *r = calloc(1, sizeof *r);

    if (!r)
        return pf_error_nomem(&reader->error);
    *(struct reader **)reader->state = r;
    return PF_OK;
}

void pf_stream_close_reader(struct pf_reader *reader)
{
    struct reader *r = state_of(reader);

    if (!r)
        return;
    pf_intern_free(&r->intern);
    if (r->inflater.started)
        inflateEnd(&r->inflater.stream);
    free(r->inflater.bytes);
    for (size_t i = 0; i < PF_ID_COLUMNS; i++)
        free(r->id_rooms[i]);
    free(r->totals);
    free(r->values);
    free(r->given);
    free(r->time_room);
    free(r->value_room);
    free(r->texts);
    free(r);
}

static uint32_t measure_count(const struct reader *r)
{
    return r->intern.maps[PF_TABLE_MEASURES].count - 1;
}

/* --- tables ----------------------------------------------------------------------------------- */

static int add_measures(struct pf_reader *reader, struct reader *r, const struct pf_frame *frame)
{
    if (!pf_grow(&r->totals, &r->totals_capacity, measure_count(r), sizeof *r->totals))
        return pf_error_nomem(&reader->error);
    for (uint32_t k = r->declared; k < measure_count(r); k++) {
        uint32_t id = pf_idmap_get(&r->intern.maps[PF_TABLE_MEASURES], k + 1);
        const struct pf_measure *row = pf_table_row(&reader->dict->measures.table, id);
        r->totals[k] = (struct pf_total){
            .measure = id - 1, .kind = row->kind, .aggregation = row->aggregation};
        for (uint32_t i = 0; i < k; i++)
            if (r->totals[i].measure == id - 1)
                return pf_error_at(&reader->error, PF_FAILED, frame->offset,
                                   "damaged table: measure %" PRIu32 " repeats measure %" PRIu32,
                                   k + 1, i + 1);
    }
    r->declare_kind = 0;
    return PF_OK;
}

static int unpack(struct pf_reader *reader, struct reader *r, const struct pf_frame *frame,
                  const unsigned char **payload)
{
    if ((frame->flags & PF_FRAME_DEFLATED) &&
        pf_source_unpacked(reader->source, frame->raw, &reader->error) != PF_OK)
        return reader->error.code;
    return inflate_payload(&r->inflater, frame, payload, &reader->error);
}

static int add_table(struct pf_reader *reader, struct reader *r, const struct pf_frame *frame,
                     const unsigned char *payload)
{
    int status = unpack(reader, r, frame, &payload);
    if (status == PF_OK)
        status = pf_intern_frame(&r->intern, reader->dict, frame, payload, &reader->error);
    /* after a failure of the dictionary its ids must not be used; pf_reader_next reports the
     * failure */
    if (status == PF_OK && frame->domain == PF_TABLE_MEASURES &&
        pf_dict_status(reader->dict) == PF_OK)
        status = add_measures(reader, r, frame);
    return status;
}

/* Makes a batch without rows that declares the new measures of the next kind; without new measures
 * the batch has no columns. */
static int declare(struct pf_reader *reader, struct reader *r, struct pf_batch *batch)
{
    uint32_t count = measure_count(r), given = 0;

    if (!pf_grow(&r->given, &r->given_capacity, count, sizeof *r->given) ||
        !pf_grow(&r->value_room, &r->value_capacity, 1, sizeof *r->value_room))
        return pf_error_nomem(&reader->error);
    unsigned kind = r->declare_kind++;
    for (uint32_t k = r->declared; k < count; k++)
        if (r->totals[k].kind == kind)
            r->given[given++] = (struct pf_value_column){r->totals[k].measure, r->value_room};
    *batch =
        (struct pf_batch){.kind = (enum pf_kind)kind, .values = r->given, .value_count = given};
    if (r->declare_kind == PF_RECORD_KINDS)
        r->declared = count;
    return PF_OK;
}

/* --- columns of B, M and s frames ------------------------------------------------------------- */

static int unknown_column(const struct reader *r, struct pf_error *error, unsigned id)
{
    return pf_error_at(error, PF_UNSUPPORTED, r->frame.offset,
                       "frame %c %u with a column %u: needs a newer version", r->frame.type,
                       r->frame.domain, id);
}

/* The kind of the batches of a B or M frame. */
static enum pf_kind kind_of(const struct pf_frame *frame)
{
    return frame->type == 'M' ? PF_META : (enum pf_kind)(frame->domain - 1);
}

static int add_id_column(struct reader *r, const struct pf_column *column, struct pf_error *error)
{
    unsigned table = pf_batch_tables[kind_of(&r->frame)][column->id - 1];

    if (table == PF_TABLE_NONE)
        return unknown_column(r, error, column->id);
    if (!pf_column_below(column, r->frame.rows, r->intern.maps[table].count))
        return pf_error_at(
            error, PF_FAILED, r->frame.offset,
            "frame %c %u: column %u has ids of %s that are not defined, all are below %" PRIu32,
            r->frame.type, r->frame.domain, column->id, pf_row_layouts[table].name,
            r->intern.maps[table].count);
    r->ids[column->id - 1] = *column;
    return PF_OK;
}

static int add_value_column(struct reader *r, const struct pf_column *column,
                            struct pf_error *error)
{
    uint32_t k = column->id - (uint32_t)PF_COLUMN_VALUE;

    if (k >= measure_count(r))
        return pf_error_at(error, PF_FAILED, r->frame.offset,
                           "block with values of measure %" PRIu32 ", the segment has %" PRIu32,
                           k + 1, measure_count(r));
    if (r->totals[k].kind != r->frame.domain - 1)
        return pf_error_at(error, PF_FAILED, r->frame.offset,
                           "block of %s records with values of measure %" PRIu32
                           ", a measure of %s records",
                           pf_kind_name((enum pf_kind)(r->frame.domain - 1)), k + 1,
                           pf_kind_name((enum pf_kind)r->totals[k].kind));
    if (!pf_grow(&r->values, &r->values_capacity, (size_t)r->value_count + 1, sizeof *r->values))
        return pf_error_nomem(error);
    r->values[r->value_count++] = *column;
    return PF_OK;
}

/* Finds the columns of a B or M frame and checks all ids in them. */
static int find_columns(struct reader *r, struct pf_error *error)
{
    struct pf_columns walk;
    struct pf_column column;
    int status = pf_columns_begin(&walk, r->frame.rows, r->frame.offset, r->payload, r->frame.raw,
                                  false, error);

    /* metadata always have all columns: for so few rows, absent columns are not worth a special
     * case */
    for (size_t i = 0; i < PF_ID_COLUMNS; i++)
        r->ids[i] = (struct pf_column){.data = r->frame.type == 'M' ? r->payload : NULL};
    r->time.data = NULL;
    r->value_count = 0;
    while (status == PF_OK && (status = pf_columns_next(&walk, &column, error)) == PF_OK) {
        if (column.id >= 1 && column.id <= PF_ID_COLUMNS)
            status = add_id_column(r, &column, error);
        else if (column.id == PF_COLUMN_TIME && r->frame.type == 'B')
            r->time = column;
        else if (column.id >= PF_COLUMN_VALUE && r->frame.type == 'B')
            status = add_value_column(r, &column, error);
        else
            status = unknown_column(r, error, column.id);
    }
    return status == PF_EOF ? PF_OK : status;
}

/* Finds the columns of an s frame, in ids[0] to ids[3] too: end of text, end of name, line,
 * flags. */
static int find_text_columns(struct reader *r, struct pf_error *error)
{
    struct pf_columns walk;
    struct pf_column column;
    int status = pf_columns_begin(&walk, r->frame.rows, r->frame.offset, r->payload, r->frame.raw,
                                  true, error);

    r->text_bytes = r->payload + walk.size;
    for (size_t i = 0; i < PF_ID_COLUMNS; i++)
        r->ids[i] = (struct pf_column){.data = r->payload};
    while (status == PF_OK && (status = pf_columns_next(&walk, &column, error)) == PF_OK) {
        if (column.id < 1 || column.id > PF_ID_COLUMNS)
            return unknown_column(r, error, column.id);
        r->ids[column.id - 1] = column;
    }
    if (status != PF_EOF)
        return status;
    uint64_t begin = 0;
    for (uint32_t row = 0; row < r->frame.rows; row++) {
        uint64_t end = pf_column_value(&r->ids[0], row),
                 name_end = pf_column_value(&r->ids[1], row);
        if (name_end < begin || end < name_end || end - begin > PF_STRING_MAX ||
            pf_column_value(&r->ids[3], row) > 3)
            return pf_error_at(error, PF_FAILED, r->frame.offset,
                               "source text in row %" PRIu32 ": ends or flags out of range", row);
        begin = end;
    }
    return PF_OK;
}

/* --- batches ---------------------------------------------------------------------------------- */

static bool give_ids(struct reader *r, uint32_t rows, struct pf_batch *batch)
{
    for (unsigned i = 0; i < PF_ID_COLUMNS; i++) {
        unsigned table = pf_batch_tables[batch->kind][i];
        const uint32_t *map = r->intern.maps[table].ids;
        uint32_t **room = &r->id_rooms[i];

        if (table == PF_TABLE_NONE || !r->ids[i].data)
            continue;
        if (!pf_grow(room, &r->id_capacity[i], PF_BATCH_ROWS, sizeof **room))
            return false;
        pf_column_ids(&r->ids[i], r->done, rows, *room);
        if (map)
            pf_column_remap(*room, rows, map);
        *pf_batch_ids(batch, i) = *room;
    }
    return true;
}

static bool give_time(struct reader *r, uint32_t rows, struct pf_batch *batch)
{
    if (!r->time.data)
        return true;
    if (!pf_grow(&r->time_room, &r->time_capacity, PF_BATCH_ROWS, sizeof *r->time_room))
        return false;
    pf_column_values(&r->time, r->done, rows, r->time_room);
    batch->time = r->time_room;
    return true;
}

static bool give_values(struct reader *r, uint32_t rows, struct pf_batch *batch)
{
    if (!pf_grow(&r->given, &r->given_capacity, r->value_count, sizeof *r->given) ||
        !pf_grow(&r->value_room, &r->value_capacity, (size_t)r->value_count * r->step,
                 sizeof *r->value_room))
        return false;
    for (uint32_t i = 0; i < r->value_count; i++) {
        struct pf_total *total = &r->totals[r->values[i].id - PF_COLUMN_VALUE];
        int64_t *room = r->value_room + (size_t)i * r->step;
        uint64_t stored = pf_column_values(&r->values[i], r->done, rows, room);
        pf_total_add_column(total, &r->values[i], room, rows, stored);
        r->given[i] = (struct pf_value_column){total->measure, room};
    }
    batch->values = r->given;
    batch->value_count = r->value_count;
    return true;
}

static bool give_texts(struct reader *r, uint32_t rows, struct pf_batch *batch)
{
    if (!pf_grow(&r->texts, &r->texts_capacity, rows, sizeof *r->texts))
        return false;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = r->done + i;
        uint64_t begin = row == 0 ? 0 : pf_column_value(&r->ids[0], row - 1),
                 end = pf_column_value(&r->ids[0], row);
        uint64_t name_end = pf_column_value(&r->ids[1], row),
                 flags = pf_column_value(&r->ids[3], row);
        r->texts[i] = (struct pf_text){
            .name = {(const char *)r->text_bytes + begin, (size_t)(name_end - begin)},
            .text = {(const char *)r->text_bytes + name_end, (size_t)(end - name_end)},
            .name_flags = flags & 1 ? PF_UTF8 : 0,
            .text_flags = flags & 2 ? PF_UTF8 : 0,
            .line = pf_column_value(&r->ids[2], row)};
    }
    batch->kind = PF_TEXT;
    batch->texts = r->texts;
    return true;
}

/* Gives the next rows of the current frame. */
static int give_rows(struct pf_reader *reader, struct reader *r, struct pf_batch *batch)
{
    uint32_t left = r->frame.rows - r->done, rows = left < r->step ? left : r->step;
    bool good;

    if (r->frame.type == 's') {
        good = give_texts(r, rows, batch);
    } else {
        batch->kind = kind_of(&r->frame);
        good = give_ids(r, rows, batch) && give_time(r, rows, batch) && give_values(r, rows, batch);
    }
    if (!good)
        return pf_error_nomem(&reader->error);
    if (r->frame.type == 'B')
        r->kind_records[batch->kind] += rows;
    batch->rows = rows;
    r->done += rows;
    return PF_OK;
}

/* Makes a B, M or s frame the current frame. Copies its payload if it is needed after the source
 * moves on. */
static int begin_rows(struct pf_reader *reader, struct reader *r, const struct pf_frame *frame,
                      const unsigned char *payload)
{
    int status = unpack(reader, r, frame, &payload);

    r->frame = *frame;
    r->done = frame->rows;
    if (status == PF_OK && frame->type == 's') {
        status = keep_payload(&r->inflater, frame, &payload, &reader->error);
        r->payload = payload;
        r->step = PF_BATCH_ROWS;
        status = status == PF_OK ? find_text_columns(r, &reader->error) : status;
    } else if (status == PF_OK) {
        r->payload = payload;
        status = find_columns(r, &reader->error);
        r->step = r->value_count <= VALUES_AT_ONCE / PF_BATCH_ROWS
                      ? PF_BATCH_ROWS
                      : VALUES_AT_ONCE / r->value_count;
        if (status == PF_OK && frame->rows > r->step) {
            status = keep_payload(&r->inflater, frame, &r->payload, &reader->error);
            status = status == PF_OK ? find_columns(r, &reader->error) : status;
        }
    }
    if (status == PF_OK)
        r->done = 0;
    return status;
}

/* --- frames ----------------------------------------------------------------------------------- */

static pf_int128 load_total(const unsigned char *bytes)
{
    return (pf_int128)((pf_uint128)pf_load64le(bytes) | (pf_uint128)pf_load64le(bytes + 8) << 64);
}

static int check_totals(struct pf_reader *reader, const struct reader *r,
                        const struct pf_frame *frame, const struct pf_end *end)
{
    for (uint32_t k = 0; k < end->total_count; k++) {
        pf_int128 amount = pf_total_amount(&r->totals[k], r->kind_records[r->totals[k].kind]),
                  expected = load_total(end->totals + 16 * (size_t)k);
        char have[PF_INT128_TEXT], want[PF_INT128_TEXT];
        if (amount == expected)
            continue;
        pf_print_int128(amount, have);
        pf_print_int128(expected, want);
        return pf_error_at(&reader->error, PF_FAILED, frame->offset,
                           "the end frame says %s in total for measure %" PRIu32
                           ", the records sum to %s",
                           want, k + 1, have);
    }
    return PF_OK;
}

static void start_segment(struct reader *r)
{
    pf_intern_start(&r->intern);
    for (size_t i = 0; i < PF_RECORD_KINDS; i++)
        r->kind_records[i] = 0;
    r->declared = 0;
    r->declare_kind = PF_RECORD_KINDS;
}

static int read_frame(struct pf_reader *reader, struct reader *r, const struct pf_frame *frame,
                      const unsigned char *payload, struct pf_batch *batch)
{
    struct pf_end end;
    int status = pf_sequence_take(&r->sequence, frame, payload, &end, &reader->error);
    if (status != PF_OK)
        return status;
    switch (frame->type) {
    case 'H': start_segment(r); return PF_OK;
    case 'D': return add_table(reader, r, frame, payload);
    case 'B':
    case 'M':
    case 's':
        status = begin_rows(reader, r, frame, payload);
        return status == PF_OK ? give_rows(reader, r, batch) : status;
    case 'E': return check_totals(reader, r, frame, &end);
    default: /* a small type of a newer version */ return PF_OK;
    }
}

int pf_stream_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct reader *r = state_of(reader);
    struct pf_frame frame;
    const unsigned char *payload;

    if (r->done < r->frame.rows)
        return give_rows(reader, r, batch);
    if (r->declare_kind < PF_RECORD_KINDS && r->sequence.open)
        return declare(reader, r, batch);
    int status = pf_frame_peek(reader->source, &frame, &payload, &reader->error);
    if (status == PF_EOF)
        return pf_sequence_end(&r->sequence, pf_source_offset(reader->source), &reader->error);
    if (status == PF_OK)
        status = pf_frame_verify(&frame, payload, &reader->error);
    if (status == PF_OK)
        status = read_frame(reader, r, &frame, payload, batch);
    if (status == PF_OK)
        pf_source_take(reader->source, pf_frame_total(&frame));
    return status;
}
