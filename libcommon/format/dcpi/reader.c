/* DCPI profiles, dcpiformat(4): counts of one event in one image, kept by the Digital Continuous
 * Profiling Infrastructure. The reader, and the format as a whole. */
#include "format/dcpi/dcpi.h"

#include "base/number.h"
#include "base/scan.h"
#include "model/rows.h"

#include <inttypes.h>
#include <string.h>

enum reader_step { DECLARE, RECORDS, END };

struct dcpi_reader {
    struct pf_dcpi_header header;
    struct pf_dcpi_body body;
    enum reader_step step;
    int status; /* the result of the next call, after the records */

    struct pf_dcpi_locator locator;
    struct pf_buffer layout; /* of chunks that no batch has yet */

    struct pf_rows meta;
    int64_t values[PF_BATCH_ROWS];
    struct pf_value_column column;
};

enum {
    LAYOUT_TEXT = 32 * 1024 /* bytes of layout in one row of metadata */
};

/* --- opening ---------------------------------------------------------------------------------- */

static int declare(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    const struct pf_dcpi_header *header = &state->header;
    uint32_t identifier =
        pf_dcpi_identifier(reader->dict, pf_dcpi_header_value(header, PF_DCPI_IMAGE));
    struct pf_image image = {
        .name = header->first[PF_DCPI_PATH]
                    ? pf_dict_intern_text(reader->dict, pf_dcpi_header_value(header, PF_DCPI_PATH))
                    : identifier,
        .identifier = identifier,
        .text_start = header->number[PF_DCPI_TSTART],
        .text_size = header->number[PF_DCPI_TSIZE],
    };
    uint32_t event = pf_dict_intern_text(reader->dict, pf_dcpi_header_value(header, PF_DCPI_EVENT));
    struct pf_measure measure =
        pf_measure_make_named(reader->dict, event, "count", PF_FLAT, PF_SELF, PF_SAMPLED);

    measure.period = header->number[PF_DCPI_PERIOD];
    if (identifier == 0 ||
        pf_dcpi_locator_open(&state->locator, reader->dict, reader->shared, &image) != PF_OK)
        return pf_error_nomem(&reader->error);
    state->column =
        (struct pf_value_column){pf_dict_add_measure(reader->dict, measure), state->values};
    return pf_dict_status(reader->dict) == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
}

static int open_reader(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    int status = pf_dcpi_stride(reader->options, &state->body.stride, &reader->error);

    pf_rows_init(&state->meta, reader->dict);
    if (status == PF_OK)
        status =
            pf_dcpi_header_read(&state->header, reader->source, &reader->report, &reader->error);
    state->body.start = state->header.number[PF_DCPI_TSTART];
    return status == PF_OK ? declare(reader) : status;
}

static void close_reader(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;

    pf_dcpi_header_free(&state->header);
    pf_buffer_free(&state->layout);
    pf_rows_free(&state->meta);
}

/* --- metadata --------------------------------------------------------------------------------- */

static bool add_meta(struct pf_reader *reader, const char *origin, struct pf_bytes key,
                     struct pf_bytes value)
{
    struct dcpi_reader *state = reader->state;

    pf_rows_meta(&state->meta, origin, key, value);
    return pf_dict_status(reader->dict) != PF_NOMEM;
}

/* Adds the lines of the header. A separator other than one blank comes before its line. */
static bool add_lines(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    const struct pf_dcpi_header *header = &state->header;
    char stride[PF_INT128_TEXT];
    bool good = true;

    for (size_t k = 0; good && k < header->count; k++) {
        const struct pf_dcpi_line *line = &header->lines[k];
        struct pf_bytes separator = pf_dcpi_line_separator(header, line);

        if (!pf_bytes_equal(separator, PF_BYTES(" ")))
            good = add_meta(reader, ".dcpi", PF_BYTES("separator"), separator);
        good = good && add_meta(reader, "dcpi", pf_dcpi_line_word(header, line),
                                pf_dcpi_line_value(header, line));
    }
    if (good && state->body.stride != 1) {
        size_t size = pf_print_int128((pf_int128)state->body.stride, stride);
        good = add_meta(reader, ".dcpi", PF_BYTES("stride"), (struct pf_bytes){stride, size});
    }
    return good && add_meta(reader, ".dcpi", PF_BYTES("samples"), header->pad);
}

static bool add_layout(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    struct pf_bytes text = {state->layout.data, state->layout.size};

    state->layout.size = 0;
    return text.size == 0 || add_meta(reader, ".dcpi", PF_BYTES("chunks"), text);
}

/* Adds the footer of a whole file, `ADDRESSES SAMPLES`. */
static bool add_footer(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    char text[2 * PF_INT128_TEXT];
    size_t size = pf_print_int128((pf_int128)state->body.nonzero, text);

    text[size++] = ' ';
    size += pf_print_int128((pf_int128)state->body.total, text + size);
    return add_layout(reader) &&
           add_meta(reader, ".dcpi", PF_BYTES("footer"), (struct pf_bytes){text, size});
}

/* --- records ---------------------------------------------------------------------------------- */

static void count_piece(struct pf_reader *reader, const struct pf_dcpi_piece *piece, uint32_t *rows)
{
    struct dcpi_reader *state = reader->state;
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
    const struct dcpi_reader *state = reader->state;

    if (state->body.end > state->header.number[PF_DCPI_TSIZE])
        pf_report_send(&reader->report, PF_WARNING,
                       "chunks end at offset 0x%" PRIx64 ", beyond the %" PRIu64 " bytes of text",
                       state->body.end, state->header.number[PF_DCPI_TSIZE]);
}

/* Fills the rows of a batch. PF_OK, or the result of the call after this batch. */
static int fill_rows(struct pf_reader *reader, uint32_t *rows)
{
    struct dcpi_reader *state = reader->state;
    struct pf_dcpi_piece piece;

    while (*rows < PF_BATCH_ROWS && state->layout.size < LAYOUT_TEXT) {
        if (reader->flush && *rows > 0 && pf_source_would_block(reader->source))
            return PF_OK;
        int status = pf_dcpi_body_next(&state->body, reader->source, PF_BATCH_ROWS - *rows, &piece,
                                       &reader->error);

        if (status < 0)
            return status;
        if (piece.kind == PF_DCPI_COUNTS)
            count_piece(reader, &piece, rows);
        else if (piece.kind == PF_DCPI_HEAD &&
                 !pf_dcpi_layout_add(&state->layout, piece.gap, piece.number))
            return pf_error_nomem(&reader->error);
        pf_source_take(reader->source, piece.size);
        if (status == PF_EOF)
            return PF_EOF;
    }
    return PF_OK;
}

static int read_records(struct pf_reader *reader, struct pf_batch *batch)
{
    struct dcpi_reader *state = reader->state;
    uint32_t rows = 0;

    if (state->layout.size >= LAYOUT_TEXT && !add_layout(reader))
        return pf_error_nomem(&reader->error);
    if (pf_rows_give(&state->meta, batch))
        return PF_OK;
    state->status = fill_rows(reader, &rows);
    pf_dcpi_locator_end(&state->locator, reader->dict);
    if (state->status != PF_OK)
        state->step = END;
    if (state->status == PF_EOF) {
        check_text(reader);
        if (!add_footer(reader))
            return pf_error_nomem(&reader->error);
    }
    *batch = (struct pf_batch){.kind = PF_FLAT,
                               .rows = rows,
                               .location = state->locator.locations,
                               .values = &state->column,
                               .value_count = 1};
    return PF_OK;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct dcpi_reader *state = reader->state;

    if (pf_rows_give(&state->meta, batch))
        return PF_OK;
    switch (state->step) {
    case DECLARE:
        state->step = RECORDS;
        *batch = (struct pf_batch){.kind = PF_FLAT, .values = &state->column, .value_count = 1};
        return add_lines(reader) ? PF_OK : pf_error_nomem(&reader->error);
    case RECORDS: return read_records(reader, batch);
    default: return state->status;
    }
}

/* --- the format ------------------------------------------------------------------------------- */

enum {
    WINDOW = 64 * 1024, /* bytes that the bid looks at */
    ENOUGH = 3,         /* known lines that make a profile */
    LINE_BITS = 8
};

static const struct pf_option options[] = {
    {"stride",
     "bytes from one count's address to the next one's: 1 as the description of the format has it, "
     "4 for true Alpha code",
     NULL, true, true},
    {NULL, NULL, NULL, false, false},
};

/* The known word that begins a line with a value; else PF_DCPI_OTHER. */
static enum pf_dcpi_word line_word(struct pf_bytes line)
{
    struct pf_bytes word = pf_scan_column(&line);

    return line.size > 0 ? pf_dcpi_word_find(word) : PF_DCPI_OTHER;
}

/* Counts the known words of a header in the text, each once. *ended: the header ends here, or the
 * text is not a header. */
static unsigned known_lines(struct pf_bytes text, bool *ended)
{
    bool met[PF_DCPI_OTHER] = {false};
    unsigned count = 0;
    const char *end;

    *ended = false;
    for (; !*ended && (end = memchr(text.data, '\n', text.size));
         text.size -= (size_t)(end - text.data) + 1, text.data = end + 1) {
        struct pf_bytes line = {text.data, (size_t)(end - text.data)};
        enum pf_dcpi_word word = line_word(line);

        if (word != PF_DCPI_OTHER && !met[word]) {
            met[word] = true;
            count++;
        }
        *ended = memchr(line.data, '\0', line.size) ||
                 (line.size >= 7 && memcmp(line.data, "samples", 7) == 0);
        if (line.size > 10 && memcmp(line.data, "text_start", 10) == 0) /* dcpicat's text */
            return 0;
    }
    return count;
}

/* Waits for a slow producer only if the first line looks like a line of a header. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have = 0, want = 1;
    unsigned known;
    bool ended;

    (void)path;
    do {
        const unsigned char *bytes = pf_source_peek(source, want, &have);

        if (have > WINDOW)
            have = WINDOW;
        known = known_lines((struct pf_bytes){(const char *)bytes, have}, &ended);
        if (have < want)
            break;
        want = have + 1;
    } while (known > 0 && known < ENOUGH && !ended && want <= WINDOW);
    return known >= ENOUGH ? (int)known * LINE_BITS : 0;
}

const struct pf_format pf_format_dcpi = {
    .name = "dcpi",
    .about = "DCPI profiles 0.06 and 0.07, one event of one image",
    .suffixes = ".dcpi",
    .losses = "all but the counts by address of one event in one image: functions, files, lines, "
              "labels; counts and totals over 32 bits",
    .caps = PF_HOLDS_FLAT | PF_READS_TEXT,
    .options = options,
    .merging = &pf_dcpi_merging,
    .bid = bid,
    .reader_size = sizeof(struct dcpi_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
    .copy = pf_dcpi_copy,
    .writer_size = sizeof(struct pf_dcpi_writer),
    .open_writer = pf_dcpi_writer_open,
    .holds_label = pf_holds_no_label,
    .write = pf_dcpi_held_write,
    .finish = pf_dcpi_writer_finish,
    .close_writer = pf_dcpi_writer_close,
};
