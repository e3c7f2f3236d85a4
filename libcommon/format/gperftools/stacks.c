/* Stacks of all threads, as Google's servers print them for /threadz:
 *     --- threadz 1 ---
 *     --- Thread 7f794ab90940 (name: main/14748) stack: ---
 *       PC: 0x00bc8f1c: helper(int)
 *       0x0040be31 0x7f7949a9811d
 *     --- Thread 7f794ab90941 (name: a/1) stack: ---
 *       [same as previous thread]
 *     --- Memory map: ---
 * and of all goroutines, as Go prints them for ?debug=2 and when a program panics:
 *     goroutine 7 [select, 5 minutes]:
 *     pkg.function(arguments)
 *     <TAB>file.go:12 +0x45
 *     created by pkg.function in goroutine 1
 * The leaf comes first. Each thread or goroutine is a sample. */
#include "format/gperftools/gperftools.h"

#include "base/number.h"
#include "base/scan.h"

#include <string.h>

/* Adds a frame with a name; `address` 0: unknown. */
static int add_named(struct pf_reader *reader, uint64_t address, struct pf_gperftools_frame frame)
{
    struct pf_gperftools *state = reader->state;
    uint64_t key = frame.function ? pf_gperftools_names_key(&state->names, address, frame) : 0;

    return key != 0 ? pf_gperftools_push(reader, key) : pf_error_nomem(&reader->error);
}

/* Begins the sample of a thread. */
static void begin_sample(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    pf_gperftools_begin_record(reader);
    state->record.values[0] = 1;
}

/* --- threads: frames -------------------------------------------------------------------------- */

/* Reads an address 0xADDRESS, with a colon or a comma before a name. *is_address false: another
 * word. PF_FAILED: over 64 bits. */
static int read_address(struct pf_reader *reader, struct pf_bytes word, uint64_t *address,
                        bool *is_address)
{
    *is_address = false;
    if (!pf_scan_past(&word, PF_BYTES("0x")))
        return PF_OK;
    if (word.size > 0 && pf_one_of(word.data[word.size - 1], ":,"))
        word.size--;
    *is_address = word.size > 0 && pf_all_of(word, "0123456789abcdefABCDEF");
    if (!*is_address || pf_parse_hex(word, address))
        return PF_OK;
    return pf_gperftools_expected(reader, "an address of 64 bits");
}

/* Finds the first address of a line; *rest is the text after it. *found false: no address. `+ 0x15`
 * is an offset. */
static int find_address(struct pf_reader *reader, struct pf_bytes *rest, uint64_t *address,
                        bool *found)
{
    bool offset = false;
    int status = PF_OK;

    for (*found = false; status == PF_OK && !*found && rest->size > 0;) {
        struct pf_bytes word = pf_scan_word(rest);

        if (!offset)
            status = read_address(reader, word, address, found);
        offset = pf_bytes_equal(word, PF_BYTES("+"));
    }
    return status;
}

/* Adds a frame: a name with its address, a name alone (address 0), or an address alone. */
static int add_frame(struct pf_reader *reader, uint64_t address, struct pf_bytes name)
{
    const struct pf_gperftools *state = reader->state;

    /* addresses of callers are return addresses: one less lies within the call */
    uint64_t within = address - (state->record.depth > 0 && address > 0);

    if (pf_gperftools_is_named(within) || name.size > PF_STRING_MAX)
        return pf_gperftools_expected(reader, "addresses of a program and names below 16 MiB");
    if (address > 0)
        name = pf_gperftools_without_offset(name);
    if (name.size == 0)
        return pf_gperftools_push(reader, within);
    struct pf_gperftools_frame frame = {
        .function = pf_gperftools_function(reader->dict, name, PF_BYTES(""))};

    return add_named(reader, within, frame);
}

/* Reads frames of a thread: `PC: 0xADDRESS 0xADDRESS`, `0xADDRESS: NAME` or `NAME`. Words before
 * the first address, such as `creator:` or `@`, do not belong to a name. */
static int read_frames(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_bytes rest = line, behind, label;
    uint64_t address, next;
    bool more;
    int status = find_address(reader, &rest, &address, &more);

    if (status == PF_OK && !more) {
        label = pf_scan_word(&line);
        rest = pf_bytes_trim(line);
        if (label.size == 1 || label.data[label.size - 1] != ':' ||
            label.data[label.size - 2] == ':')
            rest = (struct pf_bytes){label.data, label.size + line.size};
        return rest.size > 0 ? add_frame(reader, 0, rest) : PF_OK;
    }
    while (status == PF_OK && more) {
        behind = pf_bytes_trim(rest);
        status = read_address(reader, pf_scan_word(&rest), &next, &more);
        if (status == PF_OK)
            status = add_frame(reader, address, more ? PF_BYTES("") : behind);
        address = next;
    }
    return status;
}

/* --- threads: lines --------------------------------------------------------------------------- */

/* Reads a line: `--- Thread ID (name: NAME) stack: ---`, frames, or a line that says that the
 * thread has the stack of the thread before. */
static int read_thread_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    int status = PF_OK;

    line = pf_bytes_trim(line);
    if (line.size == 0)
        return PF_OK;
    if (pf_gperftools_begin_maps(reader, line))
        return pf_gperftools_end_record(reader);
    if (pf_bytes_starts(line, PF_BYTES("---"))) {
        if (pf_bytes_starts(line, PF_BYTES("---- no stack trace for")))
            state->record.depth = 0;
        status = pf_gperftools_end_record(reader);
        if (pf_bytes_starts(line, PF_BYTES("--- Thread ")))
            begin_sample(reader);
        state->same_stack = true;
        return status;
    }
    if (!state->record.open)
        pf_gperftools_meta(reader, "comment", line);
    if (!state->record.open || pf_bytes_find(line, PF_BYTES("same as previous thread")))
        return PF_OK;
    if (state->same_stack)
        state->record.depth = 0;
    state->same_stack = false;
    return read_frames(reader, line);
}

static int end_threads(struct pf_reader *reader, int status)
{
    return status == PF_EOF ? pf_gperftools_end_record(reader) : PF_OK;
}

int pf_gperftools_begin_threads(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;

    reader->variant = "threads";
    pf_gperftools_measure(reader, PF_BYTES("thread"), "count", PF_EXACT, true);
    state->rows.twice = true;
    state->read_line = read_thread_line;
    state->end = end_threads;
    return read_thread_line(reader, line);
}

/* --- goroutines ------------------------------------------------------------------------------- */

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

bool pf_gperftools_is_dump(struct pf_bytes line)
{
    struct pf_bytes rest;

    return parse_head(line, &rest);
}

static void add_label(struct pf_reader *reader, const char *key, struct pf_bytes value)
{
    uint32_t *labels = &((struct pf_gperftools *)reader->state)->record.labels;

    *labels = pf_dict_add_label(reader->dict, *labels, pf_dict_intern_word(reader->dict, key),
                                pf_dict_intern_text(reader->dict, value));
}

/* Adds labels for a state, such as `select, 5 minutes, locked to thread`. */
static void add_state(struct pf_reader *reader, struct pf_bytes rest)
{
    uint32_t *labels = &((struct pf_gperftools *)reader->state)->record.labels;
    static const struct pf_bytes UNIT = {" minutes", 8};
    struct pf_bytes part;
    int64_t minutes;

    for (bool more = rest.size > 0; more;) {
        more = pf_scan_field(&rest, ',', &part);
        part = pf_bytes_trim(part);
        struct pf_bytes number = part;

        if (pf_bytes_ends(part, UNIT))
            number.size -= UNIT.size;
        if (number.size < part.size && pf_parse_int(number, 0, INT64_MAX, &minutes)) {
            uint32_t key = pf_dict_intern_word(reader->dict, "minutes");

            *labels = pf_dict_add_number(reader->dict, *labels, key, minutes, key);
        } else if (part.size > 0) {
            add_label(reader, "state", part);
        }
    }
}

/* Adds the frame that the line before named; `place` is FILE:LINE +0xOFFSET. */
static int add_placed_frame(struct pf_reader *reader, struct pf_bytes place)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes name = {state->name.data, state->name.size};
    struct pf_gperftools_frame frame = {0};

    for (size_t at = place.size; at-- > 0;)
        if (pf_bytes_starts(pf_bytes_skip(place, at), PF_BYTES(" +0"))) {
            place.size = at;
            break;
        }
    place = pf_gperftools_file_line(pf_bytes_trim(place), &frame.line);
    frame.function = pf_gperftools_function(reader->dict, name, place);
    state->name.size = 0;
    return add_named(reader, 0, frame);
}

/* Ends a frame. A line with no file and line below it was a comment. */
static void end_frame(struct pf_reader *reader)
{
    struct pf_buffer *name = &((struct pf_gperftools *)reader->state)->name;

    if (name->size > 0)
        pf_gperftools_meta(reader, "comment", (struct pf_bytes){name->data, name->size});
    name->size = 0;
}

static int end_goroutine(struct pf_reader *reader, int status)
{
    (void)status;
    end_frame(reader);
    return pf_gperftools_end_record(reader);
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

/* Reads a line of a goroutine after its first line. */
static int read_goroutine_line(struct pf_reader *reader, struct pf_bytes text, bool is_place)
{
    struct pf_gperftools *state = reader->state;

    if (is_place)
        return state->name.size > 0 ? add_placed_frame(reader, text) : PF_OK;
    end_frame(reader);
    if (pf_bytes_starts(text, PF_BYTES("...")))
        return PF_OK;
    if (pf_bytes_starts(text, PF_BYTES("created by "))) {
        add_label(reader, "created by", pf_bytes_skip(text, 11));
        return PF_OK;
    }
    text = function_name(text);
    return pf_buffer_append(&state->name, text.data, text.size) ? PF_OK
                                                                : pf_error_nomem(&reader->error);
}

static int read_dump_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes text = pf_bytes_trim(line), states;
    bool head = parse_head(text, &states);

    if (line.size > PF_STRING_MAX)
        return pf_error_at(&reader->error, PF_FAILED, state->offset, "a line longer than 16 MiB");
    if ((text.size == 0 || head) && end_goroutine(reader, PF_OK) != PF_OK)
        return reader->error.code;
    if (head) {
        begin_sample(reader);
        state->record.depth = 0;
        add_state(reader, states);
    } else if (text.size > 0 && !state->record.open) {
        pf_gperftools_meta(reader, "comment", text);
    } else if (text.size > 0) {
        return read_goroutine_line(reader, text, *line.data == '\t');
    }
    return PF_OK;
}

int pf_gperftools_begin_dump(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;

    reader->variant = "stacks, Go";
    pf_gperftools_measure(reader, PF_BYTES("goroutine"), "count", PF_EXACT, true);
    state->read_line = read_dump_line;
    state->end = end_goroutine;
    return read_dump_line(reader, line);
}
