#include "format/pstats/marshal.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16, TUPLE_MAX = 16, FLAG_REF = 0x80 };
enum { BILLION = 1000000000 };

void pf_marshal_free(struct pf_marshal *marshal)
{
    pf_arena_free(&marshal->kept);
    pf_arena_free(&marshal->passing);
    free(marshal->refs);
    free(marshal->stack);
    free(marshal->interned);
}

void pf_marshal_pass(struct pf_marshal *marshal)
{
    pf_arena_free(&marshal->passing);
    marshal->passing = (struct pf_arena){0};
}

static int bad(struct pf_marshal *marshal, const char *what)
{
    return pf_error_at(marshal->error, PF_FAILED, pf_source_offset(marshal->source), "%s", what);
}

/* --- bytes ------------------------------------------------------------------------------------ */

static const unsigned char *take(struct pf_marshal *marshal, size_t size)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(marshal->source, size, &have);

    if (have < size) {
        if (pf_source_status(marshal->source, marshal->error) == PF_OK)
            bad(marshal, "the input ends inside an object");
        return NULL;
    }
    pf_source_take(marshal->source, size);
    return bytes;
}

static bool take_size(struct pf_marshal *marshal, bool one_byte, uint32_t *size)
{
    const unsigned char *bytes = take(marshal, one_byte ? 1 : 4);

    if (bytes)
        *size = one_byte ? bytes[0] : pf_load32le(bytes);
    if (bytes && *size > INT32_MAX) {
        bad(marshal, "a size below 0");
        return false;
    }
    return bytes;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static int take_int(struct pf_marshal *marshal, size_t size, struct pf_marshal_object *object)
{
    const unsigned char *bytes = take(marshal, size);

    if (!bytes)
        return marshal->error->code;
    object->kind = PF_MARSHAL_INT;
    object->number = size == 4 ? (int32_t)pf_load32le(bytes) : (int64_t)pf_load64le(bytes);
    return PF_OK;
}

/* Reads an integer of 15-bit digits, the lowest first; a negative integer has a negative number of
 * digits. */
static int take_long(struct pf_marshal *marshal, struct pf_marshal_object *object)
{
    const unsigned char *bytes = take(marshal, 4);

    if (!bytes)
        return marshal->error->code;
    int32_t signed_count = (int32_t)pf_load32le(bytes);
    uint32_t count = signed_count < 0 ? 0 - (uint32_t)signed_count : (uint32_t)signed_count;
    pf_uint128 value = 0;

    if (count > 5)
        return bad(marshal, "a whole number of more than 64 bits");
    bytes = take(marshal, (size_t)2 * count);
    if (!bytes)
        return marshal->error->code;
    for (uint32_t k = 0; k < count; k++) {
        if (pf_load16le(bytes + 2 * k) > 0x7fff)
            return bad(marshal, "a digit of a whole number of more than 15 bits");
        value |= (pf_uint128)pf_load16le(bytes + 2 * k) << 15 * k;
    }
    if (value > INT64_MAX)
        return bad(marshal, "a whole number of more than 64 bits");
    object->kind = PF_MARSHAL_INT;
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

static int take_float(struct pf_marshal *marshal, bool text, struct pf_marshal_object *object)
{
    uint32_t size = 8;
    const unsigned char *bytes;

    if ((text && !take_size(marshal, true, &size)) || !(bytes = take(marshal, size)))
        return marshal->error->code;
    object->kind = PF_MARSHAL_FLOAT;
    bool good = text ? scale_text((struct pf_bytes){(const char *)bytes, size}, &object->number)
                     : scale_double(pf_load64le(bytes), &object->number);
    return good ? PF_OK
                : bad(marshal, "a time that is not a number, or over 64 bits of nanoseconds");
}

/* --- strings ---------------------------------------------------------------------------------- */

static int take_string(struct pf_marshal *marshal, bool one_byte, struct pf_marshal_object *object)
{
    uint32_t size;
    const unsigned char *bytes;

    if (!take_size(marshal, one_byte, &size))
        return marshal->error->code;
    if (size > PF_STRING_MAX)
        return bad(marshal, "a string longer than 16 MiB");
    bytes = take(marshal, size);
    if (!bytes)
        return marshal->error->code;
    struct pf_bytes text = {(const char *)bytes, size};
    object->kind = PF_MARSHAL_STRING;
    object->string = pf_dict_intern_text(marshal->dict, text);
    return PF_OK;
}

static int note_interned(struct pf_marshal *marshal, uint32_t string)
{
    if (!pf_grow(&marshal->interned, &marshal->interned_capacity, marshal->interned_count + 1,
                 sizeof *marshal->interned))
        return pf_error_nomem(marshal->error);
    marshal->interned[marshal->interned_count++] = string;
    return PF_OK;
}

/* Reads a reference: `r` to an object, `R` to an interned string of Python 2. */
static int take_reference(struct pf_marshal *marshal, bool interned,
                          struct pf_marshal_object *object)
{
    const unsigned char *bytes = take(marshal, 4);

    if (!bytes)
        return marshal->error->code;
    uint32_t index = pf_load32le(bytes);
    if (interned) {
        if (index >= marshal->interned_count)
            return bad(marshal, "a reference to an undefined string");
        *object = (struct pf_marshal_object){.kind = PF_MARSHAL_STRING,
                                             .string = marshal->interned[index]};
        return PF_OK;
    }
    if (index >= marshal->ref_count || marshal->refs[index].kind == PF_MARSHAL_END)
        return bad(marshal, "a reference to an undefined object");
    *object = marshal->refs[index];
    return PF_OK;
}

/* --- objects ---------------------------------------------------------------------------------- */

static int read_object(struct pf_marshal *marshal, bool keep, struct pf_marshal_object *object);

static int push(struct pf_marshal *marshal, const struct pf_marshal_object *object)
{
    if (!pf_grow(&marshal->stack, &marshal->stack_capacity, marshal->stack_count + 1,
                 sizeof *marshal->stack))
        return pf_error_nomem(marshal->error);
    marshal->stack[marshal->stack_count++] = *object;
    return PF_OK;
}

/* Reads the items of a tuple (`count`) or of a dict (up to its end). */
static int take_items(struct pf_marshal *marshal, bool keep, bool dict, uint32_t count,
                      struct pf_marshal_object *object)
{
    size_t first = marshal->stack_count;
    int status = PF_OK;

    if (++marshal->depth > DEPTH_MAX)
        return bad(marshal, "objects nested more than 16 deep");
    for (uint32_t k = 0; status == PF_OK && (dict || k < count); k++) {
        struct pf_marshal_object item;

        if (!dict && k == TUPLE_MAX)
            return bad(marshal, "a tuple of more than 16, which profiles do not have");
        status = read_object(marshal, keep, &item);
        if (status == PF_OK && item.kind == PF_MARSHAL_END) {
            if (dict && k % 2 == 0)
                break;
            status = bad(marshal, "expected an object, found an end");
        }
        if (status == PF_OK)
            status = push(marshal, &item);
    }
    if (status != PF_OK)
        return status;
    size_t size = (marshal->stack_count - first) * sizeof *object;
    struct pf_marshal_object *items =
        pf_arena_alloc(keep ? &marshal->kept : &marshal->passing, size + 1);
    if (!items)
        return pf_error_nomem(marshal->error);
    if (size > 0)
        memcpy(items, marshal->stack + first, size);
    object->kind = dict ? PF_MARSHAL_DICT : PF_MARSHAL_TUPLE;
    object->items = items;
    object->count = (uint32_t)(marshal->stack_count - first);
    marshal->stack_count = first;
    marshal->depth--;
    return PF_OK;
}

static int take_tuple(struct pf_marshal *marshal, bool keep, bool one_byte,
                      struct pf_marshal_object *object)
{
    uint32_t count;

    return take_size(marshal, one_byte, &count) ? take_items(marshal, keep, false, count, object)
                                                : marshal->error->code;
}

static int take_object(struct pf_marshal *marshal, unsigned char code, bool keep,
                       struct pf_marshal_object *object)
{
    int status;

    switch (code) {
    case '0': object->kind = PF_MARSHAL_END; return PF_OK;
    case 'N': return PF_OK;
    case 'T':
    case 'F':
        object->kind = PF_MARSHAL_INT;
        object->number = code == 'T';
        return PF_OK;
    case 'i': return take_int(marshal, 4, object);
    case 'I': return take_int(marshal, 8, object);
    case 'l': return take_long(marshal, object);
    case 'f':
    case 'g': return take_float(marshal, code == 'f', object);
    case 's':
    case 'u':
    case 'a':
    case 'A': return take_string(marshal, false, object);
    case 'z':
    case 'Z': return take_string(marshal, true, object);
    case 't':
        status = take_string(marshal, false, object);
        return status == PF_OK ? note_interned(marshal, object->string) : status;
    case 'r':
    case 'R': return take_reference(marshal, code == 'R', object);
    case '(':
    case '[':
    case ')': return take_tuple(marshal, keep, code == ')', object);
    case '{': return take_items(marshal, keep, true, 0, object);
    default: return bad(marshal, "an unexpected kind of object");
    }
}

/* Reads an object. An object that references may name gets its number before its items get theirs.
 * As in Python, None, True, False and the end of a dict have no number. */
static int read_object(struct pf_marshal *marshal, bool keep, struct pf_marshal_object *object)
{
    const unsigned char *bytes = take(marshal, 1);
    size_t index = marshal->ref_count;

    if (!bytes)
        return marshal->error->code;
    unsigned char code = *bytes;
    bool flagged = (code & FLAG_REF) != 0 && !memchr("NTF0", code & (FLAG_REF - 1), 4);

    *object = (struct pf_marshal_object){.kind = PF_MARSHAL_NONE};
    if (flagged) {
        if (!pf_grow(&marshal->refs, &marshal->ref_capacity, index + 1, sizeof *marshal->refs))
            return pf_error_nomem(marshal->error);
        marshal->refs[marshal->ref_count++] = (struct pf_marshal_object){.kind = PF_MARSHAL_END};
    }
    int status = take_object(marshal, code & (FLAG_REF - 1), keep || flagged, object);
    if (flagged && status == PF_OK)
        marshal->refs[index] = *object;
    return status;
}

int pf_marshal_read(struct pf_marshal *marshal, struct pf_marshal_object *object)
{
    marshal->depth = 0;
    marshal->stack_count = 0;
    return read_object(marshal, false, object);
}

int pf_marshal_open_dict(struct pf_marshal *marshal)
{
    const unsigned char *bytes = take(marshal, 1);

    if (!bytes)
        return marshal->error->code;
    if ((*bytes & (FLAG_REF - 1)) != '{')
        return bad(marshal, "expected a dict as the first object of a profile");
    if (*bytes & FLAG_REF) {
        if (!pf_grow(&marshal->refs, &marshal->ref_capacity, marshal->ref_count + 1,
                     sizeof *marshal->refs))
            return pf_error_nomem(marshal->error);
        marshal->refs[marshal->ref_count++] = (struct pf_marshal_object){.kind = PF_MARSHAL_END};
    }
    return PF_OK;
}
