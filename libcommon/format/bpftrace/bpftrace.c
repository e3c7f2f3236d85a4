#include "format/bpftrace/bpftrace.h"

#include "base/number.h"
#include "base/scan.h"
#include "io/json_look.h"

#include <inttypes.h>

/* --- lines ------------------------------------------------------------------------------------ */

/* `@name` at the begin of a line, taken. */
static bool take_map(struct pf_bytes *line, struct pf_bytes *name)
{
    size_t size = 1;

    if (line->size == 0 || line->data[0] != '@')
        return false;
    while (size < line->size && pf_word_char(line->data[size]))
        size++;
    *name = (struct pf_bytes){line->data + 1, size - 1};
    *line = pf_bytes_skip(*line, size);
    return line->size > 0 && (line->data[0] == '[' || line->data[0] == ':');
}

/* Where `]: VALUE` ends the key: the last such, as a command may be called so; SIZE_MAX when it
 * does not. A histogram's value stands in the lines below. */
static size_t key_end(struct pf_bytes line)
{
    for (size_t at = line.size; at-- > 1;)
        if (line.data[at] == ':' && line.data[at - 1] == ']')
            return at - 1;
    return SIZE_MAX;
}

/* The first object of -f json tells its type. */
static bool json_ahead(struct pf_source *source)
{
    static const char *const paths[] = {
        "data",      "type=attached_probes", "type=map", "type=stats",
        "type=hist", "type=lost_events",     NULL};
    uint32_t found = pf_json_look(source, paths);

    return found & 1 && found > 1;
}

/* An entry of a map opens on a line, and is closed on the same line or on one below it. */
static int judge(struct pf_bytes line, bool whole, void *field)
{
    bool *opened = field;
    struct pf_bytes name;

    (void)whole;
    *opened = *opened || (take_map(&line, &name) && line.data[0] == '[');
    if (*opened && key_end(line) != SIZE_MAX)
        return 24 | PF_TEXT_SURE;
    return *opened ? 12 : 0;
}

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    bool opened = false;

    (void)path;
    if (have > 0 && *bytes == '{')
        return json_ahead(source) ? 32 : 0;
    return pf_text_bid(source, judge, &opened);
}

/* --- reader ----------------------------------------------------------------------------------- */

/* A line of an entry: the key, and behind its end the value. */
static int read_entry(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_bpftrace_reader *state = reader->state;
    size_t end = key_end(line);
    struct pf_bytes key = end == SIZE_MAX ? line : (struct pf_bytes){line.data, end};
    int status = pf_bpftrace_key_line(reader, state->text.offset, key);

    state->in_entry = end == SIZE_MAX;
    if (status != PF_OK || state->in_entry)
        return status;
    return pf_bpftrace_value(reader, state->entry_offset, pf_bytes_skip(line, end + 2));
}

/* Lines that are of no map are what the program printed. */
static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_bytes name;

    if (state->in_entry)
        return read_entry(reader, line);
    if (!take_map(&line, &name))
        return PF_OK;
    if (line.data[0] == '[') {
        state->entry_offset = state->text.offset;
        return pf_bpftrace_map(reader, name) ? read_entry(reader, pf_bytes_skip(line, 1))
                                             : pf_error_nomem(&reader->error);
    }
    line = pf_bytes_skip(line, line.size > 1 && line.data[1] == ' ' ? 2 : 1);
    if (line.size > 0)
        pf_bpftrace_variable(reader, name, line);
    return PF_OK;
}

static int end_input(struct pf_reader *reader, int status)
{
    struct pf_bpftrace_reader *state = reader->state;

    if (status == PF_EOF && state->in_entry)
        status = pf_error_at(&reader->error, PF_FAILED, state->entry_offset,
                             "the input ends in the middle of this entry");
    if (state->passed_over > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "%" PRIu64 " entries whose values are no whole numbers are passed over",
                       state->passed_over);
    return status;
}

static int open_reader(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, 1, &have);

    state->is_json = have > 0 && *bytes == '{';
    state->separator = state->is_json ? PF_BYTES(",") : PF_BYTES(", ");
    state->measure = UINT32_MAX;
    pf_text_open(reader, read_line, end_input);
    if (state->is_json)
        pf_json_reader_open(&state->json, reader);
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;

    pf_text_close(reader);
    pf_buffer_free(&state->name);
    pf_buffer_free(&state->keys);
    pf_labels_free(&state->labels);
    if (state->is_json)
        pf_json_cut_close(&state->json);
}

static int next_json(struct pf_reader *reader)
{
    int status = pf_bpftrace_read_json(reader);

    return status == PF_OK ? PF_OK : end_input(reader, status);
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_bpftrace_reader *state = reader->state;

    if (!state->is_json)
        return pf_text_read(reader, batch);
    return pf_rows_read(reader, &state->text.rows, &state->text.status, next_json, batch);
}

const struct pf_format pf_format_bpftrace = {
    .name = "bpftrace",
    .about = "maps of bpftrace whose keys are stacks, text and JSON",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT | PF_IS_STREAM,
    .folded = PF_FOLDED_BPFTRACE,
    .bid = bid,
    .reader_size = sizeof(struct pf_bpftrace_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
};
