/* DCPI profiles, dcpiformat(4): counts of one event in one image, made by the Digital Continuous
 * Profiling Infrastructure. The reader; the writer, of version 0.07; unchanged profiles are
 * copied. */
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

/* --- options ---------------------------------------------------------------------------------- */

/* The stride that `stride=N` asks for; default: 1. PF_USAGE. */
static int find_stride(const struct pf_options *options, uint64_t *stride, struct pf_error *error)
{
    const char *text = pf_options_get(options, "stride");
    int64_t number = 1;

    if (text && !pf_parse_int(pf_bytes_of(text), 1, 1024, &number))
        return pf_error_set(error, PF_USAGE, "stride=%s is not a number of bytes from 1 to 1024",
                            text);
    *stride = (uint64_t)number;
    return PF_OK;
}

/* --- reader: metadata ------------------------------------------------------------------------- */

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

/* --- reader: opening -------------------------------------------------------------------------- */

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
    int status = find_stride(reader->options, &state->body.stride, &reader->error);

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

/* --- reader: records -------------------------------------------------------------------------- */

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

enum {
    /* most absent counts between two counts of a chunk: a new chunk costs two words */
    BRIDGE = 2,
    WORDS = 4096, /* words of one write */
    /* a layout has at most ZEROS_MIN counts, and ZEROS_EACH more for each address to write */
    ZEROS_MIN = 64 * 1024 * 1024,
    ZEROS_EACH = 1024
};

/* The end of a file that is incomplete: an empty chunk and one byte more. Readers refuse these
 * bytes anywhere in a body. */
static const unsigned char BROKEN[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0};

struct dcpi_writer {
    struct pf_dcpi_held held;

    /* set at the end */
    struct pf_dcpi_event *event;
    struct pf_dcpi_header header;
    const struct pf_dcpi_layout *layout; /* NULL: canonical chunks */
    uint64_t stride, total;
};

static int open_writer(struct pf_writer *writer)
{
    uint64_t stride;

    return find_stride(writer->options, &stride, &writer->error);
}

static void close_writer(struct pf_writer *writer)
{
    struct dcpi_writer *state = writer->state;

    pf_dcpi_header_free(&state->header);
    pf_dcpi_held_close(writer);
}

/* --- writer: choosing ------------------------------------------------------------------------- */

static struct pf_bytes event_name(const struct pf_writer *writer, const struct pf_dcpi_event *event)
{
    return pf_dict_string(writer->dict,
                          pf_measures_row(&writer->dict->measures, event->measure)->name);
}

/* The error of a second event in one file. */
static int refuse_event(struct pf_writer *writer, const struct pf_dcpi_event *other)
{
    struct dcpi_writer *state = writer->state;
    struct pf_bytes a = event_name(writer, state->event), b = event_name(writer, other);

    if (pf_bytes_equal(a, b))
        return pf_error_set(&writer->error, PF_USAGE,
                            "merge-mismatch: a dcpi file holds one period, and '%s' has several",
                            pf_clip(a).text);
    return pf_error_set(&writer->error, PF_USAGE,
                        "merge-mismatch: a dcpi file holds one event, and the profile has '%s' and "
                        "'%s' (proffilter -m chooses one)",
                        pf_clip(a).text, pf_clip(b).text);
}

static int choose_event(struct pf_writer *writer)
{
    struct dcpi_writer *state = writer->state;
    size_t counted = 0;

    for (size_t k = 0; k < state->held.counts.count; k++) {
        struct pf_dcpi_event *event = &state->held.counts.events[k];

        if (event->counted && counted++ > 0)
            return refuse_event(writer, event);
        if (event->counted)
            state->event = event;
    }
    for (size_t k = 0; k < state->held.counts.count; k++) {
        struct pf_dcpi_event *event = &state->held.counts.events[k];
        struct pf_bytes name = event_name(writer, event);

        if (!state->event)
            state->event = event;
        else if (counted == 0 && event != state->event)
            return refuse_event(writer, event);
        if (!event->counted && event != state->event)
            pf_report_send(&writer->report, PF_WARNING, "event '%s' has no counts: left out",
                           pf_clip(name).text);
    }
    if (!state->event)
        return pf_error_set(&writer->error, PF_USAGE,
                            "dcpi holds counts of an event by address; the profile has no counts");
    return PF_OK;
}

/* Sets the image of all places; NULL: there are no places. */
static int choose_image(struct pf_writer *writer, const struct pf_image **image)
{
    struct dcpi_writer *state = writer->state;
    const struct pf_dict *dict = writer->dict;
    size_t count = state->held.places.count;

    *image = NULL;
    if (count == 0)
        return PF_OK;
    uint32_t first =
        pf_dcpi_places_image(&state->held.places, dict, state->held.places.locations[0]);
    uint32_t last =
        pf_dcpi_places_image(&state->held.places, dict, state->held.places.locations[count - 1]);

    *image = pf_dict_image(dict, first);
    if (first == last)
        return PF_OK;
    const struct pf_image *other = pf_dict_image(dict, last);
    struct pf_bytes a = pf_dict_string(dict, (*image)->identifier),
                    b = pf_dict_string(dict, other->identifier);

    if (pf_dcpi_same_image(a, b))
        return pf_error_set(
            &writer->error, PF_USAGE, "merge-mismatch: the profiles of image %s differ in '%s'",
            pf_clip(a).text, (*image)->text_start != other->text_start ? "tstart" : "tsize");
    return pf_error_set(
        &writer->error, PF_USAGE,
        "merge-mismatch: a dcpi file holds one image, and the profile has %s and %s%s",
        pf_clip(a).text, pf_clip(b).text,
        (*image)->name == other->name
            ? ", which have the same name: merge the files of each image separately"
            : " (proffilter --split=image writes a file for each image)");
}

/* --- writer: chunks --------------------------------------------------------------------------- */

/* A walk over the chunks to write and their places. */
struct walk {
    const struct dcpi_writer *state;
    const struct pf_dict *dict;
    struct pf_dcpi_chunks laid; /* used with a layout */
    size_t next;                /* place */
};

static struct walk start_walk(const struct pf_writer *writer)
{
    const struct dcpi_writer *state = writer->state;

    return (struct walk){state, writer->dict, {.layout = state->layout, .dict = writer->dict}, 0};
}

static uint64_t place_offset(const struct walk *walk, size_t place)
{
    return pf_dcpi_offset(walk->dict, walk->state->held.places.locations[place]);
}

/* The next run of counts with at most BRIDGE absent counts between two. */
static int canonical_chunk(const struct walk *walk, struct pf_dcpi_chunk *chunk,
                           struct pf_error *error)
{
    size_t count = walk->state->held.places.count;
    uint64_t stride = walk->state->stride, start, last;

    if (walk->next == count)
        return PF_EOF;
    last = start = place_offset(walk, walk->next);
    for (size_t k = walk->next + 1; k < count; k++) {
        uint64_t offset = place_offset(walk, k);

        if (offset - last == stride) {
            last = offset;
            continue;
        }
        if (offset - last < stride)
            return pf_error_set(error, PF_USAGE,
                                "stride-overlap: counts at offsets 0x%" PRIx64 " and 0x%" PRIx64
                                " are closer than a stride of %" PRIu64,
                                last, offset, stride);
        if (offset - last > (BRIDGE + 1) * stride || (offset - last) % stride != 0)
            break;
        last = offset;
    }
    if (start > UINT32_MAX || (last - start) / stride + 1 > (uint64_t)UINT32_MAX + 1 - start)
        return pf_error_set(error, PF_USAGE,
                            "unrepresentable: offset 0x%" PRIx64
                            " from the start of the text is beyond 32 bits",
                            last);
    *chunk = (struct pf_dcpi_chunk){start, (uint32_t)((last - start) / stride + 1)};
    return PF_OK;
}

static int next_chunk(struct walk *walk, struct pf_dcpi_chunk *chunk, struct pf_error *error)
{
    return walk->state->layout ? pf_dcpi_chunks_next(&walk->laid, chunk)
                               : canonical_chunk(walk, chunk, error);
}

/* True if the layout has a place for each count. */
static bool layout_fits(struct walk walk)
{
    uint64_t counts = 0, most = (uint64_t)ZEROS_EACH * walk.state->held.places.count + ZEROS_MIN;
    struct pf_dcpi_chunk chunk;
    int status;

    while ((status = pf_dcpi_chunks_next(&walk.laid, &chunk)) == PF_OK && counts <= most) {
        counts += chunk.number;
        for (; walk.next < walk.state->held.places.count; walk.next++) {
            uint64_t from = place_offset(&walk, walk.next) - chunk.offset;

            if (from % walk.state->stride != 0)
                return false;
            if (from / walk.state->stride >= chunk.number)
                break;
        }
    }
    return status == PF_EOF && walk.next == walk.state->held.places.count;
}

/* Checks that canonical chunks can be written: with a stride of 1 always, within 32 bits. */
static int check_canonical(struct walk walk, struct pf_error *error)
{
    size_t count = walk.state->held.places.count;
    struct pf_dcpi_chunk chunk;
    int status;

    if (count == 0 || (walk.state->stride == 1 && place_offset(&walk, count - 1) <= UINT32_MAX))
        return PF_OK;

    while ((status = canonical_chunk(&walk, &chunk, error)) == PF_OK) {
        uint64_t end = chunk.offset + chunk.number * walk.state->stride;

        while (walk.next < walk.state->held.places.count && place_offset(&walk, walk.next) < end)
            walk.next++;
    }
    return status == PF_EOF ? PF_OK : status;
}

static int write_chunk(struct pf_writer *writer, struct walk *walk, struct pf_dcpi_chunk chunk)
{
    const struct dcpi_writer *state = walk->state;
    const struct pf_dcpi_places *places = &state->held.places;
    uint64_t offset = chunk.offset,
             next = walk->next < places->count ? place_offset(walk, walk->next) : UINT64_MAX;
    unsigned char words[4 * WORDS];

    pf_store32le(words, (uint32_t)chunk.offset);
    pf_store32le(words + 4, chunk.number);
    for (uint32_t done = 0, used = 2; done < chunk.number; used = 0) {
        for (; used < WORDS && done < chunk.number; done++, offset += state->stride) {
            uint32_t count = 0;

            if (offset == next) {
                count = (uint32_t)state->event->sums[places->locations[walk->next++]];
                next = walk->next < places->count ? place_offset(walk, walk->next) : UINT64_MAX;
            }
            pf_store32le(words + 4 * (size_t)used++, count);
        }
        if (pf_sink_write(writer->sink, words, 4 * (size_t)used) != PF_OK)
            return pf_sink_status(writer->sink, &writer->error);
    }
    return PF_OK;
}

/* --- writer: the profile ---------------------------------------------------------------------- */

static int sum_counts(struct pf_writer *writer)
{
    struct dcpi_writer *state = writer->state;
    uint64_t clamped = 0;

    for (size_t k = 0; k < state->held.places.count; k++) {
        int64_t count = state->event->sums[state->held.places.locations[k]];

        if (count > UINT32_MAX && writer->saturate) {
            state->event->sums[state->held.places.locations[k]] = count = UINT32_MAX;
            clamped++;
        }
        if (count < 0)
            return pf_error_set(&writer->error, PF_USAGE,
                                "unrepresentable: a count is negative: %" PRId64, count);
        if (count > UINT32_MAX)
            return pf_error_set(&writer->error, PF_USAGE,
                                "count-overflow: a count of %" PRId64 " at offset 0x%" PRIx64
                                " is more than the 32 bits of dcpi hold",
                                count,
                                pf_dcpi_offset(writer->dict, state->held.places.locations[k]));
        state->total += (uint64_t)count;
    }
    if (clamped > 0)
        pf_report_send(&writer->report, PF_WARNING,
                       "%" PRIu64 " counts are more than the 32 bits of dcpi hold: clamped",
                       clamped);
    if (state->total > UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "unrepresentable: the counts sum to %" PRIu64
                            ", more than the 32 bits of dcpi's footer hold; use another format, or "
                            "a weight below 1 for the inputs",
                            state->total);
    return PF_OK;
}

/* Uses the stride of the options, else the stride with which the profiles were read. */
static int choose_stride(struct pf_writer *writer, const struct pf_dcpi_subject *subject)
{
    struct dcpi_writer *state = writer->state;
    uint64_t found = 0;

    if (pf_options_get(writer->options, "stride"))
        return find_stride(writer->options, &state->stride, &writer->error);
    for (size_t k = 0; k < state->held.profiles.count; k++) {
        const struct pf_dcpi_profile *profile = &state->held.profiles.rows[k];

        if (!pf_dcpi_subject_has(subject, writer->dict, profile))
            continue;
        if (found != 0 && found != profile->stride)
            return pf_error_set(
                &writer->error, PF_USAGE,
                "profiles read with different strides: -t dcpi:stride=N chooses one");
        found = profile->stride;
    }
    state->stride = found != 0 ? found : 1;
    return PF_OK;
}

static int prepare(struct pf_writer *writer)
{
    struct dcpi_writer *state = writer->state;
    struct pf_dcpi_subject subject;
    const struct pf_dcpi_profile *single = NULL;
    int status = choose_event(writer);

    if (status == PF_OK)
        status = pf_dcpi_places_find(&state->held.places, &state->held.counts, writer->dict, "dcpi",
                                     &writer->error);
    if (status == PF_OK)
        status = choose_image(writer, &subject.image);
    if (status != PF_OK)
        return status;
    const struct pf_measure *measure =
        pf_measures_row(&writer->dict->measures, state->event->measure);

    if (pf_measure_period_parts(measure) > 1)
        return pf_error_set(&writer->error, PF_USAGE,
                            "dcpi holds a period of whole events, and a count of '%s' is %" PRIu64
                            "/%" PRIu64 " events (-t dcpicat holds them)",
                            pf_dict_string(writer->dict, measure->name).data, measure->period,
                            measure->period_parts);
    subject.event = pf_dict_string(writer->dict, measure->name);
    subject.period = measure->period;
    status = choose_stride(writer, &subject);
    if (status == PF_OK)
        status = sum_counts(writer);
    if (status == PF_OK)
        status = pf_dcpi_merge_headers(&state->header, &state->held.profiles, writer->dict,
                                       &subject, &single, &writer->error);
    if (status == PF_EOF)
        status = pf_dcpi_pool_header(&state->header, &state->held.profiles, writer->dict, &subject,
                                     &writer->error);
    if (status == PF_EOF) {
        status = pf_dcpi_make_header(&state->header, &state->held.blocks, writer->dict, &subject,
                                     &writer->error);
        if (status == PF_OK)
            pf_report_send(&writer->report, PF_WARNING,
                           "the speed of the processor is unknown: written as 0");
    }
    if (status == PF_OK && single && single->footed && single->stride == state->stride &&
        single->addresses == state->held.places.count && single->samples == state->total) {
        state->layout = &single->layout;
        state->layout = layout_fits(start_walk(writer)) ? state->layout : NULL;
    }
    return status == PF_OK && !state->layout ? check_canonical(start_walk(writer), &writer->error)
                                             : status;
}

static int finish_writer(struct pf_writer *writer)
{
    struct dcpi_writer *state = writer->state;
    unsigned char footer[8];
    struct pf_dcpi_chunk chunk;
    int status;

    if (writer->failed_input && state->held.counts.count == 0)
        return PF_OK;
    status = prepare(writer);
    if (status != PF_OK)
        return status;
    struct walk walk = start_walk(writer);

    pf_sink_write(writer->sink, state->header.raw.data, state->header.raw.size);
    while ((status = next_chunk(&walk, &chunk, &writer->error)) == PF_OK &&
           write_chunk(writer, &walk, chunk) == PF_OK)
        ;
    if (status < 0 || writer->error.code != PF_OK)
        return writer->error.code;
    pf_store32le(footer, (uint32_t)state->held.places.count);
    pf_store32le(footer + 4, (uint32_t)state->total);
    if (writer->failed_input)
        pf_sink_write(writer->sink, BROKEN, sizeof BROKEN);
    else
        pf_sink_write(writer->sink, footer, sizeof footer);
    return pf_sink_status(writer->sink, &writer->error);
}

/* --- unchanged profiles ----------------------------------------------------------------------- */

/* Copies an unchanged profile and checks it: `copy` of codec/format.h. */
static int copy_profile(struct pf_source *source, struct pf_sink *sink,
                        const struct pf_report *report, bool salvage, uint64_t *records,
                        struct pf_error *error)
{
    struct pf_dcpi_header header = {0};
    struct pf_dcpi_body body = {.stride = 1};
    struct pf_dcpi_piece piece;
    int status = pf_dcpi_header_read(&header, source, report, error), written = PF_OK;

    (void)salvage;
    body.start = header.number[PF_DCPI_TSTART];
    if (status == PF_OK)
        written = pf_sink_write(sink, header.raw.data, header.raw.size);
    while (status == PF_OK && written == PF_OK) {
        status = pf_dcpi_body_next(&body, source, UINT32_MAX, &piece, error);
        if (status < 0) {
            pf_sink_write(sink, BROKEN, sizeof BROKEN);
            break;
        }
        if (piece.kind == PF_DCPI_COUNTS)
            pf_dcpi_body_count(&body, piece.bytes, piece.number);
        written = pf_sink_write(sink, piece.bytes, piece.size);
        pf_source_take(source, piece.size);
    }
    *records = body.nonzero;
    pf_dcpi_header_free(&header);
    if (status < 0)
        return status;
    return written == PF_OK ? PF_OK : pf_sink_status(sink, error);
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

/* Waits for a slow producer only if a line looks like a line of a header. *evidence: the known
 * words that begin lines, by bit. */
static int judge(struct pf_bytes line, bool whole, void *evidence)
{
    uint32_t *words = evidence;
    enum pf_dcpi_word word = line_word(line);
    int count, bits;

    if (!whole)
        return 0;
    if (word != PF_DCPI_OTHER)
        *words |= UINT32_C(1) << word;
    if (pf_bytes_starts(line, PF_BYTES("text_start"))) /* dcpicat's text */
        return PF_TEXT_OTHER;
    count = __builtin_popcount(*words);
    bits = count >= ENOUGH ? count * LINE_BITS : 0;
    if (memchr(line.data, '\0', line.size) || pf_bytes_starts(line, PF_BYTES("samples")))
        return bits > 0 ? bits | PF_TEXT_SURE : PF_TEXT_OTHER;
    return bits > 0 || count == 0 ? bits : PF_TEXT_MORE;
}

static int bid(struct pf_source *source, const char *path)
{
    uint32_t words = 0;

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
    .copy = copy_profile,
    .writer_size = sizeof(struct dcpi_writer),
    .open_writer = open_writer,
    .holds_label = pf_holds_no_label,
    .write = pf_dcpi_held_write,
    .finish = finish_writer,
    .close_writer = close_writer,
};
