/* gmon.out, which programs built with -pg write: a histogram of addresses, the calls between them,
 * counts of basic blocks. gmon.md has the facts. */
#include "base/number.h"
#include "codec/text_reader.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    HEADER = 20,
    TAG_HISTOGRAM = 0,
    TAG_ARC = 1,
    TAG_BLOCKS = 2,
    WINDOW = 64 * 1024, /* bytes that show the size of a word */
    UNIT = 2,           /* bytes; gprof divides the program into such units (gmon.md, section 2) */
    UNITS_MAX = 16      /* most units of a bin whose count is divided among the units */
};

/* How the program that wrote the file stores numbers. */
struct layout {
    unsigned word;
    bool big;
};

struct histogram {
    uint64_t low, high, bins, rate;
    char dimension[16];
};

enum part { PART_NONE, PART_BINS, PART_BLOCKS, PART_ARCS };

struct gmon_reader {
    struct layout layout;

    enum part part; /* the part of the file that is being read */
    struct histogram histogram;
    uint64_t bin;    /* the next bin of the histogram */
    uint64_t blocks; /* blocks that are left */
    uint64_t parts;  /* raw units in a count of 1 */
    uint32_t calls;  /* the measure of arcs */
};

/* --- bytes ------------------------------------------------------------------------------------ */

static size_t histogram_size(struct layout layout)
{
    return 2 * layout.word + 4 + 4 + 16;
}

static size_t arc_size(struct layout layout)
{
    return 2 * layout.word + 4;
}

/* Parses the head of a histogram. False: not a histogram. */
static bool parse_histogram(const unsigned char *bytes, struct layout layout,
                            struct histogram *found)
{
    const unsigned char *rest = bytes + 2 * layout.word;
    size_t size = 0;

    *found = (struct histogram){
        .low = pf_load_number(bytes, layout.word, layout.big),
        .high = pf_load_number(bytes + layout.word, layout.word, layout.big),
        .bins = pf_load_number(rest, 4, layout.big),
        .rate = pf_load_number(rest + 4, 4, layout.big),
    };
    memcpy(found->dimension, rest + 8, 15);
    while (found->dimension[size] >= ' ' && found->dimension[size] <= '~')
        size++;
    for (size_t k = size; k < 15; k++)
        if (found->dimension[k] != '\0')
            return false;
    return size > 0 && found->rate > 0 && found->high >= found->low &&
           (found->bins == 0 || found->high > found->low);
}

/* True if records of this layout follow each other as far as the bytes reach. */
static bool walks(const unsigned char *bytes, size_t have, struct layout layout, bool ended)
{
    uint64_t at = HEADER;
    struct histogram found;

    while (at < have) {
        size_t left = have - (size_t)at - 1;
        const unsigned char *body = bytes + at + 1;

        switch (bytes[at]) {
        case TAG_HISTOGRAM:
            if (left < histogram_size(layout))
                return !ended;
            if (!parse_histogram(body, layout, &found))
                return false;
            at += 1 + histogram_size(layout) + 2 * found.bins;
            break;
        case TAG_ARC: at += 1 + arc_size(layout); break;
        case TAG_BLOCKS:
            if (left < 4)
                return !ended;
            at += 1 + 4 + 2 * layout.word * pf_load_number(body, 4, layout.big);
            break;
        default: return false;
        }
    }
    return at == have || !ended;
}

static bool has_magic(const unsigned char *bytes, size_t have, bool *big)
{
    if (have < HEADER || memcmp(bytes, "gmon", 4) != 0)
        return false;
    *big = bytes[4] == 0;
    return pf_load_number(bytes + 4, 4, *big) == 1;
}

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    bool big;

    (void)path;
    if (have == 0 || bytes[0] != 'g') /* do not wait for more bytes of another format */
        return 0;
    bytes = pf_source_peek(source, HEADER, &have);
    return has_magic(bytes, have, &big) ? 64 : have >= 4 && memcmp(bytes, "gmon", 4) == 0 ? 32 : 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

static struct pf_measure new_measure(struct pf_dict *dict, const char *name, enum pf_kind kind,
                                     enum pf_nature nature)
{
    return pf_measure_make(dict, name, "count", kind, PF_COUNT, nature);
}

static int choose_layout(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, WINDOW, &have);
    bool ended = have < WINDOW, big = false;

    if (!has_magic(bytes, have, &big)) {
        if (pf_source_status(reader->source, &reader->error) != PF_OK)
            return reader->error.code;
        if (have >= HEADER && memcmp(bytes, "gmon", 4) == 0)
            return pf_error_at(&reader->error, PF_UNSUPPORTED, 4,
                               "gmon.out of version %" PRIu64 ", expected version 1",
                               pf_load_number(bytes + 4, 4, false));
        return pf_error_at(&reader->error, PF_FAILED, 0, "not the header of gmon.out");
    }
    for (unsigned word = 8; word >= 4; word /= 2) {
        state->layout = (struct layout){word, big};
        if (walks(bytes, have, state->layout, ended))
            return PF_OK;
    }
    /* damaged or cut: the first record decides */
    struct histogram found;

    for (unsigned word = 8; word >= 4; word /= 2) {
        state->layout = (struct layout){word, big};
        if (have > HEADER && bytes[HEADER] == TAG_HISTOGRAM &&
            have > HEADER + histogram_size(state->layout) &&
            parse_histogram(bytes + HEADER + 1, state->layout, &found))
            return PF_OK;
    }
    state->layout.word = 8;
    return PF_OK;
}

static void begin_calls(struct pf_reader *reader)
{
    const struct gmon_reader *state = reader->state;

    pf_rows_begin(&reader->rows, PF_EDGE);
    pf_rows_measure(&reader->rows, state->calls);
}

static int open_reader(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    int status = choose_layout(reader);
    struct pf_measure calls = new_measure(reader->dict, "calls", PF_EDGE, PF_EXACT);

    if (status != PF_OK)
        return status;
    state->calls = pf_dict_add_measure(reader->dict, calls);
    begin_calls(reader);
    pf_rows_declare(&reader->rows);
    if (state->layout.word == 4)
        reader->variant = state->layout.big ? "32 bits, big-endian" : "32 bits";
    else if (state->layout.big)
        reader->variant = "big-endian";
    pf_source_take(reader->source, HEADER);
    return pf_dict_status(reader->dict);
}

/* --- records ---------------------------------------------------------------------------------- */

static uint32_t place(struct pf_reader *reader, uint64_t address)
{
    return pf_dict_add_location(reader->dict, &(struct pf_location){.address = address});
}

/* The least number of units in a bin. *most: the greatest, one more if the width of bins is not a
 * whole number of units. */
static uint64_t units_of(const struct histogram *histogram, uint64_t *most)
{
    uint64_t units = (histogram->high - histogram->low) / UNIT;
    uint64_t fewest = histogram->bins ? units / histogram->bins : 1;

    *most = fewest + (histogram->bins && units % histogram->bins != 0);
    if (fewest == 0)
        fewest = 1;
    if (*most > UNITS_MAX || *most == 0)
        fewest = *most = 1;
    return fewest;
}

/* Begins the records of a histogram: time by address, in raw units of 1/(rate * parts) seconds, so
 * that the count of a bin can be divided exactly. */
static void open_histogram(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    struct histogram *histogram = &state->histogram;
    bool seconds = strcmp(histogram->dimension, "seconds") == 0;
    struct pf_measure measure = new_measure(reader->dict, "time", PF_FLAT, PF_SAMPLED);
    struct pf_measure samples = new_measure(reader->dict, "samples", PF_FLAT, PF_SAMPLED);
    uint64_t most, fewest = units_of(histogram, &most);
    char unit[32];

    state->parts = fewest / pf_gcd(fewest, most) * most;
    pf_measure_set_scale(&measure, seconds ? PF_SECOND : 1, histogram->rate * state->parts);
    measure.role = PF_SELF;
    measure.main = 1;
    snprintf(unit, sizeof unit, state->parts == 1 ? "tick" : "tick/%u", (unsigned)state->parts);
    measure.raw_unit = pf_dict_intern_word(reader->dict, unit);
    if (seconds) {
        measure.unit = pf_dict_intern(reader->dict, PF_BYTES("nanoseconds"), 0);
    } else {
        measure.name = pf_dict_intern_word(reader->dict, histogram->dimension);
        measure.unit = measure.name;
    }
    pf_rows_meta_number(&reader->rows, "gmon", "rate", (int64_t)histogram->rate);
    pf_rows_meta(&reader->rows, "gmon", PF_BYTES("dimension"), pf_bytes_of(histogram->dimension));
    pf_rows_begin(&reader->rows, PF_FLAT);
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, samples));
    state->bin = 0;
    state->part = PART_BINS;
}

/* The unit in which a bin begins, rounded down like in gprof. */
static uint64_t unit_at(const struct histogram *histogram, uint64_t bin)
{
    uint64_t units = (histogram->high - histogram->low) / UNIT;

    return histogram->low / UNIT + (uint64_t)((pf_uint128)units * bin / histogram->bins);
}

/* Divides the count of a bin: each unit gets the same time, and whole samples that come nearest to
 * the same number. The address of a unit is its last byte: so a function that begins at an odd
 * address gets its whole first unit, as in gprof's tables. */
static int read_bin(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    const struct histogram *histogram = &state->histogram;
    uint64_t most, count, low, units = 0;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, 2, &have);

    if (have < 2)
        return pf_source_cut(reader->source, "a histogram", &reader->error);
    units_of(histogram, &most);
    count = pf_load_number(bytes, 2, state->layout.big);
    low = unit_at(histogram, state->bin);
    if (count > 0)
        units = most == 1 ? 1 : unit_at(histogram, state->bin + 1) - low;
    if (count > 0 && units == 0)
        units = 1;
    for (uint64_t unit = 0; unit < units; unit++) {
        pf_rows_flat(&reader->rows, place(reader, (low + unit) * UNIT + UNIT - 1), 0);
        pf_rows_set(&reader->rows, 0, (int64_t)(count * state->parts / units));
        pf_rows_set(&reader->rows, 1, (int64_t)(count * (unit + 1) / units - count * unit / units));
    }
    pf_source_take(reader->source, 2);
    state->bin++;
    return PF_OK;
}

static int read_block(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    unsigned word = state->layout.word;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, 2 * word, &have);
    uint64_t count;

    if (have < 2 * word)
        return pf_source_cut(reader->source, "counts of basic blocks", &reader->error);
    count = pf_load_number(bytes + word, word, state->layout.big);
    if (count > INT64_MAX)
        return pf_error_at(&reader->error, PF_OVERFLOW, pf_source_offset(reader->source),
                           "a count of %" PRIu64 " overflows 64 bits", count);
    if (count > 0) {
        pf_rows_flat(&reader->rows, place(reader, pf_load_number(bytes, word, state->layout.big)),
                     0);
        pf_rows_set(&reader->rows, 0, (int64_t)count);
    }
    pf_source_take(reader->source, 2 * word);
    state->blocks--;
    return PF_OK;
}

static int read_arc(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    unsigned word = state->layout.word;
    bool big = state->layout.big;
    size_t have, need = 1 + arc_size(state->layout);
    const unsigned char *bytes = pf_source_peek(reader->source, need, &have);
    uint32_t caller;

    if (have < need)
        return pf_source_cut(reader->source, "an arc", &reader->error);
    if (state->part != PART_ARCS)
        begin_calls(reader);
    state->part = PART_ARCS;
    caller = place(reader, pf_load_number(bytes + 1, word, big));
    pf_rows_edge(&reader->rows, caller, place(reader, pf_load_number(bytes + 1 + word, word, big)),
                 0);
    pf_rows_set(&reader->rows, 0, (int64_t)pf_load_number(bytes + 1 + 2 * word, 4, big));
    pf_source_take(reader->source, need);
    return PF_OK;
}

static int begin_histogram(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    size_t have, need = 1 + histogram_size(state->layout);
    const unsigned char *bytes = pf_source_peek(reader->source, need, &have);

    if (have < need)
        return pf_source_cut(reader->source, "the head of a histogram", &reader->error);
    if (!parse_histogram(bytes + 1, state->layout, &state->histogram))
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "bad histogram: expected addresses in order, a rate and a dimension");
    pf_source_take(reader->source, need);
    open_histogram(reader);
    return PF_OK;
}

static int begin_blocks(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    struct pf_measure measure = new_measure(reader->dict, "blocks", PF_FLAT, PF_EXACT);
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, 5, &have);

    if (have < 5)
        return pf_source_cut(reader->source, "the head of basic blocks", &reader->error);
    state->blocks = pf_load_number(bytes + 1, 4, state->layout.big);
    state->part = PART_BLOCKS;
    pf_rows_begin(&reader->rows, PF_FLAT);
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
    pf_source_take(reader->source, 5);
    return PF_OK;
}

static int read_part(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    const unsigned char *bytes;
    size_t have;

    if (state->part == PART_BINS && state->bin < state->histogram.bins)
        return read_bin(reader);
    if (state->part == PART_BLOCKS && state->blocks > 0)
        return read_block(reader);
    bytes = pf_source_peek(reader->source, 1, &have);
    if (have == 0)
        return pf_source_status(reader->source, &reader->error) == PF_OK ? PF_EOF
                                                                         : reader->error.code;
    switch (bytes[0]) {
    case TAG_HISTOGRAM: return begin_histogram(reader);
    case TAG_BLOCKS: return begin_blocks(reader);
    case TAG_ARC: return read_arc(reader);
    default:
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "tag %u, expected 0 (histogram), 1 (arc) or 2 (basic blocks)", bytes[0]);
    }
}

const struct pf_format pf_format_gmon = {
    .name = "gmon",
    .about = "gmon.out of programs built with -pg, for gprof",
    .caps = PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_STREAM,
    .bid = bid,
    .reader_size = sizeof(struct gmon_reader),
    .open_reader = open_reader,
    .step = read_part,
};
