/* Texts with a line for each stack, with counts before an @ and addresses after the @: heaps of
 * gperftools, Go, Java and jemalloc, contention, and Go's counts. Comments of Go (?debug=1) follow
 * the line of their record. */
#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JAVA_PERIOD = 512 * 1024 };

/* An address that a record has `times` times in a row, from place `at` on. */
struct pf_gperftools_run {
    uint64_t address;
    size_t at, times;
};

void pf_gperftools_text_free(struct pf_gperftools_text *text)
{
    pf_labels_free(&text->added);
    free(text->comments);
    free(text->frames);
    free(text->runs);
    pf_buffer_free(&text->scratch);
}

static struct pf_gperftools_text *text_of(const struct pf_reader *reader)
{
    return &((struct pf_gperftools *)reader->state)->text;
}

/* --- the current record ----------------------------------------------------------------------- */

/* Adds the addresses in the rest of a line to the record. PF_OK, PF_FAILED or PF_NOMEM. */
static int read_addresses(struct pf_reader *reader, struct pf_bytes rest)
{
    struct pf_gperftools *state = reader->state;
    uint64_t address;
    int status = PF_OK;

    state->record.depth = 0;
    while (status == PF_OK) {
        pf_scan_blanks(&rest);
        if (rest.size == 0)
            return PF_OK;
        if (!pf_gperftools_hex(&rest, &address) || (rest.size > 0 && !pf_blank(*rest.data)))
            return pf_gperftools_expected(reader, "addresses after the @");
        status = pf_gperftools_push(reader, address);
    }
    return status;
}

/* Subtracts one from the addresses of callers, which are return addresses: the result lies within
 * the call. */
static void step_back(struct pf_gperftools_record *record)
{
    for (size_t k = 0; k < record->depth; k++)
        record->addresses[k] -= record->addresses[k] > 0;
}

static int compare_runs(const void *a, const void *b)
{
    const struct pf_gperftools_run *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Finds the first run of each address of the record, sorted by address. False: out of memory. */
static bool find_runs(struct pf_gperftools_text *text, const struct pf_gperftools_record *record,
                      size_t *count)
{
    size_t all = 0;

    *count = 0;
    if (!pf_grow(&text->runs, &text->run_capacity, record->depth + 1, sizeof *text->runs))
        return false;
    for (size_t at = 0; at < record->depth; at++) {
        if (at > 0 && record->addresses[at] == record->addresses[at - 1])
            text->runs[all - 1].times++;
        else
            text->runs[all++] = (struct pf_gperftools_run){record->addresses[at], at, 1};
    }
    qsort(text->runs, all, sizeof *text->runs, compare_runs);
    for (size_t k = 0; k < all; k++)
        if (k == 0 || text->runs[k].address != text->runs[*count - 1].address)
            text->runs[(*count)++] = text->runs[k];
    return true;
}

static int compare_address(const void *address, const void *run)
{
    uint64_t x = *(const uint64_t *)address, y = ((const struct pf_gperftools_run *)run)->address;

    return (x > y) - (x < y);
}

/* Gives addresses of the record the names that its comments say. Several comments for one address
 * are inlined calls, unless the stack has the address as often. False: out of memory. */
static bool name_addresses(struct pf_gperftools *state)
{
    struct pf_gperftools_text *text = &state->text;
    size_t runs;

    if (!find_runs(text, &state->record, &runs))
        return false;
    for (size_t from = 0, to; from < text->comment_count; from = to) {
        uint64_t address = text->comments[from];

        for (to = from; to < text->comment_count && text->comments[to] == address; to++)
            ;
        const struct pf_gperftools_run *run =
            bsearch(&address, text->runs, runs, sizeof *run, compare_address);
        size_t count = run && (to - from) % run->times == 0 ? (to - from) / run->times : 1;

        pf_gperftools_names_set(&state->names, address, text->frames + from, count);
    }
    text->comment_count = 0;
    return true;
}

/* Adds the current record, if there is one, and the names and labels that its comments give. */
static int end_record(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_record *record = &state->record;
    struct pf_labels *added = &state->text.added;

    if (state->text.comment_count > 0 && !name_addresses(state))
        return pf_error_nomem(&reader->error);
    if (record->open && added->count > 0) {
        record->open = false;
        if (!pf_labels_add_set(added, reader->dict, record->labels))
            return pf_error_nomem(&reader->error);
        if (pf_labels_take_checked(added, reader->dict, &record->labels, &reader->error,
                                   record->offset) != PF_OK)
            return reader->error.code;
        record->open = true;
    }
    return pf_gperftools_end_record(reader);
}

static void begin_record(struct pf_reader *reader)
{
    pf_gperftools_begin_record(reader);
    text_of(reader)->added.count = 0;
}

/* Adds the numbers of a record to the sums that check_totals compares. */
static void count_totals(struct pf_gperftools_text *text, const int64_t *numbers)
{
    for (unsigned k = 0; k < text->totals; k++)
        if (!pf_add64(text->seen[k], numbers[k], &text->seen[k]))
            text->totals = 0;
}

/* Rounds a number towards 0. The computation must be in double, as pprof's: another precision may
 * differ by one. False: over 64 bits. */
static bool to_whole(double number, int64_t *whole)
{
    if (!(number > -0x1p63 && number < 0x1p63))
        return false;
    *whole = (int64_t)number;
    return true;
}

/* --- heap profiles ---------------------------------------------------------------------------- */

/* Scales objects and bytes by 1/(1-exp(-bytes/objects/period)), cut to whole numbers. PF_FAILED:
 * bytes without objects; PF_OVERFLOW. */
static int unsample(struct pf_reader *reader, int64_t objects, int64_t bytes, int64_t *values)
{
    const struct pf_gperftools *state = reader->state;
    int64_t period = state->text.period;

    values[0] = objects;
    values[1] = bytes;
    if (objects == 0 && bytes != 0)
        return pf_error_at(&reader->error, PF_FAILED, state->offset,
                           "%" PRId64 " bytes in 0 objects", bytes);
    if (objects == 0 || period <= 1)
        return PF_OK;
    if (bytes == 0) {
        values[0] = 0;
        return PF_OK;
    }
    double scale = 1 / (1 - exp(-((double)bytes / (double)objects) / (double)period));

    if (!to_whole((double)objects * scale, &values[0]) ||
        !to_whole((double)bytes * scale, &values[1]))
        return pf_error_at(&reader->error, PF_OVERFLOW, state->offset,
                           "%" PRId64 " objects of %" PRId64
                           " bytes, sampled, overflow 64 bits when scaled",
                           objects, bytes);
    return PF_OK;
}

static int64_t block_size(int64_t objects, int64_t bytes)
{
    return objects == 0 || (objects == -1 && bytes == INT64_MIN) ? 0 : bytes / objects;
}

/* Sets values and labels of a record. `numbers`: objects and bytes in use, then those ever
 * allocated. */
static int set_heap_record(struct pf_reader *reader, const int64_t numbers[4])
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_record *record = &state->record;
    int64_t *values = record->values, size = 0;
    uint32_t bytes = pf_dict_intern(reader->dict, PF_BYTES("bytes"), 0);
    int status = PF_OK;

    if (state->text.both) {
        status = unsample(reader, numbers[2], numbers[3], values);
        size = block_size(numbers[2], numbers[3]);
        values += 2;
    }
    if (status == PF_OK)
        status = unsample(reader, numbers[0], numbers[1], values);
    if (numbers[0] != 0)
        size = block_size(numbers[0], numbers[1]);
    record->labels = pf_dict_add_number(reader->dict, record->labels, bytes, size, bytes);
    return status;
}

static void declare_heap(struct pf_reader *reader)
{
    static const char *const NAMES[2][4] = {
        {"objects", "space"}, {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}};
    const struct pf_gperftools_text *text = text_of(reader);
    size_t count = text->both ? 4 : 2;

    for (size_t k = 0; k < count; k++)
        pf_gperftools_measure(reader, pf_bytes_of(NAMES[text->both][k]), k % 2 ? "bytes" : "count",
                              text->period > 1 ? PF_SAMPLED : PF_EXACT, k + 1 == count);
    pf_gperftools_meta(reader, "period_type", PF_BYTES("space/bytes"));
    pf_gperftools_meta_number(reader, "period", text->period);
}

static void add_scaling_note(struct pf_reader *reader)
{
    pf_gperftools_meta(
        reader, "provenance",
        PF_BYTES("objects and bytes are scaled by 1/(1-exp(-bytes/objects/period))"));
}

/* Reads KIND/RATE of the first line, and sets the period. *go: Go's; *objects: only objects and
 * their space (growth, fragmentation). False: unknown. */
static bool read_heap_kind(struct pf_bytes kind, int64_t *period, bool *go, bool *objects)
{
    static const struct {
        const char *name;
        int64_t divisor; /* of the rate; 0: nothing was sampled */
        bool go, objects;
    } KINDS[] = {
        {"heapprofile", 0, false, false},   {"heap", 2, true, false},
        {"heap_v2", 1, false, false},       {"heapz_v2", 1, false, false},
        {"growthz", 0, false, true},        {"growth", 0, false, true},
        {"fragmentationz", 0, false, true}, {"fragmentation", 0, false, true},
    };
    struct pf_bytes name;
    int64_t rate = 0;

    if (pf_scan_field(&kind, '/', &name) && !pf_parse_int(kind, 0, INT64_MAX, &rate))
        return false;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        if (!pf_bytes_equal(name, pf_bytes_of(KINDS[k].name)))
            continue;
        *period = KINDS[k].divisor ? rate / KINDS[k].divisor : 1;
        *go = KINDS[k].go;
        *objects = KINDS[k].objects;
        return true;
    }
    return false;
}

static int read_heap_head(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools_text *text = text_of(reader);
    struct pf_bytes rest = pf_bytes_skip(line, 13);
    int64_t total[4];
    bool go, objects;

    if (!pf_gperftools_numbers(&rest, "d:d[d:d]@", total))
        return pf_gperftools_expected(
            reader, "'heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ KIND/RATE'");
    pf_scan_blanks(&rest);
    if (!read_heap_kind(rest, &text->period, &go, &objects))
        return pf_error_at(&reader->error, PF_UNSUPPORTED,
                           ((struct pf_gperftools *)reader->state)->offset,
                           "a heap profile of unknown kind '%s', expected heapprofile, heap, "
                           "heap_v2, heapz_v2, growthz or fragmentationz",
                           pf_clip(rest).text);
    bool differs = (total[2] != total[0] && total[2] != 0) ||
                   (total[3] != total[1] && total[3] != 0);

    text->both = go || (differs && !objects);
    text->totals = text->both && differs ? 4 : 2; /* Go may state twice what is in use */
    memcpy(text->expected, total, sizeof total);
    reader->variant = go ? "heap, Go" : "heap";
    pf_gperftools_meta(reader, "heap profile", pf_bytes_trim(pf_bytes_skip(line, 13)));
    if (go && differs)
        pf_gperftools_meta(reader, "provenance",
                           PF_BYTES("alloc_* are what the file has in brackets"));
    else if (go)
        pf_gperftools_meta(reader, "provenance",
                           PF_BYTES("alloc_* are what the file has in brackets, which its sum has "
                                    "equal to inuse_*"));
    if (text->period > 1)
        add_scaling_note(reader);
    declare_heap(reader);
    return PF_OK;
}

/* --- jemalloc --------------------------------------------------------------------------------- */

static int read_jemalloc_head(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools_text *text = text_of(reader);
    const char *threads = pf_options_get(reader->options, "threads");

    if (!pf_parse_int(pf_bytes_skip(line, 8), 0, INT64_MAX, &text->period))
        return pf_gperftools_expected(reader, "heap_v2/PERIOD");
    text->split = threads && strcmp(threads, "no") != 0;
    text->both = true;
    reader->variant = "heap, jemalloc";
    add_scaling_note(reader);
    declare_heap(reader);
    return PF_OK;
}

/* A record is `@ ADDRESSES`, then a line for all threads and a line for each: `  t*: OBJECTS: BYTES
 * [OBJECTS: BYTES]`. */
static int read_jemalloc_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_text *text = &state->text;
    struct pf_dict *dict = reader->dict;
    struct pf_bytes rest = line, thread;
    int64_t numbers[4];
    int status;

    if (*line.data == '@') {
        status = read_addresses(reader, pf_bytes_skip(line, 1));
        step_back(&state->record);
        text->known = status == PF_OK;
        return status;
    }
    if (*line.data != 't' || !pf_scan_field(&rest, ':', &thread) ||
        !pf_gperftools_numbers(&rest, "d:d[d:d]", numbers) || pf_bytes_trim(rest).size > 0)
        return pf_gperftools_expected(
            reader, "'@ ADDRESSES' or 'tTHREAD: OBJECTS: BYTES [OBJECTS: BYTES]'");
    bool all = pf_bytes_equal(thread, PF_BYTES("t*"));

    if (!text->known && all) {
        pf_gperftools_meta(reader, "total", pf_bytes_trim(pf_bytes_skip(line, thread.size + 1)));
        memcpy(text->expected, numbers, sizeof numbers);
        text->totals = 2; /* sums of what was allocated are not always kept */
    } else if (all) {
        count_totals(text, numbers);
    }
    if (!text->known || text->split == all)
        return PF_OK;
    begin_record(reader);
    if (text->split)
        state->record.labels = pf_dict_add_label(dict, 0,
                                                 pf_dict_intern(dict, PF_BYTES("thread"), 0),
                                                 pf_dict_intern_text(dict, thread));
    status = set_heap_record(reader, numbers);
    state->record.open = status == PF_OK;
    return status == PF_OK ? end_record(reader) : status;
}

/* --- contention, and the heap of Java --------------------------------------------------------- */

/* Sets contentions and their delay in nanoseconds: cycles * period / (frequency / 10^9), cut to a
 * whole number. PF_OK or PF_OVERFLOW. */
static int set_delay(struct pf_reader *reader, int64_t delay, int64_t count)
{
    struct pf_gperftools *state = reader->state;
    const struct pf_gperftools_clock *clock = &state->text.clock;
    int64_t *values = state->record.values;

    values[0] = count;
    values[1] = delay;
    if (clock->period == 0)
        return PF_OK;
    bool fits = pf_mul64(count, clock->period, &values[0]);

    if (clock->frequency > 0)
        fits = fits &&
               to_whole((double)delay * (double)clock->period / ((double)clock->frequency / 1e9),
                        &values[1]);
    else
        fits = fits && pf_mul64(delay, clock->period, &values[1]);
    if (!fits)
        return pf_error_at(&reader->error, PF_OVERFLOW, state->offset,
                           "%" PRId64 " contentions of %" PRId64 " cycles, one in %" PRId64
                           " counted, overflow 64 bits",
                           count, delay, clock->period);
    return PF_OK;
}

/* Reads a line NAME = VALUE before the records. */
static int read_attribute(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_clock *clock = &state->text.clock;
    struct pf_bytes value = line, key;

    pf_scan_field(&value, '=', &key);
    key = pf_bytes_trim(key);
    value = pf_bytes_trim(value);
    if (key.size == 0 || key.size >= 64 || value.size > PF_STRING_MAX)
        return pf_gperftools_expected(reader, "NAME = VALUE");
    if (pf_bytes_equal(key, PF_BYTES("format"))) {
        state->text.java = pf_bytes_equal(value, PF_BYTES("java"));
        if (!state->text.java)
            return pf_error_at(&reader->error, PF_UNSUPPORTED, state->offset,
                               "a contention profile of an unknown format, expected java");
    }
    if (pf_bytes_equal(key, PF_BYTES("resolution")) && value.size < sizeof clock->resolution)
        memcpy(clock->resolution, value.data, value.size);
    if ((pf_bytes_equal(key, PF_BYTES("cycles/second")) &&
         !pf_parse_int(value, 0, INT64_MAX, &clock->frequency)) ||
        (pf_bytes_equal(key, PF_BYTES("sampling period")) &&
         !pf_parse_int(value, 0, INT64_MAX, &clock->period)))
        return pf_gperftools_expected(reader, "a number after the =");
    pf_rows_meta(&reader->rows, "gperftools", key, value);
    return PF_OK;
}

/* Declares the measures, after the last attribute. */
static void end_attributes(struct pf_reader *reader)
{
    struct pf_gperftools_text *text = text_of(reader);
    const struct pf_gperftools_clock *clock = &text->clock;
    const char *unit = clock->resolution[0] ? clock->resolution : NULL;
    bool sampled = clock->period > 1;

    if (text->form == PF_GPERFTOOLS_JAVA_HEAP) {
        text->period = JAVA_PERIOD;
        reader->variant = "heap, Java";
        pf_gperftools_measure(reader, PF_BYTES("inuse_objects"), "count", PF_SAMPLED, false);
        pf_gperftools_measure(reader, PF_BYTES("inuse_space"), unit ? unit : "bytes", PF_SAMPLED,
                              true);
        return;
    }
    if (!text->java || !unit)
        unit = clock->frequency > 0 ? "nanoseconds" : "cycles";
    reader->variant = text->java ? "contention, Java" : "contention";
    pf_gperftools_measure(reader, PF_BYTES("contentions"), "count", sampled ? PF_SAMPLED : PF_EXACT,
                          false);
    pf_gperftools_measure(reader, PF_BYTES("delay"), unit, sampled ? PF_SAMPLED : PF_TIMED, true);
    pf_gperftools_meta(reader, "period_type", PF_BYTES("contentions/count"));
    pf_gperftools_meta_number(reader, "period", clock->period);
}

/* --- counts ----------------------------------------------------------------------------------- */

static int read_count_head(struct pf_reader *reader, struct pf_bytes line, struct pf_bytes name)
{
    struct pf_bytes total = pf_bytes_skip(line, name.size + 16);

    reader->variant = "counts, Go";
    pf_gperftools_measure(reader, name, "count", PF_EXACT, true);
    if (!pf_parse_int(total, INT64_MIN, INT64_MAX, &text_of(reader)->expected[0]))
        return pf_gperftools_expected(reader, "NAME profile: total COUNT");
    text_of(reader)->totals = text_of(reader)->expected[0] >= 0;
    pf_gperftools_meta(reader, "total", total);
    return PF_OK;
}

static void set_count(struct pf_reader *reader, int64_t count)
{
    struct pf_gperftools *state = reader->state;

    state->record.values[0] = count;
    count_totals(&state->text, &count);
}

/* --- comments of Go --------------------------------------------------------------------------- */

/* Appends what an escape sequence of Go means; `rest` begins after the backslash. Removes the
 * sequence. False: no such sequence. */
static bool scan_escape(struct pf_buffer *meaning, struct pf_bytes *rest)
{
    static const char ESCAPES[] = "abfnrtv\\\"'", MEANT[] = "\a\b\f\n\r\t\v\\\"'";
    unsigned char bytes[PF_UTF8_MAX];
    char kind = rest->size > 0 ? *rest->data : '\0';
    const char *escape = kind != '\0' ? strchr(ESCAPES, kind) : NULL;
    size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    struct pf_bytes hex = {rest->data + 1, digits};
    uint64_t number;

    if (escape) {
        pf_buffer_byte(meaning, (unsigned char)MEANT[escape - ESCAPES]);
    } else {
        if (digits == 0 || rest->size <= digits || !pf_gperftools_hex(&hex, &number) ||
            hex.size != 0 || number > 0x10ffff)
            return false;
        if (digits == 2)
            pf_buffer_byte(meaning, (unsigned char)number);
        else
            pf_buffer_append(meaning, bytes, pf_utf8_put((uint32_t)number, bytes));
    }
    *rest = pf_bytes_skip(*rest, 1 + digits);
    return true;
}

/* Removes a quoted string of Go from the beginning of the text; `meaning` becomes the string
 * without escapes. False: no such string. */
static bool scan_quoted(struct pf_buffer *meaning, struct pf_bytes *text)
{
    struct pf_bytes rest = *text;

    meaning->size = 0;
    if (!pf_scan_past(&rest, PF_BYTES("\"")))
        return false;
    while (rest.size > 0 && *rest.data != '"') {
        if (!pf_scan_past(&rest, PF_BYTES("\\"))) {
            pf_buffer_byte(meaning, (unsigned char)*rest.data);
            rest = pf_bytes_skip(rest, 1);
        } else if (!scan_escape(meaning, &rest)) {
            return false;
        }
    }
    *text = rest;
    return pf_scan_past(text, PF_BYTES("\"")) && !meaning->failed;
}

/* Reads labels, {"key":"value", "key":"value"}. */
static int read_labels(struct pf_reader *reader, struct pf_bytes rest)
{
    static const char expected[] = "labels as {\"key\":\"value\", ...}";
    struct pf_gperftools_text *text = text_of(reader);
    struct pf_buffer *part = &text->scratch;
    uint32_t ids[2];

    if (rest.size < 2 || !pf_scan_past(&rest, PF_BYTES("{")))
        return pf_gperftools_expected(reader, expected);
    while (rest.size > 0 && *rest.data != '}') {
        for (size_t k = 0; k < 2; k++) {
            pf_scan_blanks(&rest);
            if (!scan_quoted(part, &rest) || part->size > PF_STRING_MAX)
                return pf_gperftools_expected(reader, expected);
            ids[k] = pf_dict_intern_text(reader->dict, (struct pf_bytes){part->data, part->size});
            pf_scan_past(&rest, k == 0 ? PF_BYTES(":") : PF_BYTES(","));
        }
        if (!pf_labels_add(&text->added, reader->dict, ids[0], ids[1]))
            return pf_error_nomem(&reader->error);
    }
    return PF_OK;
}

/* Reads #<TAB>0xADDRESS<TAB>FUNCTION+0xOFFSET<TABS>FILE:LINE. False: another comment. */
static bool parse_symbol(struct pf_reader *reader, struct pf_bytes line, uint64_t *address,
                         struct pf_gperftools_frame *frame)
{
    struct pf_bytes name;

    line = pf_bytes_skip(line, 1);
    pf_scan_blanks(&line);
    if (!pf_bytes_starts(line, PF_BYTES("0x")) || !pf_gperftools_hex(&line, address))
        return false;
    pf_scan_blanks(&line);
    pf_scan_field(&line, '\t', &name);
    line = pf_bytes_trim(line);
    name = pf_gperftools_without_offset(name);
    if (name.size > PF_STRING_MAX || line.size > PF_STRING_MAX)
        return false;
    struct pf_bytes file = pf_gperftools_file_line(line, &frame->line);

    frame->function = name.size > 0 ? pf_gperftools_function(reader->dict, name, file) : 0;
    return true;
}

/* Keeps a comment as metadata: `# KEY = VALUE` after `# runtime.MemStats`, or a comment of another
 * form. */
static void keep_comment(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes rest = pf_bytes_trim(pf_bytes_skip(line, 1));
    const char *equals = pf_bytes_find(rest, PF_BYTES(" = "));

    if (rest.size == 0 || rest.size > PF_STRING_MAX)
        return;
    if (pf_bytes_equal(rest, PF_BYTES("runtime.MemStats"))) {
        state->text.memstats = true;
    } else if (state->text.memstats && equals) {
        struct pf_bytes key = {rest.data, (size_t)(equals - rest.data)};

        pf_rows_meta(&reader->rows, "gperftools.MemStats", key, pf_bytes_skip(rest, key.size + 3));
    } else {
        pf_gperftools_meta(reader, "comment", rest);
    }
}

/* Reads a comment: a name of an address, labels, or metadata. */
static int read_comment(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_text *text = &state->text;
    struct pf_gperftools_frame frame = {0};
    uint64_t address;

    if (state->record.open && pf_bytes_starts(line, PF_BYTES("# labels: ")))
        return read_labels(reader, pf_bytes_trim(pf_bytes_skip(line, 10)));
    if (!parse_symbol(reader, line, &address, &frame))
        keep_comment(reader, line);
    if (frame.function == 0)
        return PF_OK;
    if (!pf_grow(&text->comments, &text->comment_capacity, text->comment_count + 1,
                 sizeof *text->comments) ||
        !pf_grow(&text->frames, &text->frame_capacity, text->comment_count + 1,
                 sizeof *text->frames))
        return pf_error_nomem(&reader->error);
    text->comments[text->comment_count] = address;
    text->frames[text->comment_count++] = frame;
    return PF_OK;
}

/* --- lines ------------------------------------------------------------------------------------ */

static int read_record(struct pf_reader *reader, struct pf_bytes line)
{
    static const struct {
        const char *pattern, *expected;
    } SHAPES[] = {
        [PF_GPERFTOOLS_HEAP] = {"d:d[d:d]@", "'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES'"},
        [PF_GPERFTOOLS_COUNT] = {"d@", "'COUNT @ ADDRESSES'"},
        [PF_GPERFTOOLS_CONTENTION] = {"dd@", "'DELAY COUNT @ ADDRESSES'"},
        [PF_GPERFTOOLS_JAVA_HEAP] = {"dd@", "'BYTES COUNT @ ADDRESSES'"},
    };
    struct pf_gperftools *state = reader->state;
    enum pf_gperftools_form form = state->text.form;
    int64_t numbers[4];
    int status = end_record(reader);

    if (status == PF_OK && !pf_gperftools_numbers(&line, SHAPES[form].pattern, numbers))
        return pf_gperftools_expected(reader, SHAPES[form].expected);
    if (status == PF_OK)
        status = read_addresses(reader, line);
    if (status != PF_OK)
        return status;
    begin_record(reader);
    if (!state->text.java)
        step_back(&state->record);
    if (form == PF_GPERFTOOLS_HEAP) {
        count_totals(&state->text, numbers);
        status = set_heap_record(reader, numbers);
    } else if (form == PF_GPERFTOOLS_JAVA_HEAP)
        status = set_heap_record(reader, (const int64_t[4]){numbers[1], numbers[0], 0, 0});
    else if (form == PF_GPERFTOOLS_CONTENTION)
        status = set_delay(reader, numbers[0], numbers[1]);
    else
        set_count(reader, numbers[0]);
    state->record.open = status == PF_OK;
    return status;
}

/* True if attributes come before the records, and the measures depend on them. */
static bool has_attributes(const struct pf_gperftools_text *text)
{
    return text->form == PF_GPERFTOOLS_CONTENTION || text->form == PF_GPERFTOOLS_JAVA_HEAP;
}

static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    const struct pf_gperftools_text *text = &state->text;
    bool before = has_attributes(text) && pf_rows_column_count(&reader->rows) == 0;

    line = pf_bytes_trim(line);
    if (line.size == 0 || pf_gperftools_begin_maps(reader, line))
        return end_record(reader);
    if (*line.data == '#')
        return read_comment(reader, line);
    if (before && memchr(line.data, '=', line.size) && !memchr(line.data, '@', line.size))
        return read_attribute(reader, line);
    if (before)
        end_attributes(reader);
    if (text->java && pf_gperftools_java_line(reader, line))
        return PF_OK;
    return text->form == PF_GPERFTOOLS_JEMALLOC ? read_jemalloc_line(reader, line)
                                                : read_record(reader, line);
}

/* Warns if the records do not add up to the sums of the first lines. */
static void check_totals(struct pf_reader *reader)
{
    static const char *const NAMES[] = {"objects in use", "bytes in use", "objects allocated",
                                        "bytes allocated"};
    const struct pf_gperftools_text *text = text_of(reader);

    for (unsigned k = 0; k < text->totals && !reader->disputed; k++) {
        if (text->seen[k] == text->expected[k])
            continue;
        reader->disputed = true;
        pf_report_send(&reader->report, PF_WARNING,
                       "the %s sum to %" PRId64 ", the first lines say %" PRId64
                       ": the file may be cut",
                       text->form == PF_GPERFTOOLS_COUNT ? "counts" : NAMES[k], text->seen[k],
                       text->expected[k]);
    }
}

static int end_text(struct pf_reader *reader, int status)
{
    struct pf_gperftools *state = reader->state;
    const struct pf_gperftools_text *text = &state->text;

    if (status == PF_EOF && has_attributes(text) && pf_rows_column_count(&reader->rows) == 0)
        end_attributes(reader);
    /* the open record is complete: a failure is in another line */
    if (end_record(reader) != PF_OK)
        return reader->error.code;
    if (status == PF_EOF)
        check_totals(reader);
    return PF_OK;
}

int pf_gperftools_begin_text(struct pf_reader *reader, enum pf_gperftools_form form,
                             struct pf_bytes line, struct pf_bytes name)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_text *text = &state->text;

    state->read_line = read_line;
    state->end = end_text;
    text->form = form;
    text->clock.period = 1;
    switch (form) {
    case PF_GPERFTOOLS_HEAP: return read_heap_head(reader, line);
    case PF_GPERFTOOLS_JEMALLOC: return read_jemalloc_head(reader, line);
    case PF_GPERFTOOLS_COUNT: return read_count_head(reader, line, name);
    default: return PF_OK;
    }
}
