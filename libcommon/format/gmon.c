/* gmon.out, which programs built with -pg write: a histogram of addresses, the calls between them, counts of basic blocks. */
#include "base/number.h"
#include "codec/format.h"
#include "model/metadata.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    HEADER = 20,
    TAG_HISTOGRAM = 0,
    TAG_ARC = 1,
    TAG_BLOCKS = 2,
    WINDOW = 64 * 1024, /* looked at to tell the size of a word */
    UNIT = 2,           /* bytes of a program that cannot be told apart: gprof's */
    UNITS_MAX = 16      /* in a bin that is shared out */
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

enum rest { REST_NOTHING, REST_BINS, REST_BLOCKS };

struct gmon_reader {
    struct layout layout;
    bool declared;
    int status;                 /* what follows the records given last */
    struct pf_metadata meta;

    enum rest rest;             /* of what record there is more */
    struct histogram histogram;
    uint64_t bin, left;         /* the next bin; blocks that are left */
    uint64_t unit;              /* of the bin at hand, the next to be given */
    uint64_t parts;             /* a whole count is so many raw units */

    struct pf_measure block_measure;
    struct pf_value_column time[2], calls, blocks;
    uint32_t from[PF_BATCH_ROWS], to[PF_BATCH_ROWS];
    int64_t values[PF_BATCH_ROWS], samples[PF_BATCH_ROWS];
};

/* --- bytes ------------------------------------------------------------------------------------------------ */

static uint64_t load(const unsigned char *bytes, unsigned size, bool big)
{
    uint64_t number = 0;

    for (unsigned k = 0; k < size; k++)
        number = number << 8 | bytes[big ? k : size - 1 - k];
    return number;
}

static size_t histogram_size(struct layout layout)
{
    return 2 * layout.word + 4 + 4 + 16;
}

static size_t arc_size(struct layout layout)
{
    return 2 * layout.word + 4;
}

/* The head of a histogram; false where it is none. */
static bool parse_histogram(const unsigned char *bytes, struct layout layout, struct histogram *found)
{
    const unsigned char *rest = bytes + 2 * layout.word;
    size_t size = 0;

    *found = (struct histogram){
        .low = load(bytes, layout.word, layout.big),
        .high = load(bytes + layout.word, layout.word, layout.big),
        .bins = load(rest, 4, layout.big),
        .rate = load(rest + 4, 4, layout.big),
    };
    memcpy(found->dimension, rest + 8, 15);
    while (found->dimension[size] >= ' ' && found->dimension[size] <= '~')
        size++;
    for (size_t k = size; k < 15; k++)
        if (found->dimension[k] != '\0')
            return false;
    return size > 0 && found->rate > 0 && found->high >= found->low && (found->bins == 0 || found->high > found->low);
}

/* Whether records of this layout follow each other as far as the bytes reach. */
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
        case TAG_ARC:
            at += 1 + arc_size(layout);
            break;
        case TAG_BLOCKS:
            if (left < 4)
                return !ended;
            at += 1 + 4 + 2 * layout.word * load(body, 4, layout.big);
            break;
        default:
            return false;
        }
    }
    return at == have || !ended;
}

static bool has_magic(const unsigned char *bytes, size_t have, bool *big)
{
    if (have < HEADER || memcmp(bytes, "gmon", 4) != 0)
        return false;
    *big = bytes[4] == 0;
    return load(bytes + 4, 4, *big) == 1;
}

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    bool big;

    (void)path;
    if (have == 0 || bytes[0] != 'g') /* no other producer is waited for */
        return 0;
    bytes = pf_source_peek(source, HEADER, &have);
    return has_magic(bytes, have, &big) ? 64 : have >= 4 && memcmp(bytes, "gmon", 4) == 0 ? 32 : 0;
}

/* --- opening ---------------------------------------------------------------------------------------------- */

static struct pf_measure new_measure(struct pf_dict *dict, const char *name, enum pf_kind kind, enum pf_nature nature)
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
            return pf_error_at(&reader->error, PF_UNSUPPORTED, 4, "gmon.out of version %" PRIu64 ", 1 is read", load(bytes + 4, 4, false));
        return pf_error_at(&reader->error, PF_FAILED, 0, "no header of gmon.out");
    }
    for (unsigned word = 8; word >= 4; word /= 2) {
        state->layout = (struct layout){word, big};
        if (walks(bytes, have, state->layout, ended))
            return PF_OK;
    }
    /* damaged, or cut: what comes first tells */
    struct histogram found;

    for (unsigned word = 8; word >= 4; word /= 2) {
        state->layout = (struct layout){word, big};
        if (have > HEADER && bytes[HEADER] == TAG_HISTOGRAM && have > HEADER + histogram_size(state->layout) &&
            parse_histogram(bytes + HEADER + 1, state->layout, &found))
            return PF_OK;
    }
    state->layout.word = 8;
    return PF_OK;
}

static int open_reader(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    int status = choose_layout(reader);
    struct pf_measure calls = new_measure(reader->dict, "calls", PF_EDGE, PF_EXACT);

    if (status != PF_OK)
        return status;
    state->block_measure = new_measure(reader->dict, "blocks", PF_FLAT, PF_EXACT);
    state->calls = (struct pf_value_column){pf_dict_add_measure(reader->dict, calls), state->values};
    if (state->layout.word == 4)
        reader->variant = state->layout.big ? "32 bits, big-endian" : "32 bits";
    else if (state->layout.big)
        reader->variant = "big-endian";
    pf_source_take(reader->source, HEADER);
    return pf_dict_status(reader->dict);
}

static void close_reader(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;

    pf_metadata_free(&state->meta);
}

/* --- records ---------------------------------------------------------------------------------------------- */

static int cut(struct pf_reader *reader, const char *what)
{
    if (pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source), "the file ends within %s", what);
}

static uint32_t place(struct pf_reader *reader, uint64_t address)
{
    return pf_dict_add_location(reader->dict, &(struct pf_location){.address = address});
}

/* Units of a bin: the fewest and, where the width is no whole number of them, one more. */
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

/* Time by address, in raw units of 1/(rate * parts) seconds, so that a bin can be shared out exactly. */
static int open_histogram(struct pf_reader *reader)
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
    state->time[0] = (struct pf_value_column){pf_dict_add_measure(reader->dict, measure), state->values};
    state->time[1] = (struct pf_value_column){pf_dict_add_measure(reader->dict, samples), state->samples};
    state->bin = state->unit = 0;
    state->rest = REST_BINS;
    return pf_metadata_add_number(&state->meta, reader->dict, "gmon", "rate", (int64_t)histogram->rate) &&
                   pf_metadata_add(&state->meta, reader->dict, "gmon", PF_BYTES("dimension"), pf_bytes_of(histogram->dimension))
               ? PF_OK
               : pf_error_nomem(&reader->error);
}

/* The unit of the program where a bin begins: as gprof has it, with its fraction cut. */
static uint64_t unit_at(const struct histogram *histogram, uint64_t bin)
{
    uint64_t units = (histogram->high - histogram->low) / UNIT;

    return histogram->low / UNIT + (uint64_t)((pf_uint128)units * bin / histogram->bins);
}

/* Each unit of a bin has the same part of its time, and of its samples as many as come next to that. A unit stands as its last byte: so a
 * function that begins at an odd address has all of its first one, as in gprof's tables. */
static int give_bins(struct pf_reader *reader, uint32_t *rows)
{
    struct gmon_reader *state = reader->state;
    const struct histogram *histogram = &state->histogram;
    uint64_t most;

    units_of(histogram, &most);
    for (; state->bin < histogram->bins; state->bin++, state->unit = 0) {
        size_t have;
        const unsigned char *bytes = pf_source_peek(reader->source, 2, &have);

        if (have < 2)
            return cut(reader, "a histogram");
        uint64_t count = load(bytes, 2, state->layout.big), low = unit_at(histogram, state->bin);
        uint64_t units = count == 0 ? 0 : most == 1 ? 1 : unit_at(histogram, state->bin + 1) - low;

        if (count > 0 && units == 0)
            units = 1;
        for (; state->unit < units; state->unit++, ++*rows) {
            if (*rows == PF_BATCH_ROWS)
                return PF_OK;
            state->from[*rows] = place(reader, (low + state->unit) * UNIT + UNIT - 1);
            state->values[*rows] = (int64_t)(count * state->parts / units);
            state->samples[*rows] = (int64_t)(count * (state->unit + 1) / units - count * state->unit / units);
        }
        pf_source_take(reader->source, 2);
    }
    state->rest = REST_NOTHING;
    return PF_OK;
}

static int give_blocks(struct pf_reader *reader, uint32_t *rows)
{
    struct gmon_reader *state = reader->state;
    size_t have, need = 2 * state->layout.word;

    for (; state->left > 0 && *rows < PF_BATCH_ROWS; state->left--) {
        const unsigned char *bytes = pf_source_peek(reader->source, need, &have);

        if (have < need)
            return cut(reader, "counts of basic blocks");
        uint64_t count = load(bytes + state->layout.word, state->layout.word, state->layout.big);

        if (count > INT64_MAX)
            return pf_error_at(&reader->error, PF_OVERFLOW, pf_source_offset(reader->source), "a count of %" PRIu64 " leaves 64 bits",
                               count);
        if (count > 0) {
            state->from[*rows] = place(reader, load(bytes, state->layout.word, state->layout.big));
            state->values[(*rows)++] = (int64_t)count;
        }
        pf_source_take(reader->source, need);
    }
    if (state->left == 0)
        state->rest = REST_NOTHING;
    return PF_OK;
}

static int give_arcs(struct pf_reader *reader, uint32_t *rows)
{
    struct gmon_reader *state = reader->state;
    size_t have, word = state->layout.word, need = 1 + arc_size(state->layout);

    while (*rows < PF_BATCH_ROWS) {
        const unsigned char *bytes = pf_source_peek(reader->source, need, &have);

        if (have == 0 || bytes[0] != TAG_ARC)
            return PF_OK;
        if (have < need)
            return cut(reader, "an arc");
        state->from[*rows] = place(reader, load(bytes + 1, (unsigned)word, state->layout.big));
        state->to[*rows] = place(reader, load(bytes + 1 + word, (unsigned)word, state->layout.big));
        state->values[(*rows)++] = (int64_t)load(bytes + 1 + 2 * word, 4, state->layout.big);
        pf_source_take(reader->source, need);
    }
    return PF_OK;
}

static int begin_histogram(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    size_t have, need = 1 + histogram_size(state->layout);
    const unsigned char *bytes = pf_source_peek(reader->source, need, &have);

    if (have < need)
        return cut(reader, "the head of a histogram");
    if (!parse_histogram(bytes + 1, state->layout, &state->histogram))
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "no histogram: expected addresses in order, a rate and a dimension");
    pf_source_take(reader->source, need);
    return open_histogram(reader);
}

static int begin_blocks(struct pf_reader *reader)
{
    struct gmon_reader *state = reader->state;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, 5, &have);

    if (have < 5)
        return cut(reader, "the head of basic blocks");
    state->left = load(bytes + 1, 4, state->layout.big);
    state->rest = REST_BLOCKS;
    state->blocks = (struct pf_value_column){pf_dict_add_measure(reader->dict, state->block_measure), state->values};
    pf_source_take(reader->source, 5);
    return PF_OK;
}

/* Up to the next records; the batch has those of one kind. */
static int fill(struct pf_reader *reader, struct pf_batch *batch)
{
    struct gmon_reader *state = reader->state;
    size_t have;
    int status = PF_OK;

    *batch = (struct pf_batch){.location = state->from};
    while (status == PF_OK && batch->rows == 0 && state->meta.count == 0) {
        if (state->rest == REST_BINS) {
            *batch = (struct pf_batch){.kind = PF_FLAT, .location = state->from, .values = state->time, .value_count = 2};
            status = give_bins(reader, &batch->rows);
            continue;
        }
        if (state->rest == REST_BLOCKS) {
            *batch = (struct pf_batch){.kind = PF_FLAT, .location = state->from, .values = &state->blocks, .value_count = 1};
            status = give_blocks(reader, &batch->rows);
            continue;
        }
        const unsigned char *bytes = pf_source_peek(reader->source, 1, &have);

        if (have == 0)
            return pf_source_status(reader->source, &reader->error) == PF_OK ? PF_EOF : reader->error.code;
        if (bytes[0] == TAG_HISTOGRAM) {
            status = begin_histogram(reader);
        } else if (bytes[0] == TAG_BLOCKS) {
            status = begin_blocks(reader);
        } else if (bytes[0] == TAG_ARC) {
            *batch = (struct pf_batch){
                .kind = PF_EDGE, .location = state->from, .callee = state->to, .values = &state->calls, .value_count = 1};
            status = give_arcs(reader, &batch->rows);
        } else {
            status = pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                                 "tag %u, expected 0 (histogram), 1 (arc) or 2 (basic blocks)", bytes[0]);
        }
    }
    return status;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct gmon_reader *state = reader->state;

    if (!state->declared) {
        state->declared = true;
        *batch = (struct pf_batch){.kind = PF_EDGE, .values = &state->calls, .value_count = 1};
        return PF_OK;
    }
    if (pf_metadata_give(&state->meta, batch))
        return PF_OK;
    if (state->status == PF_OK) {
        state->status = fill(reader, batch);
        if (pf_dict_status(reader->dict) != PF_OK)
            return pf_error_nomem(&reader->error);
        if (batch->rows > 0 || (state->status == PF_OK && state->meta.count == 0))
            return PF_OK;
        if (state->status == PF_OK && pf_metadata_give(&state->meta, batch))
            return PF_OK;
    }
    return state->status;
}

const struct pf_format pf_format_gmon = {
    .name = "gmon",
    .about = "gmon.out of programs built with -pg, for gprof",
    .caps = PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_STREAM,
    .bid = bid,
    .reader_size = sizeof(struct gmon_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
};
