#include "format/dcpi/dcpi.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 * 1024, LINE_BITS = 8 };

/* --- evidence --------------------------------------------------------------------------------- */

/* Counts the words of a head that begin lines, each once. *ended: the answer is known. */
static unsigned known_lines(struct pf_bytes text, bool *ended)
{
    bool met[PF_DCPI_CAT_WORDS] = {false}, decided = false;
    const char *end;
    unsigned count = 0;

    *ended = false;
    for (; !*ended && (end = memchr(text.data, '\n', text.size));
         text.size -= (size_t)(end - text.data) + 1, text.data = end + 1) {
        struct pf_bytes line = {text.data, (size_t)(end - text.data)}, word = pf_scan_column(&line);

        *ended = word.size == 0 || line.size == 0 || memchr(word.data, '\0', word.size) ||
                 *word.data == '0';
        unsigned k = *ended ? PF_DCPI_CAT_WORDS : pf_dcpi_cat_word(word);

        if (k < PF_DCPI_CAT_WORDS && !met[k]) {
            met[k] = true;
            count++;
            /* text_start, text_size: no other format has them */
            decided = decided || word.size > 8;
        }
    }
    *ended = *ended || decided;
    return decided ? count : 0;
}

/* Waits for a slow producer only while the bytes begin like a head. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have = 0, want = 1;
    unsigned known;
    bool ended, begins;

    (void)path;
    do {
        const unsigned char *bytes = pf_source_peek(source, want, &have);

        begins = have > 5 && memcmp(bytes, "name", 4) == 0 && pf_blank((char)bytes[4]);
        if (have > WINDOW)
            have = WINDOW;
        known = known_lines((struct pf_bytes){(const char *)bytes, have}, &ended);
        if (have < want)
            break;
        want = have + 1;
    } while (begins && !ended && want <= WINDOW);
    return (int)known * LINE_BITS;
}

/* --- reader ----------------------------------------------------------------------------------- */

enum step { DECLARE, RECORDS, END };

struct cat_reader {
    enum step step;
    int status; /* the result of the next call, after the records */
    uint64_t lines;
    uint64_t at;          /* where the current line begins */
    struct pf_bytes line; /* read, but not used yet; NULL: no line */
    struct pf_buffer kept;

    struct pf_rows meta;
    struct pf_dcpi_locator locator;
    uint64_t text_size;
    struct pf_bytes name, path, image; /* strings of the dictionary */
    unsigned seen;                     /* a bit for each word that a head has once */
    bool located;                      /* the head of a profile is complete */
    bool begun;                        /* a row was read; its address: */
    uint64_t last;

    struct column {
        struct pf_dcpi_cat_event event;
        pf_int128 total;
        int64_t *values; /* PF_BATCH_ROWS */
    } * columns;
    struct pf_value_column *given; /* for the batch */
    size_t count, capacity, given_capacity, allocated;
};

static int bad_line(struct pf_reader *reader, const char *what)
{
    const struct cat_reader *state = reader->state;

    return pf_error_line(&reader->error, state->at, state->lines, (struct pf_bytes){0}, what);
}

/* PF_OK with state->line, PF_EOF, or a failure. Skips empty lines. */
static int peek_line(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;
    int status = PF_OK;

    while (status == PF_OK && !state->line.data) {
        state->at = pf_source_offset(reader->source);
        status = pf_source_line(reader->source, &state->line, &reader->error);
        if (status != PF_OK)
            state->line.data = NULL;
        state->lines += status == PF_OK;
        size_t blanks = 0;

        while (state->line.data && blanks < state->line.size && pf_blank(state->line.data[blanks]))
            blanks++;
        if (state->line.data && blanks == state->line.size)
            state->line.data = NULL;
    }
    return status;
}

/* Copies the current line for the next call of the reader: the bytes of the source are valid until
 * its next use. */
static int keep_line(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;

    if (!state->line.data || state->line.data == state->kept.data)
        return PF_OK;
    state->kept.size = 0;
    pf_buffer_append(&state->kept, state->line.data, state->line.size);
    if (state->kept.failed)
        return pf_error_nomem(&reader->error);
    state->line.data = state->kept.data;
    return PF_OK;
}

static bool is_row(struct pf_bytes line)
{
    return line.size > 2 && memcmp(line.data, "0x", 2) == 0;
}

/* --- the head --------------------------------------------------------------------------------- */

static int add_event(struct pf_reader *reader, struct pf_bytes value)
{
    struct cat_reader *state = reader->state;
    struct pf_dcpi_cat_event event;

    if (!pf_dcpi_cat_event_parse(value, &event))
        return bad_line(reader, "an event is TOTAL NAME:PERIOD:FRACTION, in numbers of 64 bits");
    for (size_t k = 0; k < state->count; k++)
        if (pf_bytes_equal(state->columns[k].event.name, event.name))
            return bad_line(reader, "the event has a column already");
    if (!pf_grow(&state->columns, &state->capacity, state->count + 1, sizeof *state->columns) ||
        !pf_grow(&state->given, &state->given_capacity, state->count + 1, sizeof *state->given))
        return pf_error_nomem(&reader->error);
    for (; state->allocated < state->capacity; state->allocated++)
        state->columns[state->allocated].values = NULL;
    struct column *column = &state->columns[state->count];

    if (!column->values && !(column->values = malloc(PF_BATCH_ROWS * sizeof *column->values)))
        return pf_error_nomem(&reader->error);
    struct pf_measure measure = pf_measure_make_named(reader->dict,
                                                      pf_dict_intern_text(reader->dict, event.name),
                                                      "count", PF_FLAT, PF_SELF, PF_SAMPLED);

    measure.period = event.events;
    measure.period_parts = event.events > 0 && event.parts > 1 ? event.parts : 0;
    event.name = pf_dict_string(reader->dict, measure.name);
    column->event = event;
    column->total = 0;
    state->given[state->count++] =
        (struct pf_value_column){pf_dict_add_measure(reader->dict, measure), column->values};
    return PF_OK;
}

/* False: a head has the word once, and this head had it before. */
static bool is_first(struct cat_reader *state, struct pf_bytes word)
{
    static const char *const once[] = {"name", "image", "text_start", "text_size"};
    unsigned bit = 0;

    for (unsigned k = 0; k < sizeof once / sizeof *once; k++)
        if (pf_bytes_equal(word, pf_bytes_of(once[k])))
            bit = 1u << k;
    if (state->seen & bit)
        return false;
    state->seen |= bit;
    return true;
}

static int read_head_line(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;
    struct pf_bytes value = state->line, word = pf_scan_column(&value), kept;
    int status = PF_OK;

    if (word.size == 0 || value.size == 0)
        return bad_line(reader, "a line of the head is a word and a value");
    if (!is_first(state, word))
        return bad_line(reader,
                        "a head has one line `name`, `image`, `text_start` and `text_size` each");
    pf_rows_meta(&state->meta, "dcpicat", word, value);
    kept = pf_dict_string(reader->dict, pf_dict_intern_text(reader->dict, value));
    if (pf_bytes_equal(word, PF_BYTES("name")))
        state->name = kept;
    else if (pf_bytes_equal(word, PF_BYTES("path")) && !state->path.data)
        state->path = kept;
    else if (pf_bytes_equal(word, PF_BYTES("image")))
        state->image = kept;
    else if (pf_bytes_equal(word, PF_BYTES("event")))
        status = add_event(reader, value);
    else if (pf_bytes_equal(word, PF_BYTES("text_start")) &&
             !pf_parse_address(value, &state->locator.start))
        status = bad_line(reader, "text_start is a hexadecimal number 0x...");
    else if (pf_bytes_equal(word, PF_BYTES("text_size")) &&
             !pf_parse_address(value, &state->text_size))
        status = bad_line(reader, "text_size is a hexadecimal number 0x...");
    state->line.data = NULL;
    return status;
}

static int end_head(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;

    if (!pf_dcpi_is_image(state->image))
        return bad_line(reader, "the head has no line `image` with hexadecimal digits");
    if (state->count == 0)
        return bad_line(reader, "the head has no line `event`");
    struct pf_bytes name = state->path.data ? state->path : state->name;
    uint32_t identifier = pf_dcpi_identifier(reader->dict, state->image);
    struct pf_image image = {
        .name = name.data ? pf_dict_intern_text(reader->dict, name) : identifier,
        .identifier = identifier,
        .text_start = state->locator.start,
        .text_size = state->text_size,
    };

    if (identifier == 0 || pf_dict_status(reader->dict) != PF_OK ||
        pf_dcpi_locator_open(&state->locator, reader->dict, reader->shared, &image) != PF_OK)
        return pf_error_nomem(&reader->error);
    state->located = true;
    return PF_OK;
}

/* Reads the lines before the first row. */
static int read_head(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;
    struct pf_bytes none = {0};
    int status;

    state->name = state->path = state->image = none;
    state->locator.start = state->text_size = 0;
    state->count = state->seen = 0;
    state->located = state->begun = false;
    while ((status = peek_line(reader)) == PF_OK && !is_row(state->line)) {
        bool next = state->count > 0 && state->line.size > 4 &&
                    memcmp(state->line.data, "name", 4) == 0 && pf_blank(state->line.data[4]);

        if (next)
            break; /* the head of the next profile: this profile has no rows */
        status = read_head_line(reader);
        if (status != PF_OK)
            return status;
    }
    if (status == PF_OK)
        status = keep_line(reader);
    return status == PF_OK || status == PF_EOF ? end_head(reader) : status;
}

static int open_reader(struct pf_reader *reader)
{
    pf_rows_init(&((struct cat_reader *)reader->state)->meta, reader->dict);
    if (peek_line(reader) == PF_EOF)
        return pf_error_at(&reader->error, PF_FAILED, 0,
                           "the input is empty: no byte of a profile");
    return reader->error.code != PF_OK ? reader->error.code : read_head(reader);
}

static void close_reader(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;

    for (size_t k = 0; k < state->allocated; k++)
        free(state->columns[k].values);
    free(state->columns);
    free(state->given);
    pf_buffer_free(&state->kept);
    pf_rows_free(&state->meta);
}

/* --- rows ------------------------------------------------------------------------------------- */

static int read_row(struct pf_reader *reader, uint32_t row)
{
    struct cat_reader *state = reader->state;
    struct pf_bytes rest = state->line, token = pf_scan_column(&rest);
    uint64_t address, count;

    if (!pf_parse_address(token, &address))
        return bad_line(reader, "a row begins with an address 0x...");
    if (address < state->locator.start)
        return bad_line(reader, "the address lies before the start of the text");
    if (state->begun && address <= state->last)
        return bad_line(reader, "addresses are not in increasing order");
    for (size_t k = 0; k < state->count; k++) {
        token = pf_scan_column(&rest);
        if (token.size == 0)
            return bad_line(reader, "the row has fewer counts than there are events");
        if (!pf_parse_digits(token, INT64_MAX, &count))
            return bad_line(reader, "a count is not a decimal number of 63 bits");
        state->columns[k].values[row] = (int64_t)count;
        state->columns[k].total += (pf_int128)count;
    }
    if (rest.size > 0)
        return bad_line(reader, "the row has more counts than there are events");
    pf_dcpi_locator_set(&state->locator, reader->dict, address - state->locator.start, row);
    state->begun = true;
    state->last = address;
    state->line.data = NULL;
    return PF_OK;
}

/* Warns of totals in the head that differ from the sums of the rows. */
static void check_totals(struct pf_reader *reader)
{
    const struct cat_reader *state = reader->state;
    char text[PF_INT128_TEXT];

    for (size_t k = 0; k < state->count; k++) {
        const struct column *column = &state->columns[k];
        struct pf_bytes name = column->event.name;

        pf_print_int128(column->total, text);
        if (column->total != column->event.total)
            pf_report_send(&reader->report, PF_WARNING,
                           "line %" PRIu64 ": the counts of '%s' sum to %s, the head says %" PRId64,
                           state->lines, pf_clip(name).text, text, column->event.total);
    }
}

static int fill_rows(struct pf_reader *reader, uint32_t *rows)
{
    struct cat_reader *state = reader->state;
    int status = PF_OK;

    while (*rows < PF_BATCH_ROWS) {
        if (reader->flush && *rows > 0 && !state->line.data &&
            pf_source_would_block(reader->source))
            return PF_OK;
        status = peek_line(reader);
        if (status == PF_OK && !is_row(state->line)) {
            state->located = false; /* the next profile */
            return keep_line(reader);
        }
        if (status == PF_OK)
            status = read_row(reader, *rows);
        if (status != PF_OK)
            return status;
        ++*rows;
    }
    return PF_OK;
}

static int read_rows(struct pf_reader *reader, struct pf_batch *batch)
{
    struct cat_reader *state = reader->state;
    uint32_t rows = 0;

    state->status = fill_rows(reader, &rows);
    pf_dcpi_locator_end(&state->locator, reader->dict);
    if (state->status != PF_OK)
        state->step = END;
    if (state->status == PF_EOF || !state->located) {
        check_totals(reader);
        state->step = state->status == PF_EOF ? END : DECLARE;
    }
    *batch = (struct pf_batch){.kind = PF_FLAT,
                               .rows = rows,
                               .location = state->locator.locations,
                               .values = state->given,
                               .value_count = (uint32_t)state->count};
    return PF_OK;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct cat_reader *state = reader->state;

    if (state->step != DECLARE && pf_rows_give(&state->meta, batch))
        return PF_OK;
    if (state->step == RECORDS)
        return read_rows(reader, batch);
    if (state->step == END)
        return state->status;
    if (!state->located) {
        int status = read_head(reader);

        if (status != PF_OK)
            return status;
    }
    state->step = RECORDS;
    *batch = (struct pf_batch){
        .kind = PF_FLAT, .values = state->given, .value_count = (uint32_t)state->count};
    return PF_OK;
}

const struct pf_format pf_format_dcpicat = {
    .name = "dcpicat",
    .about = "the text dcpicat prints of DCPI profiles",
    .suffixes = ".dcpicat",
    .losses = "all but counts by address of images with identifiers: functions, files, lines, "
              "labels; of DCPI's header the "
              "processor's lines, what is unknown but labels, and how chunks lie",
    .caps = PF_HOLDS_FLAT | PF_IS_TEXT,
    .merging = &pf_dcpi_merging,
    .bid = bid,
    .reader_size = sizeof(struct cat_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_dcpi_held),
    .open_writer = pf_dcpi_cat_open,
    .holds_label = pf_holds_no_label,
    .write = pf_dcpi_held_write,
    .finish = pf_dcpi_cat_finish,
    .close_writer = pf_dcpi_held_close,
};
