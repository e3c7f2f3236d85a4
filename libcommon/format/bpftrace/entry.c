#include "format/bpftrace/bpftrace.h"

#include "base/number.h"
#include "base/scan.h"

#include <stdio.h>

bool pf_bpftrace_map(struct pf_reader *reader, struct pf_bytes name)
{
    struct pf_bpftrace_reader *state = reader->state;

    state->name.size = 0;
    return pf_buffer_append(&state->name, name.data, name.size);
}

/* The unnamed map counts samples, by custom; others have their own names. */
static uint32_t find_measure(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_bytes name = {state->name.data, state->name.size};
    struct pf_measure measure =
        name.size > 0
            ? pf_measure_make_named(reader->dict, pf_dict_intern(reader->dict, name, PF_UTF8),
                                    "count", PF_SAMPLE, PF_SELF, PF_UNKNOWN_NATURE)
            : pf_measure_make(reader->dict, "samples", "count", PF_SAMPLE, PF_COUNT, PF_SAMPLED);

    return pf_dict_add_measure(reader->dict, measure);
}

/* FUNCTION+OFFSET, the offset in decimal, which stays in the system's name; or an address. */
static uint32_t frame_location(struct pf_dict *dict, struct pf_bytes text)
{
    struct pf_location location = {0};
    struct pf_function function = {0};
    size_t at = pf_without_digits(text).size;

    if (pf_parse_address(text, &location.address) && location.address != 0)
        return pf_dict_add_location(dict, &location);
    if (at > 1 && at < text.size && text.data[at - 1] == '+') {
        function.system_name = pf_dict_intern(dict, text, PF_UTF8);
        text.size = at - 1;
    }
    function.name = pf_dict_intern(dict, text, PF_UTF8);
    location.address = 0;
    location.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &location);
}

/* The parts of a key that stand in one line, without separators at its ends: those part them from
 * stacks. */
static bool add_keys(struct pf_bpftrace_reader *state, struct pf_bytes line)
{
    struct pf_bytes separator = state->separator, text = pf_bytes_trim(line);

    if (text.size > 0 && text.data[0] == ',')
        text = pf_bytes_trim((struct pf_bytes){text.data + 1, text.size - 1});
    if (text.size > 0 && text.data[text.size - 1] == ',')
        text.size--;
    while (text.size > 0) {
        size_t size = 0;

        while (size < text.size && (text.size - size < separator.size ||
                                    memcmp(text.data + size, separator.data, separator.size) != 0))
            size++;
        if (size > 0 && (!pf_buffer_append(&state->keys, text.data, size) ||
                         !pf_buffer_byte(&state->keys, '\0')))
            return false;
        state->key_count += size > 0;
        size += size < text.size ? separator.size : 0;
        text = (struct pf_bytes){text.data + size, text.size - size};
    }
    return true;
}

int pf_bpftrace_key_line(struct pf_reader *reader, uint64_t offset, struct pf_bytes line)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_bytes text = pf_bytes_trim(line);

    if (line.size > PF_STRING_MAX)
        return pf_error_at(&reader->error, PF_FAILED, offset, "a part of a key longer than 16 MiB");
    if (text.size == 0 || !pf_blank(line.data[0]) || text.data[0] == ',')
        return add_keys(state, line) ? PF_OK : pf_error_nomem(&reader->error);
    return pf_rows_frame(&state->text.rows, frame_location(reader->dict, text), &reader->error,
                         offset);
}

/* `key`, or `key1` and so on where an entry has several. Numbers are numbers. */
static int entry_labels(struct pf_reader *reader, uint64_t offset, uint32_t *labels)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_dict *dict = reader->dict;
    const char *at = state->keys.data;
    bool good = true;

    for (size_t k = 1; k <= state->key_count; k++) {
        struct pf_bytes value = pf_bytes_of(at);
        char name[32] = "key";
        int64_t number;

        if (state->key_count > 1)
            snprintf(name, sizeof name, "key%zu", k);
        uint32_t key = pf_dict_intern_word(dict, name);
        if (pf_parse_whole(value, INT64_MIN, INT64_MAX, &number))
            good = good && pf_labels_add_number(&state->labels, dict, key, number, 0);
        else
            good = good &&
                   pf_labels_add(&state->labels, dict, key, pf_dict_intern(dict, value, PF_UTF8));
        at += value.size + 1;
    }
    if (!good)
        return pf_error_nomem(&reader->error);
    return pf_labels_take_checked(&state->labels, dict, labels, &reader->error, offset);
}

static void drop_entry(struct pf_bpftrace_reader *state)
{
    state->text.rows.depth = 0;
    state->keys.size = state->key_count = 0;
}

/* The entry becomes a record; the records of a batch are of one map. */
static int add_record(struct pf_reader *reader, uint64_t offset, int64_t value)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_rows *rows = &state->text.rows;
    uint32_t measure = find_measure(reader), labels;
    int status = entry_labels(reader, offset, &labels);

    if (status != PF_OK)
        return status;
    if (measure != state->measure) {
        state->measure = measure;
        pf_rows_begin(rows, PF_SAMPLE);
        pf_rows_measure(rows, measure);
    }
    pf_rows_sample(rows, labels);
    pf_rows_set(rows, 0, value);
    drop_entry(state);
    return PF_OK;
}

/* `count 5, average 3, total 15` of stats(): the total. */
static struct pf_bytes number_of(struct pf_bytes text)
{
    static const char total[] = ", total ";
    size_t size = sizeof total - 1;

    for (size_t at = 0; at + size < text.size; at++)
        if (memcmp(text.data + at, total, size) == 0)
            return (struct pf_bytes){text.data + at + size, text.size - at - size};
    return text;
}

int pf_bpftrace_value(struct pf_reader *reader, uint64_t offset, struct pf_bytes text)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_bytes number = number_of(pf_bytes_trim(text));
    int64_t value;

    if (!pf_is_whole(number)) {
        state->passed_over++;
        drop_entry(state);
        return PF_OK;
    }
    if (!pf_parse_int(number, INT64_MIN, INT64_MAX, &value))
        return pf_error_at(&reader->error, PF_FAILED, offset, "the value %s does not fit 64 bits",
                           pf_clip(number).text);
    return add_record(reader, offset, value);
}

void pf_bpftrace_variable(struct pf_reader *reader, struct pf_bytes name, struct pf_bytes value)
{
    struct pf_bpftrace_reader *state = reader->state;

    if (name.size <= PF_STRING_MAX && value.size <= PF_STRING_MAX)
        pf_rows_meta(&state->text.rows, "bpftrace", name, value);
}
