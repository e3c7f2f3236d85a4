/* bpftrace's maps with stacks in their keys, as bpftrace prints them when it ends: text, or JSON
 * with an object in each line; the object of maps has a member for each map. bpftrace.md has the
 * facts. */
#include "base/number.h"
#include "base/scan.h"
#include "codec/java_name.h"
#include "codec/json_reader.h"
#include "codec/text_reader.h"
#include "io/json_look.h"
#include "model/labels.h"

#include <inttypes.h>
#include <stdio.h>

struct state {
    struct pf_text_reader text; /* not for JSON */
    struct pf_bytes separator;  /* between parts of a key: ", ", in JSON "," */
    struct pf_buffer name;      /* of the current map, without @ */
    struct pf_buffer keys;      /* parts of the entry's key except the stack, each ended by a NUL */
    size_t key_count;
    struct pf_labels labels; /* labels from `keys` */
    bool in_entry;           /* inside the lines of an entry */
    bool is_json;
    struct pf_json_cut json;
    unsigned level;        /* enum level */
    uint64_t entry_offset; /* offset of the current entry */
    uint32_t measure;      /* measure of the map of the last record */
    uint64_t skipped;      /* entries whose values are not whole numbers */
};

/* --- entries of maps -------------------------------------------------------------------------- */

/* Begins the entries of a map. False: out of memory. */
static bool set_map(struct pf_reader *reader, struct pf_bytes name)
{
    struct state *state = reader->state;

    state->name.size = 0;
    return pf_buffer_append(&state->name, name.data, name.size);
}

/* The measure of the current map: `samples` for the map without a name, by convention; else the
 * name of the map. */
static uint32_t find_measure(struct pf_reader *reader)
{
    struct state *state = reader->state;
    struct pf_bytes name = {state->name.data, state->name.size};
    struct pf_measure measure =
        name.size > 0
            ? pf_measure_make_named(reader->dict, pf_dict_intern(reader->dict, name, PF_UTF8),
                                    "count", PF_SAMPLE, PF_SELF, PF_UNKNOWN_NATURE)
            : pf_measure_make(reader->dict, "samples", "count", PF_SAMPLE, PF_COUNT, PF_SAMPLED);

    return pf_dict_add_measure(reader->dict, measure);
}

/* The location of a frame: FUNCTION+OFFSET or an address. The decimal offset stays in the system
 * name. */
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
    pf_function_symbol(dict, &function, text, PF_UTF8);
    location.address = 0;
    location.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &location);
}

/* Adds the parts of a key in a line to `keys`. Separators at both ends of the line stand between
 * the parts and a stack. False: out of memory. */
static bool add_keys(struct state *state, struct pf_bytes line)
{
    struct pf_bytes separator = state->separator, text = pf_bytes_trim(line);

    if (text.size > 0 && text.data[0] == ',')
        text = pf_bytes_trim((struct pf_bytes){text.data + 1, text.size - 1});
    if (text.size > 0 && text.data[text.size - 1] == ',')
        text.size--;
    while (text.size > 0) {
        const char *end = pf_bytes_find(text, separator);
        size_t size = end ? (size_t)(end - text.data) : text.size;

        if (size > 0 && (!pf_buffer_append(&state->keys, text.data, size) ||
                         !pf_buffer_byte(&state->keys, '\0')))
            return false;
        state->key_count += size > 0;
        size += size < text.size ? separator.size : 0;
        text = pf_bytes_skip(text, size);
    }
    return true;
}

/* Reads a line of the entry's key: a frame if the line begins with a blank, else other parts of the
 * key. */
static int read_key_line(struct pf_reader *reader, uint64_t offset, struct pf_bytes line)
{
    struct pf_bytes text = pf_bytes_trim(line);

    if (line.size > PF_STRING_MAX)
        return pf_error_at(&reader->error, PF_FAILED, offset, "a part of a key longer than 16 MiB");
    if (text.size == 0 || !pf_blank(line.data[0]) || text.data[0] == ',')
        return add_keys(reader->state, line) ? PF_OK : pf_error_nomem(&reader->error);
    return pf_rows_frame(&reader->rows, frame_location(reader->dict, text), &reader->error, offset);
}

/* Makes the labels of an entry: `key`, or `key1`, `key2` and so on for several parts. Whole numbers
 * become numbers. */
static int entry_labels(struct pf_reader *reader, uint64_t offset, uint32_t *labels)
{
    struct state *state = reader->state;
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

static void drop_entry(struct pf_reader *reader)
{
    struct state *state = reader->state;

    reader->rows.depth = 0;
    state->keys.size = state->key_count = 0;
}

/* Makes a record of the entry. A batch has records of one map only. */
static int add_record(struct pf_reader *reader, uint64_t offset, int64_t value)
{
    struct state *state = reader->state;
    struct pf_rows *rows = &reader->rows;
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
    drop_entry(reader);
    return PF_OK;
}

/* The value of an entry as text: of `count 5, average 3, total 15` (stats()) the total. */
static struct pf_bytes number_of(struct pf_bytes text)
{
    static const struct pf_bytes total = {", total ", 8};
    const char *found = pf_bytes_find(text, total);

    return found ? pf_bytes_skip(text, (size_t)(found - text.data) + total.size) : text;
}

/* Reads the value, which ends the entry that began at `offset`. The entry becomes a record; it is
 * skipped if the value is not a whole number. */
static int end_entry(struct pf_reader *reader, uint64_t offset, struct pf_bytes text)
{
    struct state *state = reader->state;
    struct pf_bytes number = number_of(pf_bytes_trim(text));
    int64_t value;

    if (!pf_is_whole(number)) {
        state->skipped++;
        drop_entry(reader);
        return PF_OK;
    }
    if (!pf_parse_int(number, INT64_MIN, INT64_MAX, &value))
        return pf_error_at(&reader->error, PF_FAILED, offset, "the value %s does not fit 64 bits",
                           pf_clip(number).text);
    return add_record(reader, offset, value);
}

/* Keeps a map that is a single number as metadata. */
static void keep_variable(struct pf_reader *reader, struct pf_bytes name, struct pf_bytes value)
{
    if (name.size <= PF_STRING_MAX && value.size <= PF_STRING_MAX)
        pf_rows_meta(&reader->rows, "bpftrace", name, value);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Removes `@name` from the beginning of a line. False: the line begins otherwise. */
static bool scan_map_name(struct pf_bytes *line, struct pf_bytes *name)
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

/* Where `]: VALUE` ends the key: the last such place, because the name of a command may look like
 * one. SIZE_MAX: the line does not end the key. The values of a histogram are in the lines
 * below. */
static size_t key_end(struct pf_bytes line)
{
    for (size_t at = line.size; at-- > 1;)
        if (line.data[at] == ':' && line.data[at - 1] == ']')
            return at - 1;
    return SIZE_MAX;
}

/* True if the text looks like -f json: the first object has a type of bpftrace. */
static bool json_ahead(struct pf_source *source)
{
    static const char *const paths[] = {
        "data",      "type=attached_probes", "type=map", "type=stats",
        "type=hist", "type=lost_events",     NULL};
    uint32_t found = pf_json_look(source, paths);

    return found & 1 && found > 1;
}

/* Bits of evidence in a line: an entry of a map begins in a line, and ends in the same line or in a
 * line below. */
static int judge(struct pf_bytes line, bool whole, void *field)
{
    bool *opened = field;
    struct pf_bytes name;

    (void)whole;
    *opened = *opened || (scan_map_name(&line, &name) && line.data[0] == '[');
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

/* --- JSON ------------------------------------------------------------------------------------- */

/* The innermost open object of the JSON: none, the object of a line, its maps, one map. */
enum level { BETWEEN, OBJECT, MAPS, ENTRIES };

/* Reads the lines of a key; lines of a stack begin with blanks. */
static int read_lines_of_key(struct pf_reader *reader, uint64_t offset, struct pf_bytes key)
{
    int status = PF_OK;

    while (status == PF_OK && key.size > 0)
        status = read_key_line(reader, offset, pf_bytes_line(&key));
    return status;
}

struct statistics {
    uint64_t offset; /* offset of the entry */
    bool found;
};

static int read_total(struct pf_json_cut *cut, void *field)
{
    struct statistics *statistics = field;
    struct pf_bytes number;

    if (statistics->found)
        return pf_json_cut_skip(cut);
    statistics->found = true;
    int status = pf_json_cut_number(cut, &number);
    return status == PF_OK ? end_entry(cut->owner, statistics->offset, number) : status;
}

/* Reads statistics, `{"count": 2, "average": 30, "total": 61}`: the value is the total. */
static int read_statistics(struct pf_json_cut *cut, uint64_t offset)
{
    static const struct pf_json_member members[] = {
        {"total", PF_JSON_NUMBER | PF_JSON_LAX, read_total, 0, NULL}, {0}};
    struct statistics statistics = {.offset = offset};
    int status = pf_json_object(cut, members, &statistics);

    return status == PF_OK && !statistics.found ? end_entry(cut->owner, offset, PF_BYTES(""))
                                                : status;
}

/* Reads an entry of a map; the stack is in its key. */
static int read_json_entry(struct pf_json_cut *cut, void *field)
{
    uint64_t offset = ((struct state *)field)->entry_offset;
    struct pf_bytes number;
    int kind = pf_json_cut_kind(cut), status = read_lines_of_key(cut->owner, offset, cut->key);

    if (status != PF_OK)
        return status;
    if (kind == '{')
        return read_statistics(cut, offset);
    if (kind == '0') {
        status = pf_json_cut_number(cut, &number);
        return status == PF_OK ? end_entry(cut->owner, offset, number) : status;
    }
    end_entry(cut->owner, offset, PF_BYTES(""));
    return pf_json_cut_skip(cut);
}

/* Reads a map, `"@name": {...}`, or a variable. */
static int read_map(struct pf_json_cut *cut, void *field)
{
    struct state *state = field;
    struct pf_bytes key = cut->key, value;
    int kind = pf_json_cut_kind(cut);

    if (key.size == 0 || key.data[0] != '@')
        return pf_json_cut_skip(cut);
    if (!set_map(cut->owner, pf_bytes_skip(key, 1)))
        return pf_error_nomem(cut->error);
    if (kind == '{') {
        state->level = ENTRIES;
        return pf_json_cut_enter(cut, '{');
    }
    if (kind != '0')
        return pf_json_cut_skip(cut);
    int status = pf_json_cut_number(cut, &value);
    if (status != PF_OK)
        return status;
    key = (struct pf_bytes){state->name.data, state->name.size};
    keep_variable(cut->owner, key, value);
    return PF_OK;
}

static int enter_maps(struct pf_json_cut *cut, void *field)
{
    ((struct state *)field)->level = MAPS;
    return pf_json_cut_enter(cut, '{');
}

static int read_object(struct pf_reader *reader)
{
    struct state *state = reader->state;
    const unsigned char *bytes;
    size_t have;

    while ((bytes = pf_source_peek(reader->source, 1, &have)), have > 0 && pf_white((char)*bytes))
        pf_source_take(reader->source, 1);
    if (have == 0)
        return pf_source_status(reader->source, &reader->error) < 0 ? reader->error.code : PF_EOF;
    state->level = OBJECT;
    return pf_json_cut_enter(&state->json, '{');
}

static int read_json_step(struct pf_reader *reader)
{
    /* `type` next to `data` need not be read: only names of maps and variables begin with @ */
    static const struct pf_json_member object[] = {
        {"data", PF_JSON_OBJECT | PF_JSON_LAX, enter_maps, 0, NULL}, {0}};
    static const struct pf_json_member map[] = {{NULL, PF_JSON_ANY, read_map, 0, NULL}, {0}};
    static const struct pf_json_member entry[] = {{NULL, PF_JSON_ANY, read_json_entry, 0, NULL},
                                                  {0}};
    static const struct pf_json_member *const tables[] = {
        [OBJECT] = object, [MAPS] = map, [ENTRIES] = entry};
    struct state *state = reader->state;

    if (state->level == BETWEEN)
        return read_object(reader);
    state->entry_offset = pf_source_offset(reader->source);
    int status = pf_json_member(&state->json, tables[state->level], state);
    if (status != PF_EOF)
        return status;
    state->level--;
    return PF_OK;
}

/* --- reader ----------------------------------------------------------------------------------- */

/* Reads a line of an entry: a part of the key, and the value if the key ends in this line. */
static int read_entry(struct pf_reader *reader, struct pf_bytes line)
{
    struct state *state = reader->state;
    size_t end = key_end(line);
    struct pf_bytes key = end == SIZE_MAX ? line : (struct pf_bytes){line.data, end};
    int status = read_key_line(reader, state->text.offset, key);

    state->in_entry = end == SIZE_MAX;
    if (status != PF_OK || state->in_entry)
        return status;
    return end_entry(reader, state->entry_offset, pf_bytes_skip(line, end + 2));
}

/* Reads a line. Lines outside of maps are what the bpftrace program printed; they are skipped. */
static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct state *state = reader->state;
    struct pf_bytes name;

    if (state->in_entry)
        return read_entry(reader, line);
    if (!scan_map_name(&line, &name))
        return PF_OK;
    if (line.data[0] == '[') {
        state->entry_offset = state->text.offset;
        return set_map(reader, name) ? read_entry(reader, pf_bytes_skip(line, 1))
                                     : pf_error_nomem(&reader->error);
    }
    line = pf_bytes_skip(line, line.size > 1 && line.data[1] == ' ' ? 2 : 1);
    if (line.size > 0)
        keep_variable(reader, name, line);
    return PF_OK;
}

static int end_input(struct pf_reader *reader, int status)
{
    struct state *state = reader->state;

    if (status == PF_EOF && state->in_entry)
        status = pf_error_at(&reader->error, PF_FAILED, state->entry_offset,
                             "the input ends in the middle of this entry");
    if (state->skipped > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "%" PRIu64 " entries skipped: their values are not whole numbers",
                       state->skipped);
    return status;
}

static int next_json(struct pf_reader *reader)
{
    int status = read_json_step(reader);

    return status == PF_OK ? PF_OK : end_input(reader, status);
}

static int open_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, 1, &have);

    state->is_json = have > 0 && *bytes == '{';
    state->separator = state->is_json ? PF_BYTES(",") : PF_BYTES(", ");
    state->measure = UINT32_MAX;
    pf_text_open(reader, read_line, end_input);
    if (state->is_json) {
        pf_json_reader_open(&state->json, reader);
        reader->step = next_json;
    }
    return PF_OK;
}

static void close_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;

    pf_buffer_free(&state->name);
    pf_buffer_free(&state->keys);
    pf_labels_free(&state->labels);
    if (state->is_json)
        pf_json_cut_close(&state->json);
}

const struct pf_format pf_format_bpftrace = {
    .name = "bpftrace",
    .about = "maps of bpftrace whose keys are stacks, text and JSON",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT | PF_IS_STREAM,
    .folded = PF_FOLDED_BPFTRACE,
    .bid = bid,
    .reader_size = sizeof(struct state),
    .open_reader = open_reader,
    .close_reader = close_reader,
};
