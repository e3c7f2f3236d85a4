/* Scanning text: character classes, and words, fields and numbers at the beginning of a view.
 *
 * A function with a pointer to the text removes the part that it returns. After false, the text and
 * the outputs are unchanged, except for pf_scan_field. No function copies or owns memory: views
 * point into the caller's bytes. Blanks are those of pf_blank. Fractions: base/decimal.h. */
#ifndef PF_BASE_SCAN_H
#define PF_BASE_SCAN_H

#include "base/bytes.h"
#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- classes of characters, in ASCII whatever the locale -------------------------------------- */

/* The value of a hexadecimal digit plus 1; 0 for other bytes. The table is twice as fast as
 * comparisons for millions of addresses. */
extern const unsigned char pf_hex_values[256];

/* 0 to 15 for a hexadecimal digit of either case, -1 for another character. */
static inline int pf_hex_digit(char c)
{
    return (int)pf_hex_values[(unsigned char)c] - 1;
}

/* A to Z or a to z. */
static inline bool pf_letter(char c)
{
    return ((unsigned char)c | 0x20u) - 'a' < 26;
}

/* A letter, a digit or `_`. */
static inline bool pf_word_char(char c)
{
    return pf_letter(c) || pf_digit(c) || c == '_';
}

/* --- runs at the beginning and at the end ----------------------------------------------------- */

/* Number of decimal digits at the beginning. */
static inline size_t pf_scan_digits(struct pf_bytes text)
{
    size_t size = 0;

    while (size < text.size && pf_digit(text.data[size]))
        size++;
    return size;
}

/* The text without the decimal digits at its end. */
static inline struct pf_bytes pf_without_digits(struct pf_bytes text)
{
    while (text.size > 0 && pf_digit(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* True when the text is not empty and each byte is a decimal digit. */
static inline bool pf_all_digits(struct pf_bytes text)
{
    return text.size > 0 && pf_scan_digits(text) == text.size;
}

/* True when each byte of the text is in the set; an empty text has no other bytes. */
bool pf_all_of(struct pf_bytes text, const char *set);

/* --- words and fields ------------------------------------------------------------------------- */

/* Removes the blanks at the beginning. */
static inline void pf_scan_blanks(struct pf_bytes *text)
{
    while (text->size > 0 && pf_blank(*text->data))
        *text = pf_bytes_skip(*text, 1);
}

/* Removes `what` from the beginning; false if the text does not begin with `what`. */
static inline bool pf_scan_past(struct pf_bytes *text, struct pf_bytes what)
{
    if (!pf_bytes_starts(*text, what))
        return false;
    *text = pf_bytes_skip(*text, what.size);
    return true;
}

/* Removes and returns the first word, with the blanks before it. Empty if no word is left. */
static inline struct pf_bytes pf_scan_word(struct pf_bytes *text)
{
    const char *at = text->data, *end = at + text->size, *first;

    while (at < end && pf_blank(*at))
        at++;
    for (first = at; at < end && !pf_blank(*at);)
        at++;
    *text = (struct pf_bytes){at, (size_t)(end - at)};
    return (struct pf_bytes){first, (size_t)(at - first)};
}

/* Removes and returns the bytes before the first blank, and removes the blanks after them, so
 * that the text begins with the next column. Empty if the text begins with a blank. */
static inline struct pf_bytes pf_scan_column(struct pf_bytes *text)
{
    struct pf_bytes column = {text->data, 0};

    while (column.size < text->size && !pf_blank(column.data[column.size]))
        column.size++;
    *text = pf_bytes_skip(*text, column.size);
    pf_scan_blanks(text);
    return column;
}

/* Removes and returns the last word. Blanks after the word are removed too, blanks before the
 * word stay. */
static inline struct pf_bytes pf_scan_last_word(struct pf_bytes *text)
{
    size_t end = text->size, start;

    while (end > 0 && pf_blank(text->data[end - 1]))
        end--;
    for (start = end; start > 0 && !pf_blank(text->data[start - 1]);)
        start--;
    text->size = start;
    return (struct pf_bytes){text->data + start, end - start};
}

/* Removes the field before the first `end`, and the `end`. False: the text has no `end`, so all of
 * it became the field. */
static inline bool pf_scan_field(struct pf_bytes *text, char end, struct pf_bytes *field)
{
    const char *at = text->size > 0 ? memchr(text->data, end, text->size) : NULL;

    *field = (struct pf_bytes){text->data, at ? (size_t)(at - text->data) : text->size};
    *text = pf_bytes_skip(*text, field->size + (at != NULL));
    return at;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Removes decimal digits. False: no digit, or a number above `most`. */
static inline bool pf_scan_number(struct pf_bytes *text, uint64_t most, uint64_t *number)
{
    size_t size = 0, fits = text->size < 19 ? text->size : 19; /* 19 digits always fit 64 bits */
    uint64_t sum = 0;

    for (; size < fits && pf_digit(text->data[size]); size++)
        sum = sum * 10 + (unsigned)(text->data[size] - '0');
    for (; size >= 19 && size < text->size && pf_digit(text->data[size]); size++)
        if (__builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (unsigned)(text->data[size] - '0'), &sum))
            return false;
    if (size == 0 || sum > most)
        return false;
    *text = pf_bytes_skip(*text, size);
    *number = sum;
    return true;
}

/* Removes 0x or 0X if more text follows. */
static inline bool pf_scan_0x(struct pf_bytes *text)
{
    if (text->size < 3 || text->data[0] != '0' || (text->data[1] | 0x20) != 'x')
        return false;
    *text = pf_bytes_skip(*text, 2);
    return true;
}

/* Removes hexadecimal digits of either case, without 0x. False: no digit, or more than 64 bits. */
static inline bool pf_scan_hex(struct pf_bytes *text, uint64_t *number)
{
    size_t size = 0;
    uint64_t sum = 0;
    int digit;

    for (; size < text->size && (digit = pf_hex_digit(text->data[size])) >= 0; size++) {
        if (sum >> 60 != 0)
            return false;
        sum = sum << 4 | (unsigned)digit;
    }
    if (size == 0)
        return false;
    *text = pf_bytes_skip(*text, size);
    *number = sum;
    return true;
}

/* Parses the whole text as decimal digits; false if the number is above `most`. */
static inline bool pf_parse_digits(struct pf_bytes text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;

    if (text.size > 18) {
        if (!pf_scan_number(&text, most, &value) || text.size > 0)
            return false;
        *number = value;
        return true;
    }
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned)(unsigned char)text.data[i] - '0';

        if (digit > 9)
            return false;
        value = value * 10 + digit; /* 18 digits fit */
    }
    if (text.size == 0 || value > most)
        return false;
    *number = value;
    return true;
}

/* The same with an optional `-`, from `low` to `high`. pf_parse_int accepts a `+` as well. */
static inline bool pf_parse_whole(struct pf_bytes text, int64_t low, int64_t high, int64_t *value)
{
    return text.size > 0 && *text.data != '+' && pf_parse_int(text, low, high, value);
}

/* True when all of the text is an optional `-` and decimal digits, however many. */
bool pf_is_whole(struct pf_bytes text);

/* Parses the whole text as hexadecimal digits without 0x. */
bool pf_parse_hex(struct pf_bytes text, uint64_t *number);

/* The byte written as %XX at the beginning, in digits of either case; -1 if the text begins
 * otherwise. */
int pf_percent_byte(struct pf_bytes text);

/* Parses the whole text as an address: 0x and hexadecimal digits. */
bool pf_parse_address(struct pf_bytes text, uint64_t *address);

#endif
