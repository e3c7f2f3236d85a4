/* Names of events, and the measures that they stand for. */
#include "format/callgrind/callgrind.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ruby-prof's measures of time (its callgrind printer gives whole microseconds). */
static const char *const microseconds[] = {"wall_time", "process_time", "gc_time"};

static bool find_unit(struct pf_bytes name, struct pf_unit_size *unit)
{
    return pf_unit_parse(name, PF_UNITS_TIME | PF_UNITS_FINE | PF_UNITS_BYTES | PF_UNITS_COUNT,
                         unit);
}

/* A letter in ASCII, or a byte of a character beyond ASCII. */
static bool is_letter(char c)
{
    return pf_letter(c) || (unsigned char)c >= 0x80;
}

/* The factor before a unit: a number of at most nine digits, `1e-N` with N up to 18, or `1/N`. 1 /
 * 1: no factor; 0 / n: not a factor. */
struct factor {
    uint64_t num, den;
};

/* Removes a number from 1 to `most` from the text; 0: no such number. */
static uint64_t scan_count(struct pf_bytes *text, uint64_t most)
{
    uint64_t count;

    return pf_scan_number(text, most, &count) ? count : 0;
}

static struct factor scan_factor(struct pf_bytes *text)
{
    struct factor factor = {1, 1};

    if (text->size > 0 && pf_digit(text->data[0]))
        factor.num = scan_count(text, 999999999);
    if (factor.num == 1 && pf_scan_past(text, PF_BYTES("e-"))) {
        for (uint64_t exponent = scan_count(text, 18); exponent > 0; exponent--)
            factor.den *= 10;
        factor.num = factor.den > 1;
    } else if (factor.num == 1 && pf_scan_past(text, PF_BYTES("/"))) {
        factor.den = scan_count(text, UINT64_C(999999999999999999));
        factor.num = factor.den > 1;
    }
    return factor;
}

static void set_unit(struct pf_dict *dict, struct pf_measure *measure,
                     const struct pf_unit_size *unit, struct factor factor, struct pf_bytes text)
{
    measure->unit = pf_dict_intern_word(dict, unit->base);
    pf_measure_set_scale(measure, unit->num * factor.num, factor.den > 1 ? factor.den : unit->den);
    measure->raw_unit = measure->num == 1 && measure->den == 1 ? 0 : pf_dict_intern(dict, text, 0);
    measure->nature = pf_measure_is_time(dict, measure) ? PF_TIMED : PF_EXACT;
}

static bool all_letters(struct pf_bytes word)
{
    for (size_t k = 0; k < word.size; k++)
        if (!is_letter(word.data[k]))
            return false;
    return word.size > 0;
}

/* An unknown unit is its own base. */
static void set_other_unit(struct pf_dict *dict, struct pf_measure *measure, struct pf_bytes word,
                           struct factor factor, struct pf_bytes text)
{
    measure->unit = pf_dict_intern(dict, word, 0);
    measure->den = factor.den;
    measure->raw_unit = factor.den > 1 ? pf_dict_intern(dict, text, 0) : 0;
}

/* `1e-3count` and `1/3count` with a blank before the unit, as other formats write them. */
static struct pf_bytes with_blank(struct pf_buffer *buffer, struct pf_bytes text,
                                  struct pf_bytes word)
{
    pf_buffer_append(buffer, text.data, text.size - word.size);
    pf_buffer_byte(buffer, ' ');
    pf_buffer_append(buffer, word.data, word.size);
    return buffer->failed ? text : (struct pf_bytes){buffer->data, buffer->size};
}

/* Sets the measure from `NAME_(UNIT)` or `NAME(UNIT)`; false: another name. */
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
    struct factor factor = scan_factor(&word);
    struct pf_unit_size unit;
    struct pf_buffer blank = {0};
    bool known = find_unit(word, &unit);

    if (factor.num == 0 || !all_letters(word) ||
        (!known && factor.den == 1 && word.size != text.size) ||
        (factor.den > 1 && known && unit.num != 1))
        return false;
    if (factor.den > 1)
        text = with_blank(&blank, text, word);
    *measure = pf_measure_make_named(dict, pf_dict_intern_text(dict, name), NULL, PF_SAMPLE,
                                     PF_SELF, PF_EXACT);
    if (known)
        set_unit(dict, measure, &unit, factor, text);
    else
        set_other_unit(dict, measure, word, factor, text);
    pf_buffer_free(&blank);
    return true;
}

/* Finds the unit in brackets at the end of a long name. False: no unit. */
static bool unit_in_long_name(struct pf_bytes text, struct pf_bytes *word,
                              struct pf_unit_size *unit)
{
    if (text.size == 0 || text.data[text.size - 1] != ')')
        return false;
    size_t end = text.size - 1, at = end;

    while (at > 0 && is_letter(text.data[at - 1]))
        at--;
    *word = (struct pf_bytes){text.data + at, end - at};
    return at > 0 && (text.data[at - 1] == ' ' || text.data[at - 1] == '(') &&
           find_unit(*word, unit);
}

void pf_cg_event_measure(struct pf_dict *dict, struct pf_bytes event, struct pf_bytes long_name,
                         struct pf_measure *measure)
{
    struct pf_unit_size unit;
    struct pf_bytes word;
    bool known;

    if (unit_in_name(dict, event, measure))
        return;
    *measure = pf_measure_make_named(dict, pf_dict_intern_text(dict, event), "count", PF_SAMPLE,
                                     PF_SELF, PF_EXACT);
    known = unit_in_long_name(long_name, &word, &unit);
    for (size_t k = 0; !known && k < sizeof microseconds / sizeof *microseconds; k++)
        if (pf_bytes_equal(event, pf_bytes_of(microseconds[k]))) {
            word = PF_BYTES("us");
            known = find_unit(word, &unit);
        }
    if (known)
        set_unit(dict, measure, &unit, (struct factor){1, 1}, word);
}

bool pf_cg_event_split(struct pf_bytes definition, struct pf_bytes *event,
                       struct pf_bytes *long_name)
{
    const char *colon = definition.size > 0 ? memchr(definition.data, ':', definition.size) : NULL;
    size_t size = colon ? (size_t)(colon - definition.data) : definition.size;

    *event = pf_bytes_trim((struct pf_bytes){definition.data, size});
    *long_name = colon ? pf_bytes_trim((struct pf_bytes){colon + 1, definition.size - size - 1})
                       : (struct pf_bytes){NULL, 0};
    return event->size > 0 && !memchr(event->data, '=', event->size) &&
           !memchr(event->data, ' ', event->size);
}

/* True if a reader gets the scale from the raw unit. */
static bool raw_unit_says(const struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_bytes word = pf_dict_string(dict, measure->raw_unit);
    struct factor factor = scan_factor(&word);
    uint64_t num, den, common;
    struct pf_unit_size unit;

    if (word.size > 0 && word.data[0] == ' ' && factor.den > 1)
        word = (struct pf_bytes){word.data + 1, word.size - 1};
    if (!find_unit(word, &unit) || factor.num == 0 || (factor.den > 1 && unit.num != 1) ||
        !pf_bytes_equal(pf_dict_string(dict, measure->unit), pf_bytes_of(unit.base)))
        return false;
    num = unit.num * factor.num;
    den = factor.den > 1 ? factor.den : unit.den;
    common = pf_gcd(num, den);
    return num / common == measure->num && den / common == measure->den;
}

void pf_cg_event_name(const struct pf_dict *dict, const struct pf_measure *measure,
                      struct pf_buffer *text, uint64_t *num, uint64_t *den)
{
    struct pf_bytes name = pf_dict_string(dict, measure->name),
                    unit = pf_dict_string(dict, measure->unit);
    bool time = pf_measure_is_time(dict, measure);
    char parts[32] = "";

    for (size_t k = 0; k < name.size; k++)
        pf_buffer_byte(text, (unsigned char)name.data[k] > ' ' ? (unsigned char)name.data[k] : '_');
    if (name.size == 0)
        pf_buffer_append(text, "value", 5);
    *num = measure->num;
    *den = measure->den;
    if (measure->raw_unit != 0 && raw_unit_says(dict, measure)) {
        unit = pf_dict_string(dict, measure->raw_unit);
        *num = *den = 1;
    } else if (time && measure->den > 1 && 1000 % measure->den == 0 &&
               measure->num <= UINT64_MAX / 1000) {
        unit = PF_BYTES("ps");
        *num = measure->num * (1000 / measure->den);
        *den = 1;
    } else if (time) {
        unit = PF_BYTES("ns");
    } else if (measure->den > 1) {
        snprintf(parts, sizeof parts, "1/%" PRIu64, measure->den);
        *den = 1;
        if (unit.size == 0)
            unit = PF_BYTES("count");
    }
    if (parts[0] == '\0' && (pf_bytes_equal(unit, PF_BYTES("count")) || unit.size == 0))
        return;
    pf_buffer_append(text, "_(", 2);
    pf_buffer_append(text, parts, strlen(parts));
    for (size_t k = 0; k < unit.size; k++)
        if ((unsigned char)unit.data[k] > ' ')
            pf_buffer_byte(text, (unsigned char)unit.data[k]);
    pf_buffer_byte(text, ')');
}

bool pf_cg_event_same(const struct pf_measure *a, const struct pf_measure *b)
{
    return a->name == b->name && a->unit == b->unit && a->num == b->num && a->den == b->den;
}
