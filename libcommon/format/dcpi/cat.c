#include "format/dcpi/dcpi.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "codec/text_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BITS = 8 };

/* --- evidence --------------------------------------------------------------------------------- */

static bool begins_head(struct pf_bytes line)
{
    return line.size > 4 && pf_bytes_starts(line, PF_BYTES("name")) && pf_blank(line.data[4]);
}

struct words {
    uint32_t seen;              /* the words of a head that begin lines, by bit */
    bool begun, named, decided; /* decided: text_start, text_size: no other format has them */
};

/* Waits for a slow producer only while the lines begin like a head. */
static int judge(struct pf_bytes line, bool whole, void *field)
{
    struct words *words = field;
    struct pf_bytes word;
    unsigned k;
    int bits;

    if (!whole)
        return 0;
    if (!words->begun)
        words->named = begins_head(line);
    words->begun = true;
    word = pf_scan_column(&line);
    bits = __builtin_popcount(words->seen) * LINE_BITS;
    if (word.size == 0 || line.size == 0 || memchr(word.data, '\0', word.size) || *word.data == '0')
        return words->decided ? bits | PF_TEXT_SURE : PF_TEXT_OTHER;
    k = pf_dcpi_cat_word(word);
    if (k < PF_DCPI_CAT_WORDS) {
        words->seen |= UINT32_C(1) << k;
        words->decided = words->decided || word.size > 8;
    }
    if (words->decided)
        return __builtin_popcount(words->seen) * LINE_BITS;
    return words->named ? PF_TEXT_MORE : 0;
}

static int bid(struct pf_source *source, const char *path)
{
    struct words words = {0};

    (void)path;
    return pf_text_bid(source, judge, &words);
}

/* --- reader ----------------------------------------------------------------------------------- */

struct cat_reader {
    struct pf_text_reader text;
    struct pf_dcpi_locator locator;
    uint64_t text_size;
    struct pf_bytes name, path, image; /* strings of the dictionary */
    unsigned seen;                     /* a bit for each word that a head has once */
    bool any;                          /* a line that is not empty was read */
    bool located;                      /* the head of a profile is complete */
    bool begun;                        /* a row was read; its address: */
    uint64_t last;

    struct column {
        struct pf_dcpi_cat_event event;
        uint32_t measure;
        pf_int128 total;
    } * columns;
    int64_t *counts; /* of a row, by column */
    size_t count, capacity, count_capacity;
};

static int bad_line(struct pf_reader *reader, const char *what)
{
    const struct cat_reader *state = reader->state;

    return pf_error_line(&reader->error, state->text.offset, state->text.number,
                         (struct pf_bytes){0}, what);
}

static bool is_row(struct pf_bytes line)
{
    return pf_bytes_starts(line, PF_BYTES("0x")) && line.size > 2;
}

/* --- the head --------------------------------------------------------------------------------- */

static int add_event(struct pf_reader *reader, struct pf_bytes value)
{
    struct cat_reader *state = reader->state;
    struct pf_dcpi_cat_event event;

    if (!pf_dcpi_cat_event_parse(value, &event))
        return bad_line(reader,
                        "expected an event TOTAL NAME:PERIOD:FRACTION with numbers of 64 bits");
    for (size_t k = 0; k < state->count; k++)
        if (pf_bytes_equal(state->columns[k].event.name, event.name))
            return bad_line(reader, "the event already has a column");
    if (!pf_grow(&state->columns, &state->capacity, state->count + 1, sizeof *state->columns) ||
        !pf_grow(&state->counts, &state->count_capacity, state->count + 1, sizeof *state->counts))
        return pf_error_nomem(&reader->error);
    struct pf_measure measure = pf_measure_make_named(reader->dict,
                                                      pf_dict_intern_text(reader->dict, event.name),
                                                      "count", PF_FLAT, PF_SELF, PF_SAMPLED);

    measure.period = event.events;
    measure.period_parts = event.events > 0 && event.parts > 1 ? event.parts : 0;
    event.name = pf_dict_string(reader->dict, measure.name);
    state->columns[state->count++] =
        (struct column){.event = event, .measure = pf_dict_add_measure(reader->dict, measure)};
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

static int read_head_line(struct pf_reader *reader, struct pf_bytes value)
{
    struct cat_reader *state = reader->state;
    struct pf_bytes word = pf_scan_column(&value), kept;
    int status = PF_OK;

    if (word.size == 0 || value.size == 0)
        return bad_line(reader, "expected a line of a word and a value in the head");
    if (!is_first(state, word))
        return bad_line(
            reader,
            "expected one line each of `name`, `image`, `text_start` and `text_size` in the head");
    pf_rows_meta(&reader->rows, "dcpicat", word, value);
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
        status = bad_line(reader, "expected a hexadecimal number 0x... as text_start");
    else if (pf_bytes_equal(word, PF_BYTES("text_size")) &&
             !pf_parse_address(value, &state->text_size))
        status = bad_line(reader, "expected a hexadecimal number 0x... as text_size");
    return status;
}

/* The head is complete: declares its events ahead of its lines. */
static int end_head(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;
    struct pf_rows *rows = &reader->rows;

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
    pf_rows_begin(rows, PF_FLAT);
    for (size_t k = 0; k < state->count; k++)
        pf_rows_measure(rows, state->columns[k].measure);
    pf_rows_declare_ahead(rows);
    state->located = true;
    return PF_OK;
}

static void begin_head(struct cat_reader *state)
{
    state->name = state->path = state->image = (struct pf_bytes){0};
    state->locator.start = state->text_size = 0;
    state->count = state->seen = 0;
    state->located = state->begun = false;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int read_row(struct pf_reader *reader, struct pf_bytes line)
{
    struct cat_reader *state = reader->state;
    struct pf_bytes token = pf_scan_column(&line);
    uint64_t address, count;

    if (!pf_parse_address(token, &address))
        return bad_line(reader, "expected an address 0x... at the start of the row");
    if (address < state->locator.start)
        return bad_line(reader, "the address lies before the start of the text");
    if (state->begun && address <= state->last)
        return bad_line(reader, "addresses are not in increasing order");
    for (size_t k = 0; k < state->count; k++) {
        token = pf_scan_column(&line);
        if (token.size == 0)
            return bad_line(reader, "the row has fewer counts than there are events");
        if (!pf_parse_digits(token, INT64_MAX, &count))
            return bad_line(reader, "a count is not a decimal number of 63 bits");
        state->counts[k] = (int64_t)count;
    }
    if (line.size > 0)
        return bad_line(reader, "the row has more counts than there are events");
    pf_rows_flat(
        &reader->rows,
        pf_dcpi_locator_find(&state->locator, reader->dict, address - state->locator.start), 0);
    pf_rows_set_values(&reader->rows, 0, state->counts, (uint32_t)state->count);
    for (size_t k = 0; k < state->count; k++)
        state->columns[k].total += state->counts[k];
    state->begun = true;
    state->last = address;
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
        if (column->total == column->event.total)
            continue;
        reader->disputed = true;
        pf_report_send(&reader->report, PF_WARNING,
                       "line %" PRIu64 ": the counts of '%s' sum to %s, the head says %" PRId64,
                       state->text.number, pf_clip(name).text, text, column->event.total);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

/* A profile ends where the next head begins, or at the end of the input. */
static int end_profile(struct pf_reader *reader)
{
    int status = PF_OK;

    if (!((struct cat_reader *)reader->state)->located)
        status = end_head(reader);
    if (status == PF_OK)
        check_totals(reader);
    return status;
}

static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct cat_reader *state = reader->state;
    int status = PF_OK;

    if (is_row(line)) {
        if (!state->located)
            status = end_head(reader);
        return status == PF_OK ? read_row(reader, line) : status;
    }
    if (pf_bytes_trim(line).size == 0)
        return PF_OK;
    state->any = true;
    /* a profile may have no rows: then a second name begins the next head */
    if (state->located || (state->count > 0 && begins_head(line))) {
        status = end_profile(reader);
        begin_head(state);
    }
    return status == PF_OK ? read_head_line(reader, line) : status;
}

static int end_input(struct pf_reader *reader, int status)
{
    struct cat_reader *state = reader->state;
    int ended;

    if (status != PF_EOF)
        return status;
    if (!state->any)
        return pf_error_at(&reader->error, PF_FAILED, 0, "the input is empty: expected a profile");
    ended = end_profile(reader);
    return ended == PF_OK ? status : ended;
}

static int open_reader(struct pf_reader *reader)
{
    pf_text_open(reader, read_line, end_input);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct cat_reader *state = reader->state;

    pf_dcpi_locator_free(&state->locator);
    free(state->columns);
    free(state->counts);
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    int status = pf_rows_read(reader, batch);

    pf_dcpi_locator_end(&((struct cat_reader *)reader->state)->locator, reader->dict);
    return status;
}

const struct pf_format pf_format_dcpicat = {
    .name = "dcpicat",
    .about = "the text that dcpicat prints for DCPI profiles",
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
