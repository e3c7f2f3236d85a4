/* The profiles that are text: a line for each stack, its counts before an @ and its addresses behind it. */
#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "format/gperftools/gperftools.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 256 };

enum form { FORM_NONE, FORM_HEAP, FORM_JEMALLOC, FORM_COUNT, FORM_CONTENTION, FORM_JAVA_HEAP, FORM_THREADS, FORM_DUMP };

/* An address of the record that stands `times` in turn. */
struct run {
    uint64_t address;
    size_t at, times;
};

struct text {
    struct pf_reader *reader;
    struct pf_gperftools *state;
    enum form form;
    bool java, split;            /* jemalloc: threads apart */
    struct pf_gperftools_scale scale;
    struct pf_gperftools_clock clock;

    uint64_t offset;             /* of the line at hand */
    struct pf_bytes line;
    bool memstats;               /* further comments are Go's MemStats */
    int64_t expected, seen;      /* sum of the counts, as the head tells; -1: it does not */

    /* the record whose comments come next */
    bool pending, known;         /* jemalloc: a stack is there */
    uint64_t pending_offset;
    uint32_t labels;
    int64_t values[PF_GPERFTOOLS_VALUES];
    uint64_t *addresses;
    size_t depth, capacity;
    struct run *runs;
    size_t run_capacity;
    uint64_t *comments;          /* addresses */
    struct pf_gperftools_frame *frames; /* what they say of each */
    size_t comment_count, comment_capacity, frame_capacity;
    struct pf_buffer scratch;
};

/* --- lines ------------------------------------------------------------------------------------------------ */

/* Refuses the line at hand. */
static int expected(struct text *text, const char *what)
{
    return pf_gperftools_bad_line(text->reader, text->offset, text->line, what);
}

/* Numbers as a pattern has them: d is one, blanks may stand anywhere, all else is meant as it is. Taken from `text`. */
static bool take_numbers(struct pf_bytes *text, const char *pattern, int64_t *numbers)
{
    struct pf_bytes rest = *text;

    for (; *pattern; pattern++) {
        size_t size = 0;

        pf_scan_blanks(&rest);
        if (*pattern == 'd') {
            size += rest.size > 0 && *rest.data == '-';
            size += pf_scan_digits(pf_bytes_skip(rest, size));
            if (!pf_parse_int((struct pf_bytes){rest.data, size}, INT64_MIN, INT64_MAX, numbers++))
                return false;
        } else {
            if (rest.size == 0 || *rest.data != *pattern)
                return false;
            size = 1;
        }
        rest = pf_bytes_skip(rest, size);
    }
    *text = rest;
    return true;
}

/* The form that a first line tells; `rest`: of a count, its name. */
static enum form form_of(struct pf_bytes line, struct pf_bytes *rest)
{
    int64_t number;
    const char *found;

    *rest = line;
    if (pf_bytes_starts(line, PF_BYTES("heap profile:")))
        return FORM_HEAP;
    if (pf_bytes_starts(line, PF_BYTES("heap_v2/"))) {
        *rest = pf_bytes_skip(line, 8);
        return take_numbers(rest, "d", &number) && rest->size == 0 ? FORM_JEMALLOC : FORM_NONE;
    }
    if (pf_bytes_starts(line, PF_BYTES("--- mutex")) || pf_bytes_starts(line, PF_BYTES("--- contention")))
        return FORM_CONTENTION;
    if (pf_bytes_starts(line, PF_BYTES("--- heapz")))
        return FORM_JAVA_HEAP;
    if (pf_bytes_starts(line, PF_BYTES("--- threadz")) || pf_bytes_starts(line, PF_BYTES("--- Thread ")))
        return FORM_THREADS;
    if (pf_gperftools_dump_begins(line))
        return FORM_DUMP;
    found = pf_bytes_find(line, PF_BYTES(" profile: total "));
    if (!found || found == line.data)
        return FORM_NONE;
    *rest = pf_bytes_skip(line, (size_t)(found - line.data) + 16);
    if (!take_numbers(rest, "d", &number) || rest->size > 0)
        return FORM_NONE;
    *rest = (struct pf_bytes){line.data, (size_t)(found - line.data)};
    return FORM_COUNT;
}

/* The form of the bytes ahead. No more of a slow producer's bytes are waited for than can be ours. */
static enum form form_ahead(struct pf_source *source)
{
    size_t have = 0, want = 1;
    const unsigned char *bytes;
    const char *end = NULL;
    struct pf_bytes rest;

    do {
        bytes = pf_source_peek(source, want, &have);
        if (have == 0 || !pf_one_of((char)bytes[0], "h-\n\r abcdefgijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
            return FORM_NONE;
        end = memchr(bytes, '\n', have < HEAD ? have : HEAD);
        if (end || have >= HEAD || have < want)
            break;
        want = have + 1;
    } while (!memchr(bytes, '\0', have));
    rest = (struct pf_bytes){(const char *)bytes, end ? (size_t)(end - (const char *)bytes) : have < HEAD ? have : HEAD};
    return form_of(pf_bytes_trim(rest), &rest);
}

int pf_gperftools_text_bid(struct pf_source *source)
{
    return form_ahead(source) != FORM_NONE ? 80 : 0;
}

/* --- records ---------------------------------------------------------------------------------------------- */

/* Addresses up to the end of the line, added to those of the record. */
static int read_addresses(struct text *text, struct pf_bytes rest)
{
    uint64_t address;

    for (;;) {
        pf_scan_blanks(&rest);
        if (rest.size == 0 || *rest.data == '\r')
            return PF_OK;
        if (!pf_gperftools_hex(&rest, &address) || (rest.size > 0 && !pf_blank(*rest.data)))
            return expected(text, "addresses behind the @");
        if (text->depth == PF_STACK_DEPTH_MAX)
            return expected(text, "at most 1048575 addresses");
        if (!pf_grow(&text->addresses, &text->capacity, text->depth + 1, sizeof *text->addresses))
            return pf_error_nomem(&text->reader->error);
        text->addresses[text->depth++] = address;
    }
}

/* Callers are where they go on: one less is within the call. */
static void step_back(struct text *text)
{
    for (size_t k = 0; k < text->depth; k++)
        text->addresses[k] -= text->addresses[k] > 0;
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The first run of each address of the record, in the order of addresses. False: out of memory. */
static bool find_runs(struct text *text, size_t *count)
{
    size_t all = 0;

    *count = 0;
    if (!pf_grow(&text->runs, &text->run_capacity, text->depth + 1, sizeof *text->runs))
        return false;
    for (size_t at = 0; at < text->depth; at++) {
        if (at > 0 && text->addresses[at] == text->addresses[at - 1])
            text->runs[all - 1].times++;
        else
            text->runs[all++] = (struct run){text->addresses[at], at, 1};
    }
    qsort(text->runs, all, sizeof *text->runs, compare_runs);
    for (size_t k = 0; k < all; k++)
        if (k == 0 || text->runs[k].address != text->runs[*count - 1].address)
            text->runs[(*count)++] = text->runs[k];
    return true;
}

static int compare_address(const void *address, const void *run)
{
    uint64_t x = *(const uint64_t *)address, y = ((const struct run *)run)->address;

    return (x > y) - (x < y);
}

/* The names that comments gave to the addresses of the record: those of one address in turn are inlined into each other, unless the stack has it as
 * often. */
static int name_addresses(struct text *text)
{
    size_t runs;

    if (!find_runs(text, &runs))
        return pf_error_nomem(&text->reader->error);
    for (size_t from = 0, to; from < text->comment_count; from = to) {
        uint64_t address = text->comments[from];

        for (to = from; to < text->comment_count && text->comments[to] == address; to++)
            ;
        const struct run *run = bsearch(&address, text->runs, runs, sizeof *run, compare_address);
        size_t count = run && (to - from) % run->times == 0 ? (to - from) / run->times : 1;

        if (!pf_gperftools_names_set(&text->state->names, address, text->frames + from, count))
            return pf_error_nomem(&text->reader->error);
    }
    text->comment_count = 0;
    return PF_OK;
}

/* Adds the record whose lines are through. */
static int flush(struct text *text)
{
    struct pf_error *error = &text->reader->error;

    if (text->comment_count > 0 && name_addresses(text) != PF_OK)
        return error->code;
    if (!text->pending)
        return PF_OK;
    text->pending = false;
    return pf_gperftools_rows_add(&text->state->rows, text->labels, text->addresses, text->depth, text->values, text->pending_offset, error);
}

static void begin_record(struct text *text)
{
    text->pending = true;
    text->pending_offset = text->offset;
    text->labels = 0;
}

static uint32_t bytes_label(struct text *text, uint32_t labels, int64_t size)
{
    struct pf_dict *dict = text->reader->dict;
    uint32_t bytes = pf_dict_intern(dict, PF_BYTES("bytes"), 0);

    return pf_dict_add_number(dict, labels, bytes, size, bytes);
}

static void count_seen(struct text *text, int64_t count)
{
    if (text->expected >= 0 && !pf_add64(text->seen, count, &text->seen))
        text->expected = -1;
}

/* OBJECTS: BYTES [OBJECTS: BYTES], in use and ever allocated. */
static int heap_values(struct text *text, const int64_t numbers[4])
{
    int64_t size = 0;
    int status = pf_gperftools_heap_values(&text->scale, numbers, text->values, &size, text->offset, &text->reader->error);

    text->labels = bytes_label(text, text->labels, size);
    return status;
}

static int read_record(struct text *text, struct pf_bytes line)
{
    static const char *const PATTERNS[] = {
        [FORM_HEAP] = "d:d[d:d]@", [FORM_COUNT] = "d@", [FORM_CONTENTION] = "dd@", [FORM_JAVA_HEAP] = "dd@"};
    static const char *const EXPECTED[] = {[FORM_HEAP] = "'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES'",
                                           [FORM_COUNT] = "'COUNT @ ADDRESSES'",
                                           [FORM_CONTENTION] = "'DELAY COUNT @ ADDRESSES'",
                                           [FORM_JAVA_HEAP] = "'BYTES COUNT @ ADDRESSES'"};
    struct pf_error *error = &text->reader->error;
    int64_t numbers[4];
    int status = flush(text);

    if (status == PF_OK && !take_numbers(&line, PATTERNS[text->form], numbers))
        return expected(text, EXPECTED[text->form]);
    text->depth = 0;
    if (status == PF_OK)
        status = read_addresses(text, line);
    if (status != PF_OK)
        return status;
    begin_record(text);
    if (!text->java)
        step_back(text);
    switch (text->form) {
    case FORM_HEAP:
        status = heap_values(text, numbers);
        break;
    case FORM_JAVA_HEAP:
        status = heap_values(text, (const int64_t[4]){numbers[1], numbers[0], 0, 0});
        break;
    case FORM_CONTENTION:
        status = pf_gperftools_delay(&text->clock, numbers[0], numbers[1], text->values, text->offset, error);
        break;
    default:
        text->values[0] = numbers[0];
        count_seen(text, numbers[0]);
    }
    text->pending = status == PF_OK;
    return status;
}

/* --- comments --------------------------------------------------------------------------------------------- */

/* A string as Go quotes it, behind its first quote; what it means is put into `scratch`. */
static bool take_quoted(struct text *text, struct pf_bytes *rest, struct pf_bytes *meaning)
{
    static const char ESCAPES[] = "abfnrtv\\\"'", MEANT[] = "\a\b\f\n\r\t\v\\\"'";
    size_t from = text->scratch.size, at = 0;

    if (rest->size == 0 || *rest->data != '"')
        return false;
    for (at = 1; at < rest->size && rest->data[at] != '"'; at++) {
        const char *escape;

        if (rest->data[at] != '\\') {
            pf_buffer_byte(&text->scratch, (unsigned char)rest->data[at]);
            continue;
        }
        if (++at == rest->size)
            return false;
        escape = rest->data[at] ? strchr(ESCAPES, rest->data[at]) : NULL;
        if (escape) {
            pf_buffer_byte(&text->scratch, (unsigned char)MEANT[escape - ESCAPES]);
            continue;
        }
        size_t digits = rest->data[at] == 'x' ? 2 : rest->data[at] == 'u' ? 4 : rest->data[at] == 'U' ? 8 : 0;
        struct pf_bytes hex = {rest->data + at + 1, digits};
        uint64_t number;

        if (digits == 0 || rest->size - at <= digits || !pf_gperftools_hex(&hex, &number) || hex.size != 0 || number > 0x10ffff)
            return false;
        at += digits;
        if (digits == 2 || number < 0x80) {
            pf_buffer_byte(&text->scratch, (unsigned char)number);
        } else {
            unsigned extra = number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
            static const unsigned char LEAD[] = {0, 0xc0, 0xe0, 0xf0};

            pf_buffer_byte(&text->scratch, (unsigned char)(LEAD[extra] | number >> 6 * extra));
            while (extra-- > 0)
                pf_buffer_byte(&text->scratch, (unsigned char)(0x80 | (number >> 6 * extra & 0x3f)));
        }
    }
    if (at >= rest->size || text->scratch.failed)
        return false;
    *meaning = (struct pf_bytes){text->scratch.data ? text->scratch.data + from : "", text->scratch.size - from};
    *rest = pf_bytes_skip(*rest, at + 1);
    return true;
}

/* {"key":"value", "key":"value"} */
static int read_labels(struct text *text, struct pf_bytes rest)
{
    struct pf_dict *dict = text->reader->dict;
    struct pf_bytes part[2];
    uint32_t ids[2];

    if (rest.size < 2 || *rest.data != '{')
        return expected(text, "labels as {\"key\":\"value\", ...}");
    rest = pf_bytes_skip(rest, 1);
    while (rest.size > 0 && *rest.data != '}') {
        for (size_t k = 0; k < 2; k++) {
            text->scratch.size = 0;
            pf_scan_blanks(&rest);
            if (!take_quoted(text, &rest, &part[k]) || part[k].size > PF_STRING_MAX)
                return expected(text, "labels as {\"key\":\"value\", ...}");
            ids[k] = pf_dict_intern(dict, part[k], pf_utf8_valid(part[k]) ? PF_UTF8 : 0);
            if (rest.size > 0 && *rest.data == (k == 0 ? ':' : ','))
                rest = pf_bytes_skip(rest, 1);
        }
        text->labels = pf_dict_add_label(dict, text->labels, ids[0], ids[1]);
    }
    return PF_OK;
}

/* #<TAB>0xADDRESS<TAB>FUNCTION+0xOFFSET<TABS>FILE:LINE. False: something else. */
static bool parse_symbol(struct text *text, struct pf_bytes line, uint64_t *address, struct pf_gperftools_frame *frame)
{
    const char *tab;
    struct pf_bytes name;

    line = pf_bytes_skip(line, 1);
    pf_scan_blanks(&line);
    if (!pf_bytes_starts(line, PF_BYTES("0x")) || !pf_gperftools_hex(&line, address))
        return false;
    pf_scan_blanks(&line);
    name = line;
    tab = memchr(line.data, '\t', line.size);
    if (tab)
        name.size = (size_t)(tab - line.data);
    line = pf_bytes_trim(pf_bytes_skip(line, name.size));
    for (size_t at = name.size; at-- > 0;) {
        if (pf_bytes_starts(pf_bytes_skip(name, at), PF_BYTES("+0x"))) {
            name.size = at;
            break;
        }
    }
    name = pf_bytes_trim(name);
    if (name.size > PF_STRING_MAX || line.size > PF_STRING_MAX)
        return false;
    struct pf_bytes file = pf_gperftools_file_line(line, &frame->line);

    frame->function = name.size > 0 ? pf_gperftools_function(text->reader->dict, name, file) : 0;
    return true;
}

/* # KEY = VALUE, behind `# runtime.MemStats`; or a comment of no known form. */
static int keep_comment(struct text *text, struct pf_bytes line)
{
    struct pf_bytes rest = pf_bytes_trim(pf_bytes_skip(line, 1));
    const char *equals = pf_bytes_find(rest, PF_BYTES(" = "));
    bool good;

    if (rest.size == 0 || rest.size > PF_STRING_MAX)
        return PF_OK;
    if (pf_bytes_equal(rest, PF_BYTES("runtime.MemStats"))) {
        text->memstats = true;
        return PF_OK;
    }
    if (text->memstats && equals) {
        struct pf_bytes key = {rest.data, (size_t)(equals - rest.data)};

        good = pf_metadata_add(&text->state->meta, text->reader->dict, "gperftools.MemStats", key, pf_bytes_skip(rest, key.size + 3));
    } else {
        good = pf_gperftools_meta(text->reader, "comment", rest);
    }
    return good ? PF_OK : pf_error_nomem(&text->reader->error);
}

static int read_comment(struct text *text, struct pf_bytes line)
{
    struct pf_gperftools_frame frame = {0};
    uint64_t address;

    if (pf_bytes_starts(line, PF_BYTES("# labels: ")) && text->pending)
        return read_labels(text, pf_bytes_trim(pf_bytes_skip(line, 10)));
    if (!parse_symbol(text, line, &address, &frame))
        return keep_comment(text, line);
    if (frame.function == 0)
        return PF_OK;
    if (!pf_grow(&text->comments, &text->comment_capacity, text->comment_count + 1, sizeof *text->comments) ||
        !pf_grow(&text->frames, &text->frame_capacity, text->comment_count + 1, sizeof *text->frames))
        return pf_error_nomem(&text->reader->error);
    text->comments[text->comment_count] = address;
    text->frames[text->comment_count++] = frame;
    return PF_OK;
}

/* --- jemalloc --------------------------------------------------------------------------------------------- */

/* @ ADDRESSES, then a line for all threads and one for each: `  t*: OBJECTS: BYTES [OBJECTS: BYTES]`. */
static int read_jemalloc(struct text *text, struct pf_bytes line)
{
    int64_t numbers[4];
    struct pf_bytes thread = line, rest;
    int status;

    if (*line.data == '@') {
        text->depth = 0;
        status = read_addresses(text, pf_bytes_skip(line, 1));
        step_back(text);
        text->known = status == PF_OK;
        return status;
    }
    thread.size = 0;
    while (thread.size < line.size && thread.data[thread.size] != ':')
        thread.size++;
    rest = pf_bytes_skip(line, thread.size);
    if (*line.data != 't' || !take_numbers(&rest, ":d:d[d:d]", numbers) || pf_bytes_trim(rest).size > 0)
        return expected(text, "'@ ADDRESSES' or 'tTHREAD: OBJECTS: BYTES [OBJECTS: BYTES]'");
    if (!text->known)
        return pf_bytes_equal(thread, PF_BYTES("t*")) &&
                       !pf_gperftools_meta(text->reader, "total", pf_bytes_trim(pf_bytes_skip(line, thread.size + 1)))
                   ? pf_error_nomem(&text->reader->error)
                   : PF_OK;
    if (text->split == pf_bytes_equal(thread, PF_BYTES("t*")))
        return PF_OK;
    begin_record(text);
    if (text->split) {
        struct pf_dict *dict = text->reader->dict;

        text->labels = pf_dict_add_label(dict, 0, pf_dict_intern(dict, PF_BYTES("thread"), 0),
                                         pf_dict_intern_text(dict, thread));
    }
    status = heap_values(text, numbers);
    if (status != PF_OK)
        text->pending = false;
    return status == PF_OK ? flush(text) : status;
}

/* --- heads ------------------------------------------------------------------------------------------------ */

static int declare(struct text *text, const char *name, const char *unit, enum pf_nature nature, bool main)
{
    return pf_gperftools_measure(text->reader, pf_bytes_of(name), unit, nature, main);
}

static int declare_heap(struct text *text)
{
    enum pf_nature nature = text->scale.period > 1 ? PF_SAMPLED : PF_EXACT;
    static const char *const NAMES[2][4] = {{"objects", "space"}, {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}};
    size_t count = text->scale.both ? 4 : 2;
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < count; k++)
        status = declare(text, NAMES[text->scale.both][k], k % 2 ? "bytes" : "count", nature, k + 1 == count);
    if (status == PF_OK && (!pf_gperftools_meta(text->reader, "period_type", PF_BYTES("space/bytes")) ||
                            !pf_gperftools_meta_number(text->reader, "period", text->scale.period)))
        status = pf_error_nomem(&text->reader->error);
    return status;
}

static int read_heap_head(struct text *text, struct pf_bytes line)
{
    int64_t total[4];
    struct pf_bytes rest = pf_bytes_skip(line, 13), kind;
    struct pf_gperftools_scale *scale = &text->scale;
    const char *origin = NULL;

    if (!take_numbers(&rest, "d:d[d:d]@", total))
        return expected(text, "'heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ KIND/RATE'");
    pf_scan_blanks(&rest);
    kind = rest;
    if (!pf_gperftools_heap_kind(kind, scale))
        return pf_error_at(&text->reader->error, PF_UNSUPPORTED, text->offset,
                           "a heap profile of kind '%s'; read are heapprofile, heap, heap_v2, heapz_v2, growthz and fragmentationz",
                           pf_clip(kind).text);
    bool differs = (total[2] != total[0] && total[2] != 0) || (total[3] != total[1] && total[3] != 0);

    if (scale->go && !differs)
        origin = "alloc_* are what the file has in brackets, which its sum has equal to inuse_*";
    else if (scale->go)
        origin = "alloc_* are what the file has in brackets";
    scale->both = scale->go || (differs && !scale->objects);
    text->expected = total[0];
    text->reader->variant = scale->go ? "heap, Go" : "heap";
    if (!pf_gperftools_meta(text->reader, "heap profile", pf_bytes_trim(pf_bytes_skip(line, 13))) ||
        (origin && !pf_gperftools_meta(text->reader, "provenance", pf_bytes_of(origin))) ||
        (scale->period > 1 &&
         !pf_gperftools_meta(text->reader, "provenance", PF_BYTES("objects and bytes are scaled by 1/(1-exp(-bytes/objects/period))"))))
        return pf_error_nomem(&text->reader->error);
    return declare_heap(text);
}

static int read_jemalloc_head(struct text *text, struct pf_bytes line)
{
    const char *threads = pf_options_get(text->reader->options, "threads");

    if (!pf_parse_int(pf_bytes_skip(line, 8), 0, INT64_MAX, &text->scale.period))
        return expected(text, "heap_v2/PERIOD");
    text->split = threads && strcmp(threads, "no") != 0;
    text->scale.both = true;
    text->reader->variant = "heap, jemalloc";
    if (!pf_gperftools_meta(text->reader, "provenance", PF_BYTES("objects and bytes are scaled by 1/(1-exp(-bytes/objects/period))")))
        return pf_error_nomem(&text->reader->error);
    return declare_heap(text);
}

/* Lines NAME = VALUE before the records. */
static int read_attribute(struct text *text, struct pf_bytes line, const char *equals)
{
    struct pf_bytes key = pf_bytes_trim((struct pf_bytes){line.data, (size_t)(equals - line.data)});
    struct pf_bytes value = pf_bytes_trim(pf_bytes_skip(line, (size_t)(equals - line.data) + 1));
    char name[64];

    if (key.size == 0 || key.size >= sizeof name || value.size > PF_STRING_MAX)
        return expected(text, "NAME = VALUE");
    memcpy(name, key.data, key.size);
    name[key.size] = '\0';
    if (strcmp(name, "format") == 0) {
        text->java = pf_bytes_equal(value, PF_BYTES("java"));
        if (!text->java)
            return pf_error_at(&text->reader->error, PF_UNSUPPORTED, text->offset, "a format other than java");
    }
    if (strcmp(name, "resolution") == 0 && value.size < sizeof text->clock.resolution)
        memcpy(text->clock.resolution, value.data, value.size);
    if ((strcmp(name, "cycles/second") == 0 && !pf_parse_int(value, 0, INT64_MAX, &text->clock.frequency)) ||
        (strcmp(name, "sampling period") == 0 && !pf_parse_int(value, 0, INT64_MAX, &text->clock.period)))
        return expected(text, "a number behind the =");
    return pf_gperftools_meta(text->reader, name, value) ? PF_OK : pf_error_nomem(&text->reader->error);
}

/* The measures of contention and of Java's heap, when the attributes are through. */
static int end_attributes(struct text *text)
{
    struct pf_gperftools_clock *clock = &text->clock;
    enum pf_nature nature = clock->period > 1 ? PF_SAMPLED : PF_EXACT;
    int status;

    if (text->state->measures > 0)
        return PF_OK;
    if (text->form == FORM_JAVA_HEAP) {
        text->scale.period = PF_GPERFTOOLS_JAVA_PERIOD;
        text->reader->variant = "heap, Java";
        status = declare(text, "inuse_objects", "count", PF_SAMPLED, false);
        return status == PF_OK ? declare(text, "inuse_space", clock->resolution[0] ? clock->resolution : "bytes", PF_SAMPLED, true) : status;
    }
    text->reader->variant = text->java ? "contention, Java" : "contention";
    status = declare(text, "contentions", "count", nature, false);
    if (status == PF_OK)
        status = declare(text, "delay", text->java && clock->resolution[0] ? clock->resolution : clock->frequency > 0 ? "nanoseconds" : "cycles",
                         nature == PF_SAMPLED ? PF_SAMPLED : PF_TIMED, true);
    if (status == PF_OK && (!pf_gperftools_meta(text->reader, "period_type", PF_BYTES("contentions/count")) ||
                            !pf_gperftools_meta_number(text->reader, "period", clock->period)))
        status = pf_error_nomem(&text->reader->error);
    return status;
}

static int read_head(struct text *text, struct pf_bytes line)
{
    struct pf_bytes rest;
    int status = PF_OK;

    text->form = form_of(line, &rest);
    switch (text->form) {
    case FORM_HEAP:
        return read_heap_head(text, line);
    case FORM_JEMALLOC:
        return read_jemalloc_head(text, line);
    case FORM_COUNT:
        text->reader->variant = "counts, Go";
        status = pf_gperftools_measure(text->reader, rest, "count", PF_EXACT, true);
        rest = pf_bytes_skip(line, rest.size + 16);
        if (status == PF_OK && !pf_parse_int(rest, INT64_MIN, INT64_MAX, &text->expected))
            return expected(text, "NAME profile: total COUNT");
        return status == PF_OK && !pf_gperftools_meta(text->reader, "total", rest) ? pf_error_nomem(&text->reader->error) : status;
    case FORM_NONE:
        return expected(text, "the first line of a heap, contention or count profile");
    default:
        return PF_OK;
    }
}

/* --- all of it -------------------------------------------------------------------------------------------- */

static int read_body_line(struct text *text, struct pf_bytes line)
{
    bool attributes = text->form == FORM_CONTENTION || text->form == FORM_JAVA_HEAP, known = false;
    const char *equals = memchr(line.data, '=', line.size);
    int status = PF_OK;

    if (*line.data == '#')
        return read_comment(text, line);
    if (attributes && text->state->measures == 0 && equals && !memchr(line.data, '@', line.size))
        return read_attribute(text, line, equals);
    if (attributes)
        status = end_attributes(text);
    if (status == PF_OK && text->java) {
        if (!pf_gperftools_java_line(text->reader, line, &known))
            return pf_error_nomem(&text->reader->error);
        if (known)
            return PF_OK;
    }
    if (status != PF_OK)
        return status;
    return text->form == FORM_JEMALLOC ? read_jemalloc(text, line) : read_record(text, line);
}

static int read_lines(struct text *text)
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
            status = flush(text);
        } else if (head) {
            head = false;
            status = read_head(text, line);
        } else if (pf_gperftools_begins_maps(line)) {
            status = flush(text);
            if (status == PF_OK)
                status = pf_gperftools_read_maps(text->reader);
        } else {
            status = read_body_line(text, line);
        }
        if (status != PF_OK)
            break;
    }
    if (status == PF_EOF && head)
        return pf_error_at(&text->reader->error, PF_FAILED, 0, "no line of a profile");
    return status;
}

int pf_gperftools_text_read(struct pf_reader *reader)
{
    struct text text = {.reader = reader, .state = reader->state, .expected = -1, .clock = {.period = 1}};
    enum form form = form_ahead(reader->source);
    int status = form == FORM_DUMP      ? pf_gperftools_dump_read(reader)
                 : form == FORM_THREADS ? pf_gperftools_threads_read(reader)
                                        : read_lines(&text);

    if (status == PF_EOF && (text.form == FORM_CONTENTION || text.form == FORM_JAVA_HEAP) && end_attributes(&text) != PF_OK)
        status = reader->error.code;
    /* what is pending is whole; what went wrong stands in another line */
    if (status != PF_NOMEM && flush(&text) != PF_OK)
        status = reader->error.code;
    if (status == PF_EOF && text.form == FORM_COUNT && text.expected >= 0 && text.seen != text.expected)
        pf_report_send(&reader->report, PF_WARNING, "counts of %" PRId64 " where the first line tells %" PRId64 ": the file may be cut", text.seen,
                       text.expected);
    free(text.addresses);
    free(text.runs);
    free(text.comments);
    free(text.frames);
    pf_buffer_free(&text.scratch);
    return status;
}
