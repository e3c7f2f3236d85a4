/* Profiles of gperftools (CPU, heap, contention, threads), jemalloc, Go's ?debug=1 and 2, and Java,
 * which pprof calls legacy profiles. Finds out which form an input has, reads lines of counts and
 * addresses, and makes batches. */
#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"
#include "model/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 256 };

/* --- which text it is ------------------------------------------------------------------------- */

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
    if (pf_gperftools_dump_begins(line))
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

/* Bits of evidence: the first line decides the form. */
static int judge(struct pf_bytes line, bool whole, void *field)
{
    enum pf_gperftools_form *form = field;
    struct pf_bytes rest;

    (void)whole;
    if (line.size > 0 &&
        !pf_one_of(line.data[0], "h-\r abcdefgijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
        return PF_TEXT_OTHER;
    if (line.size > HEAD)
        line.size = HEAD;
    *form = form_of(pf_bytes_trim(line), &rest);
    return *form != PF_GPERFTOOLS_NONE ? 80 | PF_TEXT_SURE : PF_TEXT_OTHER;
}

/* The form of the first line. */
static enum pf_gperftools_form form_ahead(struct pf_source *source)
{
    enum pf_gperftools_form form = PF_GPERFTOOLS_NONE;

    return pf_text_bid(source, judge, &form) > 0 ? form : PF_GPERFTOOLS_NONE;
}

static int bid_text(struct pf_source *source)
{
    return form_ahead(source) != PF_GPERFTOOLS_NONE ? 80 : 0;
}

/* --- records ---------------------------------------------------------------------------------- */

static void count_seen(struct pf_gperftools_text *text, int64_t count)
{
    if (text->expected >= 0 && !pf_add64(text->seen, count, &text->seen))
        text->expected = -1;
}

static int read_record(struct pf_gperftools_text *text, struct pf_bytes line)
{
    static const char *const PATTERNS[] = {[PF_GPERFTOOLS_HEAP] = "d:d[d:d]@",
                                           [PF_GPERFTOOLS_COUNT] = "d@",
                                           [PF_GPERFTOOLS_CONTENTION] = "dd@",
                                           [PF_GPERFTOOLS_JAVA_HEAP] = "dd@"};
    static const char *const EXPECTED[] = {[PF_GPERFTOOLS_HEAP] =
                                               "'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES'",
                                           [PF_GPERFTOOLS_COUNT] = "'COUNT @ ADDRESSES'",
                                           [PF_GPERFTOOLS_CONTENTION] = "'DELAY COUNT @ ADDRESSES'",
                                           [PF_GPERFTOOLS_JAVA_HEAP] = "'BYTES COUNT @ ADDRESSES'"};
    struct pf_error *error = &text->reader->error;
    int64_t numbers[4];
    int status = pf_gperftools_end_record(text);

    if (status == PF_OK && !pf_gperftools_numbers(&line, PATTERNS[text->form], numbers))
        return pf_gperftools_expected(text, EXPECTED[text->form]);
    text->depth = 0;
    if (status == PF_OK)
        status = pf_gperftools_addresses(text, line);
    if (status != PF_OK)
        return status;
    pf_gperftools_begin_record(text);
    if (!text->java)
        pf_gperftools_step_back(text);
    switch (text->form) {
    case PF_GPERFTOOLS_HEAP: status = pf_gperftools_heap_record(text, numbers); break;
    case PF_GPERFTOOLS_JAVA_HEAP:
        status = pf_gperftools_heap_record(text, (const int64_t[4]){numbers[1], numbers[0], 0, 0});
        break;
    case PF_GPERFTOOLS_CONTENTION:
        status = pf_gperftools_delay(&text->clock, numbers[0], numbers[1], text->values,
                                     text->offset, error);
        break;
    default: text->values[0] = numbers[0]; count_seen(text, numbers[0]);
    }
    text->pending = status == PF_OK;
    return status;
}

/* --- heads ------------------------------------------------------------------------------------ */

static int read_head(struct pf_gperftools_text *text, struct pf_bytes line)
{
    struct pf_bytes rest;
    int status = PF_OK;

    text->form = form_of(line, &rest);
    switch (text->form) {
    case PF_GPERFTOOLS_HEAP: return pf_gperftools_heap_head(text, line);
    case PF_GPERFTOOLS_JEMALLOC: return pf_gperftools_jemalloc_head(text, line);
    case PF_GPERFTOOLS_COUNT:
        text->reader->variant = "counts, Go";
        status = pf_gperftools_measure(text->reader, rest, "count", PF_EXACT, true);
        rest = pf_bytes_skip(line, rest.size + 16);
        if (status == PF_OK && !pf_parse_int(rest, INT64_MIN, INT64_MAX, &text->expected))
            return pf_gperftools_expected(text, "NAME profile: total COUNT");
        return status == PF_OK && !pf_gperftools_meta(text->reader, "total", rest)
                   ? pf_error_nomem(&text->reader->error)
                   : status;
    case PF_GPERFTOOLS_NONE:
        return pf_gperftools_expected(text,
                                      "the first line of a heap, contention or count profile");
    default: return PF_OK;
    }
}

/* --- lines of a text -------------------------------------------------------------------------- */

static int read_body_line(struct pf_gperftools_text *text, struct pf_bytes line)
{
    bool attributes = text->form == PF_GPERFTOOLS_CONTENTION ||
                      text->form == PF_GPERFTOOLS_JAVA_HEAP,
         known = false;
    const char *equals = memchr(line.data, '=', line.size);
    int status = PF_OK;

    if (*line.data == '#')
        return pf_gperftools_go_comment(text, line);
    if (attributes && text->state->measures == 0 && equals && !memchr(line.data, '@', line.size))
        return pf_gperftools_attribute(text, line, equals);
    if (attributes)
        status = pf_gperftools_end_attributes(text);
    if (status == PF_OK && text->java) {
        if (!pf_gperftools_java_line(text->reader, line, &known))
            return pf_error_nomem(&text->reader->error);
        if (known)
            return PF_OK;
    }
    if (status != PF_OK)
        return status;
    return text->form == PF_GPERFTOOLS_JEMALLOC ? pf_gperftools_jemalloc_line(text, line)
                                                : read_record(text, line);
}

static int read_lines(struct pf_gperftools_text *text)
{
    struct pf_source *source = text->reader->source;
    bool head = true;
    int status;

    for (;;) {
        text->offset = pf_source_offset(source);
        status = pf_source_line(source, &text->line, &text->reader->error);
        if (status != PF_OK)
            break;
        struct pf_bytes line = pf_bytes_trim(text->line);

        if (line.size == 0) {
            status = pf_gperftools_end_record(text);
        } else if (head) {
            head = false;
            status = read_head(text, line);
        } else if (pf_gperftools_begins_maps(line)) {
            status = pf_gperftools_end_record(text);
            if (status == PF_OK)
                status = pf_gperftools_read_maps(text->reader);
        } else {
            status = read_body_line(text, line);
        }
        if (status != PF_OK)
            break;
    }
    if (status == PF_EOF && head)
        return pf_error_at(&text->reader->error, PF_FAILED, 0,
                           "the input has no line of a profile");
    return status;
}

static int read_text(struct pf_reader *reader)
{
    struct pf_gperftools_text text = {
        .reader = reader, .state = reader->state, .expected = -1, .clock = {.period = 1}};
    enum pf_gperftools_form form = form_ahead(reader->source);
    int status = form == PF_GPERFTOOLS_DUMP      ? pf_gperftools_dump_read(reader)
                 : form == PF_GPERFTOOLS_THREADS ? pf_gperftools_threads_read(reader)
                                                 : read_lines(&text);

    if (status == PF_EOF &&
        (text.form == PF_GPERFTOOLS_CONTENTION || text.form == PF_GPERFTOOLS_JAVA_HEAP) &&
        pf_gperftools_end_attributes(&text) != PF_OK)
        status = reader->error.code;
    /* the pending record is complete: the failure is in another line */
    if (status != PF_NOMEM && pf_gperftools_end_record(&text) != PF_OK)
        status = reader->error.code;
    if (status == PF_EOF && text.form == PF_GPERFTOOLS_COUNT && text.expected >= 0 &&
        text.seen != text.expected)
        pf_report_send(&reader->report, PF_WARNING,
                       "the counts sum to %" PRId64 ", the first line says %" PRId64
                       ": the file may be cut",
                       text.seen, text.expected);
    free(text.addresses);
    free(text.runs);
    free(text.comments);
    free(text.frames);
    pf_labels_free(&text.added);
    pf_buffer_free(&text.scratch);
    return status;
}

/* --- detection -------------------------------------------------------------------------------- */

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
    return cpu > 0 ? cpu : has_symbols(source) ? 80 : bid_text(source);
}

/* --- names before the profile ----------------------------------------------------------------- */

/* Reads 0xADDRESS FUNCTION, or 0xADDRESS OUTER--INLINED--INNERMOST. False: out of memory. */
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
            state->frames[count++] = (struct pf_gperftools_frame){
                pf_gperftools_function(
                    reader->dict, (struct pf_bytes){line.data + start, end - start}, PF_BYTES("")),
                0};
        end = start > 0 ? start - 2 : 0;
    }
    return count == 0 || pf_gperftools_names_set(&state->names, address, state->frames, count);
}

/* Reads the names of addresses, with the line that begins the profile. */
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
            good = pf_gperftools_meta(reader, "binary",
                                      (struct pf_bytes){line.data + 7, line.size - 7});
        else
            good = symbol_line(reader, line);
        if (!good)
            return pf_error_nomem(&reader->error);
    }
    if (status == PF_EOF)
        status = pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                             "the file ends after the symbols, before the profile");
    return status;
}

static int read_all(struct pf_reader *reader)
{
    int status = has_symbols(reader->source) ? read_symbols(reader) : PF_OK;

    if (status != PF_OK)
        return status;
    return pf_gperftools_cpu_bid(reader->source) > 0 ? pf_gperftools_cpu_read(reader)
                                                     : read_text(reader);
}

/* --- batches ---------------------------------------------------------------------------------- */

/* The addresses of a row, without frames of the profiler. NULL: out of memory. */
static const uint64_t *row_addresses(struct pf_gperftools *state, size_t k, uint32_t *labels,
                                     size_t *depth)
{
    const char *bytes;
    size_t all;

    *labels = pf_gperftools_rows_stack(&state->rows, k, &bytes, &all);
    if (!pf_grow(&state->addresses, &state->address_capacity, all + 1, sizeof *state->addresses))
        return NULL;
    *depth = pf_gperftools_rows_strip(bytes, all, state->handlers, state->handler_count,
                                      state->addresses);
    if (state->twice && *depth >= 2 && !pf_gperftools_is_named(state->addresses[0]) &&
        state->addresses[0] == state->addresses[1] + 1) {
        memmove(state->addresses + 1, state->addresses + 2,
                (*depth - 2) * sizeof *state->addresses);
        --*depth;
    }
    return state->addresses;
}

/* Makes row `k` a record. */
static int add_record(struct pf_reader *reader, size_t k)
{
    struct pf_gperftools *state = reader->state;
    size_t depth, count;
    uint32_t labels;
    const uint64_t *addresses = row_addresses(state, k, &labels, &depth);
    int status = PF_OK;

    if (!addresses)
        return pf_error_nomem(&reader->error);
    for (size_t i = 0; i < depth; i++) {
        const uint32_t *locations = pf_gperftools_names_get(&state->names, reader->dict,
                                                            &state->maps, addresses[i], &count);

        if (!locations)
            return pf_error_nomem(&reader->error);
        for (size_t j = 0; j < count && status == PF_OK; j++)
            status = pf_rows_frame(&reader->rows, locations[j], &reader->error,
                                   state->rows.rows[k].offset);
        if (status != PF_OK)
            return status;
    }
    pf_rows_sample(&reader->rows, labels);
    for (uint32_t i = 0; i < state->measures; i++)
        pf_rows_set(&reader->rows, i, state->rows.rows[k].values[i]);
    return PF_OK;
}

static bool find_handlers(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    char text[32];

    while (state->interrupted && state->handler_count < PF_GPERFTOOLS_HANDLERS) {
        uint64_t address = pf_gperftools_rows_handler(&state->rows, state->handlers,
                                                      state->handler_count, &reader->error);

        if (address == 0)
            break;
        state->handlers[state->handler_count++] = address;
        snprintf(text, sizeof text, "0x%" PRIx64, address);
        if (!pf_gperftools_meta(reader, "removed_frame", pf_bytes_of(text)))
            pf_error_nomem(&reader->error);
    }
    return reader->error.code != PF_NOMEM;
}

/* Reads the whole input, and declares the measures. */
static int read_input(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    state->is_read = true;
    state->status = read_all(reader);
    pf_gperftools_maps_end(&state->maps);
    if (!find_handlers(reader))
        state->status = PF_NOMEM;
    if (state->status == PF_NOMEM)
        return PF_NOMEM;
    if (state->measures > 0)
        pf_rows_declare_ahead(&reader->rows);
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
    free(state->addresses);
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
