#include "base/scan.h"
#include "format/folded/folded.h"

#include "base/number.h"

enum { EXPONENT_MAX = 1000 }; /* more than any count can have */

const int64_t pf_folded_powers[PF_FOLDED_DECIMALS + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
    10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000};

/* A number on its way in: digits are taken with their sign, so that the least int64 fits. */
struct number {
    struct pf_bytes text;
    bool negative, fits;
    int64_t value;
};

static bool at(const struct number *number, char c)
{
    return number->text.size > 0 && number->text.data[0] == c;
}

static void step(struct number *number)
{
    number->text.data++;
    number->text.size--;
}

/* The digits ahead; how many there were. */
static int64_t take_digits(struct number *number)
{
    int64_t count = 0;

    for (; number->text.size > 0 && pf_digit(number->text.data[0]); step(number), count++) {
        int d = number->text.data[0] - '0';

        number->fits = number->fits && pf_mul64(number->value, 10, &number->value) &&
                       pf_add64(number->value, number->negative ? -d : d, &number->value);
    }
    return count;
}

/* The digits behind the point; zeros at their end count as none. */
static int64_t take_decimals(struct number *number)
{
    struct pf_bytes text = number->text;
    size_t digits = pf_scan_digits(text), needed;

    for (needed = digits; needed > 0 && text.data[needed - 1] == '0';)
        needed--;
    number->text.size = needed;
    take_digits(number);
    number->text = (struct pf_bytes){text.data + digits, text.size - digits};
    return (int64_t)needed;
}

/* value * 10^exponent as a count. */
static enum pf_folded_result scale_count(int64_t value, int64_t exponent, struct pf_folded_count *count)
{
    if (value == 0)
        exponent = 0;
    for (; exponent < 0 && value % 10 == 0; exponent++)
        value /= 10;
    for (; exponent > 0; exponent--)
        if (!pf_mul64(value, 10, &value))
            return PF_FOLDED_TOO_BIG;
    if (exponent < -PF_FOLDED_DECIMALS)
        return PF_FOLDED_TOO_BIG;
    *count = (struct pf_folded_count){value, (unsigned)-exponent};
    return PF_FOLDED_GOOD;
}

static enum pf_folded_result parse_count(struct pf_bytes text, struct pf_folded_count *count)
{
    struct number number = {.text = text, .fits = true};
    int64_t exponent = 0, decimals = 0;

    number.negative = at(&number, '-');
    if (number.negative)
        step(&number);
    if (take_digits(&number) == 0)
        return PF_FOLDED_NO_COUNT;
    if (at(&number, '.')) {
        step(&number);
        decimals = take_decimals(&number);
    }
    if (at(&number, 'e') || at(&number, 'E')) {
        step(&number);
        if (!pf_parse_int(number.text, -EXPONENT_MAX, EXPONENT_MAX, &exponent))
            return PF_FOLDED_NO_COUNT;
    } else if (number.text.size > 0) {
        return PF_FOLDED_NO_COUNT;
    }
    return number.fits ? scale_count(number.value, exponent - decimals, count) : PF_FOLDED_TOO_BIG;
}

enum pf_folded_result pf_folded_split(struct pf_bytes line, struct pf_bytes *stack, struct pf_folded_count *count)
{
    struct pf_bytes last = pf_scan_last_word(&line);

    *stack = pf_bytes_trim(line);
    return parse_count(last, count);
}

bool pf_folded_comment(struct pf_bytes line)
{
    struct pf_bytes stack;
    struct pf_folded_count count;

    if (line.size == 0)
        return false;
    if (line.data[0] == '#')
        return true;
    return line.size > 1 && line.data[0] == '/' && line.data[1] == '/' &&
           pf_folded_split(line, &stack, &count) == PF_FOLDED_NO_COUNT;
}
