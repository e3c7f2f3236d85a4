/* Texts of Go: comments that name addresses and labels in profiles of ?debug=1, and stacks of all
 * goroutines, as Go prints them for ?debug=2 and when a program panics:
 *     goroutine 7 [select, 5 minutes]:
 *     pkg.function(arguments)
 *     <TAB>file.go:12 +0x45
 *     created by pkg.function in goroutine 1
 * Each goroutine is a sample. */
#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/stacks.h"

#include <stdlib.h>
#include <string.h>

/* --- comments of ?debug=1 --------------------------------------------------------------------- */

/* Removes a quoted string of Go from the beginning of the text; *meaning, in `scratch`, is the
 * string without escapes. False: no such string. */
static bool scan_quoted(struct pf_gperftools_text *text, struct pf_bytes *rest,
                        struct pf_bytes *meaning)
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
        size_t digits = rest->data[at] == 'x'   ? 2
                        : rest->data[at] == 'u' ? 4
                        : rest->data[at] == 'U' ? 8
                                                : 0;
        struct pf_bytes hex = {rest->data + at + 1, digits};
        uint64_t number;

        if (digits == 0 || rest->size - at <= digits || !pf_gperftools_hex(&hex, &number) ||
            hex.size != 0 || number > 0x10ffff)
            return false;
        at += digits;
        if (digits == 2 || number < 0x80) {
            pf_buffer_byte(&text->scratch, (unsigned char)number);
        } else {
            unsigned extra = number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
            static const unsigned char LEAD[] = {0, 0xc0, 0xe0, 0xf0};

            pf_buffer_byte(&text->scratch, (unsigned char)(LEAD[extra] | number >> 6 * extra));
            while (extra-- > 0)
                pf_buffer_byte(&text->scratch,
                               (unsigned char)(0x80 | (number >> 6 * extra & 0x3f)));
        }
    }
    if (at >= rest->size || text->scratch.failed)
        return false;
    *meaning = (struct pf_bytes){text->scratch.data ? text->scratch.data + from : "",
                                 text->scratch.size - from};
    *rest = pf_bytes_skip(*rest, at + 1);
    return true;
}

/* Reads labels, {"key":"value", "key":"value"}. */
static int read_labels(struct pf_gperftools_text *text, struct pf_bytes rest)
{
    struct pf_dict *dict = text->reader->dict;
    struct pf_bytes part[2];
    uint32_t ids[2];

    if (rest.size < 2 || *rest.data != '{')
        return pf_gperftools_expected(text, "labels as {\"key\":\"value\", ...}");
    rest = pf_bytes_skip(rest, 1);
    while (rest.size > 0 && *rest.data != '}') {
        for (size_t k = 0; k < 2; k++) {
            text->scratch.size = 0;
            pf_scan_blanks(&rest);
            if (!scan_quoted(text, &rest, &part[k]) || part[k].size > PF_STRING_MAX)
                return pf_gperftools_expected(text, "labels as {\"key\":\"value\", ...}");
            ids[k] = pf_dict_intern(dict, part[k], pf_utf8_valid(part[k]) ? PF_UTF8 : 0);
            if (rest.size > 0 && *rest.data == (k == 0 ? ':' : ','))
                rest = pf_bytes_skip(rest, 1);
        }
        if (!pf_labels_add(&text->added, dict, ids[0], ids[1]))
            return pf_error_nomem(&text->reader->error);
    }
    return PF_OK;
}

/* Reads #<TAB>0xADDRESS<TAB>FUNCTION+0xOFFSET<TABS>FILE:LINE. False: another comment. */
static bool parse_symbol(struct pf_gperftools_text *text, struct pf_bytes line, uint64_t *address,
                         struct pf_gperftools_frame *frame)
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

/* Keeps a comment as metadata: `# KEY = VALUE` after `# runtime.MemStats`, or a comment of another
 * form. */
static int keep_comment(struct pf_gperftools_text *text, struct pf_bytes line)
{
    struct pf_bytes rest = pf_bytes_trim(pf_bytes_skip(line, 1));
    const char *equals = pf_bytes_find(rest, PF_BYTES(" = "));
    bool good = true;

    if (rest.size == 0 || rest.size > PF_STRING_MAX)
        return PF_OK;
    if (pf_bytes_equal(rest, PF_BYTES("runtime.MemStats"))) {
        text->memstats = true;
        return PF_OK;
    }
    if (text->memstats && equals) {
        struct pf_bytes key = {rest.data, (size_t)(equals - rest.data)};

        pf_rows_meta(&text->reader->rows, "gperftools.MemStats", key,
                     pf_bytes_skip(rest, key.size + 3));
    } else {
        good = pf_gperftools_meta(text->reader, "comment", rest);
    }
    return good ? PF_OK : pf_error_nomem(&text->reader->error);
}

int pf_gperftools_go_comment(struct pf_gperftools_text *text, struct pf_bytes line)
{
    struct pf_gperftools_frame frame = {0};
    uint64_t address;

    if (pf_bytes_starts(line, PF_BYTES("# labels: ")) && text->pending)
        return read_labels(text, pf_bytes_trim(pf_bytes_skip(line, 10)));
    if (!parse_symbol(text, line, &address, &frame))
        return keep_comment(text, line);
    if (frame.function == 0)
        return PF_OK;
    if (!pf_grow(&text->comments, &text->comment_capacity, text->comment_count + 1,
                 sizeof *text->comments) ||
        !pf_grow(&text->frames, &text->frame_capacity, text->comment_count + 1,
                 sizeof *text->frames))
        return pf_error_nomem(&text->reader->error);
    text->comments[text->comment_count] = address;
    text->frames[text->comment_count++] = frame;
    return PF_OK;
}

/* --- stacks of goroutines, ?debug=2 ----------------------------------------------------------- */

struct dump {
    struct pf_reader *reader;
    struct pf_gperftools *state;
    uint64_t offset; /* of the goroutine */
    bool open;
    uint32_t labels;
    struct pf_bytes name; /* of a frame whose file and line are in the next line; bytes of `text` */
    struct pf_buffer text;
    uint64_t *places; /* locations, leaf first */
    size_t depth, capacity;
};

/* Parses `goroutine N [STATE]`; *rest is the state. False: another line. */
static bool parse_head(struct pf_bytes line, struct pf_bytes *rest)
{
    struct pf_bytes before;
    size_t digits;

    if (!pf_scan_past(&line, PF_BYTES("goroutine ")))
        return false;
    digits = pf_scan_digits(line);
    line = pf_bytes_skip(line, digits);
    /* newer versions have gp=0x... m=... before the bracket */
    if (digits == 0 || !pf_scan_past(&line, PF_BYTES(" ")) || !pf_scan_field(&line, '[', &before))
        return false;
    while (line.size > 0 && line.data[line.size - 1] != ']')
        line.size--;
    if (line.size == 0)
        return false;
    *rest = (struct pf_bytes){line.data, line.size - 1};
    return true;
}

bool pf_gperftools_dump_begins(struct pf_bytes line)
{
    struct pf_bytes rest;

    return parse_head(line, &rest);
}

static void add_label(struct dump *dump, const char *key, struct pf_bytes value)
{
    struct pf_dict *dict = dump->reader->dict;

    dump->labels = pf_dict_add_label(dict, dump->labels, pf_dict_intern_word(dict, key),
                                     pf_dict_intern_text(dict, value));
}

/* Adds labels for a state, such as `select, 5 minutes, locked to thread`. */
static void read_state(struct dump *dump, struct pf_bytes rest)
{
    struct pf_dict *dict = dump->reader->dict;

    while (rest.size > 0) {
        const char *comma = memchr(rest.data, ',', rest.size);
        struct pf_bytes part = {rest.data, comma ? (size_t)(comma - rest.data) : rest.size};
        struct pf_bytes number = pf_bytes_trim(part);
        int64_t minutes;

        rest = pf_bytes_skip(rest, part.size + (comma != NULL));
        part = number;
        if (number.size > 8 && memcmp(number.data + number.size - 8, " minutes", 8) == 0)
            number.size -= 8;
        if (number.size < part.size && pf_parse_int(number, 0, INT64_MAX, &minutes)) {
            uint32_t key = pf_dict_intern(dict, PF_BYTES("minutes"), 0);

            dump->labels = pf_dict_add_number(dict, dump->labels, key, minutes, key);
        } else if (part.size > 0) {
            add_label(dump, "state", part);
        }
    }
}

static int add_frame(struct dump *dump, struct pf_bytes name, struct pf_bytes place)
{
    struct pf_dict *dict = dump->reader->dict;
    struct pf_gperftools_frame frame = {0};
    const char *offset = NULL;

    for (size_t k = 0; k + 3 <= place.size; k++)
        if (memcmp(place.data + k, " +0", 3) == 0)
            offset = place.data + k;
    if (offset)
        place.size = (size_t)(offset - place.data);
    place = pf_gperftools_file_line(pf_bytes_trim(place), &frame.line);
    frame.function = pf_gperftools_function(dict, name, place);
    struct pf_location location = {.function = frame.function, .line = frame.line};
    uint64_t number = pf_dict_add_location(dict, &location);

    if (dump->depth == PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(&dump->reader->error, dump->offset);
    if (!pf_gperftools_names_set(&dump->state->names, number, &frame, 1) ||
        !pf_grow(&dump->places, &dump->capacity, dump->depth + 1, sizeof *dump->places))
        return pf_error_nomem(&dump->reader->error);
    dump->places[dump->depth++] = number;
    return PF_OK;
}

/* Ends a frame. A line with no file and line below it was a comment. */
static int end_frame(struct dump *dump)
{
    struct pf_bytes name = dump->name;

    dump->name.size = 0;
    return name.size == 0 || pf_gperftools_meta(dump->reader, "comment", name)
               ? PF_OK
               : pf_error_nomem(&dump->reader->error);
}

static int end_goroutine(struct dump *dump)
{
    const int64_t values[PF_GPERFTOOLS_VALUES] = {1};
    int status = end_frame(dump);

    if (status != PF_OK || !dump->open)
        return status;
    dump->open = false;
    return pf_gperftools_rows_add(&dump->state->rows, dump->labels, dump->places, dump->depth,
                                  values, dump->offset, &dump->reader->error);
}

/* The name of a function without the arguments in brackets at the end. */
static struct pf_bytes function_name(struct pf_bytes line)
{
    size_t depth = 0;

    if (line.size == 0 || line.data[line.size - 1] != ')')
        return line;
    for (size_t at = line.size; at-- > 0;) {
        depth += line.data[at] == ')';
        depth -= line.data[at] == '(';
        if (depth == 0)
            return (struct pf_bytes){line.data, at};
    }
    return line;
}

static int read_line(struct dump *dump, struct pf_bytes line)
{
    struct pf_bytes rest, text = pf_bytes_trim(line);
    bool place = line.size > 0 && *line.data == '\t';
    int status = PF_OK;

    if (text.size == 0 || parse_head(text, &rest))
        status = end_goroutine(dump);
    if (status != PF_OK || text.size == 0)
        return status;
    if (parse_head(text, &rest)) {
        dump->open = true;
        dump->labels = 0;
        dump->depth = 0;
        read_state(dump, rest);
        return PF_OK;
    }
    if (!dump->open)
        return pf_gperftools_meta(dump->reader, "comment", text)
                   ? PF_OK
                   : pf_error_nomem(&dump->reader->error);
    if (place && dump->name.size > 0) {
        struct pf_bytes name = dump->name;

        dump->name.size = 0;
        return add_frame(dump, name, text);
    }
    status = place ? PF_OK : end_frame(dump);
    if (status != PF_OK || place || pf_bytes_starts(text, PF_BYTES("...")))
        return status;
    if (pf_bytes_starts(text, PF_BYTES("created by "))) {
        add_label(dump, "created by", pf_bytes_skip(text, 11));
        return PF_OK;
    }
    text = function_name(text);
    dump->text.size = 0;
    if (!pf_buffer_append(&dump->text, text.data, text.size))
        return pf_error_nomem(&dump->reader->error);
    dump->name = (struct pf_bytes){dump->text.data, text.size};
    return PF_OK;
}

int pf_gperftools_dump_read(struct pf_reader *reader)
{
    struct dump dump = {.reader = reader, .state = reader->state};
    struct pf_bytes line;
    int status = pf_gperftools_measure(reader, PF_BYTES("goroutine"), "count", PF_EXACT, true);

    reader->variant = "stacks, Go";
    dump.state->names.numbers = true;
    while (status == PF_OK) {
        if (!dump.open)
            dump.offset = pf_source_offset(reader->source);
        status = pf_source_line(reader->source, &line, &reader->error);
        if (status == PF_OK && line.size > PF_STRING_MAX)
            status =
                pf_error_at(&reader->error, PF_FAILED, dump.offset, "a line longer than 16 MiB");
        if (status == PF_OK)
            status = read_line(&dump, line);
    }
    if (status != PF_NOMEM && end_goroutine(&dump) != PF_OK)
        status = reader->error.code;
    free(dump.places);
    pf_buffer_free(&dump.text);
    return status;
}
