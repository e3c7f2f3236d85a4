/* What Python's profilers (cProfile, profile) dump: a dict of functions with their calls, times and
 * callers, in marshal. */
#include "format/pstats/marshal.h"

#include "base/number.h"
#include "codec/format.h"
#include "model/rows.h"

#include <stdlib.h>

enum { CALLS, PRIMITIVE, TT, CT, VALUES };
enum { KEY_FILE, KEY_LINE, KEY_NAME, KEY_ITEMS };
enum { CC, NC, TIME, CUMULATIVE, CALLERS, ENTRY_ITEMS, CALLER_ITEMS = CALLERS };
enum { EVIDENCE = 40 };

struct state {
    struct pf_marshal marshal;
    struct pf_rows flat, edge;               /* filled at the same time */
    const struct pf_marshal_object *callers; /* of the current function: keys and values in turn */
    uint32_t caller_count, next_caller, function;
    int status;
};

/* --- measures --------------------------------------------------------------------------------- */

static void declare(struct pf_reader *reader, enum pf_kind kind, struct pf_rows *rows)
{
    static const char *const names[VALUES] = {"calls", "primitive_calls", "tt", "ct"};
    struct pf_dict *dict = reader->dict;

    pf_rows_init(rows, dict);
    pf_rows_begin(rows, kind);
    for (unsigned k = 0; k < VALUES; k++) {
        bool time = k >= TT;
        enum pf_role role = k == CT ? PF_INCLUSIVE : k == TT ? PF_SELF : PF_COUNT;
        struct pf_measure measure = pf_measure_make(dict, names[k], time ? "nanoseconds" : "count",
                                                    kind, role, time ? PF_TIMED : PF_EXACT);

        measure.main = k == (kind == PF_FLAT ? TT : CT);
        pf_rows_measure(rows, pf_dict_add_measure(dict, measure));
    }
    pf_rows_declare(rows);
}

/* --- functions -------------------------------------------------------------------------------- */

static int bad(struct pf_reader *reader, const char *what)
{
    return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source), "%s", what);
}

/* The location of a function, (file, line, name); the file of functions written in C is `~`. */
static int place_of(struct pf_reader *reader, const struct pf_marshal_object *key,
                    uint32_t *location)
{
    const struct pf_marshal_object *items = key->items;

    if (key->kind != PF_MARSHAL_TUPLE || key->count != KEY_ITEMS ||
        items[KEY_FILE].kind != PF_MARSHAL_STRING || items[KEY_LINE].kind != PF_MARSHAL_INT ||
        items[KEY_NAME].kind != PF_MARSHAL_STRING)
        return bad(reader, "a function is not (file, line, name)");
    bool built_in =
        pf_bytes_equal(pf_dict_string(reader->dict, items[KEY_FILE].string), PF_BYTES("~"));
    struct pf_function function = {.name = items[KEY_NAME].string,
                                   .file = items[KEY_FILE].string,
                                   .start_line = items[KEY_LINE].number};
    struct pf_location place = {.function = pf_dict_add_function(reader->dict, &function),
                                .line = items[KEY_LINE].number,
                                .kind = built_in ? PF_FRAME_NATIVE : PF_FRAME_PLAIN};
    *location = pf_dict_add_location(reader->dict, &place);
    return PF_OK;
}

static bool is_count(const struct pf_marshal_object *object)
{
    return object->kind == PF_MARSHAL_INT;
}

/* Reads a time in nanoseconds. Timers that count whole seconds give integers. */
static bool read_time(const struct pf_marshal_object *object, int64_t *value)
{
    *value = object->number;
    return object->kind == PF_MARSHAL_FLOAT ||
           (is_count(object) && pf_mul64(object->number, 1000000000, value));
}

static int read_values(struct pf_reader *reader, const struct pf_marshal_object *primitive,
                       const struct pf_marshal_object *calls, const struct pf_marshal_object *times,
                       int64_t values[VALUES])
{
    if (!is_count(primitive) || !is_count(calls) || !read_time(&times[0], &values[TT]) ||
        !read_time(&times[1], &values[CT]))
        return bad(reader, "numbers of calls and times are not two whole numbers and two times of "
                           "at most 64 bits");
    values[CALLS] = calls->number;
    values[PRIMITIVE] = primitive->number;
    return PF_OK;
}

/* Reads the next function: (primitive calls, calls, own time, cumulative time, callers). */
static int read_function(struct pf_reader *reader)
{
    struct state *state = reader->state;
    struct pf_marshal_object key, entry;
    int64_t values[VALUES];

    pf_marshal_pass(&state->marshal);
    state->caller_count = state->next_caller = 0;
    int status = pf_marshal_read(&state->marshal, &key);
    if (status != PF_OK || key.kind == PF_MARSHAL_END)
        return status != PF_OK ? status : PF_EOF;
    status = place_of(reader, &key, &state->function);
    if (status == PF_OK)
        status = pf_marshal_read(&state->marshal, &entry);
    if (status != PF_OK)
        return status;
    if (entry.kind != PF_MARSHAL_TUPLE || entry.count != ENTRY_ITEMS ||
        entry.items[CALLERS].kind != PF_MARSHAL_DICT)
        return bad(reader, "the value of a function is not (calls, calls, time, time, callers)");
    status = read_values(reader, &entry.items[CC], &entry.items[NC], &entry.items[TIME], values);
    if (status != PF_OK)
        return status;
    pf_rows_flat(&state->flat, state->function, 0);
    pf_rows_set_values(&state->flat, 0, values, VALUES);
    state->callers = entry.items[CALLERS].items;
    state->caller_count = entry.items[CALLERS].count / 2;
    return PF_OK;
}

/* Reads the next caller. cProfile's callers have calls before primitive calls; callers of the older
 * `profile` have only a number of calls. */
static int read_caller(struct pf_reader *reader)
{
    static const struct pf_marshal_object nothing[2] = {{.kind = PF_MARSHAL_FLOAT},
                                                        {.kind = PF_MARSHAL_FLOAT}};
    static const struct pf_marshal_object zero = {.kind = PF_MARSHAL_INT};
    struct state *state = reader->state;
    const struct pf_marshal_object *key = &state->callers[2 * state->next_caller], *value = key + 1;
    int64_t values[VALUES];
    uint32_t caller;
    int status = place_of(reader, key, &caller);

    if (status == PF_OK && value->kind == PF_MARSHAL_TUPLE && value->count == CALLER_ITEMS)
        status =
            read_values(reader, &value->items[1], &value->items[0], &value->items[TIME], values);
    else if (status == PF_OK && is_count(value))
        status = read_values(reader, &zero, value, nothing, values);
    else if (status == PF_OK)
        status = bad(reader, "the value of a caller is not (calls, calls, time, time)");
    if (status != PF_OK)
        return status;
    pf_rows_edge(&state->edge, caller, state->function, 0);
    pf_rows_set_values(&state->edge, 0, values, VALUES);
    state->next_caller++;
    return PF_OK;
}

/* --- the format ------------------------------------------------------------------------------- */

static int open_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;

    state->marshal.source = reader->source;
    state->marshal.dict = reader->dict;
    state->marshal.error = &reader->error;
    declare(reader, PF_FLAT, &state->flat);
    declare(reader, PF_EDGE, &state->edge);
    return pf_marshal_open_dict(&state->marshal);
}

static int at_end(struct pf_reader *reader)
{
    size_t have;

    pf_source_peek(reader->source, 1, &have);
    if (have > 0)
        return bad(reader, "bytes after the end of the profile");
    return pf_source_status(reader->source, &reader->error) == PF_OK ? PF_EOF : reader->error.code;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct state *state = reader->state;

    while (state->status == PF_OK && !pf_rows_ready(&state->flat) && !pf_rows_ready(&state->edge))
        state->status = state->next_caller < state->caller_count ? read_caller(reader)
                                                                 : read_function(reader);
    if (pf_rows_give(&state->flat, batch) || pf_rows_give(&state->edge, batch))
        return PF_OK;
    return state->status == PF_EOF ? at_end(reader) : state->status;
}

static void close_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;

    pf_rows_free(&state->flat);
    pf_rows_free(&state->edge);
    pf_marshal_free(&state->marshal);
}

/* Bits of evidence: a dict that is empty, or whose first key is a tuple of three items, the first a
 * string. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have, at;
    const unsigned char *bytes = pf_source_peek(source, 7, &have);

    (void)path;
    if (have < 2 || (bytes[0] & 0x7f) != '{')
        return 0;
    if (have == 2)
        return bytes[1] == '0' ? EVIDENCE : 0;
    if (have < 7)
        return 0;
    if ((bytes[1] & 0x7f) == ')')
        at = bytes[2] == KEY_ITEMS ? 3 : 0;
    else
        at = (bytes[1] & 0x7f) == '(' && pf_load32le(bytes + 2) == KEY_ITEMS ? 6 : 0;
    return at > 0 && memchr("suaAzZtR", bytes[at] & 0x7f, 8) ? EVIDENCE : 0;
}

const struct pf_format pf_format_pstats = {
    .name = "pstats",
    .about = "what Python's cProfile and profile dump",
    .caps = PF_HOLDS_FLAT | PF_HOLDS_EDGE,
    .bid = bid,
    .reader_size = sizeof(struct state),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
};
