#include "io/json_cut.h"

#include "base/decimal.h"
#include "base/scan.h"

#include <string.h>

enum { NUMBER_MAX = 4096 }; /* longest number, in bytes; longer numbers are refused */

void pf_json_cut_open(struct pf_json_cut *cut, struct pf_source *source, struct pf_error *error)
{
    memset(cut, 0, sizeof *cut);
    cut->source = source;
    cut->error = error;
}

void pf_json_cut_close(struct pf_json_cut *cut)
{
    pf_buffer_free(&cut->open);
    pf_buffer_free(&cut->text);
    json_decref(cut->value);
}

/* --- characters ------------------------------------------------------------------------------- */

static bool number_character(int c)
{
    return pf_digit((char)c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* The next character that is not a blank; -1 at the end. */
static int next_character(struct pf_json_cut *cut)
{
    struct pf_source *source = cut->source;
    size_t have;

    do {
        for (; source->cursor < source->limit; source->cursor++)
            if (!pf_white((char)*source->cursor))
                return *source->cursor;
        pf_source_peek(source, 1, &have);
    } while (have > 0);
    return -1;
}

static int ends_early(struct pf_json_cut *cut)
{
    int status = pf_source_status(cut->source, cut->error);

    return status < 0 ? status
                      : pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                                    "the JSON text ends in the middle");
}

static int unexpected(struct pf_json_cut *cut, const char *wanted)
{
    int c = next_character(cut);

    if (c < 0)
        return ends_early(cut);
    uint64_t offset = pf_source_offset(cut->source);
    if (c < 0x20 || c >= 0x7f)
        return pf_error_at(cut->error, PF_FAILED, offset, "expected %s, not the byte 0x%02x",
                           wanted, (unsigned)c);
    return pf_error_at(cut->error, PF_FAILED, offset, "expected %s, not '%c'", wanted, c);
}

static int too_long(struct pf_json_cut *cut)
{
    return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                       "a value longer than %zu MiB", PF_JSON_VALUE_MAX >> 20);
}

/* --- structure -------------------------------------------------------------------------------- */

int pf_json_cut_kind(struct pf_json_cut *cut)
{
    int c = next_character(cut);

    if (c == '-' || (c >= '0' && c <= '9'))
        return '0';
    if (c > 0 && strchr("{[\"tfn", c))
        return c;
    return unexpected(cut, "a value");
}

int pf_json_cut_enter(struct pf_json_cut *cut, char bracket)
{
    if (next_character(cut) != bracket)
        return unexpected(cut, bracket == '{' ? "an object" : "an array");
    if (cut->open.size >= PF_JSON_DEPTH_MAX)
        return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                           "more than %d levels of nesting", PF_JSON_DEPTH_MAX);
    if (!pf_buffer_byte(&cut->open, (unsigned char)bracket))
        return pf_error_nomem(cut->error);
    pf_source_take(cut->source, 1);
    cut->begun = false;
    return PF_OK;
}

static int leave(struct pf_json_cut *cut)
{
    pf_source_take(cut->source, 1);
    cut->open.size--;
    cut->begun = true;
    return PF_EOF;
}

/* Advances to the next member of the current object or array: PF_OK before it; PF_EOF after the
 * end. */
static int advance(struct pf_json_cut *cut, char end)
{
    int c = next_character(cut);

    if (c == end)
        return leave(cut);
    if (cut->begun && c == ',') {
        pf_source_take(cut->source, 1);
        c = next_character(cut);
        if (c == end)
            return cut->lenient && end == ']' ? leave(cut)
                                              : unexpected(cut, end == ']' ? "a value" : "a key");
    } else if (cut->begun && c >= 0) {
        return unexpected(cut, end == ']' ? "',' or ']'" : "',' or '}'");
    }
    if (c < 0 && cut->lenient && end == ']' && cut->open.size == 1 &&
        pf_source_status(cut->source, NULL) == PF_OK) {
        cut->open.size = 0;
        return PF_EOF;
    }
    cut->begun = true;
    return c < 0 ? ends_early(cut) : PF_OK;
}

int pf_json_cut_next(struct pf_json_cut *cut)
{
    return advance(cut, ']');
}

int pf_json_cut_key(struct pf_json_cut *cut, struct pf_bytes *key)
{
    int status = advance(cut, '}');

    if (status != PF_OK)
        return status;
    if (next_character(cut) != '"')
        return unexpected(cut, "a key");
    status = pf_json_cut_string(cut, key);
    if (status != PF_OK)
        return status;
    const struct pf_source *source = cut->source;
    if (source->limit - source->cursor >= 2 && source->cursor[0] == ':' &&
        !pf_white((char)source->cursor[1])) {
        pf_source_take(cut->source, 1);
        return PF_OK;
    }
    /* reading on may move the bytes of the key */
    if (key->data != cut->text.data) {
        cut->text.size = 0;
        if (!pf_buffer_append(&cut->text, key->data, key->size))
            return pf_error_nomem(cut->error);
        key->data = cut->text.data;
    }
    if (next_character(cut) != ':')
        return unexpected(cut, "':'");
    pf_source_take(cut->source, 1);
    return next_character(cut) < 0 ? ends_early(cut) : PF_OK;
}

/* --- the text of values ----------------------------------------------------------------------- */

/* The state of a walk over the bytes of a value. */
struct walk {
    size_t depth;
    bool string, escaped, scalar;
};

/* Walks over `size` more bytes; returns how many belong to the value. *done: the value ends among
 * them. */
static size_t walk_on(struct walk *walk, const unsigned char *p, size_t size, bool *done)
{
    for (size_t k = 0; k < size; k++) {
        unsigned char c = p[k];

        if (walk->string) {
            if (walk->escaped)
                walk->escaped = false;
            else if (c == '\\')
                walk->escaped = true;
            else if (c == '"')
                walk->string = false;
            if (walk->string || walk->depth > 0)
                continue;
            *done = true;
            return k + 1;
        }
        if (walk->scalar) {
            if (number_character(c) || (c >= 'a' && c <= 'z'))
                continue;
            *done = true;
            return k;
        }
        if (c == '"') {
            walk->string = true;
        } else if (c == '{' || c == '[') {
            walk->depth++;
        } else if (c == '}' || c == ']') {
            if (walk->depth > 0 && --walk->depth == 0) {
                *done = true;
                return k + 1;
            }
        } else if (walk->depth == 0) {
            walk->scalar = true;
        }
    }
    return size;
}

/* Finds the text of the next value, of at most `limit` bytes. */
static int find_raw(struct pf_json_cut *cut, size_t limit, struct pf_bytes *raw)
{
    struct walk walk = {0};
    bool done = false;
    size_t at = 0, have, want = 1;

    int kind = pf_json_cut_kind(cut);
    if (kind < 0)
        return kind;
    for (;;) {
        const unsigned char *p = pf_source_peek(cut->source, want, &have);

        if (have > at)
            at += walk_on(&walk, p + at, have - at, &done);
        if (at > limit)
            return too_long(cut);
        if (done || (have < want && walk.scalar)) {
            *raw = (struct pf_bytes){(const char *)p, at};
            return PF_OK;
        }
        if (have < want) {
            pf_source_take(cut->source, have);
            return ends_early(cut);
        }
        want = have < 256 ? have + 1 : have + have / 2;
    }
}

int pf_json_cut_raw(struct pf_json_cut *cut, struct pf_bytes *raw)
{
    int status = find_raw(cut, PF_JSON_VALUE_MAX, raw);

    if (status == PF_OK)
        pf_source_take(cut->source, raw->size);
    return status;
}

int pf_json_cut_skip(struct pf_json_cut *cut)
{
    struct walk walk = {0};
    bool done = false;
    size_t have;
    int kind = pf_json_cut_kind(cut);

    if (kind < 0)
        return kind;
    while (!done) {
        const unsigned char *p = pf_source_peek(cut->source, 1, &have);

        if (have == 0)
            return walk.scalar ? PF_OK : ends_early(cut);
        pf_source_take(cut->source, walk_on(&walk, p, have, &done));
        if (walk.depth > PF_JSON_DEPTH_MAX)
            return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source),
                               "more than %d levels of nesting", PF_JSON_DEPTH_MAX);
    }
    return PF_OK;
}

/* --- values by jansson ------------------------------------------------------------------------ */

/* The code of `\uXXXX` at the beginning; -1 if there is none. */
static int escaped_code(const char *p, size_t size)
{
    struct pf_bytes text = {p, size < 6 ? size : 6};
    uint64_t code;

    return pf_scan_past(&text, PF_BYTES("\\u")) && text.size == 4 && pf_parse_hex(text, &code)
               ? (int)code
               : -1;
}

/* Makes JSON text that jansson accepts: invalid UTF-8 and lone surrogates become U+FFFD. */
static bool repair(struct pf_bytes raw, struct pf_buffer *text)
{
    const unsigned char *p = (const unsigned char *)raw.data;

    text->size = 0;
    for (size_t k = 0; k < raw.size;) {
        size_t left = raw.size - k, step = p[k] < 0x80 ? 1 : pf_utf8_char(p + k, left);
        int code = p[k] == '\\' ? escaped_code(raw.data + k, left) : -1;

        if (p[k] == '\\' && code < 0)
            step = left < 2 ? 1 : 2;
        if (code >= 0)
            step = 6;
        if (code >= 0xd800 && code < 0xdc00) {
            int low = left >= 12 ? escaped_code(raw.data + k + 6, left - 6) : -1;

            step = low >= 0xdc00 && low < 0xe000 ? 12 : 6;
        }
        if (step == 0 || (step == 6 && code >= 0xd800 && code < 0xe000)) {
            pf_buffer_append(text, "\xef\xbf\xbd", 3);
            k += step ? step : 1;
        } else if (p[k] == '\\' && left >= 2 && p[k + 1] >= 0x80) {
            pf_buffer_byte(text, p[k]);
            k++;
        } else {
            pf_buffer_append(text, p + k, step);
            k += step;
        }
    }
    return !text->failed;
}

/* True if a value has more parts than PF_JSON_PARTS_MAX, by its commas outside of strings. */
static bool too_many_parts(struct pf_bytes raw)
{
    size_t commas = 0;
    bool quoted = false;

    if (raw.size <= 2 * PF_JSON_PARTS_MAX)
        return false;
    for (size_t k = 0; k < raw.size; k++) {
        if (quoted && raw.data[k] == '\\')
            k++; /* an escaped character does not end the string */
        else if (raw.data[k] == '"')
            quoted = !quoted;
        else
            commas += !quoted && raw.data[k] == ',';
    }
    return commas > PF_JSON_PARTS_MAX;
}

/* Fails for a value that jansson does not parse. */
static int refuse_value(struct pf_json_cut *cut, uint64_t offset, const json_error_t *why)
{
    const char *near = strstr(why->text, " near ");

    if (why->position > 0)
        offset += (uint64_t)why->position - 1;
    if (json_error_code(why) == json_error_numeric_overflow)
        return pf_error_at(cut->error, PF_OVERFLOW, offset, "a number is too large%s",
                           near ? near : "");
    return pf_error_at(cut->error, PF_FAILED, offset, "not a JSON value: %s", why->text);
}

int pf_json_cut_parse(struct pf_json_cut *cut, struct pf_bytes raw, uint64_t offset,
                      const json_t **value)
{
    static const size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL;
    json_error_t why;

    if (too_many_parts(raw))
        return pf_error_at(cut->error, PF_UNSUPPORTED, offset,
                           "a value of more than %d members and elements", PF_JSON_PARTS_MAX);
    json_decref(cut->value);
    cut->value = json_loadb(raw.data, raw.size, flags, &why);
    if (!cut->value) {
        if (!repair(raw, &cut->text))
            return pf_error_nomem(cut->error);
        cut->value = json_loadb(cut->text.data, cut->text.size, flags, &why);
    }
    if (!cut->value)
        return refuse_value(cut, offset, &why);
    *value = cut->value;
    return PF_OK;
}

int pf_json_cut_value(struct pf_json_cut *cut, const json_t **value)
{
    struct pf_bytes raw;
    int status = find_raw(cut, PF_JSON_VALUE_MAX, &raw);

    if (status != PF_OK)
        return status;
    status = pf_json_cut_parse(cut, raw, pf_source_offset(cut->source), value);
    if (status == PF_OK)
        pf_source_take(cut->source, raw.size);
    return status;
}

/* --- strings and numbers ---------------------------------------------------------------------- */

/* Reads a string that is completely in memory and needs no decoding; false: use the slow way. */
static bool quick_string(struct pf_json_cut *cut, struct pf_bytes *string)
{
    const unsigned char *start = cut->source->cursor + 1, *p = start, *limit = cut->source->limit;
    unsigned char all = 0;

    if ((size_t)(limit - p) > PF_JSON_VALUE_MAX)
        limit = p + PF_JSON_VALUE_MAX;
    for (; p < limit && *p != '"'; all |= *p++)
        if (*p == '\\' || *p < 0x20)
            return false;
    *string = (struct pf_bytes){(const char *)start, (size_t)(p - start)};
    if (p >= limit || (all >= 0x80 && !pf_utf8_valid(*string)))
        return false;
    cut->source->cursor = p + 1;
    return true;
}

int pf_json_cut_string(struct pf_json_cut *cut, struct pf_bytes *string)
{
    struct pf_bytes raw;
    const json_t *value;

    if (next_character(cut) != '"')
        return unexpected(cut, "a string");
    if (quick_string(cut, string))
        return PF_OK;
    int status = find_raw(cut, PF_JSON_VALUE_MAX, &raw);
    if (status != PF_OK)
        return status;
    if (quick_string(cut, string)) /* now it is in memory */
        return PF_OK;
    status = pf_json_cut_parse(cut, raw, pf_source_offset(cut->source), &value);
    if (status == PF_OK) {
        *string = (struct pf_bytes){json_string_value(value), json_string_length(value)};
        pf_source_take(cut->source, raw.size);
    }
    return status;
}

int pf_json_cut_number(struct pf_json_cut *cut, struct pf_bytes *number)
{
    int kind = pf_json_cut_kind(cut);

    if (kind < 0)
        return kind;
    if (kind == '"')
        return pf_json_cut_string(cut, number);
    if (kind != '0')
        return unexpected(cut, "a number");
    int status = find_raw(cut, NUMBER_MAX, number);
    if (status == PF_OK)
        pf_source_take(cut->source, number->size);
    return status;
}

int pf_json_cut_refuse_number(struct pf_json_cut *cut, struct pf_bytes text, const char *what)
{
    bool large = pf_decimal_is_number(text);

    return pf_error_at(cut->error, large ? PF_OVERFLOW : PF_FAILED,
                       pf_source_offset(cut->source) - text.size, "%s '%s' is %s", what,
                       pf_clip(text).text,
                       large ? "too large: it overflows 64 bits" : "not a number");
}

int pf_json_cut_int(struct pf_json_cut *cut, int64_t *number)
{
    struct pf_bytes text;
    bool exact;
    next_character(cut);
    uint64_t offset = pf_source_offset(cut->source);
    int status = pf_json_cut_number(cut, &text);

    if (status != PF_OK)
        return status;
    if (!pf_decimal_scale(text, 0, number, &exact) || !exact)
        return pf_error_at(cut->error, pf_is_whole(text) ? PF_OVERFLOW : PF_FAILED, offset,
                           "expected a whole number of 64 bits, not '%s'", pf_clip(text).text);
    return PF_OK;
}

/* Reads a whole number that is completely in memory, with its end; false: use the slow way. */
static bool quick_int(struct pf_json_cut *cut, int64_t *number)
{
    const unsigned char *p = cut->source->cursor;
    int64_t value = 0;
    int digits = 0;

    if (cut->source->limit - p < 32)
        return false;
    if (cut->begun && *p++ != ',')
        return false;
    p += *p == ' ';
    for (; *p >= '0' && *p <= '9' && digits < 18; p++, digits++)
        value = value * 10 + (*p - '0');
    if (digits == 0 || (*p != ',' && *p != ']'))
        return false;
    cut->source->cursor = p;
    cut->begun = true;
    *number = value;
    return true;
}

int pf_json_cut_next_int(struct pf_json_cut *cut, int64_t *number)
{
    if (quick_int(cut, number))
        return PF_OK;
    int status = pf_json_cut_next(cut);
    return status == PF_OK ? pf_json_cut_int(cut, number) : status;
}

int pf_json_cut_end(struct pf_json_cut *cut)
{
    if (next_character(cut) >= 0)
        return unexpected(cut, "the end of the data");
    return pf_source_status(cut->source, cut->error);
}

struct pf_bytes pf_json_member_text(const json_t *object, const char *key)
{
    const json_t *member = json_object_get(object, key);

    return json_is_string(member)
               ? (struct pf_bytes){json_string_value(member), json_string_length(member)}
               : PF_BYTES("");
}

int64_t pf_json_member_int(const json_t *object, const char *key, int64_t other)
{
    const json_t *member = json_object_get(object, key);

    return json_is_integer(member) ? (int64_t)json_integer_value(member) : other;
}
