/* Profiles of gperftools: of the CPU (binary), of the heap, of contention (text); and of those that write the same: jemalloc, Go's
 * ?debug=1, Java. pprof calls them legacy. */
#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pf_bytes SYMBOLS = {"--- symbol\n", 11};

/* What google-pprof --raw writes: the names of addresses, then the profile. */
static bool has_symbols(struct pf_source *source)
{
    size_t have = 0;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);

    if (have == 0 || bytes[0] != '-')
        return false;
    bytes = pf_source_peek(source, SYMBOLS.size, &have);
    return have >= SYMBOLS.size && memcmp(bytes, SYMBOLS.data, SYMBOLS.size) == 0;
}

static int bid(struct pf_source *source, const char *path)
{
    int cpu = pf_gperftools_cpu_bid(source);

    (void)path;
    return cpu > 0 ? cpu : has_symbols(source) ? 80 : pf_gperftools_text_bid(source);
}

/* --- what the forms share --------------------------------------------------------------------------------- */

int pf_gperftools_measure(struct pf_reader *reader, struct pf_bytes name, const char *unit, enum pf_nature nature, bool main)
{
    struct pf_gperftools *state = reader->state;
    struct pf_value_column *column = &state->columns[state->measures];
    struct pf_measure measure =
        pf_measure_make_named(reader->dict, pf_dict_intern_text(reader->dict, name), unit, PF_SAMPLE,
                              strcmp(unit, "count") == 0 ? PF_COUNT : PF_SELF, nature);
    struct pf_unit_size size;

    measure.main = main;
    if (pf_unit_parse(pf_bytes_of(unit), PF_UNITS_TIME | PF_UNITS_FINE, &size) && strcmp(unit, size.base) != 0) {
        measure.raw_unit = measure.unit;
        measure.unit = pf_dict_intern_word(reader->dict, size.base);
        measure.num = size.num;
        measure.den = size.den;
    }
    *column = (struct pf_value_column){pf_dict_add_measure(reader->dict, measure), state->values[state->measures]};
    state->measures++;
    return column->measure == UINT32_MAX ? pf_error_nomem(&reader->error) : PF_OK;
}

bool pf_gperftools_meta(struct pf_reader *reader, const char *key, struct pf_bytes value)
{
    struct pf_gperftools *state = reader->state;

    return pf_metadata_add(&state->meta, reader->dict, "gperftools", pf_bytes_of(key), value);
}

bool pf_gperftools_meta_number(struct pf_reader *reader, const char *key, int64_t value)
{
    struct pf_gperftools *state = reader->state;

    return pf_metadata_add_number(&state->meta, reader->dict, "gperftools", key, value);
}

int pf_gperftools_bad_line(struct pf_reader *reader, uint64_t offset, struct pf_bytes line, const char *expected)
{
    return pf_error_at(&reader->error, PF_FAILED, offset, "expected %s, found '%s'", expected, pf_clip(line).text);
}

bool pf_gperftools_begins_maps(struct pf_bytes line)
{
    return pf_bytes_starts(line, PF_BYTES("MAPPED_LIBRARIES:")) || pf_bytes_starts(line, PF_BYTES("--- Memory map:"));
}

int pf_gperftools_read_maps(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes line;
    int status = PF_OK;

    while (status == PF_OK) {
        uint64_t offset = pf_source_offset(reader->source);

        status = pf_source_line(reader->source, &line, &reader->error);
        if (status == PF_OK)
            status = pf_gperftools_maps_line(&state->maps, reader->dict, line, offset, &reader->error);
    }
    return status;
}

uint32_t pf_gperftools_function(struct pf_dict *dict, struct pf_bytes name, struct pf_bytes file)
{
    struct pf_function function = {
        .name = pf_dict_intern_text(dict, name),
        .file = pf_dict_intern_text(dict, file),
    };

    return pf_dict_add_function(dict, &function);
}

struct pf_bytes pf_gperftools_file_line(struct pf_bytes place, int64_t *line)
{
    size_t colon = place.size;

    *line = 0;
    while (colon > 0 && place.data[colon - 1] != ':')
        colon--;
    if (colon > 1 && pf_parse_int((struct pf_bytes){place.data + colon, place.size - colon}, INT32_MIN, INT32_MAX, line))
        place.size = colon - 1;
    return place;
}

bool pf_gperftools_java_line(struct pf_reader *reader, struct pf_bytes line, bool *known)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes name = pf_bytes_trim(line), file = {NULL, 0};
    struct pf_gperftools_frame frame = {0};
    uint64_t number;

    *known = name.size > 2 && memcmp(name.data, "0x", 2) == 0 && pf_gperftools_hex(&name, &number) && name.size > 0 &&
             (*name.data == ' ' || *name.data == '\t') && name.size < PF_STRING_MAX;
    if (!*known)
        return true;
    name = pf_bytes_trim(name);
    for (size_t at = name.size; name.size > 0 && name.data[name.size - 1] == ')' && at-- > 1;) {
        if (name.data[at] != '(')
            continue;
        if (name.data[at - 1] == ' ') {
            file = pf_gperftools_file_line((struct pf_bytes){name.data + at + 1, name.size - at - 2}, &frame.line);
            name = pf_bytes_trim((struct pf_bytes){name.data, at});
        }
        break;
    }
    state->names.numbers = true;
    frame.function = pf_gperftools_function(reader->dict, name, file);
    return pf_gperftools_names_set(&state->names, number, &frame, 1);
}

/* --- names before the profile ------------------------------------------------------------------------------ */

/* 0xADDRESS FUNCTION, or 0xADDRESS OUTER--INLINED--INNERMOST. */
static bool symbol_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    uint64_t address;
    size_t count = 0, end;

    if (!pf_gperftools_hex(&line, &address))
        return true;
    line = pf_bytes_trim(line);
    if (line.size == 0 || line.size > PF_STRING_MAX)
        return true;
    for (end = line.size; end > 0;) {
        size_t start = end;

        while (start > 1 && !(line.data[start - 1] == '-' && line.data[start - 2] == '-'))
            start--;
        if (start <= 1)
            start = 0;
        if (!pf_grow(&state->frames, &state->frame_capacity, count + 1, sizeof *state->frames))
            return false;
        if (end > start)
            state->frames[count++] =
                (struct pf_gperftools_frame){pf_gperftools_function(reader->dict, (struct pf_bytes){line.data + start, end - start}, PF_BYTES("")), 0};
        end = start > 0 ? start - 2 : 0;
    }
    return count == 0 || pf_gperftools_names_set(&state->names, address, state->frames, count);
}

/* Up to the line that says what profile it is, that too. */
static int read_symbols(struct pf_reader *reader)
{
    struct pf_bytes line;
    bool ended = false, good = true;
    int status;

    pf_source_take(reader->source, SYMBOLS.size);
    while ((status = pf_source_line(reader->source, &line, &reader->error)) == PF_OK) {
        line = pf_bytes_trim(line);
        if (ended && line.size > 4 && memcmp(line.data, "--- ", 4) == 0)
            return PF_OK;
        if (pf_bytes_equal(line, PF_BYTES("---")))
            ended = true;
        else if (line.size > 7 && memcmp(line.data, "binary=", 7) == 0 && line.size < PF_STRING_MAX)
            good = pf_gperftools_meta(reader, "binary", (struct pf_bytes){line.data + 7, line.size - 7});
        else
            good = symbol_line(reader, line);
        if (!good)
            return pf_error_nomem(&reader->error);
    }
    if (status == PF_EOF)
        status = pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source), "the file ends before the profile that its symbols are of");
    return status;
}

static int read_all(struct pf_reader *reader)
{
    int status = has_symbols(reader->source) ? read_symbols(reader) : PF_OK;

    if (status != PF_OK)
        return status;
    return pf_gperftools_cpu_bid(reader->source) > 0 ? pf_gperftools_cpu_read(reader) : pf_gperftools_text_read(reader);
}

/* --- giving ----------------------------------------------------------------------------------------------- */

/* The addresses of a row, without what the profiler itself added. NULL: out of memory. */
static const uint64_t *row_addresses(struct pf_gperftools *state, size_t k, uint32_t *labels, size_t *depth)
{
    const char *bytes;
    size_t all;

    *labels = pf_gperftools_rows_stack(&state->rows, k, &bytes, &all);
    if (!pf_grow(&state->addresses, &state->address_capacity, all + 1, sizeof *state->addresses))
        return NULL;
    *depth = pf_gperftools_rows_strip(bytes, all, state->handlers, state->handler_count, state->addresses);
    if (state->twice && *depth >= 2 && !pf_gperftools_is_named(state->addresses[0]) &&
        state->addresses[0] == state->addresses[1] + 1) {
        memmove(state->addresses + 1, state->addresses + 2, (*depth - 2) * sizeof *state->addresses);
        --*depth;
    }
    return state->addresses;
}

static int row_stack(struct pf_reader *reader, size_t k, uint32_t *stack, uint32_t *labels)
{
    struct pf_gperftools *state = reader->state;
    size_t depth, count = 0, more;
    const uint64_t *addresses = row_addresses(state, k, labels, &depth);

    if (!addresses)
        return pf_error_nomem(&reader->error);
    for (size_t i = 0; i < depth; i++) {
        const uint32_t *locations = pf_gperftools_names_get(&state->names, reader->dict, &state->maps, addresses[i], &more);

        if (locations && more > PF_STACK_DEPTH_MAX - count)
            return pf_error_at(&reader->error, PF_FAILED, state->rows.rows[k].offset, "more than 1048575 frames, with those that are inlined");
        if (!locations || !pf_grow(&state->locations, &state->location_capacity, count + more, sizeof *state->locations))
            return pf_error_nomem(&reader->error);
        for (size_t j = 0; j < more; j++)
            state->locations[count++] = locations[j];
    }
    *stack = pf_stack_memo_intern(state->memo, reader->dict, state->locations, count);
    return PF_OK;
}

static bool give_rows(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_gperftools *state = reader->state;
    uint32_t rows = 0;

    for (; rows < PF_BATCH_ROWS && state->next < state->rows.count; rows++, state->next++) {
        int status = row_stack(reader, state->next, &state->stacks[rows], &state->labels[rows]);

        if (status != PF_OK) {
            state->status = status;
            state->rows.count = state->next;
            break;
        }
        for (size_t k = 0; k < state->measures; k++)
            state->values[k][rows] = state->rows.rows[state->next].values[k];
    }
    *batch = (struct pf_batch){
        .kind = PF_SAMPLE,
        .rows = rows,
        .stack = state->stacks,
        .labels = state->labels,
        .values = state->columns,
        .value_count = state->measures,
    };
    return rows > 0;
}

static bool give_meta(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_gperftools *state = reader->state;

    if (pf_metadata_give(&state->meta, batch))
        return true;
    state->step = give_rows;
    return give_rows(reader, batch);
}

static bool find_handlers(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    char text[32];

    while (state->interrupted && state->handler_count < PF_GPERFTOOLS_HANDLERS) {
        uint64_t address = pf_gperftools_rows_handler(&state->rows, state->handlers, state->handler_count, &reader->error);

        if (address == 0)
            break;
        state->handlers[state->handler_count++] = address;
        snprintf(text, sizeof text, "0x%" PRIx64, address);
        if (!pf_gperftools_meta(reader, "removed_frame", pf_bytes_of(text)))
            pf_error_nomem(&reader->error);
    }
    return reader->error.code != PF_NOMEM;
}

/* Reads it all, and declares the measures. */
static bool give_measures(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_gperftools *state = reader->state;

    state->status = read_all(reader);
    pf_gperftools_maps_end(&state->maps);
    state->step = give_meta;
    if (!find_handlers(reader))
        state->status = PF_NOMEM;
    if (state->status == PF_NOMEM || state->measures == 0)
        return false;
    *batch = (struct pf_batch){.kind = PF_SAMPLE, .values = state->columns, .value_count = state->measures};
    return true;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_gperftools *state = reader->state;

    return state->step(reader, batch) ? PF_OK : state->status;
}

static int open_reader(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    state->step = give_measures;
    state->memo = pf_stack_memo_new();
    if (!state->memo || pf_gperftools_rows_init(&state->rows) != PF_OK || pf_gperftools_names_init(&state->names) != PF_OK)
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    pf_stack_memo_free(state->memo);
    pf_gperftools_rows_free(&state->rows);
    pf_gperftools_maps_free(&state->maps);
    pf_gperftools_names_free(&state->names);
    pf_metadata_free(&state->meta);
    free(state->addresses);
    free(state->locations);
    free(state->frames);
}

static const struct pf_option options[] = {
    {"threads", "jemalloc: records of each thread, with a label thread, instead of those of all", "yes|no", true, false},
    {NULL, NULL, NULL, false, false},
};

const struct pf_format pf_format_gperftools = {
    .name = "gperftools",
    .about = "gperftools CPU, heap and contention profiles; jemalloc's heap; Go's ?debug=1 and 2 texts",
    .caps = PF_HOLDS_SAMPLE | PF_READS_TEXT,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct pf_gperftools),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
};
