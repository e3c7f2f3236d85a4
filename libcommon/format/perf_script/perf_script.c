/* perf script: the text in which Linux's perf prints its samples, an event a block with its call chain. */
#include "format/perf_script/frame.h"
#include "format/perf_script/reader.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WINDOW = 64 * 1024 };

/* --- evidence ---------------------------------------------------------------------------------------------------------------------- */

static bool empty(struct pf_bytes line)
{
    for (size_t k = 0; k < line.size; k++)
        if (line.data[k] != ' ' && line.data[k] != '\t' && line.data[k] != '\r')
            return false;
    return true;
}

/* Whether the address of a frame ends where perf's `%16lx` ends it, behind so many columns. */
static bool in_columns(struct pf_bytes line, size_t before)
{
    size_t end = before + 16;

    return line.size > end + 1 && !pf_blank(line.data[end - 1]) && pf_blank(line.data[end]);
}

/* A frame as perf prints it: behind a tab, or with an image or an offset, or in the columns of `%16lx`, also where the tab was lost or became
 * blanks. */
static bool printed_frame(struct pf_bytes line)
{
    enum { TAB = 8 };
    struct pf_perf_frame frame;

    if (!pf_perf_frame_parse(line, &frame) && !pf_perf_frame_unindented(line, &frame))
        return false;
    return line.data[0] == '\t' || frame.image.size > 0 || in_columns(line, 0) || in_columns(line, TAB);
}

/* The first line that is neither empty nor a comment is a header, with a time, an event, or both; a frame stands in it or below it. Without a
 * time other texts look like that, but have no frame as perf prints it. */
static int evidence(const struct pf_perf_header *header, struct pf_bytes below)
{
    enum { INSIDE = 2 }; /* blanks between an event and a frame behind it */
    struct pf_perf_frame frame;
    bool inside = pf_perf_frame_parse(header->rest, &frame) && pf_perf_frame_named(&frame);
    bool chain = !empty(below) && (pf_perf_frame_parse(below, &frame) || pf_perf_frame_unindented(below, &frame));
    int bits = header->has_time ? 12 : 0;

    if (header->event.size > 0 && header->has_time)
        bits += 8;
    if (!header->has_time)
        return (chain && printed_frame(below)) || (inside && header->has_tid && in_columns(header->rest, INSIDE)) ? 12 : 0;
    return inside || chain ? bits + 12 : header->event.size > 0 && header->has_tid ? bits : 0;
}

/* `\t%16lx SYMBOL`, as perf prints a frame. */
static bool aligned_frame(struct pf_bytes line)
{
    enum { WIDTH = 17 };
    struct pf_perf_frame frame;

    return line.size > WIDTH && line.data[0] == '\t' && line.data[WIDTH - 1] != ' ' && line.data[WIDTH] == ' ' &&
           pf_perf_frame_parse(line, &frame) && frame.symbol.size > 0;
}

/* `%16s ` of a command, or `%10u ` of a period, above or beside an event behind which nothing stands but perf's blank. */
static bool aligned_header(struct pf_bytes line)
{
    enum { COMM = 16 };
    struct pf_perf_header header;

    if (line.size <= 2 || memcmp(line.data + line.size - 2, ": ", 2) != 0 || !pf_perf_header_parse(line, false, &header) || header.has_time)
        return false;
    if (header.has_period || header.has_tid)
        return true;
    return header.event.size > 0 && header.who.size >= COMM && line.data[COMM] == ' ' && line.data[COMM - 1] != ' ';
}

/* Neither times nor call chains: each line ahead must be an event. */
static int weigh_aligned(struct pf_bytes text, bool whole)
{
    int lines = 0;

    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text);

        if (empty(line) || line.data[0] == '#')
            continue;
        if (text.size == 0 && !whole)
            break;
        if (!aligned_header(line))
            return 0;
        lines++;
    }
    return lines > 0 ? 12 : 0;
}

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    bool captured = false;

    if (have < WINDOW && !memchr(bytes, '\n', have))
        bytes = pf_source_peek(source, WINDOW, &have);
    struct pf_bytes text = {(const char *)bytes, have < WINDOW ? have : WINDOW}, all = text;
    (void)path;
    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text);
        struct pf_perf_header header;
        bool comment = line.size > 0 && line.data[0] == '#';

        captured = captured || (line.size > 14 && memcmp(line.data, "# captured on ", 14) == 0);
        if (empty(line) || pf_perf_other_record(line))
            continue;
        if (pf_perf_header_parse(line, comment, &header)) {
            struct pf_bytes below = text.size > 0 ? pf_bytes_line(&text) : PF_BYTES("");
            int bits = evidence(&header, below);

            if (bits == 0 && !header.has_time)
                bits = weigh_aligned(all, have < WINDOW);
            return bits > 0 && captured ? bits + 8 : bits;
        }
        if (!comment)
            return aligned_frame(line.data[0] == '\t' ? line : pf_bytes_line(&text)) ? 12 : 0;
    }
    return 0;
}

/* --- batches ----------------------------------------------------------------------------------------------------------------------- */

static int open_reader(struct pf_reader *reader)
{
    struct pf_perf_reader *state = reader->state;
    size_t have;

    pf_source_peek(reader->source, 1, &have);
    if (have == 0 && pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    if (have == 0)
        return pf_error_at(&reader->error, PF_FAILED, 0, "the input is empty: no byte of a profile");
    state->samples = UINT32_MAX;
    state->give_times = reader->times || pf_options_get(reader->options, "time");
    state->origin = pf_dict_intern(reader->dict, PF_BYTES("perf-script"), 0);
    for (size_t k = 0; k < PF_BATCH_ROWS; k++)
        state->ones[k] = 1;
    state->memo = pf_stack_memo_new();
    if (!pf_line_memo_init(&state->lines) || !pf_line_memo_init(&state->names) || !state->memo ||
        pf_table_init(&state->placed, 2 * sizeof(uint32_t)) != PF_OK)
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_perf_reader *state = reader->state;

    pf_stack_memo_free(state->memo);
    pf_line_memo_free(&state->lines);
    pf_line_memo_free(&state->names);
    pf_table_free(&state->placed);
    free(state->specials);
    free(state->locations);
    free(state->placed_locations);
    free(state->labels);
    free(state->measures);
    free(state->frames);
    for (size_t k = 0; k < PF_PERF_EVENTS; k++)
        free(state->values[k]);
}

/* The measure that counts events as they come stands behind the first of the others. */
static bool find_samples(struct pf_reader *reader)
{
    struct pf_perf_reader *state = reader->state;

    if (state->samples == UINT32_MAX)
        state->samples = pf_dict_add_measure(
            reader->dict, pf_measure_make(reader->dict, "samples", "count", PF_SAMPLE, PF_COUNT, PF_SAMPLED));
    return state->samples != UINT32_MAX;
}

/* The column of the item's measure; PF_PERF_EVENTS when the batch has no more of them, or memory ran out. */
static uint32_t find_column(struct pf_reader *reader)
{
    struct pf_perf_reader *state = reader->state;
    uint32_t k;

    for (k = 0; k < state->column_count; k++)
        if (state->columns[k].measure == state->item_measure)
            return k;
    if (k == PF_PERF_EVENTS)
        return k;
    if (!state->values[k] && !(state->values[k] = malloc(PF_BATCH_ROWS * sizeof(int64_t)))) {
        state->status = pf_error_nomem(&reader->error);
        return PF_PERF_EVENTS;
    }
    memset(state->values[k], 0, PF_BATCH_ROWS * sizeof(int64_t));
    state->columns[state->column_count++] = (struct pf_value_column){state->item_measure, state->values[k]};
    return k;
}

static bool add_row(struct pf_reader *reader, uint32_t row)
{
    struct pf_perf_reader *state = reader->state;

    if (state->item_measure != UINT32_MAX) {
        uint32_t column = find_column(reader);

        if (column == PF_PERF_EVENTS)
            return false;
        state->values[column][row] = state->item_value;
    }
    pf_stack_memo_queue(state->memo, reader->dict, state->frames, state->depth, &state->stacks[row]);
    state->label_rows[row] = state->item_labels;
    state->times[row] = state->item_time;
    state->item = PF_PERF_NONE;
    return true;
}

static void give_records(struct pf_perf_reader *state, struct pf_batch *batch, uint32_t rows)
{
    state->columns[state->column_count] = (struct pf_value_column){state->samples, state->ones};
    batch->kind = PF_SAMPLE;
    batch->rows = rows;
    batch->stack = state->stacks;
    batch->labels = state->label_rows;
    batch->time = state->give_times && state->timed ? state->times : NULL;
    batch->values = state->columns;
    batch->value_count = state->column_count + 1;
}

static void give_comment(struct pf_perf_reader *state, struct pf_batch *batch)
{
    batch->kind = PF_META;
    batch->rows = 1;
    batch->origin = &state->origin;
    batch->key = &state->item_key;
    batch->value = &state->item_text;
    state->item = PF_PERF_NONE;
}

/* The measures known before the first record. */
static int declare(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_perf_reader *state = reader->state;

    state->declared = true;
    state->column_count = 0;
    if (state->item == PF_PERF_EVENT && state->item_measure != UINT32_MAX && find_column(reader) == PF_PERF_EVENTS)
        return state->status;
    if (!find_samples(reader))
        return pf_error_nomem(&reader->error);
    give_records(state, batch, 0);
    return PF_OK;
}

/* At the end of the input. */
static void warn(struct pf_reader *reader)
{
    struct pf_perf_reader *state = reader->state;

    if (state->passed_over > 0)
        pf_report_send(&reader->report, PF_WARNING, "offset %" PRIu64 ": %" PRIu64 " line%s of call chains that are no frames passed over",
                       state->passed_offset, state->passed_over, state->passed_over == 1 ? "" : "s");
    state->passed_over = 0;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_perf_reader *state = reader->state;
    uint32_t rows = 0;

    state->column_count = 0;
    while (rows < PF_BATCH_ROWS) {
        if (rows > 0 && state->item == PF_PERF_NONE && reader->flush && pf_source_would_block(reader->source))
            break;
        if (state->item == PF_PERF_NONE && state->status == PF_OK)
            state->status = pf_perf_read_item(reader);
        if (state->status != PF_OK)
            state->item = PF_PERF_NONE;
        if (rows == 0 && state->item == PF_PERF_COMMENT)
            return give_comment(state, batch), PF_OK;
        if (!state->declared)
            return declare(reader, batch);
        if (state->item != PF_PERF_EVENT || !add_row(reader, rows))
            break;
        rows++;
    }
    if (rows == 0) {
        warn(reader);
        return state->status;
    }
    pf_stack_memo_flush(state->memo, reader->dict);
    give_records(state, batch, rows);
    return PF_OK;
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
    .bid = bid,
    .reader_size = sizeof(struct pf_perf_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
};
