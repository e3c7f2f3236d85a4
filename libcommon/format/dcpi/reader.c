/* DCPI profiles, dcpiformat(4): counts of one event in one image, made by the Digital Continuous
 * Profiling Infrastructure. The reader, and the format. */
#include "format/dcpi/dcpi.h"

#include "base/number.h"
#include "base/scan.h"
#include "codec/text_reader.h"

#include <inttypes.h>
#include <string.h>

struct dcpi_reader {
    struct pf_dcpi_header header;
    struct pf_dcpi_body body;

    struct pf_dcpi_locator locator;
    struct pf_buffer layout; /* of chunks that no batch has yet */
};

enum {
    LAYOUT_TEXT = 32 * 1024 /* bytes of layout in one row of metadata */
};

/* --- metadata --------------------------------------------------------------------------------- */

/* Adds the lines of the header. A separator other than one blank comes before its line. */
static void add_lines(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    const struct pf_dcpi_header *header = &state->header;

    for (size_t k = 0; k < header->count; k++) {
        const struct pf_dcpi_line *line = &header->lines[k];
        struct pf_bytes separator = pf_dcpi_line_separator(header, line);

        if (!pf_bytes_equal(separator, PF_BYTES(" ")))
            pf_rows_meta(&reader->rows, ".dcpi", PF_BYTES("separator"), separator);
        pf_rows_meta(&reader->rows, "dcpi", pf_dcpi_line_word(header, line),
                     pf_dcpi_line_value(header, line));
    }
    if (state->body.stride != 1)
        pf_rows_meta_number(&reader->rows, ".dcpi", "stride", (int64_t)state->body.stride);
    pf_rows_meta(&reader->rows, ".dcpi", PF_BYTES("samples"), header->pad);
}

static void add_layout(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;

    if (state->layout.size > 0)
        pf_rows_meta(&reader->rows, ".dcpi", PF_BYTES("chunks"),
                     (struct pf_bytes){state->layout.data, state->layout.size});
    state->layout.size = 0;
}

/* Adds the footer of a whole file, `ADDRESSES SAMPLES`. */
static void add_footer(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    char text[2 * PF_INT128_TEXT];
    size_t size = pf_print_int128((pf_int128)state->body.nonzero, text);

    text[size++] = ' ';
    size += pf_print_int128((pf_int128)state->body.total, text + size);
    add_layout(reader);
    pf_rows_meta(&reader->rows, ".dcpi", PF_BYTES("footer"), (struct pf_bytes){text, size});
}

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
    pf_rows_begin(&reader->rows, PF_FLAT);
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
    pf_rows_declare(&reader->rows);
    add_lines(reader);
    return pf_dict_status(reader->dict) == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
}

static int open_reader(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    int status = pf_dcpi_stride(reader->options, &state->body.stride, &reader->error);

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
    pf_dcpi_locator_free(&state->locator);
}

/* --- records ---------------------------------------------------------------------------------- */

static bool count_piece(struct pf_reader *reader, const struct pf_dcpi_piece *piece)
{
    struct dcpi_reader *state = reader->state;
    uint64_t offset = piece->place, total = 0;
    uint32_t *places;
    int64_t *values;
    size_t row = 0;

    if (!pf_rows_room(&reader->rows, piece->number))
        return false;
    places = reader->rows.places + reader->rows.count;
    values = reader->rows.values[0] + reader->rows.count;
    for (uint32_t k = 0; k < piece->number; k++, offset += state->body.stride) {
        uint32_t count = pf_load32le(piece->bytes + 4 * (size_t)k);

        if (count == 0)
            continue;
        total += count;
        values[row] = count;
        places[row++] = pf_dcpi_locator_find(&state->locator, reader->dict, offset);
    }
    pf_rows_wrote(&reader->rows, row, 0);
    state->body.total += total;
    state->body.nonzero += row;
    return true;
}

static void check_text(struct pf_reader *reader)
{
    const struct dcpi_reader *state = reader->state;

    if (state->body.end > state->header.number[PF_DCPI_TSIZE])
        pf_report_send(&reader->report, PF_WARNING,
                       "chunks end at offset 0x%" PRIx64 ", beyond the %" PRIu64 " bytes of text",
                       state->body.end, state->header.number[PF_DCPI_TSIZE]);
}

/* Reads the head of a chunk, counts for one batch at most, or the footer. */
static int read_piece(struct pf_reader *reader)
{
    struct dcpi_reader *state = reader->state;
    uint32_t most = PF_BATCH_ROWS - (uint32_t)pf_rows_waiting(&reader->rows);
    struct pf_dcpi_piece piece;
    int status = pf_dcpi_body_next(&state->body, reader->source, most, &piece, &reader->error);

    if (status < 0)
        return status;
    if ((piece.kind == PF_DCPI_COUNTS && !count_piece(reader, &piece)) ||
        (piece.kind == PF_DCPI_HEAD &&
         !pf_dcpi_layout_add(&state->layout, piece.gap, piece.number)))
        return pf_error_nomem(&reader->error);
    pf_source_take(reader->source, piece.size);
    if (state->layout.size >= LAYOUT_TEXT)
        add_layout(reader);
    if (status == PF_EOF) {
        check_text(reader);
        add_footer(reader);
    }
    return status;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct dcpi_reader *state = reader->state;
    int status = pf_rows_read(reader, batch);

    pf_dcpi_locator_end(&state->locator, reader->dict);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

enum {
    ENOUGH = 3, /* known lines that make a profile */
    LINE_BITS = 8
};

static const struct pf_option options[] = {
    {"stride",
     "bytes from the address of a count to the address of the next count: 1 as in the format's "
     "description, 4 for true Alpha code",
     NULL, true, true},
    {NULL, NULL, NULL, false, false},
};

/* The known word that begins a line with a value; else PF_DCPI_OTHER. */
static enum pf_dcpi_word line_word(struct pf_bytes line)
{
    struct pf_bytes word = pf_scan_column(&line);

    return line.size > 0 ? pf_dcpi_word_find(word) : PF_DCPI_OTHER;
}

/* The known words that begin lines, each once. */
struct words {
    bool met[PF_DCPI_OTHER];
    unsigned count;
};

/* Waits for a slow producer only if a line looks like a line of a header. */
static int judge(struct pf_bytes line, bool whole, void *field)
{
    struct words *words = field;
    enum pf_dcpi_word word = line_word(line);
    int bits;

    if (!whole)
        return 0;
    if (word != PF_DCPI_OTHER && !words->met[word]) {
        words->met[word] = true;
        words->count++;
    }
    if (pf_bytes_starts(line, PF_BYTES("text_start"))) /* dcpicat's text */
        return PF_TEXT_OTHER;
    bits = words->count >= ENOUGH ? (int)words->count * LINE_BITS : 0;
    if (memchr(line.data, '\0', line.size) || pf_bytes_starts(line, PF_BYTES("samples")))
        return bits > 0 ? bits | PF_TEXT_SURE : PF_TEXT_OTHER;
    return bits > 0 || words->count == 0 ? bits : PF_TEXT_MORE;
}

static int bid(struct pf_source *source, const char *path)
{
    struct words words = {0};

    (void)path;
    return pf_text_bid(source, judge, &words);
}

const struct pf_format pf_format_dcpi = {
    .name = "dcpi",
    .about = "DCPI profiles 0.06 and 0.07: one event of one image",
    .suffixes = ".dcpi",
    .losses = "all but the counts by address of one event in one image: functions, files, lines, "
              "labels; counts and totals over 32 bits",
    .caps = PF_HOLDS_FLAT | PF_READS_TEXT,
    .options = options,
    .merging = &pf_dcpi_merging,
    .bid = bid,
    .reader_size = sizeof(struct dcpi_reader),
    .open_reader = open_reader,
    .step = read_piece,
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
