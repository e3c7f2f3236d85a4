/* What Python's profilers (cProfile, profile) dump: a dict of functions with their calls, times and
 * callers, in marshal. pstats.md has the facts. */
#include "base/memory.h"
#include "base/number.h"
#include "codec/format.h"

#include <stdlib.h>
#include <string.h>

/* --- Python's marshal format, versions 0 to 4 (pstats.md, section 2) ------------------------- */

enum object_kind {
    OBJECT_NONE, /* None, or an object that is not whole yet */
    OBJECT_INT,
    OBJECT_FLOAT,
    OBJECT_STRING,
    OBJECT_TUPLE, /* lists too */
    OBJECT_DICT,  /* keys and values in turn */
    OBJECT_END    /* the end of a dict */
};

/* Small, because an input can have an object in every five bytes. */
struct object {
    uint32_t kind;  /* enum object_kind */
    uint32_t count; /* number of items */
    union {
        int64_t number;  /* INT; FLOAT: in units of 1e-9, rounded half to even */
        uint32_t string; /* of the dictionary */
        const struct object *items;
    };
};

/* The objects of the input so far. */
struct marshal {
    struct pf_reader *reader;
    /* `kept`: items of objects that later references may name; `passing`: items of other objects */
    struct pf_arena kept, passing;
    struct object *refs, *stack;
    uint32_t *interned; /* the interned strings of Python 2, in order */
    size_t ref_count, ref_capacity, stack_count, stack_capacity, interned_count, interned_capacity;
    unsigned depth;
};

enum { DEPTH_MAX = 16, TUPLE_MAX = 16, FLAG_REF = 0x80 };
enum { BILLION = 1000000000 };

static int bad_input(struct pf_reader *reader, const char *what)
{
    return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source), "%s", what);
}

static void free_marshal(struct marshal *marshal)
{
    pf_arena_free(&marshal->kept);
    pf_arena_free(&marshal->passing);
    free(marshal->refs);
    free(marshal->stack);
    free(marshal->interned);
}

/* Frees the items of all objects that no later reference can name. */
static void free_passing(struct marshal *marshal)
{
    pf_arena_free(&marshal->passing);
    marshal->passing = (struct pf_arena){0};
}

/* --- bytes ------------------------------------------------------------------------------------ */

static const unsigned char *read_bytes(struct marshal *marshal, size_t size)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(marshal->reader->source, size, &have);

    if (have < size) {
        if (pf_source_status(marshal->reader->source, &marshal->reader->error) == PF_OK)
            bad_input(marshal->reader, "the input ends inside an object");
        return NULL;
    }
    pf_source_take(marshal->reader->source, size);
    return bytes;
}

static bool read_size(struct marshal *marshal, bool one_byte, uint32_t *size)
{
    const unsigned char *bytes = read_bytes(marshal, one_byte ? 1 : 4);

    if (bytes)
        *size = one_byte ? bytes[0] : pf_load32le(bytes);
    if (bytes && *size > INT32_MAX) {
        bad_input(marshal->reader, "a size below 0");
        return false;
    }
    return bytes;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static int read_int(struct marshal *marshal, size_t size, struct object *object)
{
    const unsigned char *bytes = read_bytes(marshal, size);

    if (!bytes)
        return marshal->reader->error.code;
    object->kind = OBJECT_INT;
    object->number = size == 4 ? (int32_t)pf_load32le(bytes) : (int64_t)pf_load64le(bytes);
    return PF_OK;
}

/* Reads an integer of 15-bit digits, the lowest first; a negative integer has a negative number of
 * digits. */
static int read_long(struct marshal *marshal, struct object *object)
{
    const unsigned char *bytes = read_bytes(marshal, 4);

    if (!bytes)
        return marshal->reader->error.code;
    int32_t signed_count = (int32_t)pf_load32le(bytes);
    uint32_t count = signed_count < 0 ? 0 - (uint32_t)signed_count : (uint32_t)signed_count;
    pf_uint128 value = 0;

    if (count > 5)
        return bad_input(marshal->reader, "a whole number of more than 64 bits");
    bytes = read_bytes(marshal, (size_t)2 * count);
    if (!bytes)
        return marshal->reader->error.code;
    for (uint32_t k = 0; k < count; k++) {
        if (pf_load16le(bytes + 2 * k) > 0x7fff)
            return bad_input(marshal->reader, "a digit of a whole number of more than 15 bits");
        value |= (pf_uint128)pf_load16le(bytes + 2 * k) << 15 * k;
    }
    if (value > INT64_MAX)
        return bad_input(marshal->reader, "a whole number of more than 64 bits");
    object->kind = OBJECT_INT;
    object->number = signed_count < 0 ? -(int64_t)value : (int64_t)value;
    return PF_OK;
}

/* Converts a double to units of 1e-9, half to even. Its 53 bits times 10^9 fit 128 bits, so only
 * the last step rounds. */
static bool scale_double(uint64_t bits, int64_t *number)
{
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    pf_uint128 value, half, rest;

    if (exponent == 0x7ff)
        return false;
    if (exponent != 0)
        mantissa |= (uint64_t)1 << 52;
    exponent = (exponent == 0 ? 1 : exponent) - 1075;
    value = (pf_uint128)mantissa * BILLION;
    if (exponent > 0 && (exponent > 40 || value >> (127 - exponent) != 0))
        return mantissa == 0 && (*number = 0, true);
    if (exponent >= 0) {
        value <<= exponent;
    } else if (exponent < -120) {
        value = 0;
    } else {
        half = (pf_uint128)1 << (-exponent - 1);
        rest = value & ((half << 1) - 1);
        value >>= -exponent;
        value += rest > half || (rest == half && (value & 1) != 0);
    }
    if (value > INT64_MAX)
        return false;
    *number = bits >> 63 ? -(int64_t)value : (int64_t)value;
    return true;
}

/* Converts a double that versions 0 and 1 wrote as decimal text. */
static bool scale_text(struct pf_bytes text, int64_t *number)
{
    char copy[256];
    char *end;
    double value;

    for (size_t k = 0; k < text.size; k++)
        if (!pf_one_of(text.data[k], "0123456789.eE+-"))
            return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    value = strtod(copy, &end);
    return text.size > 0 && *end == '\0' && scale_double(pf_bits_of(value), number);
}

static int read_float(struct marshal *marshal, bool text, struct object *object)
{
    uint32_t size = 8;
    const unsigned char *bytes;

    if ((text && !read_size(marshal, true, &size)) || !(bytes = read_bytes(marshal, size)))
        return marshal->reader->error.code;
    object->kind = OBJECT_FLOAT;
    bool good = text ? scale_text((struct pf_bytes){(const char *)bytes, size}, &object->number)
                     : scale_double(pf_load64le(bytes), &object->number);
    return good ? PF_OK
                : bad_input(marshal->reader,
                            "a time that is not a number, or over 64 bits of nanoseconds");
}

/* --- strings ---------------------------------------------------------------------------------- */

static int read_string(struct marshal *marshal, bool one_byte, struct object *object)
{
    uint32_t size;
    const unsigned char *bytes;

    if (!read_size(marshal, one_byte, &size))
        return marshal->reader->error.code;
    if (size > PF_STRING_MAX)
        return bad_input(marshal->reader, "a string longer than 16 MiB");
    bytes = read_bytes(marshal, size);
    if (!bytes)
        return marshal->reader->error.code;
    struct pf_bytes text = {(const char *)bytes, size};
    object->kind = OBJECT_STRING;
    object->string = pf_dict_intern_text(marshal->reader->dict, text);
    return PF_OK;
}

static int note_interned(struct marshal *marshal, uint32_t string)
{
    if (!pf_grow(&marshal->interned, &marshal->interned_capacity, marshal->interned_count + 1,
                 sizeof *marshal->interned))
        return pf_error_nomem(&marshal->reader->error);
    marshal->interned[marshal->interned_count++] = string;
    return PF_OK;
}

/* Reads a reference: `r` to an object, `R` to an interned string of Python 2. */
static int read_reference(struct marshal *marshal, bool interned, struct object *object)
{
    const unsigned char *bytes = read_bytes(marshal, 4);

    if (!bytes)
        return marshal->reader->error.code;
    uint32_t index = pf_load32le(bytes);
    if (interned) {
        if (index >= marshal->interned_count)
            return bad_input(marshal->reader, "a reference to an undefined string");
        *object = (struct object){.kind = OBJECT_STRING, .string = marshal->interned[index]};
        return PF_OK;
    }
    if (index >= marshal->ref_count || marshal->refs[index].kind == OBJECT_END)
        return bad_input(marshal->reader, "a reference to an undefined object");
    *object = marshal->refs[index];
    return PF_OK;
}

/* --- objects ---------------------------------------------------------------------------------- */

static int read_object(struct marshal *marshal, bool keep, struct object *object);

static int push(struct marshal *marshal, const struct object *object)
{
    if (!pf_grow(&marshal->stack, &marshal->stack_capacity, marshal->stack_count + 1,
                 sizeof *marshal->stack))
        return pf_error_nomem(&marshal->reader->error);
    marshal->stack[marshal->stack_count++] = *object;
    return PF_OK;
}

/* Reads the items of a tuple (`count`) or of a dict (up to its end). */
static int read_items(struct marshal *marshal, bool keep, bool dict, uint32_t count,
                      struct object *object)
{
    size_t first = marshal->stack_count;
    int status = PF_OK;

    if (++marshal->depth > DEPTH_MAX)
        return bad_input(marshal->reader, "objects nested more than 16 deep");
    for (uint32_t k = 0; status == PF_OK && (dict || k < count); k++) {
        struct object item;

        if (!dict && k == TUPLE_MAX)
            return bad_input(marshal->reader,
                             "a tuple of more than 16 items, which profiles do not have");
        status = read_object(marshal, keep, &item);
        if (status == PF_OK && item.kind == OBJECT_END) {
            if (dict && k % 2 == 0)
                break;
            status = bad_input(marshal->reader, "expected an object, found an end");
        }
        if (status == PF_OK)
            status = push(marshal, &item);
    }
    if (status != PF_OK)
        return status;
    size_t size = (marshal->stack_count - first) * sizeof *object;
    struct object *items = pf_arena_alloc(keep ? &marshal->kept : &marshal->passing, size + 1);
    if (!items)
        return pf_error_nomem(&marshal->reader->error);
    if (size > 0)
        memcpy(items, marshal->stack + first, size);
    object->kind = dict ? OBJECT_DICT : OBJECT_TUPLE;
    object->items = items;
    object->count = (uint32_t)(marshal->stack_count - first);
    marshal->stack_count = first;
    marshal->depth--;
    return PF_OK;
}

static int read_tuple(struct marshal *marshal, bool keep, bool one_byte, struct object *object)
{
    uint32_t count;

    return read_size(marshal, one_byte, &count) ? read_items(marshal, keep, false, count, object)
                                                : marshal->reader->error.code;
}

static int read_contents(struct marshal *marshal, unsigned char code, bool keep,
                         struct object *object)
{
    int status;

    switch (code) {
    case '0': object->kind = OBJECT_END; return PF_OK;
    case 'N': return PF_OK;
    case 'T':
    case 'F':
        object->kind = OBJECT_INT;
        object->number = code == 'T';
        return PF_OK;
    case 'i': return read_int(marshal, 4, object);
    case 'I': return read_int(marshal, 8, object);
    case 'l': return read_long(marshal, object);
    case 'f':
    case 'g': return read_float(marshal, code == 'f', object);
    case 's':
    case 'u':
    case 'a':
    case 'A': return read_string(marshal, false, object);
    case 'z':
    case 'Z': return read_string(marshal, true, object);
    case 't':
        status = read_string(marshal, false, object);
        return status == PF_OK ? note_interned(marshal, object->string) : status;
    case 'r':
    case 'R': return read_reference(marshal, code == 'R', object);
    case '(':
    case '[':
    case ')': return read_tuple(marshal, keep, code == ')', object);
    case '{': return read_items(marshal, keep, true, 0, object);
    default: return bad_input(marshal->reader, "an unexpected kind of object");
    }
}

/* Numbers an object that references may name, before it is read. */
static int add_reference(struct marshal *marshal)
{
    if (!pf_grow(&marshal->refs, &marshal->ref_capacity, marshal->ref_count + 1,
                 sizeof *marshal->refs))
        return pf_error_nomem(&marshal->reader->error);
    marshal->refs[marshal->ref_count++] = (struct object){.kind = OBJECT_END};
    return PF_OK;
}

/* Reads an object. An object that references may name gets its number before its items get theirs.
 * As in Python, None, True, False and the end of a dict have no number. */
static int read_object(struct marshal *marshal, bool keep, struct object *object)
{
    const unsigned char *bytes = read_bytes(marshal, 1);
    size_t index = marshal->ref_count;

    if (!bytes)
        return marshal->reader->error.code;
    unsigned char code = *bytes;
    bool flagged = (code & FLAG_REF) != 0 && !memchr("NTF0", code & (FLAG_REF - 1), 4);

    *object = (struct object){.kind = OBJECT_NONE};
    if (flagged && add_reference(marshal) != PF_OK)
        return marshal->reader->error.code;
    int status = read_contents(marshal, code & (FLAG_REF - 1), keep || flagged, object);
    if (flagged && status == PF_OK)
        marshal->refs[index] = *object;
    return status;
}

/* Reads the next object. Its items are valid until free_passing. PF_FAILED, with the offset, also
 * for what profiles never have: numbers over 64 bits, nesting deeper than 16, tuples of more than
 * 16 items. */
static int read_next(struct marshal *marshal, struct object *object)
{
    marshal->depth = 0;
    marshal->stack_count = 0;
    return read_object(marshal, false, object);
}

/* Reads the head of a dict. Then read its keys and values in turn, up to OBJECT_END. */
static int open_dict(struct marshal *marshal)
{
    const unsigned char *bytes = read_bytes(marshal, 1);

    if (!bytes)
        return marshal->reader->error.code;
    if ((*bytes & (FLAG_REF - 1)) != '{')
        return bad_input(marshal->reader, "expected a dict as the first object of a profile");
    return *bytes & FLAG_REF ? add_reference(marshal) : PF_OK;
}

/* --- the profile ------------------------------------------------------------------------------ */

enum { CALLS, PRIMITIVE, TT, CT, VALUES };
enum { KEY_FILE, KEY_LINE, KEY_NAME, KEY_ITEMS };
enum { CC, NC, TIME, CUMULATIVE, CALLERS, ENTRY_ITEMS, CALLER_ITEMS = CALLERS };
enum { EVIDENCE = 40 };

struct state {
    struct marshal marshal;
    struct pf_rows edge;          /* filled at the same time as the rows of functions */
    const struct object *callers; /* of the current function: keys and values in turn */
    uint32_t caller_count, next_caller, function;
    int status;
};

/* --- measures --------------------------------------------------------------------------------- */

static void declare(struct pf_reader *reader, enum pf_kind kind, struct pf_rows *rows)
{
    static const char *const names[VALUES] = {"calls", "primitive_calls", "tt", "ct"};
    struct pf_dict *dict = reader->dict;

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

/* The location of a function, (file, line, name); the file of functions written in C is `~`. */
static int place_of(struct pf_reader *reader, const struct object *key, uint32_t *location)
{
    const struct object *items = key->items;

    if (key->kind != OBJECT_TUPLE || key->count != KEY_ITEMS ||
        items[KEY_FILE].kind != OBJECT_STRING || items[KEY_LINE].kind != OBJECT_INT ||
        items[KEY_NAME].kind != OBJECT_STRING)
        return bad_input(reader, "a function is not (file, line, name)");
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

static bool is_count(const struct object *object)
{
    return object->kind == OBJECT_INT;
}

/* Reads a time in nanoseconds. Timers that count whole seconds give integers. */
static bool read_time(const struct object *object, int64_t *value)
{
    *value = object->number;
    return object->kind == OBJECT_FLOAT ||
           (is_count(object) && pf_mul64(object->number, 1000000000, value));
}

static int read_values(struct pf_reader *reader, const struct object *primitive,
                       const struct object *calls, const struct object *times,
                       int64_t values[VALUES])
{
    if (!is_count(primitive) || !is_count(calls) || !read_time(&times[0], &values[TT]) ||
        !read_time(&times[1], &values[CT]))
        return bad_input(reader,
                         "numbers of calls and times are not two whole numbers and two times of "
                         "at most 64 bits");
    values[CALLS] = calls->number;
    values[PRIMITIVE] = primitive->number;
    return PF_OK;
}

/* Reads the next function: (primitive calls, calls, own time, cumulative time, callers). */
static int read_function(struct pf_reader *reader)
{
    struct state *state = reader->state;
    struct object key, entry;
    int64_t values[VALUES];

    free_passing(&state->marshal);
    state->caller_count = state->next_caller = 0;
    int status = read_next(&state->marshal, &key);
    if (status != PF_OK || key.kind == OBJECT_END)
        return status != PF_OK ? status : PF_EOF;
    status = place_of(reader, &key, &state->function);
    if (status == PF_OK)
        status = read_next(&state->marshal, &entry);
    if (status != PF_OK)
        return status;
    if (entry.kind != OBJECT_TUPLE || entry.count != ENTRY_ITEMS ||
        entry.items[CALLERS].kind != OBJECT_DICT)
        return bad_input(reader,
                         "the value of a function is not (calls, calls, time, time, callers)");
    status = read_values(reader, &entry.items[CC], &entry.items[NC], &entry.items[TIME], values);
    if (status != PF_OK)
        return status;
    pf_rows_flat(&reader->rows, state->function, 0);
    pf_rows_set_values(&reader->rows, 0, values, VALUES);
    state->callers = entry.items[CALLERS].items;
    state->caller_count = entry.items[CALLERS].count / 2;
    return PF_OK;
}

/* Reads the next caller. cProfile's callers have calls before primitive calls; callers of the older
 * `profile` have only a number of calls. */
static int read_caller(struct pf_reader *reader)
{
    static const struct object nothing[2] = {{.kind = OBJECT_FLOAT}, {.kind = OBJECT_FLOAT}};
    static const struct object zero = {.kind = OBJECT_INT};
    struct state *state = reader->state;
    const struct object *key = &state->callers[2 * state->next_caller], *value = key + 1;
    int64_t values[VALUES];
    uint32_t caller;
    int status = place_of(reader, key, &caller);

    if (status == PF_OK && value->kind == OBJECT_TUPLE && value->count == CALLER_ITEMS)
        status =
            read_values(reader, &value->items[1], &value->items[0], &value->items[TIME], values);
    else if (status == PF_OK && is_count(value))
        status = read_values(reader, &zero, value, nothing, values);
    else if (status == PF_OK)
        status = bad_input(reader, "the value of a caller is not (calls, calls, time, time)");
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

    state->marshal.reader = reader;
    pf_rows_init(&state->edge, reader->dict);
    declare(reader, PF_FLAT, &reader->rows);
    declare(reader, PF_EDGE, &state->edge);
    return open_dict(&state->marshal);
}

static int at_end(struct pf_reader *reader)
{
    size_t have;

    pf_source_peek(reader->source, 1, &have);
    if (have > 0)
        return bad_input(reader, "bytes after the end of the profile");
    return pf_source_status(reader->source, &reader->error) == PF_OK ? PF_EOF : reader->error.code;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct state *state = reader->state;

    while (state->status == PF_OK && !pf_rows_ready(&reader->rows) && !pf_rows_ready(&state->edge))
        state->status = state->next_caller < state->caller_count ? read_caller(reader)
                                                                 : read_function(reader);
    if (pf_rows_give(&reader->rows, batch) || pf_rows_give(&state->edge, batch))
        return PF_OK;
    return state->status == PF_EOF ? at_end(reader) : state->status;
}

static void close_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;

    pf_rows_free(&state->edge);
    free_marshal(&state->marshal);
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
