/* Austin's text: folded stacks of Python. A line begins with process and thread; frames have file
 * and line. Austin's binary form, MOJO, is not read. austin.md has the facts. */
#include "base/number.h"
#include "base/scan.h"
#include "codec/text_reader.h"
#include "model/units.h"

#include <inttypes.h>

enum { FIELDS = 3 };

/* --- lines ------------------------------------------------------------------------------------ */

/* A line `P<pid>;T<thread>[;frame]* NUMBER[,NUMBER,NUMBER]`. */
struct sample_line {
    struct pf_bytes process, thread, frames;
    int64_t fields[FIELDS];
    unsigned count;
};

static bool parse_fields(struct pf_bytes text, struct sample_line *line)
{
    for (line->count = 0; line->count < FIELDS; line->count++) {
        struct pf_bytes field;
        bool more = pf_scan_field(&text, ',', &field);

        if (!pf_parse_whole(field, INT64_MIN, INT64_MAX, &line->fields[line->count]))
            return false;
        if (!more)
            return ++line->count != 2;
    }
    return false;
}

static bool parse_line(struct pf_bytes text, struct sample_line *line)
{
    size_t at = text.size;
    int64_t pid;

    while (at > 0 && text.data[at - 1] != ' ')
        at--;
    if (at == 0 || !parse_fields(pf_bytes_skip(text, at), line))
        return false;
    text.size = at - 1;
    pf_scan_field(&text, ';', &line->process);
    pf_scan_field(&text, ';', &line->thread);
    line->frames = text;
    return pf_bytes_starts(line->process, PF_BYTES("P")) &&
           pf_bytes_starts(line->thread, PF_BYTES("T")) && line->thread.size > 1 &&
           pf_parse_whole(pf_bytes_skip(line->process, 1), INT64_MIN, INT64_MAX, &pid);
}

/* --- evidence --------------------------------------------------------------------------------- */

/* Bits of evidence in a line. Each line is a sample, a comment or empty; Austin's own first comment
 * is certain. */
static int judge(struct pf_bytes text, bool whole, void *first)
{
    struct sample_line line;
    bool is_first = *(bool *)first;

    *(bool *)first = false;
    if (is_first && pf_bytes_starts(text, PF_BYTES("# austin: ")))
        return 60 | PF_TEXT_SURE;
    if (!whole || text.size == 0 || text.data[0] == '#')
        return 0;
    return parse_line(text, &line) ? 24 : PF_TEXT_OTHER;
}

static int bid(struct pf_source *source, const char *path)
{
    bool first = true;

    (void)path;
    return pf_text_bid(source, judge, &first);
}

/* --- reader ----------------------------------------------------------------------------------- */

enum mode { MODE_WALL, MODE_CPU, MODE_MEMORY, MODE_FULL };

struct austin_reader {
    struct pf_text_reader text;
    enum mode mode;
    struct sample_line item; /* the current line */
};

/* Adds the column of a measure; the first is the main one. */
static void add_measure(struct pf_reader *reader, const char *name, enum pf_role role,
                        const char *unit)
{
    struct pf_measure measure =
        pf_measure_make(reader->dict, name, unit, PF_SAMPLE, role, PF_SAMPLED);

    if (pf_measure_is_time(reader->dict, &measure)) {
        measure.raw_unit = pf_dict_intern_word(reader->dict, "us");
        measure.num = 1000;
    }
    measure.main = pf_rows_column_count(&reader->rows) == 0;
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
}

/* Declares the measures for the mode that the header names; the header is before the samples. */
static void declare(struct pf_reader *reader)
{
    enum mode mode = ((const struct austin_reader *)reader->state)->mode;
    struct pf_measure samples =
        pf_measure_make(reader->dict, "samples", "count", PF_SAMPLE, PF_COUNT, PF_SAMPLED);

    if (mode != MODE_MEMORY)
        add_measure(reader, mode == MODE_CPU ? "cpu" : "wall", PF_SELF, "nanoseconds");
    if (mode == MODE_FULL)
        add_measure(reader, "idle", PF_COUNT, "count");
    if (mode == MODE_MEMORY || mode == MODE_FULL)
        add_measure(reader, "memory", PF_SELF, "bytes");
    pf_rows_count(&reader->rows, pf_dict_add_measure(reader->dict, samples));
    pf_rows_declare(&reader->rows);
}

/* --- frames ----------------------------------------------------------------------------------- */

/* Removes `:TEXT` from the end. False: no colon after the first character; nothing is removed. */
static bool cut_last_field(struct pf_bytes *text, struct pf_bytes *last)
{
    for (size_t at = text->size; at-- > 1;)
        if (text->data[at] == ':') {
            *last = pf_bytes_skip(*text, at + 1);
            text->size = at;
            return true;
        }
    return false;
}

/* The location of a frame: `FILE:FUNCTION:LINE`, whose file may hold colons; `FILE:FUNCTION`; or
 * `:GC:`, which is not code. */
static uint32_t frame_location(struct pf_dict *dict, struct pf_bytes text)
{
    struct pf_bytes file = text, name = text, last;
    struct pf_function function = {0};
    struct pf_location location = {0};
    bool pseudo = text.size > 1 && text.data[0] == ':' && text.data[text.size - 1] == ':';

    if (!pseudo && cut_last_field(&file, &last)) {
        name = last;
        if (pf_parse_whole(last, 0, INT64_MAX, &location.line) && cut_last_field(&file, &last))
            name = last;
        else
            location.line = 0;
        function.file = pf_dict_intern(dict, file, PF_UTF8);
    }
    function.name = name.size > 0 ? pf_dict_intern(dict, name, PF_UTF8)
                                  : pf_dict_intern(dict, PF_BYTES("[unknown]"), 0);
    location.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &location);
}

/* Reads `L12`, the line of the frame before (austin -a). */
static bool line_part(struct pf_bytes text, int64_t *line)
{
    return pf_scan_past(&text, PF_BYTES("L")) && pf_all_digits(text) &&
           pf_parse_int(text, 0, INT64_MAX, line);
}

static int add_frame(struct pf_reader *reader, struct pf_bytes text)
{
    const struct austin_reader *state = reader->state;
    struct pf_rows *rows = &reader->rows;
    int64_t line;

    if (rows->depth > 0 && line_part(text, &line)) {
        uint32_t *frame = &rows->frames[rows->depth - 1];
        struct pf_location location = *pf_dict_location(reader->dict, *frame);

        location.line = line;
        *frame = pf_dict_add_location(reader->dict, &location);
        return PF_OK;
    }
    return pf_rows_frame(rows, frame_location(reader->dict, text), &reader->error,
                         state->text.offset);
}

/* The label set of a line. A thread is a number in older versions, `INTERPRETER:HEX` in newer
 * versions. */
static uint32_t line_labels(struct pf_dict *dict, const struct sample_line *line)
{
    struct pf_bytes thread = pf_bytes_skip(line->thread, 1), interpreter = thread, last;
    uint32_t labels = 0;
    int64_t number = 0;

    if (pf_parse_whole(pf_bytes_skip(line->process, 1), INT64_MIN, INT64_MAX, &number))
        labels = pf_dict_add_word_number(dict, labels, "pid", number);
    if (cut_last_field(&interpreter, &last) &&
        pf_parse_whole(interpreter, INT64_MIN, INT64_MAX, &number)) {
        labels = pf_dict_add_word_number(dict, labels, "iid", number);
        thread = last;
    } else if (pf_parse_whole(thread, INT64_MIN, INT64_MAX, &number)) {
        return pf_dict_add_word_number(dict, labels, "tid", number);
    }
    return pf_dict_add_label(dict, labels, pf_dict_intern(dict, PF_BYTES("tid"), 0),
                             pf_dict_intern(dict, thread, PF_UTF8));
}

/* --- records ---------------------------------------------------------------------------------- */

static int add_record(struct pf_reader *reader)
{
    struct austin_reader *state = reader->state;
    struct pf_bytes rest = state->item.frames;
    unsigned fields = state->mode == MODE_FULL ? FIELDS : 1;
    int status = PF_OK;

    if (state->item.count != fields)
        return pf_error_at(&reader->error, PF_FAILED, state->text.offset,
                           "line %" PRIu64 " has %u numbers, the earlier lines have %u",
                           state->text.number, state->item.count, fields);
    while (rest.size > 0 && status == PF_OK) {
        struct pf_bytes part;

        pf_scan_field(&rest, ';', &part);
        if (part.size > PF_STRING_MAX)
            return pf_error_at(&reader->error, PF_FAILED, state->text.offset,
                               "a frame longer than 16 MiB");
        status = add_frame(reader, part);
    }
    if (status != PF_OK)
        return status;
    pf_rows_sample(&reader->rows, line_labels(reader->dict, &state->item));
    for (uint32_t k = 0; k < fields; k++)
        pf_rows_set(&reader->rows, k, state->item.fields[k]);
    return PF_OK;
}

/* Adds a comment `# KEY: VALUE` as metadata. */
static void add_metadata(struct pf_reader *reader, struct pf_bytes line)
{
    struct austin_reader *state = reader->state;
    struct pf_bytes key = PF_BYTES("comment"), value = pf_bytes_skip(line, 1);
    const char *colon;

    while (value.size > 0 && value.data[0] == ' ')
        value = pf_bytes_skip(value, 1);
    colon = value.size > 0 ? pf_bytes_find(pf_bytes_skip(value, 1), PF_BYTES(": ")) : NULL;
    if (colon) {
        key = (struct pf_bytes){value.data, (size_t)(colon - value.data)};
        value = pf_bytes_skip(value, key.size + 2);
    }
    if (!reader->rows.declared && pf_bytes_equal(key, PF_BYTES("mode")))
        state->mode = pf_bytes_equal(value, PF_BYTES("cpu"))      ? MODE_CPU
                      : pf_bytes_equal(value, PF_BYTES("memory")) ? MODE_MEMORY
                      : pf_bytes_equal(value, PF_BYTES("full"))   ? MODE_FULL
                                                                  : MODE_WALL;
    if (key.size <= PF_STRING_MAX && value.size <= PF_STRING_MAX)
        pf_rows_meta(&reader->rows, "austin", key, value);
}

/* Reads a line. The first sample decides what is measured: three numbers mean the full mode. */
static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct austin_reader *state = reader->state;
    bool good;

    if (line.size == 0)
        return PF_OK;
    if (line.data[0] == '#') {
        add_metadata(reader, line);
        return PF_OK;
    }
    good = parse_line(line, &state->item);
    if (!reader->rows.declared) {
        if (good && state->item.count == FIELDS)
            state->mode = MODE_FULL;
        declare(reader);
    }
    if (good)
        return add_record(reader);
    return pf_error_at(&reader->error, PF_FAILED, state->text.offset,
                       "line %" PRIu64
                       " is not a sample, expected 'P<pid>;T<tid>;... NUMBER': '%s'",
                       state->text.number, pf_clip(line).text);
}

/* Declares the measures of a file without samples. */
static int end_input(struct pf_reader *reader, int status)
{
    if (!reader->rows.declared)
        declare(reader);
    return status;
}

static int open_reader(struct pf_reader *reader)
{
    pf_text_open(reader, read_line, end_input);
    reader->rows.root_first = true;
    return PF_OK;
}

/* --- merging ---------------------------------------------------------------------------------- */

static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    (void)key;
    return origin.data[0] == '.' ? PF_META_NEVER : PF_META_ONCE;
}

/* Austin writes the duration behind the samples. */
static enum pf_meta_place place(struct pf_bytes origin, struct pf_bytes key)
{
    (void)origin;
    return pf_bytes_equal(key, PF_BYTES("duration")) ? PF_META_WHOLE : PF_META_FROM_HERE;
}

static const struct pf_merging merging = {.rule = rule, .place = place};

const struct pf_format pf_format_austin = {
    .name = "austin",
    .about = "Austin's text: samples of Python with processes, threads, files and lines",
    .suffixes = ".austin",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT | PF_IS_STREAM,
    .merging = &merging,
    .bid = bid,
    .reader_size = sizeof(struct austin_reader),
    .open_reader = open_reader,
};
