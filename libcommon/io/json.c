#include "io/json.h"

#include "base/decimal.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 160 };

/* The kind's bit for a result of pf_json_cut_kind. */
static unsigned kind_bit(int kind)
{
    switch (kind) {
    case '{': return PF_JSON_OBJECT;
    case '[': return PF_JSON_ARRAY;
    case '"': return PF_JSON_STRING;
    case '0': return PF_JSON_NUMBER;
    case 'n': return PF_JSON_NULL;
    default: return PF_JSON_BOOLEAN;
    }
}

/* Prints "an array or a string" into TEXT_MAX bytes. */
static const char *kind_words(unsigned kinds, char *text)
{
    static const char *const words[] = {"an object", "an array",      "a number",
                                        "a string",  "true or false", "null"};
    size_t size = 0;

    for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
        if (kinds & 1U << k)
            size += (size_t)snprintf(text + size, TEXT_MAX - size, "%s%s", size > 0 ? " or " : "",
                                     words[k]);
    return text;
}

static int wrong_kind(struct pf_json_cut *cut, uint64_t offset, struct pf_bytes key, unsigned kind,
                      unsigned kinds)
{
    char is[TEXT_MAX], expected[TEXT_MAX];

    return pf_error_at(cut->error, PF_FAILED, offset, "'%s' is %s, expected %s", pf_clip(key).text,
                       kind_words(kind, is), kind_words(kinds, expected));
}

static unsigned value_bit(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return PF_JSON_OBJECT;
    case JSON_ARRAY: return PF_JSON_ARRAY;
    case JSON_STRING: return PF_JSON_STRING;
    case JSON_INTEGER:
    case JSON_REAL: return PF_JSON_NUMBER;
    case JSON_NULL: return PF_JSON_NULL;
    default: return PF_JSON_BOOLEAN;
    }
}

int pf_json_check(struct pf_json_cut *cut, uint64_t offset, const char *name, const json_t *value,
                  unsigned kinds)
{
    if (!(value_bit(value) & kinds))
        return wrong_kind(cut, offset, pf_bytes_of(name), value_bit(value), kinds);
    if (json_is_real(value))
        return pf_error_at(cut->error, PF_FAILED, offset,
                           "'%s': expected a whole number of 64 bits, not %.10g",
                           pf_clip(pf_bytes_of(name)).text, json_real_value(value));
    return PF_OK;
}

int pf_json_check_members(struct pf_json_cut *cut, uint64_t offset, const json_t *object,
                          const struct pf_json_type *types)
{
    int status = PF_OK;

    for (; types->key && status == PF_OK; types++) {
        const json_t *member = json_object_get(object, types->key);

        if (member && !json_is_null(member))
            status = pf_json_check(cut, offset, types->key, member, types->kinds);
    }
    return status;
}

/* Compares keys; most differ in the first letter, which saves a call. */
static bool is_key(const char *key, struct pf_bytes text)
{
    return text.size > 0 && key[0] == text.data[0] && strlen(key) == text.size &&
           memcmp(key, text.data, text.size) == 0;
}

/* The same as pf_json_member. *seen has a bit for each row that was read. */
static int read_member(struct pf_json_cut *cut, const struct pf_json_member *rows, void *object,
                       uint64_t *seen)
{
    int status = pf_json_cut_key(cut, &cut->key), kind;

    if (status != PF_OK)
        return status;
    kind = pf_json_cut_kind(cut);
    if (kind < 0)
        return kind;
    for (unsigned k = 0; rows[k].kinds; k++) {
        const struct pf_json_member *row = &rows[k];

        if (row->key && !is_key(row->key, cut->key))
            continue;
        if (!(row->kinds & kind_bit(kind))) {
            if (row->kinds & PF_JSON_LAX)
                continue;
            return wrong_kind(cut, pf_source_offset(cut->source), cut->key, kind_bit(kind),
                              row->kinds);
        }
        if (row->kinds & PF_JSON_ONCE && *seen & UINT64_C(1) << k)
            return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                               "'%s' is defined twice", row->key);
        *seen |= UINT64_C(1) << k;
        object = (char *)object + row->offset;
        return row->members                ? pf_json_object(cut, row->members, object)
               : row->kinds & PF_JSON_EACH ? pf_json_array(cut, row->read, object)
                                           : row->read(cut, object);
    }
    return pf_json_cut_skip(cut);
}

int pf_json_member(struct pf_json_cut *cut, const struct pf_json_member *rows, void *object)
{
    uint64_t seen = 0;

    return read_member(cut, rows, object, &seen);
}

int pf_json_object(struct pf_json_cut *cut, const struct pf_json_member *rows, void *object)
{
    uint64_t seen = 0;
    int status = pf_json_cut_enter(cut, '{');

    while (status == PF_OK)
        status = read_member(cut, rows, object, &seen);
    if (status != PF_EOF)
        return status;
    for (unsigned k = 0; rows[k].kinds; k++)
        if (rows[k].kinds & PF_JSON_REQUIRED && !(seen & UINT64_C(1) << k))
            return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                               "the object ending here has no '%s'", rows[k].key);
    return PF_OK;
}

int pf_json_document(struct pf_json_cut *cut, const struct pf_json_member *rows, void *object)
{
    int status = pf_json_object(cut, rows, object);

    return status == PF_OK ? pf_json_cut_end(cut) : status;
}

int pf_json_array(struct pf_json_cut *cut, pf_json_read *read, void *object)
{
    int status = pf_json_cut_enter(cut, '[');

    while (status == PF_OK && (status = pf_json_cut_next(cut)) == PF_OK)
        status = read(cut, object);
    return status == PF_EOF ? PF_OK : status;
}

int pf_json_read_int(struct pf_json_cut *cut, void *field)
{
    return pf_json_cut_int(cut, field);
}

int pf_json_try_int(struct pf_json_cut *cut, void *field)
{
    struct pf_bytes text;
    int64_t number;
    bool exact;
    int status = pf_json_cut_number(cut, &text);

    if (status == PF_OK && pf_decimal_scale(text, 0, &number, &exact) && exact)
        memcpy(field, &number, sizeof number);
    return status;
}

int pf_json_read_letter(struct pf_json_cut *cut, void *field)
{
    struct pf_bytes text;
    int status = pf_json_cut_string(cut, &text);

    *(char *)field = status == PF_OK && text.size == 1 ? text.data[0] : '?';
    return status;
}
