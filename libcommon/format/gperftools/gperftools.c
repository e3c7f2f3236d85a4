/* Profiles of gperftools (CPU, heap, contention, threads), jemalloc, Go's ?debug=1 and 2, and Java,
 * which pprof calls legacy profiles. Finds out which form an input has, and makes batches of its
 * records. */
#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 256, EVIDENCE = 80 };

/* --- which form an input has ------------------------------------------------------------------ */

/* The form of a text with this first line; *rest: for a count its name. */
static enum pf_gperftools_form form_of(struct pf_bytes line, struct pf_bytes *rest)
{
    int64_t number;
    const char *found;

    *rest = line;
    if (pf_bytes_starts(line, PF_BYTES("heap profile:")))
        return PF_GPERFTOOLS_HEAP;
    if (pf_bytes_starts(line, PF_BYTES("heap_v2/"))) {
        *rest = pf_bytes_skip(line, 8);
        return pf_gperftools_numbers(rest, "d", &number) && rest->size == 0 ? PF_GPERFTOOLS_JEMALLOC
                                                                            : PF_GPERFTOOLS_NONE;
    }
    if (pf_bytes_starts(line, PF_BYTES("--- mutex")) ||
        pf_bytes_starts(line, PF_BYTES("--- contention")))
        return PF_GPERFTOOLS_CONTENTION;
    if (pf_bytes_starts(line, PF_BYTES("--- heapz")))
        return PF_GPERFTOOLS_JAVA_HEAP;
    if (pf_bytes_starts(line, PF_BYTES("--- threadz")) ||
        pf_bytes_starts(line, PF_BYTES("--- Thread ")))
        return PF_GPERFTOOLS_THREADS;
    if (pf_gperftools_is_dump(line))
        return PF_GPERFTOOLS_DUMP;
    found = pf_bytes_find(line, PF_BYTES(" profile: total "));
    if (!found || found == line.data)
        return PF_GPERFTOOLS_NONE;
    *rest = pf_bytes_skip(line, (size_t)(found - line.data) + 16);
    if (!pf_gperftools_numbers(rest, "d", &number) || rest->size > 0)
        return PF_GPERFTOOLS_NONE;
    *rest = (struct pf_bytes){line.data, (size_t)(found - line.data)};
    return PF_GPERFTOOLS_COUNT;
}

static int judge(struct pf_bytes line, bool whole, void *field)
{
    struct pf_bytes rest;

    (void)whole;
    (void)field;
    if (line.size > 0 &&
        !pf_one_of(line.data[0], "h-\r abcdefgijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
        return PF_TEXT_OTHER;
    if (line.size > HEAD)
        line.size = HEAD;
    return form_of(pf_bytes_trim(line), &rest) != PF_GPERFTOOLS_NONE ? EVIDENCE | PF_TEXT_SURE
                                                                     : PF_TEXT_OTHER;
}

static const struct pf_bytes SYMBOLS = {"--- symbol\n", 11};

/* True for the output of google-pprof --raw: names of addresses, then the profile. */
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
    if (cpu > 0)
        return cpu;
    return has_symbols(source) ? EVIDENCE : pf_text_bid(source, judge, NULL);
}

/* --- the beginning of an input ---------------------------------------------------------------- */

static int read_first_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_bytes text = pf_bytes_trim(line), name;
    enum pf_gperftools_form form = form_of(text, &name);

    if (text.size == 0)
        return PF_OK;
    switch (form) {
    case PF_GPERFTOOLS_DUMP: return pf_gperftools_begin_dump(reader, line);
    case PF_GPERFTOOLS_THREADS: return pf_gperftools_begin_threads(reader, line);
    case PF_GPERFTOOLS_NONE:
        return pf_gperftools_expected(reader,
                                      "the first line of a heap, contention or count profile");
    default: return pf_gperftools_begin_text(reader, form, text, name);
    }
}

static int end_without_text(struct pf_reader *reader, int status)
{
    return status == PF_EOF
               ? pf_error_at(&reader->error, PF_FAILED, 0, "the input has no line of a profile")
               : PF_OK;
}

static int begin_profile(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    state->end = NULL;
    if (pf_gperftools_cpu_bid(reader->source) > 0)
        return pf_gperftools_cpu_read(reader);
    state->read_line = read_first_line;
    state->end = end_without_text;
    return PF_OK;
}

/* --- names before the profile ----------------------------------------------------------------- */

/* Reads 0xADDRESS FUNCTION, or 0xADDRESS OUTER--INLINED--INNERMOST. False: out of memory. */
static bool add_symbol(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    uint64_t address;
    size_t count = 0, end;

    if (!pf_gperftools_hex(&line, &address))
        return true;
    line = pf_bytes_trim(line);
    if (line.size > PF_STRING_MAX)
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
            state->frames[count++] = (struct pf_gperftools_frame){
                pf_gperftools_function(
                    reader->dict, (struct pf_bytes){line.data + start, end - start}, PF_BYTES("")),
                0};
        end = start > 0 ? start - 2 : 0;
    }
    if (count > 0)
        pf_gperftools_names_set(&state->names, address, state->frames, count);
    return true;
}

static int read_symbol(struct pf_reader *reader, struct pf_bytes line);

/* Reads a line after the line `---`, which ends the names; the next line `--- ...` begins the
 * profile. */
static int read_after_symbols(struct pf_reader *reader, struct pf_bytes line)
{
    line = pf_bytes_trim(line);
    return line.size > 4 && pf_bytes_starts(line, PF_BYTES("--- ")) ? begin_profile(reader)
                                                                    : read_symbol(reader, line);
}

static int read_symbol(struct pf_reader *reader, struct pf_bytes line)
{
    static const struct pf_bytes BINARY = {"binary=", 7};
    struct pf_gperftools *state = reader->state;

    line = pf_bytes_trim(line);
    if (pf_bytes_equal(line, PF_BYTES("---")))
        state->read_line = read_after_symbols;
    else if (pf_bytes_starts(line, BINARY) && line.size > BINARY.size && line.size < PF_STRING_MAX)
        pf_gperftools_meta(reader, "binary", pf_bytes_skip(line, BINARY.size));
    else if (!add_symbol(reader, line))
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

static int end_in_symbols(struct pf_reader *reader, int status)
{
    return status == PF_EOF
               ? pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                             "the file ends after the symbols, before the profile")
               : PF_OK;
}

static int begin_input(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    if (!has_symbols(reader->source))
        return begin_profile(reader);
    pf_source_take(reader->source, SYMBOLS.size);
    state->read_line = read_symbol;
    state->end = end_in_symbols;
    return PF_OK;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Reads the whole input, and declares the measures. */
static int read_input(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    int status = begin_input(reader);
    char text[32];

    while (status == PF_OK) {
        state->offset = pf_source_offset(reader->source);
        status = pf_source_line(reader->source, &state->line, &reader->error);
        if (status == PF_OK)
            status = state->read_line(reader, state->line);
    }
    if (status != PF_NOMEM && state->end && state->end(reader, status) != PF_OK)
        status = reader->error.code;
    pf_gperftools_maps_end(&state->maps);
    if (pf_gperftools_rows_find_handlers(&state->rows) != PF_OK ||
        state->names.addresses.status != PF_OK)
        status = pf_error_nomem(&reader->error);
    for (size_t k = 0; k < state->rows.handler_count; k++) {
        snprintf(text, sizeof text, "0x%" PRIx64, state->rows.handlers[k]);
        pf_gperftools_meta(reader, "removed_frame", pf_bytes_of(text));
    }
    if (pf_rows_column_count(&reader->rows) > 0)
        pf_rows_declare_ahead(&reader->rows);
    state->is_read = true;
    state->status = status;
    return status == PF_NOMEM ? status : PF_OK;
}

/* Makes row `k` a record. */
static int add_record(struct pf_reader *reader, size_t k)
{
    struct pf_gperftools *state = reader->state;
    const struct pf_gperftools_row *row = &state->rows.rows[k];
    size_t depth, count;
    uint32_t labels;
    const uint64_t *addresses = pf_gperftools_rows_get(&state->rows, k, &labels, &depth);
    int status = PF_OK;

    if (!addresses)
        return pf_error_nomem(&reader->error);
    for (size_t i = 0; i < depth; i++) {
        const uint32_t *locations = pf_gperftools_names_get(&state->names, reader->dict,
                                                            &state->maps, addresses[i], &count);

        if (!locations)
            return pf_error_nomem(&reader->error);
        for (size_t j = 0; j < count && status == PF_OK; j++)
            status = pf_rows_frame(&reader->rows, locations[j], &reader->error, row->offset);
        if (status != PF_OK)
            return status;
    }
    pf_rows_sample(&reader->rows, labels);
    pf_rows_set_values(&reader->rows, 0, row->values,
                       (uint32_t)pf_rows_column_count(&reader->rows));
    return PF_OK;
}

static int next_record(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    if (!state->is_read)
        return read_input(reader);
    if (state->next < state->rows.count)
        return add_record(reader, state->next++);
    return state->status == PF_OK ? PF_EOF : state->status;
}

static int open_reader(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    if (pf_gperftools_rows_init(&state->rows) != PF_OK ||
        pf_gperftools_names_init(&state->names) != PF_OK)
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    pf_gperftools_rows_free(&state->rows);
    pf_gperftools_maps_free(&state->maps);
    pf_gperftools_names_free(&state->names);
    pf_gperftools_text_free(&state->text);
    pf_buffer_free(&state->name);
    free(state->record.addresses);
    free(state->frames);
}

static const struct pf_option options[] = {
    {"threads", "jemalloc: records of each thread, with a label thread, instead of those of all",
     "yes|no", true, false},
    {NULL, NULL, NULL, false, false},
};

const struct pf_format pf_format_gperftools = {
    .name = "gperftools",
    .about =
        "gperftools CPU, heap and contention profiles; jemalloc's heap; Go's ?debug=1 and 2 texts",
    .caps = PF_HOLDS_SAMPLE | PF_READS_TEXT,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct pf_gperftools),
    .open_reader = open_reader,
    .step = next_record,
    .close_reader = close_reader,
};
