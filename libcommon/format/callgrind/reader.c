#include "format/callgrind/callgrind.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* columns of edges before the events: calls; columns of jumps come after the events */
enum { FIXED = 1 };
enum { JUMPS = 3 };

static int bad_line(struct pf_reader *reader, const char *what)
{
    struct pf_cg_reader *state = reader->state;

    return pf_error_line(&reader->error, state->offset, state->number, state->line, what);
}

/* Fails for a word that should be a number. `what` is a noun with its article. */
static int bad_number(struct pf_reader *reader, const char *what, struct pf_bytes word)
{
    struct pf_bytes digits = word;
    size_t count = 0;
    char text[64];

    if (digits.size > 0 && (digits.data[0] == '-' || digits.data[0] == '+'))
        digits = pf_bytes_skip(digits, 1);
    if (!pf_scan_0x(&digits))
        count = pf_scan_digits(digits);
    else
        while (count < digits.size && pf_hex_digit(digits.data[count]) >= 0)
            count++;
    snprintf(text, sizeof text, "%s is %s", what,
             word.size == 0                            ? "missing"
             : digits.size > 0 && count == digits.size ? "too large: it has over 64 bits"
                                                       : "not a number");
    return bad_line(reader, text);
}

/* Adds a row of metadata after the records before it. */
static int add_meta(struct pf_reader *reader, const char *origin, struct pf_bytes key,
                    struct pf_bytes value)
{
    struct pf_cg_reader *state = reader->state;

    if (value.size > PF_STRING_MAX || key.size > PF_STRING_MAX)
        return bad_line(reader, "a header line longer than 16 MiB");
    pf_rows_meta(&state->edge, origin, key, value);
    state->meta = true;
    return PF_OK;
}

/* --- compressed names ------------------------------------------------------------------------- */

static int init_names(struct pf_cg_names *names)
{
    return pf_table_init(&names->ids, sizeof(uint64_t));
}

static void free_names(struct pf_cg_names *names)
{
    pf_table_free(&names->ids);
    free(names->strings);
}

/* Removes `(digits)` from the beginning. *fits: the number has at most 63 bits. */
static bool scan_id(struct pf_bytes *text, uint64_t *id, bool *fits)
{
    struct pf_bytes rest = *text;
    size_t digits;

    pf_scan_blanks(&rest);
    if (!pf_scan_past(&rest, PF_BYTES("(")))
        return false;
    digits = pf_scan_digits(rest);
    *fits = pf_scan_number(&rest, INT64_MAX, id);
    if (!*fits)
        rest = pf_bytes_skip(rest, digits);
    if (digits == 0 || !pf_scan_past(&rest, PF_BYTES(")")))
        return false;
    *text = rest;
    return true;
}

static int define(struct pf_cg_names *names, uint32_t row, uint32_t string)
{
    if (row == 0 ||
        !pf_grow(&names->strings, &names->capacity, (size_t)row + 1, sizeof *names->strings))
        return PF_NOMEM;
    names->strings[row] = string;
    return PF_OK;
}

/* The string of the text behind `fn=`. PF_FAILED with *what: an undefined id, an id of more than 63
 * bits, or a name over PF_STRING_MAX; PF_NOMEM. */
static int read_name(struct pf_cg_names *names, struct pf_dict *dict, struct pf_bytes text,
                     uint32_t *string, const char **what)
{
    uint64_t id = 0;
    bool fits, compressed = scan_id(&text, &id, &fits);

    if (compressed && !fits) {
        *what = "the number of a name has more than 63 bits";
        return PF_FAILED;
    }
    uint64_t key = compressed ? id + 1 : 0;
    if (compressed && text.size == 0) {
        uint32_t row = pf_table_find(&names->ids, &key);
        *what = "the number of a name that no earlier line defines";
        *string = row != 0 ? names->strings[row] : 0;
        return row != 0 ? PF_OK : PF_FAILED;
    }
    if (compressed && text.data[0] == ' ') {
        text.data++;
        text.size--;
    }
    if (text.size > PF_STRING_MAX) {
        *what = "a name longer than 16 MiB";
        return PF_FAILED;
    }
    *string = pf_dict_intern_text(dict, text);
    return compressed ? define(names, pf_table_intern(&names->ids, &key), *string) : PF_OK;
}

/* --- places ----------------------------------------------------------------------------------- */

static uint32_t image_of(struct pf_reader *reader, uint32_t object)
{
    return object == 0 ? 0 : pf_dict_add_image(reader->dict, &(struct pf_image){.name = object});
}

static struct pf_location location_of(uint32_t function, uint32_t image,
                                      const struct pf_cg_place *position, bool inlined)
{
    struct pf_location location = {.function = function, .image = image, .inlined = inlined};

    if (position) {
        location.address = position->at[PF_CG_INSTR];
        location.line = (int64_t)position->at[PF_CG_LINE];
    }
    return location;
}

/* The function of the current lines. */
static uint32_t place(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;

    if (state->place == 0) {
        bool inlined = state->file != state->owner;

        state->place = pf_dict_add_function(
            reader->dict, &(struct pf_function){.name = state->function,
                                                .file = state->file,
                                                .system_name = inlined ? state->owner : 0});
        state->image = image_of(reader, state->object);
    }
    return state->place;
}

/* Ends the lines of another file: adds an edge with their costs, from the function to these
 * lines. */
static void leave_inlined(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_location from, to;

    if (!state->inlined_any || state->flat)
        return;
    uint32_t inner = place(reader);
    uint32_t outer = pf_dict_add_function(
        reader->dict, &(struct pf_function){.name = state->function, .file = state->owner});

    from = location_of(outer, state->image, NULL, false);
    to = location_of(inner, state->image, NULL, true);
    pf_rows_edge_at(&state->edge, &from, &to, state->labels);
    pf_rows_set_values(&state->edge, FIXED, state->inlined, state->events);
    memset(state->inlined, 0, sizeof state->inlined);
    state->inlined_any = false;
}

enum spec { SPEC_NONE, SPEC_OB, SPEC_FL, SPEC_FI, SPEC_FN, SPEC_COB, SPEC_CFI, SPEC_CFN };

/* The meaning of the word before `=`; words of jumps mean the same as words of calls. */
static enum spec find_spec(struct pf_bytes word)
{
    static const struct {
        const char *name;
        enum spec spec;
    } specs[] = {{"fn", SPEC_FN},   {"fl", SPEC_FL},   {"cfn", SPEC_CFN}, {"cfi", SPEC_CFI},
                 {"cfl", SPEC_CFI}, {"fi", SPEC_FI},   {"fe", SPEC_FI},   {"ob", SPEC_OB},
                 {"cob", SPEC_COB}, {"jfi", SPEC_CFI}, {"jfn", SPEC_CFN}, {"jfl", SPEC_CFI}};

    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        if (pf_bytes_equal(word, pf_bytes_of(specs[k].name)))
            return specs[k].spec;
    return SPEC_NONE;
}

static void set_spec(struct pf_reader *reader, enum spec spec, uint32_t string)
{
    struct pf_cg_reader *state = reader->state;

    if (spec < SPEC_COB) {
        leave_inlined(reader);
        state->place = 0;
    }
    switch (spec) {
    case SPEC_OB: state->object = string; break;
    case SPEC_FL: state->file = state->owner = string; break;
    case SPEC_FI: state->file = string; break;
    case SPEC_FN:
        state->function = string;
        state->owner = state->file;
        break;
    case SPEC_COB:
        state->callee_object = string;
        state->has_object = true;
        break;
    case SPEC_CFI:
        state->callee_file = string;
        state->has_file = true;
        break;
    default: state->callee = string; state->has_callee = true;
    }
}

static int read_spec(struct pf_reader *reader, enum spec spec, struct pf_bytes text)
{
    struct pf_cg_reader *state = reader->state;
    bool object = spec == SPEC_OB || spec == SPEC_COB,
         function = spec == SPEC_FN || spec == SPEC_CFN;
    struct pf_cg_names *names = object     ? &state->objects
                                : function ? &state->functions
                                           : &state->files;
    const char *what = NULL;
    uint32_t string;
    int status = read_name(names, reader->dict, text, &string, &what);

    if (status != PF_OK)
        return status == PF_FAILED ? bad_line(reader, what) : pf_error_nomem(&reader->error);
    set_spec(reader, spec, string);
    return PF_OK;
}

/* --- costs ------------------------------------------------------------------------------------ */

static bool read_positions(const struct pf_cg_reader *state, struct pf_bytes *text, bool optional,
                           struct pf_cg_place *position)
{
    *position = optional ? (struct pf_cg_place){{0}} : state->last;
    for (size_t k = 0; k < state->order_count; k++) {
        struct pf_bytes word = pf_scan_word(text);
        unsigned which = state->order[k];

        if (word.size == 0 && optional)
            return true;
        if (!pf_cg_position(word, state->last.at[which], &position->at[which]) ||
            (which == PF_CG_LINE && position->at[PF_CG_LINE] > INT64_MAX))
            return false;
    }
    return true;
}

/* Reads a cost. The description of the format does not allow `*` and `+n` as costs (FORMAT.md,
 * section 2). In files that have them, they and `-n` are relative to the cost before. */
static bool read_cost(struct pf_cg_reader *state, struct pf_bytes word, uint32_t k)
{
    bool star = word.size == 1 && word.data[0] == '*', plus = word.size > 1 && word.data[0] == '+';
    int64_t number = 0;

    state->relative_costs = state->relative_costs || star || plus;
    if (plus)
        word = (struct pf_bytes){word.data + 1, word.size - 1};
    if (word.size == 1 && word.data[0] == '.')
        word = PF_BYTES("0");
    if (!star && !pf_cg_signed(word, &number))
        return false;
    if (star || plus || (state->relative_costs && number < 0))
        return pf_add64(state->last_costs[k], number, &state->costs[k]);
    state->costs[k] = number;
    return true;
}

static bool read_costs(struct pf_cg_reader *state, struct pf_bytes text, bool *many,
                       struct pf_bytes *word)
{
    uint32_t k = 0;

    for (; (*word = pf_scan_word(&text)).size > 0; k++) {
        *many = k == state->events;
        if (*many || !read_cost(state, *word, k))
            return false;
    }
    for (; k < state->events; k++)
        state->costs[k] = 0;
    return true;
}

static void add_edge(struct pf_reader *reader, int64_t calls)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_rows *rows = &state->edge;
    uint32_t object = state->has_object ? state->callee_object : state->object;
    uint32_t file = state->has_file ? state->callee_file : state->file, caller = place(reader),
             callee;
    struct pf_location from, to;
    bool own = !state->has_callee, inlined = own && file != state->owner;

    callee = pf_dict_add_function(
        reader->dict, &(struct pf_function){.name = own ? state->function : state->callee,
                                            .file = file,
                                            .system_name = inlined ? state->owner : 0});
    from = location_of(caller, state->image, &state->last, state->file != state->owner);
    to = location_of(callee, object == state->object ? state->image : image_of(reader, object),
                     &state->target, inlined);
    pf_rows_edge_at(rows, &from, &to, state->labels);
    pf_rows_set(rows, 0, calls);
    if (state->mode == PF_CG_CALL)
        pf_rows_set_values(rows, FIXED, state->costs, state->events);
    if (state->mode == PF_CG_JUMP && state->reached < 0) {
        pf_rows_set(rows, FIXED + state->events, state->count);
    } else if (state->mode == PF_CG_JUMP) {
        pf_rows_set(rows, FIXED + state->events + 1, state->reached);
        pf_rows_set(rows, FIXED + state->events + 2, state->count);
    }
    state->has_object = state->has_file = state->has_callee = false;
}

static void add_flat(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;
    uint32_t function = place(reader);
    struct pf_location at =
        location_of(function, state->image, &state->last, state->file != state->owner);

    pf_rows_flat_at(&reader->rows, &at, state->labels);
    pf_rows_set_values(&reader->rows, 0, state->costs, state->events);
    for (uint32_t k = 0; k < state->events; k++)
        state->sums[k] += state->costs[k];
}

static int read_cost_line(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_bytes text = state->line, word;
    struct pf_cg_place position;
    bool many = false;

    if (state->events == 0)
        return bad_line(reader, "costs before the 'events:' line");
    if (!read_positions(state, &text, false, &position))
        return bad_line(reader, "the position is missing or out of range, expected a number, '+n', "
                                "'-n' or '*'");
    if (state->mode == PF_CG_JUMP)
        text.size = 0;
    if (!read_costs(state, text, &many, &word))
        return many ? bad_line(reader, "more costs than events")
                    : bad_number(reader, "a cost", word);
    state->last = position;
    if (state->mode != PF_CG_JUMP)
        memcpy(state->last_costs, state->costs, state->events * sizeof *state->costs);
    if (state->mode == PF_CG_COSTS)
        add_flat(reader);
    else
        add_edge(reader, state->mode == PF_CG_CALL ? state->count : 0);
    for (uint32_t k = 0; state->file != state->owner && !state->flat && state->mode != PF_CG_JUMP &&
                         k < state->events;
         k++) {
        state->inlined_any = true;
        if (!pf_add64(state->inlined[k], state->costs[k], &state->inlined[k]))
            return bad_line(reader, "the costs of inlined lines overflow 64 bits");
    }
    state->mode = PF_CG_COSTS;
    return PF_OK;
}

static uint32_t count_measure(struct pf_reader *reader, const char *name)
{
    return pf_dict_add_measure(
        reader->dict, pf_measure_make(reader->dict, name, "count", PF_EDGE, PF_COUNT, PF_EXACT));
}

/* Adds the columns of jumps, at the first jump. */
static void add_jump_columns(struct pf_reader *reader)
{
    static const char *const jumps[JUMPS] = {PF_CG_JUMPS, PF_CG_BRANCHES, PF_CG_TAKEN};
    struct pf_cg_reader *state = reader->state;

    for (uint32_t k = 0; k < JUMPS; k++)
        pf_rows_measure(&state->edge, count_measure(reader, jumps[k]));
}

/* `calls=N target`, `jump=N target`, `jcnd=TAKEN/REACHED target`. */
static int read_counted(struct pf_reader *reader, enum pf_cg_mode mode, bool conditional,
                        struct pf_bytes text)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_bytes word = pf_scan_word(&text), reached;
    const char *slash = conditional && word.size > 0 ? memchr(word.data, '/', word.size) : NULL;
    size_t size = slash ? (size_t)(slash - word.data) : word.size;

    if (state->events == 0)
        return bad_line(reader, "a call before the 'events:' line");
    if (state->flat)
        return bad_line(reader, "cachegrind counts no calls");
    if (mode == PF_CG_CALL && !state->has_callee)
        return bad_line(reader, "a call without 'cfn=' before it");
    reached = slash ? (struct pf_bytes){slash + 1, word.size - size - 1}
                    : (struct pf_bytes){NULL, 0};
    state->reached = -1;
    word.size = size;
    if (!pf_cg_signed(word, &state->count))
        return bad_number(reader, "the count", word);
    if (conditional && (!pf_cg_signed(reached, &state->reached) || state->reached < 0))
        return bad_line(reader, "the count behind '/' is missing, negative or too large");
    if (!read_positions(state, &text, true, &state->target))
        return bad_line(reader, "the position of the target is missing");
    state->mode = mode;
    if (mode == PF_CG_JUMP && !state->has_jumps) {
        state->has_jumps = true;
        add_jump_columns(reader);
    }
    return PF_OK;
}

/* --- header ----------------------------------------------------------------------------------- */

static uint32_t measure_of(struct pf_reader *reader, const struct pf_measure *event,
                           enum pf_kind kind, bool main)
{
    struct pf_measure measure = *event;

    measure.kind = (uint8_t)kind;
    measure.role = kind == PF_FLAT ? PF_SELF : PF_INCLUSIVE;
    measure.main = main;
    return pf_dict_add_measure(reader->dict, measure);
}

static struct pf_bytes long_name_of(const struct pf_reader *reader, struct pf_bytes event)
{
    const struct pf_cg_reader *state = reader->state;
    struct pf_bytes name, long_name;

    for (size_t k = state->definition_count; k-- > 0;)
        if (pf_cg_event_split(pf_dict_string(reader->dict, state->definitions[k]), &name,
                              &long_name) &&
            pf_bytes_equal(name, event))
            return long_name;
    return (struct pf_bytes){NULL, 0};
}

static bool has_column(const struct pf_rows *rows, uint32_t measure)
{
    const struct pf_measures *measures = &rows->dict->measures;

    for (size_t k = 0; k < pf_rows_column_count(rows); k++)
        if (pf_measure_same(pf_measures_row(measures, pf_rows_measure_of(rows, k)),
                            pf_measures_row(measures, measure)))
            return true;
    return false;
}

/* Sets the columns; calls have their number before the events. */
static int set_columns(struct pf_reader *reader, struct pf_bytes text, uint32_t count)
{
    struct pf_cg_reader *state = reader->state;
    bool calls = !state->flat;

    pf_rows_begin(&reader->rows, PF_FLAT);
    pf_rows_begin(&state->edge, PF_EDGE);
    if (calls)
        pf_rows_measure(&state->edge, count_measure(reader, "calls"));
    for (uint32_t k = 0; k < count; k++) {
        struct pf_bytes word = pf_scan_word(&text);
        struct pf_measure measure;
        uint32_t own;

        pf_cg_event_measure(reader->dict, word, long_name_of(reader, word), &measure);
        own = measure_of(reader, &measure, PF_FLAT, k == 0);
        if (pf_bytes_equal(word, PF_BYTES("calls")) || has_column(&reader->rows, own))
            return bad_line(reader, "an event name is used twice, or is 'calls', which is the name "
                                    "of the number of calls");
        pf_rows_measure(&reader->rows, own);
        if (calls)
            pf_rows_measure(&state->edge, measure_of(reader, &measure, PF_EDGE, k == 0));
    }
    return pf_dict_status(reader->dict) == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
}

/* Sets the columns of a part; without columns if the events are wrong. */
static int read_events(struct pf_reader *reader, struct pf_bytes text)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_bytes rest = text;
    uint32_t count = 0;

    state->events = 0;
    while (pf_scan_word(&rest).size > 0)
        count++;
    if (count == 0 || count > PF_CG_EVENTS)
        return bad_line(reader, count == 0 ? "the line names no event" : "more than 256 events");
    if (set_columns(reader, text, count) != PF_OK)
        return reader->error.code;
    state->events = count;
    if (state->has_jumps)
        add_jump_columns(reader);
    pf_rows_declare_ahead(&reader->rows);
    if (!state->flat)
        pf_rows_declare_ahead(&state->edge);
    memset(state->sums, 0, sizeof state->sums);
    memset(state->last_costs, 0, sizeof state->last_costs);
    state->ended = false;
    return PF_OK;
}

static int read_order(struct pf_reader *reader, struct pf_bytes text)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_bytes word;

    for (state->order_count = 0; (word = pf_scan_word(&text)).size > 0; state->order_count++) {
        bool line = pf_bytes_equal(word, PF_BYTES("line"));

        if (state->order_count == PF_CG_SUBPOSITIONS ||
            (!line && !pf_bytes_equal(word, PF_BYTES("instr")) &&
             !pf_bytes_equal(word, PF_BYTES("addr"))))
            return bad_line(reader, "positions are 'line', 'instr' or 'instr line'");
        state->order[state->order_count] = line ? PF_CG_LINE : PF_CG_INSTR;
    }
    return state->order_count > 0
               ? PF_OK
               : bad_line(reader, "positions are 'line', 'instr' or 'instr line'");
}

static int read_expected(struct pf_reader *reader, struct pf_bytes text)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_bytes word;
    uint32_t k = 0;

    for (; (word = pf_scan_word(&text)).size > 0; k++) {
        int64_t narrow = 0;
        bool fits = pf_cg_signed(word, &narrow); /* may be hexadecimal */

        if (k == PF_CG_EVENTS || (!fits && !pf_parse_int128(word, &state->expected[k])))
            return bad_line(reader, "not a number of at most 128 bits");
        if (fits)
            state->expected[k] = narrow;
    }
    for (; k < PF_CG_EVENTS; k++)
        state->expected[k] = 0;
    return PF_OK;
}

/* Reports sums of costs that differ from the line `what`. `usual`: the program that wrote the file
 * states other totals, so a difference does not mean damage. */
static void check_sums(struct pf_reader *reader, const char *what, bool usual)
{
    struct pf_cg_reader *state = reader->state;

    for (uint32_t k = 0; k < state->events; k++) {
        struct pf_bytes name;
        char sum[PF_INT128_TEXT], expected[PF_INT128_TEXT];

        if (state->sums[k] == state->expected[k])
            continue;
        name = pf_dict_string(
            reader->dict,
            pf_measures_row(&reader->dict->measures, pf_rows_measure_of(&reader->rows, k))->name);
        pf_print_int128(state->sums[k], sum);
        pf_print_int128(state->expected[k], expected);
        reader->disputed = reader->disputed || !usual;
        pf_report_send(&reader->report, usual ? PF_NOTE : PF_WARNING,
                       "offset %" PRIu64 ": the costs of '%s' sum to %s, the %s line says %s",
                       state->offset, pf_clip(name).text, sum, what, expected);
    }
}

static int read_totals(struct pf_reader *reader, struct pf_bytes text)
{
    struct pf_cg_reader *state = reader->state;

    if (read_expected(reader, text) != PF_OK)
        return reader->error.code;
    check_sums(reader, "totals:", false);
    state->has_totals = state->ended = true;
    return PF_OK;
}

/* Ends a part, before the next part or at the end of the input. */
static void end_part(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;

    if (state->has_summary && !state->has_totals && state->events > 0)
        check_sums(reader, "summary:", state->xdebug);
    state->has_summary = state->has_totals = false;
}

static int keep_definition(struct pf_reader *reader, struct pf_bytes value)
{
    struct pf_cg_reader *state = reader->state;

    if (!pf_grow(&state->definitions, &state->definition_capacity, state->definition_count + 1,
                 sizeof *state->definitions))
        return pf_error_nomem(&reader->error);
    state->definitions[state->definition_count++] = pf_dict_intern_text(reader->dict, value);
    return PF_OK;
}

static int read_header(struct pf_reader *reader, struct pf_bytes key, struct pf_bytes value)
{
    struct pf_cg_reader *state = reader->state;
    int status = PF_OK;

    leave_inlined(reader);
    if (pf_bytes_equal(key, PF_BYTES("events"))) {
        end_part(reader);
        status = read_events(reader, value);
        return status == PF_OK
                   ? add_meta(reader, PF_CG_PRIVATE, PF_BYTES(PF_CG_AS_READ), PF_BYTES(""))
                   : status;
    }
    if (pf_bytes_equal(key, PF_BYTES("positions")))
        return read_order(reader, value);
    if (pf_bytes_equal(key, PF_BYTES("totals")))
        return read_totals(reader, value);
    if (pf_bytes_equal(key, PF_BYTES("version")) || pf_bytes_equal(key, PF_BYTES("part"))) {
        end_part(reader);
        state->labels = 0;
    } else if (pf_bytes_equal(key, PF_BYTES("creator"))) {
        state->must_end = value.size > 10 && memcmp(value.data, "callgrind-", 10) == 0;
        state->xdebug = pf_bytes_starts(value, PF_BYTES("xdebug"));
    } else if (pf_bytes_equal(key, PF_BYTES("summary"))) {
        status = read_expected(reader, value);
        state->has_summary = true;
        state->ended = state->ended || state->flat;
    } else if (pf_bytes_equal(key, PF_BYTES("event")))
        status = keep_definition(reader, value);
    else if (pf_bytes_equal(key, PF_BYTES(PF_CG_THREAD)))
        state->labels = pf_dict_add_label(reader->dict, 0, pf_dict_intern(reader->dict, key, 0),
                                          pf_dict_intern_text(reader->dict, value));
    return status == PF_OK ? add_meta(reader, reader->format->name, key, value) : status;
}

/* --- lines ------------------------------------------------------------------------------------ */

enum kind { EMPTY, RECORD, SPEC, HEADER, COMMENT, UNKNOWN };

/* The kind of a line, and the word before its sign. */
static enum kind kind_of(struct pf_bytes line, struct pf_bytes *word, struct pf_bytes *value)
{
    size_t at = 0;

    pf_scan_blanks(&line);
    if (line.size == 0)
        return EMPTY;
    if (pf_one_of(line.data[0], PF_CG_COST_BEGINS))
        return RECORD;
    if (pf_cg_comment(line))
        return COMMENT;
    while (at < line.size && pf_cg_word_char(line.data[at]))
        at++;
    if (at == 0 || at == line.size || (line.data[at] != '=' && line.data[at] != ':'))
        return UNKNOWN;
    *word = (struct pf_bytes){line.data, at};
    *value = (struct pf_bytes){line.data + at + 1, line.size - at - 1};
    return line.data[at] == '=' ? SPEC : HEADER;
}

static int read_spec_line(struct pf_reader *reader, struct pf_bytes word, struct pf_bytes value)
{
    enum spec spec = find_spec(word);

    if (spec != SPEC_NONE)
        return read_spec(reader, spec, value);
    if (pf_bytes_equal(word, PF_BYTES("calls")))
        return read_counted(reader, PF_CG_CALL, false, value);
    if (pf_bytes_equal(word, PF_BYTES("jump")))
        return read_counted(reader, PF_CG_JUMP, false, value);
    if (pf_bytes_equal(word, PF_BYTES("jcnd")))
        return read_counted(reader, PF_CG_JUMP, true, value);
    return bad_line(reader, "an unknown kind of position");
}

static bool has_rows(const struct pf_reader *reader)
{
    const struct pf_cg_reader *state = reader->state;

    return !pf_rows_empty(&reader->rows) || (!state->meta && !pf_rows_empty(&state->edge));
}

/* Reads the current line. PF_EOF: rows or metadata before the line must go out first. */
static int read_line(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;
    struct pf_bytes word = {0}, value = {0};
    enum kind kind = kind_of(state->line, &word, &value);
    bool meta = kind == HEADER || kind == COMMENT;

    if (kind != EMPTY && (meta ? has_rows(reader) || state->inlined_any : state->meta)) {
        leave_inlined(reader);
        return PF_EOF;
    }
    if (kind != RECORD && kind != EMPTY && state->mode != PF_CG_COSTS)
        return bad_line(reader, "expected the costs of a call, or the position of a jump");
    switch (kind) {
    case RECORD: return read_cost_line(reader);
    case SPEC: return read_spec_line(reader, word, value);
    case HEADER:
        if (value.size > 0 && value.data[0] == ' ')
            value = (struct pf_bytes){value.data + 1, value.size - 1};
        return read_header(reader, word, value);
    case COMMENT:
        return pf_bytes_equal(state->line, PF_BYTES("# callgrind format"))
                   ? PF_OK
                   : add_meta(reader, reader->format->name, PF_BYTES("comment"), state->line);
    case UNKNOWN: return bad_line(reader, "neither costs nor a position nor a header line");
    default: return PF_OK;
    }
}

/* Ends the input: checks that nothing is missing. */
static int end(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;

    if (state->mode != PF_CG_COSTS)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "the input ends before the costs of a call");
    if (state->events == 0)
        return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                           "the input ends before its 'events:' line");
    state->offset = pf_source_offset(reader->source);
    if (!state->ended && (state->must_end || state->flat))
        return pf_error_at(&reader->error, PF_FAILED, state->offset,
                           "the input is cut: it ends without its '%s' line",
                           state->flat ? "summary:" : "totals:");
    end_part(reader);
    return PF_EOF;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Reads lines until a batch is full, or until waiting rows must be sent before the current line. */
static int read_lines(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;
    int status = PF_OK;

    while (status == PF_OK && !pf_rows_ready(&reader->rows) && !pf_rows_ready(&state->edge)) {
        if (!state->held) {
            state->offset = pf_source_offset(reader->source);
            state->number++;
            status = pf_source_line(reader->source, &state->line, &reader->error);
        }
        if (status == PF_OK) {
            status = read_line(reader);
            state->held = status == PF_EOF;
            if (state->held)
                return PF_OK;
        } else if (status == PF_EOF) {
            status = end(reader);
        }
    }
    if (status != PF_OK)
        leave_inlined(reader);
    return status;
}

int pf_cg_reader_open(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;

    pf_rows_init(&state->edge, reader->dict);
    state->flat = strcmp(reader->format->name, "cachegrind") == 0;
    state->order[0] = PF_CG_LINE;
    state->order_count = 1;
    if (init_names(&state->objects) != PF_OK || init_names(&state->files) != PF_OK ||
        init_names(&state->functions) != PF_OK)
        return pf_error_nomem(&reader->error);
    return PF_OK;
}

int pf_cg_reader_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_cg_reader *state = reader->state;

    while (!pf_rows_give(&reader->rows, batch) && !pf_rows_give(&state->edge, batch)) {
        if (pf_dict_status(reader->dict) == PF_NOMEM)
            return PF_NOMEM;
        state->meta = false;
        if (state->status != PF_OK)
            return state->status;
        state->status = read_lines(reader);
    }
    return PF_OK;
}

void pf_cg_reader_close(struct pf_reader *reader)
{
    struct pf_cg_reader *state = reader->state;

    free_names(&state->objects);
    free_names(&state->files);
    free_names(&state->functions);
    pf_rows_free(&state->edge);
    free(state->definitions);
}
