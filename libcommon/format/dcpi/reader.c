#include "format/dcpi/dcpi.h"

#include "base/number.h"

#include <inttypes.h>

enum {
    LAYOUT_TEXT = 32 * 1024 /* given as one row */
};

/* --- opening ---------------------------------------------------------------------------------------------- */

static int declare(struct pf_reader *reader)
{
    struct pf_dcpi_reader *state = reader->state;
    const struct pf_dcpi_header *header = &state->header;
    uint32_t identifier = pf_dcpi_identifier(reader->dict, pf_dcpi_header_value(header, PF_DCPI_IMAGE));
    struct pf_image image = {
        .name = header->first[PF_DCPI_PATH] ? pf_dict_intern_text(reader->dict, pf_dcpi_header_value(header, PF_DCPI_PATH)) : identifier,
        .identifier = identifier,
        .text_start = header->number[PF_DCPI_TSTART],
        .text_size = header->number[PF_DCPI_TSIZE],
    };
    uint32_t event = pf_dict_intern_text(reader->dict, pf_dcpi_header_value(header, PF_DCPI_EVENT));
    struct pf_measure measure =
        pf_measure_make_named(reader->dict, event, "count", PF_FLAT, PF_SELF, PF_SAMPLED);

    measure.period = header->number[PF_DCPI_PERIOD];
    if (identifier == 0 || pf_dcpi_locator_open(&state->locator, reader->dict, reader->shared, &image) != PF_OK)
        return pf_error_nomem(&reader->error);
    state->column = (struct pf_value_column){pf_dict_add_measure(reader->dict, measure), state->values};
    return pf_dict_status(reader->dict) == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
}

int pf_dcpi_reader_open(struct pf_reader *reader)
{
    struct pf_dcpi_reader *state = reader->state;
    int status = pf_dcpi_stride(reader->options, &state->body.stride, &reader->error);

    if (status == PF_OK)
        status = pf_dcpi_header_read(&state->header, reader->source, &reader->report, &reader->error);
    state->body.start = state->header.number[PF_DCPI_TSTART];
    return status == PF_OK ? declare(reader) : status;
}

void pf_dcpi_reader_close(struct pf_reader *reader)
{
    struct pf_dcpi_reader *state = reader->state;

    pf_dcpi_header_free(&state->header);
    pf_buffer_free(&state->layout);
    pf_metadata_free(&state->meta);
}

/* --- metadata --------------------------------------------------------------------------------------------- */

static bool add_meta(struct pf_reader *reader, const char *origin, struct pf_bytes key, struct pf_bytes value)
{
    struct pf_dcpi_reader *state = reader->state;

    return pf_metadata_add(&state->meta, reader->dict, origin, key, value);
}

/* The header; what a line has between word and value is said before it where that is not one blank. */
static bool add_lines(struct pf_reader *reader)
{
    struct pf_dcpi_reader *state = reader->state;
    const struct pf_dcpi_header *header = &state->header;
    char stride[PF_INT128_TEXT];
    bool good = true;

    for (size_t k = 0; good && k < header->count; k++) {
        const struct pf_dcpi_line *line = &header->lines[k];
        struct pf_bytes separator = pf_dcpi_line_separator(header, line);

        if (!pf_bytes_equal(separator, PF_BYTES(" ")))
            good = add_meta(reader, ".dcpi", PF_BYTES("separator"), separator);
        good = good && add_meta(reader, "dcpi", pf_dcpi_line_word(header, line), pf_dcpi_line_value(header, line));
    }
    if (good && state->body.stride != 1) {
        size_t size = pf_print_int128((pf_int128)state->body.stride, stride);
        good = add_meta(reader, ".dcpi", PF_BYTES("stride"), (struct pf_bytes){stride, size});
    }
    return good && add_meta(reader, ".dcpi", PF_BYTES("samples"), header->pad);
}

static bool add_layout(struct pf_reader *reader)
{
    struct pf_dcpi_reader *state = reader->state;
    struct pf_bytes text = {state->layout.data, state->layout.size};

    state->layout.size = 0;
    return text.size == 0 || add_meta(reader, ".dcpi", PF_BYTES("chunks"), text);
}

/* The end of a whole file: `ADDRESSES SAMPLES`. */
static bool add_footer(struct pf_reader *reader)
{
    struct pf_dcpi_reader *state = reader->state;
    char text[2 * PF_INT128_TEXT];
    size_t size = pf_print_int128((pf_int128)state->body.nonzero, text);

    text[size++] = ' ';
    size += pf_print_int128((pf_int128)state->body.total, text + size);
    return add_layout(reader) && add_meta(reader, ".dcpi", PF_BYTES("footer"), (struct pf_bytes){text, size});
}

/* --- records ---------------------------------------------------------------------------------------------- */

static void count_piece(struct pf_reader *reader, const struct pf_dcpi_piece *piece, uint32_t *rows)
{
    struct pf_dcpi_reader *state = reader->state;
    uint64_t offset = piece->place, total = 0;
    uint32_t row = *rows;

    for (uint32_t k = 0; k < piece->number; k++, offset += state->body.stride) {
        uint32_t count = pf_load32le(piece->bytes + 4 * (size_t)k);

        if (count == 0)
            continue;
        total += count;
        state->values[row] = count;
        pf_dcpi_locator_set(&state->locator, reader->dict, offset, row++);
    }
    state->body.total += total;
    state->body.nonzero += row - *rows;
    *rows = row;
}

static void check_text(struct pf_reader *reader)
{
    const struct pf_dcpi_reader *state = reader->state;

    if (state->body.end > state->header.number[PF_DCPI_TSIZE])
        pf_report_send(&reader->report, PF_WARNING, "chunks end at offset 0x%" PRIx64 ", beyond the %" PRIu64 " bytes of text",
                       state->body.end, state->header.number[PF_DCPI_TSIZE]);
}

/* Records up to a batch; PF_OK, or what follows them. */
static int fill_rows(struct pf_reader *reader, uint32_t *rows)
{
    struct pf_dcpi_reader *state = reader->state;
    struct pf_dcpi_piece piece;

    while (*rows < PF_BATCH_ROWS && state->layout.size < LAYOUT_TEXT) {
        if (reader->flush && *rows > 0 && pf_source_would_block(reader->source))
            return PF_OK;
        int status = pf_dcpi_body_next(&state->body, reader->source, PF_BATCH_ROWS - *rows, &piece, &reader->error);

        if (status < 0)
            return status;
        if (piece.kind == PF_DCPI_COUNTS)
            count_piece(reader, &piece, rows);
        else if (piece.kind == PF_DCPI_HEAD && !pf_dcpi_layout_add(&state->layout, piece.gap, piece.number))
            return pf_error_nomem(&reader->error);
        pf_source_take(reader->source, piece.size);
        if (status == PF_EOF)
            return PF_EOF;
    }
    return PF_OK;
}

static int read_records(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_dcpi_reader *state = reader->state;
    uint32_t rows = 0;

    if (state->layout.size >= LAYOUT_TEXT && !add_layout(reader))
        return pf_error_nomem(&reader->error);
    if (pf_metadata_give(&state->meta, batch))
        return PF_OK;
    state->status = fill_rows(reader, &rows);
    pf_dcpi_locator_end(&state->locator, reader->dict);
    if (state->status != PF_OK)
        state->step = PF_DCPI_END;
    if (state->status == PF_EOF) {
        check_text(reader);
        if (!add_footer(reader))
            return pf_error_nomem(&reader->error);
    }
    *batch = (struct pf_batch){
        .kind = PF_FLAT, .rows = rows, .location = state->locator.locations, .values = &state->column, .value_count = 1};
    return PF_OK;
}

int pf_dcpi_reader_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_dcpi_reader *state = reader->state;

    if (pf_metadata_give(&state->meta, batch))
        return PF_OK;
    switch (state->step) {
    case PF_DCPI_DECLARE:
        state->step = PF_DCPI_RECORDS;
        *batch = (struct pf_batch){.kind = PF_FLAT, .values = &state->column, .value_count = 1};
        return add_lines(reader) ? PF_OK : pf_error_nomem(&reader->error);
    case PF_DCPI_RECORDS:
        return read_records(reader, batch);
    default:
        return state->status;
    }
}
