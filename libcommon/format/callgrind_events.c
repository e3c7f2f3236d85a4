#include "format/callgrind_events.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>

static const struct unit {
    const char *name, *base;
    uint64_t num, den;
} units[] = {
    {"ns", "nanoseconds", 1, 1},          {"us", "nanoseconds", 1000, 1},
    {"ms", "nanoseconds", 1000000, 1},    {"s", "nanoseconds", 1000000000, 1},
    {"ps", "nanoseconds", 1, 1000},       {"nanoseconds", "nanoseconds", 1, 1},
    {"microseconds", "nanoseconds", 1000, 1}, {"milliseconds", "nanoseconds", 1000000, 1},
    {"seconds", "nanoseconds", 1000000000, 1}, {"bytes", "bytes", 1, 1},
    {"B", "bytes", 1, 1},                 {"count", "count", 1, 1},
};

/* ruby-prof's measures of time (its callgrind printer gives whole microseconds). */
static const char *const microseconds[] = {"wall_time", "process_time", "gc_time"};

static const struct unit *find_unit(struct pf_bytes name)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (pf_bytes_equal(name, pf_bytes_of(units[k].name)))
            return &units[k];
    return NULL;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number of at most nine digits before a unit; 1 where there is none, 0 for what is no factor. */
static uint64_t take_factor(struct pf_bytes *text)
{
    uint64_t factor = 0;
    size_t at = 0;

    for (; at < text->size && at < 10 && digit(text->data[at]); at++)
        factor = factor * 10 + (uint64_t)(text->data[at] - '0');
    text->data += at;
    text->size -= at;
    return at == 0 ? 1 : at < 10 ? factor : 0;
}

static void set_unit(struct pf_dict *dict, struct pf_measure *measure, const struct unit *unit, uint64_t factor, struct pf_bytes text)
{
    uint64_t common = pf_gcd(unit->num * factor, unit->den);

    measure->unit = pf_dict_intern(dict, pf_bytes_of(unit->base), 0);
    measure->num = unit->num * factor / common;
    measure->den = unit->den / common;
    measure->raw_unit = measure->num == 1 && measure->den == 1 ? 0 : pf_dict_intern(dict, text, 0);
    measure->nature = pf_bytes_equal(pf_bytes_of(unit->base), PF_BYTES("nanoseconds")) ? PF_TIMED : PF_EXACT;
}

/* `NAME_(UNIT)` or `NAME(UNIT)`: true when the measure was set by it. */
static bool unit_in_name(struct pf_dict *dict, struct pf_bytes event, struct pf_measure *measure)
{
    size_t open = event.size;

    if (event.size < 4 || event.data[event.size - 1] != ')')
        return false;
    while (open > 0 && event.data[open - 1] != '(')
        open--;
    if (open < 2)
        return false;
    struct pf_bytes text = {event.data + open, event.size - 1 - open}, word = text;
    struct pf_bytes name = {event.data, open - 1 - (open > 2 && event.data[open - 2] == '_')};
    uint64_t factor = take_factor(&word);
    const struct unit *unit = find_unit(word);
    const struct unit other = {.num = 1, .den = 1};

    for (size_t k = 0; k < word.size; k++)
        if (!letter(word.data[k]))
            return false;
    if (factor == 0 || word.size == 0 || (!unit && word.size != text.size))
        return false;
    measure->name = pf_dict_intern(dict, name, pf_utf8_valid(name) ? PF_UTF8 : 0);
    if (unit) {
        set_unit(dict, measure, unit, factor, text);
    } else {
        measure->unit = pf_dict_intern(dict, word, 0);
        measure->num = other.num;
        measure->den = other.den;
    }
    return true;
}

/* The last word in brackets at the end of the long name, where it is a unit. */
static const struct unit *unit_in_long_name(struct pf_bytes text, struct pf_bytes *word)
{
    if (text.size == 0 || text.data[text.size - 1] != ')')
        return NULL;
    size_t end = text.size - 1, at = end;

    while (at > 0 && letter(text.data[at - 1]))
        at--;
    *word = (struct pf_bytes){text.data + at, end - at};
    return at > 0 && (text.data[at - 1] == ' ' || text.data[at - 1] == '(') ? find_unit(*word) : NULL;
}

void pf_cg_event_measure(struct pf_dict *dict, struct pf_bytes event, struct pf_bytes long_name, struct pf_measure *measure)
{
    struct pf_bytes word;
    const struct unit *unit;

    *measure = (struct pf_measure){.nature = PF_EXACT, .num = 1, .den = 1};
    if (unit_in_name(dict, event, measure))
        return;
    measure->name = pf_dict_intern(dict, event, pf_utf8_valid(event) ? PF_UTF8 : 0);
    measure->unit = pf_dict_intern(dict, PF_BYTES("count"), 0);
    unit = unit_in_long_name(long_name, &word);
    for (size_t k = 0; !unit && k < sizeof microseconds / sizeof *microseconds; k++)
        if (pf_bytes_equal(event, pf_bytes_of(microseconds[k]))) {
            word = PF_BYTES("us");
            unit = find_unit(word);
        }
    if (unit)
        set_unit(dict, measure, unit, 1, word);
}

static struct pf_bytes trim(struct pf_bytes text)
{
    while (text.size > 0 && text.data[0] == ' ') {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && text.data[text.size - 1] == ' ')
        text.size--;
    return text;
}

bool pf_cg_event_split(struct pf_bytes definition, struct pf_bytes *event, struct pf_bytes *long_name)
{
    const char *colon = definition.size > 0 ? memchr(definition.data, ':', definition.size) : NULL;
    size_t size = colon ? (size_t)(colon - definition.data) : definition.size;

    *event = trim((struct pf_bytes){definition.data, size});
    *long_name = colon ? trim((struct pf_bytes){colon + 1, definition.size - size - 1}) : (struct pf_bytes){NULL, 0};
    return event->size > 0 && !memchr(event->data, '=', event->size) && !memchr(event->data, ' ', event->size);
}

/* Whether the raw unit is how the scale is read. */
static bool raw_unit_says(const struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_bytes word = pf_dict_string(dict, measure->raw_unit);
    uint64_t factor = take_factor(&word);
    const struct unit *unit = find_unit(word);
    int64_t product;

    return unit && factor > 0 && pf_bytes_equal(pf_dict_string(dict, measure->unit), pf_bytes_of(unit->base)) &&
           pf_mul64((int64_t)(unit->num * factor), (int64_t)measure->den, &product) && measure->num <= INT64_MAX / 1000 &&
           product == (int64_t)(measure->num * unit->den);
}

void pf_cg_event_name(const struct pf_dict *dict, const struct pf_measure *measure, struct pf_buffer *text, uint64_t *num,
                      uint64_t *den)
{
    struct pf_bytes name = pf_dict_string(dict, measure->name), unit = pf_dict_string(dict, measure->unit);
    bool time = pf_bytes_equal(unit, PF_BYTES("nanoseconds"));

    for (size_t k = 0; k < name.size; k++)
        pf_buffer_byte(text, (unsigned char)name.data[k] > ' ' ? (unsigned char)name.data[k] : '_');
    if (name.size == 0)
        pf_buffer_append(text, "value", 5);
    *num = measure->num;
    *den = measure->den;
    if (measure->raw_unit != 0 && raw_unit_says(dict, measure)) {
        unit = pf_dict_string(dict, measure->raw_unit);
        *num = *den = 1;
    } else if (time && measure->den > 1 && 1000 % measure->den == 0 && measure->num <= UINT64_MAX / 1000) {
        unit = PF_BYTES("ps");
        *num = measure->num * (1000 / measure->den);
        *den = 1;
    } else if (time) {
        unit = PF_BYTES("ns");
    }
    if (pf_bytes_equal(unit, PF_BYTES("count")) || unit.size == 0)
        return;
    pf_buffer_append(text, "_(", 2);
    for (size_t k = 0; k < unit.size; k++)
        pf_buffer_byte(text, (unsigned char)unit.data[k] > ' ' ? (unsigned char)unit.data[k] : '_');
    pf_buffer_byte(text, ')');
}

bool pf_cg_event_same(const struct pf_measure *a, const struct pf_measure *b)
{
    return a->name == b->name && a->unit == b->unit && a->num == b->num && a->den == b->den;
}
