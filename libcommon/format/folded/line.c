#include "format/folded/folded.h"

#include "base/number.h"

enum { EXPONENT_MAX = 1000 }; /* more than any count can have */

const int64_t pf_folded_powers[PF_FOLDED_DECIMALS + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
    10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000};

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct pf_bytes trim_end(struct pf_bytes text)
{
    while (text.size > 0 && pf_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

struct pf_bytes pf_folded_trim(struct pf_bytes text)
{
    while (text.size > 0 && pf_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    return trim_end(text);
}

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

    for (; number->text.size > 0 && digit(number->text.data[0]); step(number), count++) {
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
    size_t digits = 0, needed;

    while (digits < text.size && digit(text.data[digits]))
        digits++;
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
    struct pf_bytes rest = trim_end(line);
    size_t start = rest.size;

    while (start > 0 && !pf_blank(rest.data[start - 1]))
        start--;
    *stack = pf_folded_trim((struct pf_bytes){rest.data, start});
    return parse_count((struct pf_bytes){rest.data + start, rest.size - start}, count);
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
