/* Austin's text: folded stacks of Python below a process and a thread, with the file and line of each frame. Austin's binary form, MOJO,
 * is not read. */
#include "base/number.h"
#include "base/scan.h"
#include "codec/format.h"
#include "model/metadata.h"
#include "model/samples.h"

enum { WINDOW = 64 * 1024, FIELDS = 3 };

/* --- lines ------------------------------------------------------------------------------------------------------------------------- */

/* `P<pid>;T<thread>[;frame]* NUMBER[,NUMBER,NUMBER]` */
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
    return pf_bytes_starts(line->process, PF_BYTES("P")) && pf_bytes_starts(line->thread, PF_BYTES("T")) && line->thread.size > 1 &&
           pf_parse_whole(pf_bytes_skip(line->process, 1), INT64_MIN, INT64_MAX, &pid);
}

/* --- evidence ---------------------------------------------------------------------------------------------------------------------- */

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    unsigned good = 0;

    (void)path;
    if (have < WINDOW && (have == 0 || !memchr(bytes, '\n', have)))
        bytes = pf_source_peek(source, WINDOW, &have);
    if (pf_bytes_starts((struct pf_bytes){(const char *)bytes, have}, PF_BYTES("# austin: ")))
        return 60;
    have = have < WINDOW ? have : WINDOW;
    for (const char *at = (const char *)bytes, *limit = at + have, *end; (end = at < limit ? memchr(at, '\n', (size_t)(limit - at)) : NULL);) {
        struct pf_bytes text = {at, (size_t)(end - at)};
        struct sample_line line;

        at = end + 1;
        if (text.size > 0 && text.data[text.size - 1] == '\r')
            text.size--;
        if (text.size == 0 || text.data[0] == '#')
            continue;
        if (!parse_line(text, &line))
            return 0;
        good++;
    }
    return good > 0 ? 24 : 0;
}

/* --- reader ------------------------------------------------------------------------------------------------------------------------ */

enum mode { MODE_WALL, MODE_CPU, MODE_MEMORY, MODE_FULL };

struct austin_reader {
    struct pf_samples samples;
    struct pf_metadata metadata;
    enum mode mode;
    uint64_t lines;
    bool declared, pending; /* a record is waiting for the measures to be declared */
    struct sample_line item;
    int status;             /* what follows the records given last */
};

static bool add_measure(struct pf_reader *reader, const char *name, enum pf_role role, const char *unit, const char *raw, uint64_t num)
{
    struct austin_reader *state = reader->state;
    struct pf_measure measure = pf_measure_make(reader->dict, name, unit, PF_SAMPLE, role, PF_SAMPLED);
    uint32_t index;

    measure.raw_unit = raw ? pf_dict_intern_word(reader->dict, raw) : 0;
    measure.num = num;
    measure.main = state->samples.measure_count == 0;
    index = pf_dict_add_measure(reader->dict, measure);
    state->samples.measures[state->samples.measure_count++] = index;
    return index != UINT32_MAX;
}

/* By the mode of the header, which stands before the samples; lines of three numbers are those of the full one. */
static int declare(struct pf_reader *reader, struct pf_batch *batch)
{
    struct austin_reader *state = reader->state;
    bool good = true;

    state->declared = true;
    if (state->pending && state->item.count == FIELDS)
        state->mode = MODE_FULL;
    if (state->mode == MODE_MEMORY)
        good = add_measure(reader, "memory", PF_SELF, "bytes", NULL, 1);
    else
        good = add_measure(reader, state->mode == MODE_CPU ? "cpu" : "wall", PF_SELF, "nanoseconds", "us", 1000);
    if (state->mode == MODE_FULL)
        good = good && add_measure(reader, "idle", PF_COUNT, "count", NULL, 1) && add_measure(reader, "memory", PF_SELF, "bytes", NULL, 1);
    good = good && add_measure(reader, "samples", PF_COUNT, "count", NULL, 1);
    state->samples.counted = true;
    pf_samples_give(&state->samples, reader->dict, batch);
    return good ? PF_OK : pf_error_nomem(&reader->error);
}

static int open_reader(struct pf_reader *reader)
{
    struct austin_reader *state = reader->state;

    return pf_samples_init(&state->samples) ? PF_OK : pf_error_nomem(&reader->error);
}

static void close_reader(struct pf_reader *reader)
{
    struct austin_reader *state = reader->state;

    pf_samples_free(&state->samples);
    pf_metadata_free(&state->metadata);
}

/* --- frames ------------------------------------------------------------------------------------------------------------------------ */

/* Takes `:TEXT` off the end; false, and nothing, when there is no colon inside. */
static bool take_last(struct pf_bytes *text, struct pf_bytes *last)
{
    for (size_t at = text->size; at-- > 1;)
        if (text->data[at] == ':') {
            *last = pf_bytes_skip(*text, at + 1);
            text->size = at;
            return true;
        }
    return false;
}

/* `FILE:FUNCTION:LINE`, where the file may hold colons; `FILE:FUNCTION`; or what is no code, `:GC:`. */
static uint32_t frame_location(struct pf_dict *dict, struct pf_bytes text)
{
    struct pf_bytes file = text, name = text, last;
    struct pf_function function = {0};
    struct pf_location location = {0};
    bool pseudo = text.size > 1 && text.data[0] == ':' && text.data[text.size - 1] == ':';

    if (!pseudo && take_last(&file, &last)) {
        name = last;
        if (pf_parse_whole(last, 0, INT64_MAX, &location.line) && take_last(&file, &last))
            name = last;
        else
            location.line = 0;
        function.file = pf_dict_intern(dict, file, PF_UTF8);
    }
    function.name = name.size > 0 ? pf_dict_intern(dict, name, PF_UTF8) : pf_dict_intern(dict, PF_BYTES("[unknown]"), 0);
    location.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &location);
}

/* `L12` behind a frame is its line (austin -a). */
static bool line_part(struct pf_bytes text, int64_t *line)
{
    return pf_scan_past(&text, PF_BYTES("L")) && pf_all_digits(text) && pf_parse_int(text, 0, INT64_MAX, line);
}

static bool add_frame(struct pf_reader *reader, struct pf_bytes text)
{
    struct pf_samples *samples = &((struct austin_reader *)reader->state)->samples;
    int64_t line;

    if (samples->depth > 0 && line_part(text, &line)) {
        uint32_t *frame = &samples->frames[samples->depth - 1];
        struct pf_location location = *pf_dict_location(reader->dict, *frame);

        location.line = line;
        *frame = pf_dict_add_location(reader->dict, &location);
        return true;
    }
    return pf_samples_frame(samples, frame_location(reader->dict, text));
}

/* The thread is a number, in older versions; `INTERPRETER:HEX`, in newer ones. */
static uint32_t line_labels(struct pf_dict *dict, const struct sample_line *line)
{
    struct pf_bytes thread = pf_bytes_skip(line->thread, 1), interpreter = thread, last;
    uint32_t labels = 0;
    int64_t number = 0;

    if (pf_parse_whole(pf_bytes_skip(line->process, 1), INT64_MIN, INT64_MAX, &number))
        labels = pf_dict_add_number(dict, labels, pf_dict_intern(dict, PF_BYTES("pid"), 0), number, 0);
    if (take_last(&interpreter, &last) && pf_parse_whole(interpreter, INT64_MIN, INT64_MAX, &number)) {
        labels = pf_dict_add_number(dict, labels, pf_dict_intern(dict, PF_BYTES("iid"), 0), number, 0);
        thread = last;
    } else if (pf_parse_whole(thread, INT64_MIN, INT64_MAX, &number)) {
        return pf_dict_add_number(dict, labels, pf_dict_intern(dict, PF_BYTES("tid"), 0), number, 0);
    }
    return pf_dict_add_label(dict, labels, pf_dict_intern(dict, PF_BYTES("tid"), 0), pf_dict_intern(dict, thread, PF_UTF8));
}

/* --- records ----------------------------------------------------------------------------------------------------------------------- */

static int add_record(struct pf_reader *reader, uint64_t offset)
{
    struct austin_reader *state = reader->state;
    struct pf_bytes rest = state->item.frames;

    if (state->item.count != (state->mode == MODE_FULL ? FIELDS : 1))
        return pf_error_at(&reader->error, PF_FAILED, offset, "line %llu has %u numbers, the lines before it %u",
                           (unsigned long long)state->lines, state->item.count, state->mode == MODE_FULL ? FIELDS : 1);
    while (rest.size > 0) {
        struct pf_bytes part;

        pf_scan_field(&rest, ';', &part);
        if (part.size > PF_STRING_MAX)
            return pf_error_at(&reader->error, PF_FAILED, offset, "a frame longer than 16 MiB");
        if (state->samples.depth == PF_STACK_DEPTH_MAX)
            return pf_error_at(&reader->error, PF_FAILED, offset, "more than 1048575 frames");
        if (!add_frame(reader, part))
            return pf_error_nomem(&reader->error);
    }
    pf_samples_add(&state->samples, reader->dict, line_labels(reader->dict, &state->item), state->item.fields, true);
    return PF_OK;
}

/* `# KEY: VALUE`. */
static bool add_metadata(struct pf_reader *reader, struct pf_bytes line)
{
    struct austin_reader *state = reader->state;
    struct pf_bytes key = PF_BYTES("comment"), value = pf_bytes_skip(line, 1);

    while (value.size > 0 && value.data[0] == ' ')
        value = pf_bytes_skip(value, 1);
    for (size_t at = 1; at + 1 < value.size; at++)
        if (value.data[at] == ':' && value.data[at + 1] == ' ') {
            key = (struct pf_bytes){value.data, at};
            value = pf_bytes_skip(value, at + 2);
            break;
        }
    if (!state->declared && pf_bytes_equal(key, PF_BYTES("mode")))
        state->mode = pf_bytes_equal(value, PF_BYTES("cpu"))      ? MODE_CPU
                      : pf_bytes_equal(value, PF_BYTES("memory")) ? MODE_MEMORY
                      : pf_bytes_equal(value, PF_BYTES("full"))   ? MODE_FULL
                                                                  : MODE_WALL;
    return key.size > PF_STRING_MAX || value.size > PF_STRING_MAX || pf_metadata_add(&state->metadata, reader->dict, "austin", key, value);
}

/* The next line that says something: a sample, which becomes a row, or metadata. Of the first sample the line stays, so that its measures
 * are declared before. */
static int read_line(struct pf_reader *reader)
{
    struct austin_reader *state = reader->state;
    struct pf_bytes line;
    size_t have;

    uint64_t offset = pf_source_offset(reader->source);
    if (!state->declared) {
        const unsigned char *bytes = pf_source_peek(reader->source, 1, &have);

        if (have > 0 && *bytes == 'P') {
            const unsigned char *end = memchr(bytes, '\n', have);

            if (!end) {
                bytes = pf_source_peek(reader->source, WINDOW, &have);
                end = memchr(bytes, '\n', have);
            }
            line = (struct pf_bytes){(const char *)bytes, end ? (size_t)(end - bytes) : have};
            if (line.size > 0 && line.data[line.size - 1] == '\r')
                line.size--;
            state->pending = true;
            if (!parse_line(line, &state->item))
                state->item.count = 0;
            return PF_EOF;
        }
    }
    int status = pf_source_line(reader->source, &line, &reader->error);
    if (status != PF_OK)
        return status;
    state->lines++;
    if (line.size == 0)
        return PF_OK;
    if (line.data[0] == '#')
        return add_metadata(reader, line) ? PF_OK : pf_error_nomem(&reader->error);
    if (!parse_line(line, &state->item))
        return pf_error_at(&reader->error, PF_FAILED, offset, "line %llu is no sample, expected 'P<pid>;T<tid>;... NUMBER': '%s'",
                           (unsigned long long)state->lines, pf_clip(line).text);
    return add_record(reader, offset);
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct austin_reader *state = reader->state;
    struct pf_samples *samples = &state->samples;

    while (state->status == PF_OK && samples->rows < PF_BATCH_ROWS && (samples->rows == 0 || state->metadata.given == state->metadata.count)) {
        if (samples->rows > 0 && reader->flush && pf_source_would_block(reader->source))
            break;
        state->status = read_line(reader);
        if (!state->declared && state->status != PF_OK)
            break;
    }
    if (samples->rows == 0 && pf_metadata_give(&state->metadata, batch))
        return PF_OK;
    if (!state->declared) {
        state->status = state->status == PF_EOF && state->pending ? PF_OK : state->status;
        return declare(reader, batch);
    }
    if (samples->rows == 0)
        return state->status;
    pf_samples_give(samples, reader->dict, batch);
    return PF_OK;
}

const struct pf_format pf_format_austin = {
    .name = "austin",
    .about = "Austin's text: samples of Python with processes, threads, files and lines",
    .suffixes = ".austin",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT | PF_IS_STREAM,
    .bid = bid,
    .reader_size = sizeof(struct austin_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
};
