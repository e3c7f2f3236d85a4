/* The reader of perf script: events become records, comments become metadata. */
#include "format/perf_script/perf_script.h"

#include "base/line_memo.h"
#include "codec/text_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_EVENTS = 64 }; /* different events in a batch; with one more a new batch begins */

/* The value of a line in the memo of call chains: a location, or, with the upper bit, a number of
 * state->specials. */
#define SPECIAL 0x80000000u

struct line_locations {
    /* range of state->locations, some of them inlined; count 0: the line is a place in the
     * source */
    uint32_t first, count;
};

/* The measures of an event. */
struct measures {
    uint32_t index[2]; /* the measure without periods and with periods; UINT32_MAX = not made yet */
};

struct perf_reader {
    struct pf_line_memo lines, names; /* `lines`: of call chains; `names`: `who` parts and events */
    struct line_locations *specials;
    size_t special_count, special_capacity;
    uint32_t *locations; /* of the special lines */
    size_t location_count, location_capacity;
    /* keys: a location and the line (of the memo) with its place in the source; `placed_locations`:
     * by id of the key */
    struct pf_table placed;
    uint32_t *placed_locations;
    size_t placed_capacity;
    uint32_t *labels; /* by `who` part */
    size_t label_capacity;
    struct measures *measures; /* by event */
    size_t measure_capacity;
    uint32_t samples; /* the measure; UINT32_MAX = not made yet */
    /* an event counts time; the measure of the first such event is the main measure */
    bool has_time;
    bool timed; /* events of the file have times */
    bool named; /* a header had a time or an event */
    bool bare;  /* headers have neither */
    bool keep_times;

    bool inlines; /* frames of the current event are inlined, or may be */
    /* lines of call chains that are not frames; `skipped_offset`: of the first of them */
    uint64_t skipped;
    uint64_t skipped_offset;

    uint64_t event; /* offset of the current event */
    uint32_t item_measure, item_labels;
    int64_t item_value, item_time;
    uint32_t origin;
};

enum { LINE_SIZE = 64 * 1024 * 1024 };

/* A line ahead, which the source still has. */
struct ahead {
    struct pf_bytes line; /* without its line feed */
    bool whole;           /* it has a line feed */
};

/* Peeks at the line that begins `behind` bytes from here. PF_OK, PF_EOF or a failure. */
static int peek_behind(struct pf_reader *reader, size_t behind, struct ahead *ahead)
{
    size_t have, searched = behind;
    const unsigned char *bytes = pf_source_peek(reader->source, behind + 1, &have), *end = NULL;

    while (have > searched && !(end = memchr(bytes + searched, '\n', have - searched))) {
        searched = have;
        if (have - behind > LINE_SIZE)
            return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source) + behind,
                               "a line longer than 64 MiB");
        bytes = pf_source_peek(reader->source, searched + 1, &have);
    }
    have = have > behind ? have - behind : 0;
    bytes += have > 0 ? behind : 0;
    *ahead = (struct ahead){{(const char *)bytes, end ? (size_t)(end - bytes) : have}, end != NULL};
    if (!end && pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    return have == 0 ? PF_EOF : PF_OK;
}

static int peek_line(struct pf_reader *reader, struct ahead *ahead)
{
    return peek_behind(reader, 0, ahead);
}

static void skip_line(struct pf_reader *reader, const struct ahead *ahead)
{
    pf_source_take(reader->source, ahead->line.size + ahead->whole);
}

static int fail_cut(struct pf_reader *reader, uint64_t offset)
{
    return pf_error_at(&reader->error, PF_FAILED, offset,
                       "the input ends in the middle of this event");
}

/* --- call chains ------------------------------------------------------------------------------ */

static inline int add_frame(struct pf_reader *reader, uint32_t location)
{
    struct perf_reader *state = reader->state;

    return pf_rows_frame(&reader->rows, location, &reader->error, state->event);
}

/* Sets the value of a new line of the memo. `frame` NULL: the line is a place in the source. False:
 * out of memory. */
static bool set_meaning(struct pf_reader *reader, uint32_t id, const struct pf_perf_frame *frame)
{
    struct perf_reader *state = reader->state;
    struct line_locations special = {.first = (uint32_t)state->location_count};
    uint32_t *value = &state->lines.rows[id].value;

    if (frame) {
        if (!pf_perf_frame_locations(reader->dict, frame, &state->locations, &state->location_count,
                                     &state->location_capacity))
            return false;
        special.count = (uint32_t)(state->location_count - special.first);
        *value = state->locations[special.first];
        if (special.count == 1 && !pf_dict_location(reader->dict, *value)->inlined &&
            *value < SPECIAL) {
            state->location_count = special.first;
            return true;
        }
    }
    if (state->special_count == SPECIAL - 1 ||
        !pf_grow(&state->specials, &state->special_capacity, state->special_count + 1,
                 sizeof *state->specials))
        return false;
    *value = SPECIAL | (uint32_t)state->special_count;
    state->specials[state->special_count++] = special;
    return true;
}

/* Adds a place in the source to the last frame, which is the frame above it. False: out of
 * memory. */
static bool place_frame(struct pf_reader *reader, uint32_t id)
{
    struct perf_reader *state = reader->state;
    uint32_t *location = &reader->rows.frames[reader->rows.depth - 1], had = state->placed.count,
             row;
    struct pf_perf_source source;

    row = pf_table_intern(&state->placed, &(uint32_t[2]){*location, id});
    if (!row || !pf_grow(&state->placed_locations, &state->placed_capacity, (size_t)row + 1,
                         sizeof *state->placed_locations))
        return false;
    if (row == had) {
        const struct pf_line_memo_row *line = &state->lines.rows[id];

        pf_perf_source_parse((struct pf_bytes){line->bytes, line->size}, &source);
        state->placed_locations[row] = pf_perf_source_location(reader->dict, *location, &source);
    }
    *location = state->placed_locations[row];
    return true;
}

static int add_special(struct pf_reader *reader, uint32_t id)
{
    struct perf_reader *state = reader->state;
    const struct line_locations *special = &state->specials[state->lines.rows[id].value - SPECIAL];
    int status = PF_OK;

    state->inlines = true;
    if (special->count == 0)
        return reader->rows.depth == 0 || place_frame(reader, id) ? PF_OK
                                                                  : pf_error_nomem(&reader->error);
    for (uint32_t k = 0; k < special->count && status == PF_OK; k++)
        status = add_frame(reader, state->locations[special->first + k]);
    return status;
}

/* Adds a line of the memo to the event. */
static inline int add_line(struct pf_reader *reader, uint32_t id)
{
    struct perf_reader *state = reader->state;
    uint32_t value = state->lines.rows[id].value;

    return value < SPECIAL ? add_frame(reader, value) : add_special(reader, id);
}

enum line { LINE_MEANING, LINE_NONE, LINE_END };

/* Says what a line below a header is, and parses a frame. LINE_END: the event ends before the line.
 * In a file whose events have one line each, these lines may begin with blanks as well, but perf
 * begins a frame with a tab. If headers have neither time nor event, a frame that lost its blanks
 * looks like a command. */
static enum line judge(struct perf_reader *state, struct pf_bytes line, struct pf_perf_frame *frame,
                       bool *is_frame)
{
    struct pf_perf_header header;
    struct pf_perf_source source;

    *is_frame = false;
    if (pf_bytes_trim(line).size == 0 || (state->bare && !pf_blank(line.data[0])))
        return LINE_END;
    if (!pf_blank(line.data[0]) && !pf_perf_frame_unindented(line, frame))
        return LINE_END;
    if (line.data[0] != '\t' && !state->bare && pf_perf_header_parse(line, state->timed, &header))
        return LINE_END;
    *is_frame = !pf_blank(line.data[0]) || pf_perf_frame_parse(line, frame);
    return *is_frame || (line.data[0] != '\t' && pf_perf_source_parse(line, &source)) ? LINE_MEANING
                                                                                      : LINE_NONE;
}

/* Reads the next line of the event when the memo expected another line. LINE_END: the line stays
 * ahead. PF_OK or a failure. */
static int read_line(struct pf_reader *reader, uint32_t *last, enum line *what)
{
    struct perf_reader *state = reader->state;
    struct pf_perf_frame frame;
    struct ahead ahead;
    bool is_frame;
    int status = peek_line(reader, &ahead);

    *what = LINE_END;
    if (status != PF_OK)
        return status;
    uint32_t known = ahead.whole ? pf_line_memo_find(&state->lines, *last, ahead.line) : 0;
    if (known) {
        *what = LINE_MEANING;
        *last = known;
        skip_line(reader, &ahead);
        return add_line(reader, known);
    }
    *what = judge(state, ahead.line, &frame, &is_frame);
    if (*what == LINE_END)
        return ahead.whole || pf_bytes_trim(ahead.line).size > 0 ? PF_OK
                                                                 : fail_cut(reader, state->event);
    if (!ahead.whole &&
        (!is_frame || pf_bytes_trim(ahead.line).data[pf_bytes_trim(ahead.line).size - 1] != ')'))
        return fail_cut(reader, state->event);
    if (*what == LINE_NONE) {
        if (state->skipped++ == 0)
            state->skipped_offset = pf_source_offset(reader->source);
        skip_line(reader, &ahead);
        return PF_OK;
    }
    *last = pf_line_memo_intern(&state->lines, *last, ahead.line);
    if (!*last)
        return pf_error_nomem(&reader->error);
    skip_line(reader, &ahead);
    return set_meaning(reader, *last, is_frame ? &frame : NULL) ? add_line(reader, *last)
                                                                : pf_error_nomem(&reader->error);
}

/* Reads the call chain below a header, and the blank line after it. A file may end without this
 * blank line, because many files have lost it, but not within a line. */
static int read_chain(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;
    enum line what = LINE_MEANING;
    uint32_t last = 0;
    size_t have;
    int status = PF_OK;

    while (status == PF_OK && what != LINE_END) {
        const unsigned char *bytes = pf_source_peek(reader->source, 1, &have);
        uint32_t id = pf_line_memo_expect(&state->lines, last, bytes, have);

        if (id) {
            pf_source_take(reader->source, (size_t)state->lines.rows[id].size + 1);
            last = id;
            status = add_line(reader, id);
        } else if (have > 0 && *bytes == '\n') {
            pf_source_take(reader->source, 1);
            return PF_OK;
        } else {
            status = read_line(reader, &last, &what);
        }
    }
    return status == PF_EOF ? PF_OK : status;
}

/* Gives inlined frames the image of the frame into which they are inlined, which has the same
 * address. */
static void set_inlined_images(struct pf_reader *reader)
{
    uint64_t address = 0;
    uint32_t image = 0;

    for (size_t k = reader->rows.depth; k-- > 0;) {
        struct pf_location location = *pf_dict_location(reader->dict, reader->rows.frames[k]);

        if (!location.inlined) {
            address = location.address;
            image = location.image;
        } else if (location.image == 0 && image != 0 && location.address == address) {
            location.image = image;
            reader->rows.frames[k] = pf_dict_add_location(reader->dict, &location);
        }
    }
}

/* --- headers ---------------------------------------------------------------------------------- */

static uint32_t make_labels(struct pf_dict *dict, const struct pf_perf_header *header)
{
    uint32_t labels = 0;

    if (header->comm.size > 0)
        labels = pf_dict_add_label(dict, labels, pf_dict_intern(dict, PF_BYTES("comm"), 0),
                                   pf_dict_intern(dict, header->comm, PF_UTF8));
    if (header->has_pid)
        labels = pf_dict_add_word_number(dict, labels, "pid", header->pid);
    if (header->has_tid)
        labels = pf_dict_add_word_number(dict, labels, "tid", header->tid);
    if (header->has_cpu)
        labels = pf_dict_add_word_number(dict, labels, "cpu", header->cpu);
    return labels;
}

/* The id of a name; *is_new: the name did not come before. 0: out of memory. */
static uint32_t name_id(struct perf_reader *state, struct pf_bytes name, bool *is_new)
{
    uint32_t had = state->names.count, id = pf_line_memo_intern(&state->names, 0, name);

    *is_new = id == had;
    return id;
}

static bool find_labels(struct pf_reader *reader, const struct pf_perf_header *header)
{
    struct perf_reader *state = reader->state;
    bool is_new;
    uint32_t id = name_id(state, header->who, &is_new);

    if (!id ||
        !pf_grow(&state->labels, &state->label_capacity, state->names.count, sizeof *state->labels))
        return false;
    if (is_new)
        state->labels[id] = make_labels(reader->dict, header);
    state->item_labels = state->labels[id];
    return true;
}

/* True for the clocks of the kernel, which count nanoseconds. */
static bool counts_time(struct pf_bytes event)
{
    const char *colon = memchr(event.data, ':', event.size);

    if (colon)
        event.size = (size_t)(colon - event.data);
    return pf_bytes_equal(event, PF_BYTES("cpu-clock")) ||
           pf_bytes_equal(event, PF_BYTES("task-clock"));
}

static uint32_t make_measure(struct pf_reader *reader, const struct pf_perf_header *header)
{
    struct perf_reader *state = reader->state;
    struct pf_bytes name = header->event.size > 0 ? header->event : PF_BYTES("period");
    bool time = header->has_period && counts_time(name);
    struct pf_measure measure = pf_measure_make_named(
        reader->dict, pf_dict_intern(reader->dict, name, PF_UTF8), time ? "nanoseconds" : "count",
        PF_SAMPLE, header->has_period ? PF_SELF : PF_COUNT, PF_SAMPLED);

    measure.main = time && !state->has_time;
    state->has_time |= time;
    return pf_dict_add_measure(reader->dict, measure);
}

/* Sets item_value and item_measure. UINT32_MAX: neither an event nor a period is printed.
 * False: out of memory. */
static bool find_measure(struct pf_reader *reader, const struct pf_perf_header *header)
{
    struct perf_reader *state = reader->state;
    uint32_t had = state->names.count, id;

    state->item_value = header->has_period ? header->period : 1;
    state->item_measure = UINT32_MAX;
    if (header->event.size == 0 && !header->has_period)
        return true;
    /* The colon keeps events apart from `who` parts, which do not end with a colon. */
    struct pf_bytes name = header->event.size > 0
                               ? (struct pf_bytes){header->event.data, header->event.size + 1}
                               : PF_BYTES(":");
    id = pf_line_memo_intern(&state->names, 0, name);
    if (!id || !pf_grow(&state->measures, &state->measure_capacity, state->names.count,
                        sizeof *state->measures))
        return false;
    if (id == had)
        state->measures[id] = (struct measures){{UINT32_MAX, UINT32_MAX}};
    uint32_t *index = &state->measures[id].index[header->has_period];
    if (*index == UINT32_MAX)
        *index = make_measure(reader, header);
    state->item_measure = *index;
    return *index != UINT32_MAX;
}

/* Adds the frame in the header line, if no line of a call chain follows. */
static int use_single(struct pf_reader *reader, const struct pf_perf_frame *frame)
{
    struct perf_reader *state = reader->state;
    size_t had = state->location_count;
    int status = PF_OK;

    if (!pf_perf_frame_locations(reader->dict, frame, &state->locations, &state->location_count,
                                 &state->location_capacity))
        status = pf_error_nomem(&reader->error);
    for (size_t k = had; status == PF_OK && k < state->location_count; k++)
        status = add_frame(reader, state->locations[k]);
    state->location_count = had;
    return status;
}

/* Begins records with the measure of the current event; other events of the batch add theirs. */
static void begin_columns(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;

    pf_rows_begin(&reader->rows, PF_SAMPLE);
    if (state->item_measure != UINT32_MAX)
        pf_rows_measure(&reader->rows, state->item_measure);
    if (state->samples == UINT32_MAX)
        state->samples =
            pf_dict_add_measure(reader->dict, pf_measure_make(reader->dict, "samples", "count",
                                                              PF_SAMPLE, PF_COUNT, PF_SAMPLED));
    pf_rows_count(&reader->rows, state->samples);
}

/* Makes a record of the current event. */
static int add_event(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;
    struct pf_rows *rows = &reader->rows;
    uint32_t column = 0;

    if (!rows->open)
        begin_columns(reader);
    if (state->item_measure != UINT32_MAX)
        column = pf_rows_measure(rows, state->item_measure);
    if (column >= MOST_EVENTS) {
        begin_columns(reader);
        column = 0;
    }
    pf_rows_sample(rows, state->item_labels);
    if (state->item_measure != UINT32_MAX)
        pf_rows_set(rows, column, state->item_value);
    if (state->keep_times && state->timed)
        pf_rows_time(rows, state->item_time);
    return PF_OK;
}

/* Declares the measures of an input without events. */
static void declare(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;

    state->item_measure = UINT32_MAX;
    begin_columns(reader);
    pf_rows_declare(&reader->rows);
}

/* Reads the event whose header is ahead; `ahead` NULL: the event has no header line. */
static int read_event(struct pf_reader *reader, const struct ahead *ahead,
                      const struct pf_perf_header *header)
{
    struct perf_reader *state = reader->state;
    struct pf_perf_frame frame;
    bool single = pf_perf_frame_parse(header->rest, &frame) && pf_perf_frame_named(&frame);
    struct pf_buffer copy = {0};

    state->event = pf_source_offset(reader->source);
    if (ahead && !ahead->whole && !(single && frame.image.size > 0))
        return fail_cut(reader, state->event);
    state->timed = state->timed || header->has_time;
    state->named = !state->bare;
    state->item_time = header->time;
    reader->rows.depth = 0;
    state->inlines = false;
    if (!find_labels(reader, header) || !find_measure(reader, header))
        return pf_error_nomem(&reader->error);
    /* The bytes of the line may move when the source reads on. */
    if (single && !pf_buffer_append(&copy, header->rest.data, header->rest.size))
        return pf_error_nomem(&reader->error);
    if (ahead)
        skip_line(reader, ahead);
    int status = read_chain(reader);
    if (status == PF_OK && single && reader->rows.depth == 0) {
        pf_perf_frame_parse((struct pf_bytes){copy.data, copy.size}, &frame);
        status = use_single(reader, &frame);
    }
    pf_buffer_free(&copy);
    if (status == PF_OK && state->inlines)
        set_inlined_images(reader);
    return status == PF_OK ? add_event(reader) : status;
}

/* *is_chain: a call chain begins `behind` bytes from here. PF_OK or a failure. */
static int chain_ahead(struct pf_reader *reader, size_t behind, bool *is_chain)
{
    struct pf_perf_frame frame;
    struct ahead ahead;
    int status = peek_behind(reader, behind, &ahead);

    *is_chain = status == PF_OK && ahead.line.size > 0 && ahead.line.data[0] == '\t' &&
                pf_perf_frame_parse(ahead.line, &frame);
    return status == PF_EOF ? PF_OK : status;
}

/* Reads an event whose header has neither time nor event name, because -F left them out: the header
 * has only a `who` part. Not `headed`: the event is only a call chain. */
static int read_bare(struct pf_reader *reader, bool headed)
{
    struct pf_perf_header header = {0};
    struct ahead ahead;

    ((struct perf_reader *)reader->state)->bare = true;
    if (!headed)
        return read_event(reader, NULL, &header);
    if (peek_line(reader, &ahead) != PF_OK)
        return reader->error.code;
    pf_perf_who_parse(ahead.line, &header);
    return read_event(reader, &ahead, &header);
}

/* True if a word ends with a colon, as times and events do: a line with such a word that is not a
 * header is damaged. */
static bool has_colon(struct pf_bytes line)
{
    for (size_t at = 0; at < line.size; at++)
        if (line.data[at] == ':' && (at + 1 == line.size || pf_blank(line.data[at + 1])))
            return true;
    return false;
}

/* Reads a line that is neither a usual header nor a comment nor empty: an event without time and
 * event name, or an error. */
static int read_other(struct pf_reader *reader, const struct ahead *ahead)
{
    struct perf_reader *state = reader->state;
    struct pf_bytes line = ahead->line;
    struct pf_clip text;
    bool chain = false, headed = line.data[0] != '\t';
    bool may = !state->named && line.size <= PF_STRING_MAX &&
               (!headed || state->bare || !has_colon(line));

    if (!ahead->whole)
        return fail_cut(reader, pf_source_offset(reader->source));
    text = pf_clip(line);
    if (may && chain_ahead(reader, headed ? line.size + 1 : 0, &chain) != PF_OK)
        return reader->error.code;
    return chain ? read_bare(reader, headed)
                 : pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                               "neither an event nor a comment: '%s'", text.text);
}

/* --- comments --------------------------------------------------------------------------------- */

/* Reads a comment: `# KEY : VALUE` of --header, or any other text. */
static int read_comment(struct pf_reader *reader, const struct ahead *ahead)
{
    struct perf_reader *state = reader->state;
    struct pf_bytes text = pf_bytes_trim(
                        (struct pf_bytes){ahead->line.data + 1, ahead->line.size - 1}),
                    key = PF_BYTES("comment");

    if (ahead->line.size > PF_STRING_MAX)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "a comment longer than 16 MiB");
    for (size_t at = 1; at + 2 < text.size; at++)
        if (memcmp(text.data + at, " : ", 3) == 0) {
            key = pf_bytes_trim((struct pf_bytes){text.data, at});
            text = pf_bytes_trim((struct pf_bytes){text.data + at + 3, text.size - at - 3});
            break;
        }
    pf_rows_meta_strings(&reader->rows, state->origin, pf_dict_intern(reader->dict, key, PF_UTF8),
                         pf_dict_intern(reader->dict, text, PF_UTF8));
    skip_line(reader, ahead);
    return PF_OK;
}

static bool rule(struct pf_bytes line)
{
    struct pf_bytes text = pf_bytes_trim((struct pf_bytes){line.data + 1, line.size - 1});

    return text.size == 0 || pf_bytes_equal(text, PF_BYTES("========"));
}

static int read_item(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;
    struct pf_perf_header header;
    struct ahead ahead;
    int status;

    while ((status = peek_line(reader, &ahead)) == PF_OK) {
        bool empty = pf_bytes_trim(ahead.line).size == 0,
             comment = !empty && ahead.line.data[0] == '#';
        bool event = !empty && !state->bare && ahead.line.size <= PF_STRING_MAX &&
                     pf_perf_header_parse(ahead.line, state->timed || comment, &header);

        if (comment && !event && !state->timed) {
            /* The name of a command may begin with `#`: then a call chain is below. */
            bool chain;

            if (chain_ahead(reader, ahead.line.size + ahead.whole, &chain) != PF_OK ||
                peek_line(reader, &ahead) != PF_OK)
                return reader->error.code;
            event = chain && !state->bare && pf_perf_header_parse(ahead.line, false, &header);
            comment = !chain;
        }
        if (comment && !event && !rule(ahead.line))
            return read_comment(reader, &ahead);
        bool other = !empty && pf_perf_other_record(ahead.line);

        if (event && !other)
            return read_event(reader, &ahead, &header);
        if (!event && !empty && !comment && !other)
            return read_other(reader, &ahead);
        skip_line(reader, &ahead);
    }
    return status;
}

/* Reads the next event or comment, which becomes a record or metadata. PF_OK, PF_EOF or a
 * failure. */
static int read_step(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;
    int status = read_item(reader);

    if (status == PF_OK)
        return PF_OK;
    if (!reader->rows.declared)
        declare(reader);
    if (state->skipped > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "offset %" PRIu64 ": %" PRIu64 " line%s of call chains skipped: not frames",
                       state->skipped_offset, state->skipped, state->skipped == 1 ? "" : "s");
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static int open_reader(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;
    size_t have;

    pf_source_peek(reader->source, 1, &have);
    if (have == 0 && pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    if (have == 0)
        return pf_error_at(&reader->error, PF_FAILED, 0, "the input is empty: expected a profile");
    state->samples = UINT32_MAX;
    state->keep_times = reader->times || pf_options_get(reader->options, "time");
    state->origin = pf_dict_intern(reader->dict, PF_BYTES("perf-script"), 0);
    if (!pf_line_memo_init(&state->lines) || !pf_line_memo_init(&state->names) ||
        pf_table_init(&state->placed, 2 * sizeof(uint32_t)) != PF_OK)
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct perf_reader *state = reader->state;

    pf_line_memo_free(&state->lines);
    pf_line_memo_free(&state->names);
    pf_table_free(&state->placed);
    free(state->specials);
    free(state->locations);
    free(state->placed_locations);
    free(state->labels);
    free(state->measures);
}

static const struct pf_option options[] = {
    {"time", "keep the times of the events (proffilter --time does so anyway)", "yes", true, false},
    {0},
};

const struct pf_format pf_format_perf_script = {
    .name = "perf-script",
    .about = "text of perf script: Linux perf's samples with their call chains",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT | PF_IS_STREAM,
    .folded = PF_FOLDED_PERF,
    .options = options,
    .bid = pf_perf_bid,
    .reader_size = sizeof(struct perf_reader),
    .open_reader = open_reader,
    .step = read_step,
    .close_reader = close_reader,
};
