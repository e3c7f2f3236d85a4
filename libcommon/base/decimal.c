#include "base/decimal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"

#include <string.h>

enum { EXPONENT_MAX = 100000, DIGITS_MAX = 38 };

#define REST_PLACES 12
#define REST_POWER  UINT64_C(1000000000000)

/* digits * 10^exponent; the digits have no zeros at either end. */
struct decimal {
    bool negative;
    const char *digits; /* may contain the decimal point */
    size_t count;       /* number of digits, without the point */
    int64_t exponent;
};

/* Parses an exponent; those beyond the limit count as the limit: 0 and overflow stay what they are.
 */
static bool parse_exponent(struct pf_bytes text, int64_t *exponent)
{
    bool negative = text.size > 0 && text.data[0] == '-';
    struct pf_bytes digits = negative ? pf_bytes_skip(text, 1) : text;

    if (pf_parse_int(text, -EXPONENT_MAX, EXPONENT_MAX, exponent))
        return true;
    *exponent = negative ? -EXPONENT_MAX : EXPONENT_MAX;
    return digits.size > 0 && pf_scan_digits(digits) == digits.size;
}

/* Finds the digits of a number and their exponent; false: not a number. */
static bool parse(struct pf_bytes text, struct decimal *number)
{
    size_t at = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+'), first, last, point;
    int64_t exponent = 0;
    size_t whole = pf_scan_digits(pf_bytes_skip(text, at)), behind = 0;

    number->negative = at > 0 && text.data[0] == '-';
    first = at;
    point = at += whole;
    if (at < text.size && text.data[at] == '.') {
        behind = pf_scan_digits(pf_bytes_skip(text, at + 1));
        at += 1 + behind;
    }
    if (whole + behind == 0)
        return false;
    last = at;
    if (at < text.size && (text.data[at] == 'e' || text.data[at] == 'E')) {
        if (!parse_exponent(pf_bytes_skip(text, at + 1), &exponent))
            return false;
    } else if (at < text.size) {
        return false;
    }
    while (first < last && (text.data[first] == '0' || text.data[first] == '.'))
        first++;
    while (last > first && (text.data[last - 1] == '0' || text.data[last - 1] == '.'))
        last--;
    number->digits = text.data + first;
    number->count = last - first - (first < point && last > point + 1);
    /* the last digit counts 10^-(its place after the point), or 10^(number of digits between this
     * digit and the point) */
    number->exponent =
        exponent + (last > point ? -(int64_t)(last - 1 - point) : (int64_t)(point - last));
    if (first == last)
        *number = (struct decimal){0};
    return true;
}

/* *value = number * 10^shift, rounded half to even; false: more than 38 digits. */
static bool scale(const struct decimal *number, int shift, pf_int128 *value, bool *exact)
{
    pf_uint128 sum = 0;
    /* number of digits of the result before rounding */
    int64_t power = number->exponent + shift, keep = (int64_t)number->count + power;
    size_t taken = 0;
    bool tail = false;
    char next = '0';

    *exact = true;
    if (keep > DIGITS_MAX)
        return false;
    for (const char *p = number->digits; taken < number->count; p++) {
        if (*p == '.')
            continue;
        if ((int64_t)taken < keep) {
            sum = sum * 10 + (unsigned)(*p - '0');
        } else {
            *exact = false;
            if ((int64_t)taken == keep)
                next = *p;
            else
                tail = true;
        }
        taken++;
    }
    for (; power > 0 && sum > 0; power--)
        sum *= 10;
    if (keep >= 0 && (next > '5' || (next == '5' && (tail || sum % 2 == 1))))
        sum++;
    *value = number->negative ? -(pf_int128)sum : (pf_int128)sum;
    return true;
}

bool pf_decimal_is_number(struct pf_bytes text)
{
    struct decimal number;

    return parse(text, &number);
}

bool pf_decimal_scale128(struct pf_bytes text, int shift, pf_int128 *value, bool *exact)
{
    struct decimal number;

    return parse(text, &number) && scale(&number, shift, value, exact);
}

bool pf_decimal_scale(struct pf_bytes text, int shift, int64_t *value, bool *exact)
{
    pf_int128 wide;

    if (!pf_decimal_scale128(text, shift, &wide, exact) || wide > INT64_MAX || wide < INT64_MIN)
        return false;
    *value = (int64_t)wide;
    return true;
}

int pf_decimal_shortest(struct pf_bytes text, int64_t *value, unsigned *places)
{
    struct decimal number;
    pf_int128 wide;
    bool exact;

    if (!parse(text, &number))
        return PF_FAILED;
    *places = number.exponent < 0 ? (unsigned)-number.exponent : 0;
    if (*places > PF_POWER_MAX || !scale(&number, (int)*places, &wide, &exact) ||
        wide > INT64_MAX || wide < INT64_MIN)
        return PF_OVERFLOW;
    *value = (int64_t)wide;
    return PF_OK;
}

size_t pf_print_parts(pf_int128 amount, uint64_t parts, unsigned places, char text[PF_DECIMAL_TEXT])
{
    pf_uint128 size = amount < 0 ? -(pf_uint128)amount : (pf_uint128)amount, whole, rest;
    char digits[25] = ""; /* 24 decimals and a NUL */
    unsigned count = 0;
    size_t length = 0;

    if (parts <= 1)
        return pf_print_int128(amount, text);
    whole = size / parts;
    rest = size % parts;
    for (; count < places && rest > 0; rest %= parts)
        digits[count++] = (char)('0' + (rest *= 10) / parts);
    if (2 * rest > parts || (2 * rest == parts &&
                             (places > 0 ? digits[places - 1] - '0' : (int)(whole % 2)) % 2 != 0)) {
        while (count > 0 && digits[count - 1] == '9')
            count--;
        if (count > 0)
            digits[count - 1]++;
        else
            whole++;
    }
    while (count > 0 && digits[count - 1] == '0')
        count--;
    if (amount < 0 && (whole > 0 || count > 0))
        text[length++] = '-';
    length += pf_print_int128((pf_int128)whole, text + length);
    if (count > 0)
        text[length++] = '.';
    memcpy(text + length, digits, count);
    text[length + count] = '\0';
    return length + count;
}

bool pf_parts_join(uint64_t a, uint64_t b, uint64_t *common)
{
    return !__builtin_mul_overflow(a, b / pf_gcd(a, b), common);
}

/* The number of decimals that a number needs (12.50: 1, 3e2: 0); 0 if the text is not a number. */
static int places_of(struct pf_bytes text)
{
    struct decimal number;

    if (!parse(text, &number) || number.exponent >= 0)
        return 0;
    return number.exponent < -EXPONENT_MAX ? EXPONENT_MAX : (int)-number.exponent;
}

static bool power_of_ten(int exponent, uint64_t *power)
{
    for (*power = 1; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*power, 10, power))
            return false;
    return true;
}

int pf_decimals_rescale(struct pf_decimals *column, int places)
{
    uint64_t up, down;
    int64_t value;

    if (!power_of_ten(places - column->places, &up) ||
        !power_of_ten(column->places - places, &down))
        return PF_OVERFLOW;
    for (size_t k = 0; up > 1 && k < column->count; k++)
        if (!pf_scale64(column->values[k], up, 1, &value))
            return PF_OVERFLOW;
    if (up == 1 && down == 1)
        return PF_OK;
    if (!pf_scale64(column->carried, up, down, &column->carried))
        return PF_OVERFLOW;
    for (size_t k = 0; k < column->count; k++)
        pf_scale64(column->values[k], up, down, &column->values[k]);
    column->places = places;
    return PF_OK;
}

int pf_decimals_take(struct pf_decimals *column, struct pf_bytes text, int64_t *value)
{
    int places = places_of(text);
    bool exact;

    if (!pf_decimal_scale(text, 0, value, &exact))
        return pf_decimal_is_number(text) ? PF_OVERFLOW : PF_FAILED;
    if (places > column->most) {
        places = column->most;
        column->rounded = true;
    }
    for (; places > column->places; places--) {
        if (pf_decimal_scale(text, places, value, &exact) &&
            pf_decimals_rescale(column, places) == PF_OK)
            break;
        column->rounded = true;
    }
    while (!pf_decimal_scale(text, column->places, value, &exact)) {
        column->rounded = true;
        if (pf_decimals_rescale(column, column->places - 1) != PF_OK)
            return PF_OVERFLOW;
    }
    return PF_OK;
}

int pf_decimals_take_part(struct pf_decimals *column, struct pf_bytes text, int64_t *value)
{
    int status = pf_decimals_take(column, text, value);
    bool exact;
    pf_int128 wide;

    if (status != PF_OK || (column->rest == 0 && places_of(text) <= column->places))
        return status;
    if (column->rest_of != column->places)
        column->rest = 0;
    column->rest_of = column->places;
    if (!pf_decimal_scale128(text, column->places + REST_PLACES, &wide, &exact))
        return PF_OK;
    wide += column->rest;
    if (!pf_scale64(wide, 1, REST_POWER, value))
        return PF_OVERFLOW;
    column->rest = (int64_t)(wide - (pf_int128)*value * (pf_int128)REST_POWER);
    return PF_OK;
}

int pf_decimals_add(struct pf_decimals *column, int64_t value)
{
    if (!pf_grow(&column->values, &column->capacity, column->count + 1, sizeof *column->values))
        return PF_NOMEM;
    column->values[column->count++] = value;
    return PF_OK;
}
