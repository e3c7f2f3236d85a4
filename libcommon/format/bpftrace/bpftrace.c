#include "format/bpftrace/bpftrace.h"

#include "base/number.h"
#include "base/scan.h"
#include "io/json_look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 64 * 1024 };

/* --- lines ------------------------------------------------------------------------------------------------------------------------- */

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

/* Where `]: VALUE` ends the key: the last such, as a command may be called so; SIZE_MAX when it does not. A histogram's value stands in the lines
 * below. */
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
    static const char *const paths[] = {"data", "type=attached_probes", "type=map", "type=stats", "type=hist", "type=lost_events", NULL};
    uint32_t found = pf_json_look(source, paths);

    return found & 1 && found > 1;
}

/* An entry of a map opens on a line of the window, and one is closed behind it. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    bool opened = false;

    (void)path;
    if (have > 0 && *bytes == '{')
        return json_ahead(source) ? 32 : 0;
    if (have < WINDOW && (have == 0 || !memchr(bytes, '\n', have)))
        bytes = pf_source_peek(source, WINDOW, &have);
    have = have < WINDOW ? have : WINDOW;
    for (const char *at = (const char *)bytes, *limit = at + have, *end; at < limit; at = end + 1) {
        struct pf_bytes line, name;

        end = memchr(at, '\n', (size_t)(limit - at));
        end = end ? end : limit;
        line = (struct pf_bytes){at, (size_t)(end - at)};
        opened = opened || (take_map(&line, &name) && line.data[0] == '[');
        if (opened && key_end(line) != SIZE_MAX)
            return 24;
        if (end == limit)
            break;
    }
    return opened ? 12 : 0;
}

/* --- reader ------------------------------------------------------------------------------------------------------------------------ */

static int open_reader(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, 1, &have);

    state->is_json = have > 0 && *bytes == '{';
    state->separator = state->is_json ? PF_BYTES(",") : PF_BYTES(", ");
    if (state->is_json)
        pf_json_reader_open(&state->json, reader);
    return pf_samples_init(&state->samples) ? PF_OK : pf_error_nomem(&reader->error);
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;

    pf_samples_free(&state->samples);
    pf_metadata_free(&state->metadata);
    pf_buffer_free(&state->name);
    pf_buffer_free(&state->keys);
    if (state->is_json)
        pf_json_cut_close(&state->json);
}

/* The lines of an entry whose `@name[` was taken off the first. */
static int read_entry(struct pf_reader *reader, uint64_t entry, struct pf_bytes line)
{
    uint64_t offset = entry;

    for (;;) {
        size_t end = key_end(line);
        struct pf_bytes key = end == SIZE_MAX ? line : (struct pf_bytes){line.data, end};
        int status = pf_bpftrace_key_line(reader, offset, key);

        if (status == PF_OK && end != SIZE_MAX)
            return pf_bpftrace_value(reader, entry, pf_bytes_skip(line, end + 2));
        offset = pf_source_offset(reader->source);
        if (status == PF_OK)
            status = pf_source_line(reader->source, &line, &reader->error);
        if (status == PF_EOF)
            return pf_error_at(&reader->error, PF_FAILED, entry, "the input ends in the middle of this entry");
        if (status != PF_OK)
            return status;
    }
}

/* The next line that is of a map: others are what the program printed. */
static int read_line(struct pf_reader *reader)
{
    uint64_t offset = pf_source_offset(reader->source);
    struct pf_bytes line, name;
    int status = pf_source_line(reader->source, &line, &reader->error);

    if (status != PF_OK || !take_map(&line, &name))
        return status;
    if (line.data[0] == '[')
        return pf_bpftrace_map(reader, name) ? read_entry(reader, offset, pf_bytes_skip(line, 1)) : pf_error_nomem(&reader->error);
    line = pf_bytes_skip(line, line.size > 1 && line.data[1] == ' ' ? 2 : 1);
    return line.size == 0 || pf_bpftrace_variable(reader, name, line) ? PF_OK : pf_error_nomem(&reader->error);
}

/* --- batches ----------------------------------------------------------------------------------------------------------------------- */

/* `key`, or `key1` and so on where an entry has several. Numbers are numbers. */
static uint32_t entry_labels(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_dict *dict = reader->dict;
    const char *at = state->keys.data;
    uint32_t labels = 0;

    for (size_t k = 1; k <= state->key_count; k++) {
        struct pf_bytes value = pf_bytes_of(at);
        char name[32] = "key";
        int64_t number;

        if (state->key_count > 1)
            snprintf(name, sizeof name, "key%zu", k);
        uint32_t key = pf_dict_intern_word(dict, name);
        if (pf_parse_whole(value, INT64_MIN, INT64_MAX, &number))
            labels = pf_dict_add_number(dict, labels, key, number, 0);
        else
            labels = pf_dict_add_label(dict, labels, key, pf_dict_intern(dict, value, PF_UTF8));
        at += value.size + 1;
    }
    return labels;
}

/* The entry becomes a row; the rows of a batch are of one map. */
static bool add_row(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_samples *samples = &state->samples;

    if (samples->rows > 0 && samples->measures[0] != state->measure)
        return false;
    samples->measures[0] = state->measure;
    samples->measure_count = 1;
    pf_samples_add(samples, reader->dict, entry_labels(reader), &state->value, false);
    pf_bpftrace_drop(reader);
    state->ready = false;
    return true;
}

static void warn(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;

    if (state->passed_over > 0)
        pf_report_send(&reader->report, PF_WARNING, "%" PRIu64 " entries whose values are no whole numbers are passed over",
                       state->passed_over);
    state->passed_over = 0;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_samples *samples = &state->samples;

    while (samples->rows < PF_BATCH_ROWS && state->metadata.given == state->metadata.count) {
        if (state->ready && !add_row(reader))
            break;
        if (state->status != PF_OK || (samples->rows > 0 && reader->flush && pf_source_would_block(reader->source)))
            break;
        state->status = state->is_json ? pf_bpftrace_read_json(reader) : read_line(reader);
        if (state->ready && !state->declared)
            break;
    }
    if (samples->rows > 0) {
        pf_samples_give(samples, reader->dict, batch);
        return PF_OK;
    }
    if (pf_metadata_give(&state->metadata, batch))
        return PF_OK;
    if (state->ready && !state->declared) {
        state->declared = true;
        samples->measures[0] = state->measure;
        samples->measure_count = 1;
        batch->kind = PF_SAMPLE;
        samples->columns[0] = (struct pf_value_column){state->measure, samples->values[0]};
        batch->values = samples->columns;
        batch->value_count = 1;
        return PF_OK;
    }
    warn(reader);
    return state->status;
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
