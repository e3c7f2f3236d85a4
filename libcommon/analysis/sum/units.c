#include "analysis/sum/units.h"

#include "model/units.h"

#include <stdio.h>
#include <string.h>

/* The raw unit of a measure in base units, or in events. */
struct ratio {
    uint64_t num, den;
};

static bool multiply(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static bool reduce(struct ratio *ratio)
{
    uint64_t gcd = pf_gcd(ratio->num, ratio->den);

    if (gcd == 0)
        return false;
    ratio->num /= gcd;
    ratio->den /= gcd;
    return true;
}

static bool scale_of(const struct pf_measure *measure, bool events, struct ratio *ratio)
{
    *ratio = (struct ratio){measure->num, measure->den};
    if (!reduce(ratio))
        return false;
    return !events ||
           (multiply(ratio->num, measure->period, &ratio->num) &&
            multiply(ratio->den, pf_measure_period_parts(measure), &ratio->den) && reduce(ratio));
}

/* Finds the greatest common divisor of two ratios, and how often each ratio contains it. */
static bool common_ratio(struct ratio a, struct ratio b, struct ratio *common, uint64_t *times_a,
                         uint64_t *times_b)
{
    uint64_t gcd = pf_gcd(a.den, b.den);

    if (!multiply(a.num, b.den / gcd, times_a) || !multiply(b.num, a.den / gcd, times_b) ||
        !multiply(a.den, b.den / gcd, &common->den))
        return false;
    common->num = pf_gcd(*times_a, *times_b);
    if (common->num == 0)
        return false;
    *times_a /= common->num;
    *times_b /= common->num;
    return reduce(common) && *times_a <= INT64_MAX && *times_b <= INT64_MAX;
}

int pf_quantity_join(struct pf_quantity *quantity, const struct pf_dict *dict,
                     const struct pf_measure *measure, int64_t *sums, int64_t *values,
                     struct pf_error *error)
{
    struct ratio old, new, common;
    uint64_t times_old, times_new;
    struct pf_bytes name = pf_dict_string(dict, measure->name);
    bool events = quantity->events ||
                  (quantity->joined && !pf_measure_same_period(&quantity->measure, measure));

    *sums = *values = 1;
    if (!quantity->joined) {
        quantity->measure = *measure;
        quantity->joined = true;
        return PF_OK;
    }
    if (events && (measure->period == 0 || (!quantity->events && quantity->measure.period == 0)))
        return pf_error_set(error, PF_UNSUPPORTED,
                            "measure '%s' has a period in one input and none in another: the "
                            "values cannot be added",
                            pf_clip(name).text);
    if (!scale_of(measure, events, &new) ||
        !scale_of(&quantity->measure, events && !quantity->events, &old) ||
        !common_ratio(old, new, &common, &times_old, &times_new))
        return pf_error_set(error, PF_OVERFLOW,
                            "the common scale of measure '%s' overflows 64 bits",
                            pf_clip(name).text);
    *sums = (int64_t)times_old;
    *values = (int64_t)times_new;
    if (events || times_old != 1 || times_new != 1 ||
        quantity->measure.raw_unit != measure->raw_unit) {
        quantity->measure.raw_unit = 0;
        quantity->mixed = true;
    }
    quantity->measure.num = common.num;
    quantity->measure.den = common.den;
    quantity->events = events;
    return PF_OK;
}

struct pf_measure pf_quantity_measure(const struct pf_quantity *quantity, struct pf_dict *dict)
{
    struct pf_measure measure = quantity->measure;

    if (quantity->events) {
        measure.unit = pf_dict_intern_word(dict, "events");
        measure.period = measure.period_parts = 0;
    }
    return measure;
}

int pf_measure_differ(const struct pf_dict *dict, const struct pf_measure *measure,
                      const struct pf_measure *other, struct pf_error *error)
{
    return pf_error_set(
        error, PF_UNSUPPORTED,
        "measure '%s' is in '%s' in one run and in '%s' in another: the runs cannot be compared",
        pf_clip(pf_dict_string(dict, measure->name)).text,
        pf_clip(pf_dict_string(dict, measure->unit)).text,
        pf_clip(pf_dict_string(dict, other->unit)).text);
}

bool pf_unit_find(const char *name, enum pf_unit *unit)
{
    static const char *const names[] = {"auto",  "ns",     "us",    "ms",   "s",
                                        "ticks", "events", "count", "bytes"};

    struct pf_unit_size size;

    if (pf_unit_parse(pf_bytes_of(name), PF_UNITS_TIME, &size) && size.num == 1000) {
        *unit = PF_UNIT_US;
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *unit = (enum pf_unit)i;
            return true;
        }
    return false;
}

static bool decimal(uint64_t den)
{
    while (den % 10 == 0)
        den /= 10;
    return den == 1;
}

/* Sets the scale to raw units with their name; an amount of `parts` is one shown unit. */
static void raw_scale(const struct pf_measure *measure, uint64_t parts, struct pf_bytes name,
                      struct pf_scale *scale)
{
    scale->num = scale->den = 1;
    scale->parts = parts;
    scale->time = scale->bytes = false;
    scale->shown = PF_UNIT_COUNT;
    if (measure->raw_unit != 0)
        scale->name = name;
    else if (measure->num != measure->den)
        scale->name = PF_BYTES("raw");
}

/* Makes the scale exact: amounts become parts of the unit. */
static void split_scale(struct pf_scale *scale)
{
    uint64_t gcd = pf_gcd(scale->num, scale->den);

    scale->num /= gcd;
    scale->parts = scale->den / gcd;
    scale->den = 1;
}

/* The denominator of the length of a whole unit, which is `parts` raw units. */
static uint64_t whole_den(const struct pf_measure *measure, uint64_t parts)
{
    struct ratio ratio = {measure->num, measure->den};

    return multiply(ratio.num, parts, &ratio.num) && reduce(&ratio) ? ratio.den : measure->den;
}

static int refuse(const struct pf_quantity *quantity, const struct pf_dict *dict,
                  struct pf_error *error, const char *why)
{
    struct pf_bytes name = pf_dict_string(dict, quantity->measure.name);

    return pf_error_set(error, PF_USAGE, "measure '%s' %s", pf_clip(name).text, why);
}

static int events_scale(const struct pf_quantity *quantity, const struct pf_dict *dict,
                        struct pf_scale *scale, struct pf_error *error)
{
    bool merged = pf_bytes_equal(pf_dict_string(dict, quantity->measure.unit), PF_BYTES("events"));

    if (!quantity->events && !(merged && quantity->measure.period == 0)) {
        if (quantity->measure.period == 0)
            return refuse(quantity, dict, error, "has no period: the number of events is unknown");
        if (!multiply(scale->num, quantity->measure.period, &scale->num) ||
            !multiply(scale->den, pf_measure_period_parts(&quantity->measure), &scale->den))
            return refuse(quantity, dict, error, "has too large a period");
    }
    scale->name = PF_BYTES("events");
    scale->time = scale->bytes = false;
    scale->shown = PF_UNIT_COUNT;
    split_scale(scale);
    return PF_OK;
}

/* `rounded`: also use nanoseconds for times whose raw unit is longer than a nanosecond but not a
 * decimal number of nanoseconds (1/60 s), which rounds amounts. */
static int find_scale(const struct pf_quantity *quantity, const struct pf_dict *dict,
                      enum pf_unit unit, bool rounded, struct pf_scale *scale,
                      struct pf_error *error)
{
    const struct pf_measure *measure = &quantity->measure;
    struct pf_bytes raw;
    uint64_t parts = pf_unit_parts(pf_dict_string(dict, measure->raw_unit), &raw),
             den = whole_den(measure, parts);

    *scale = (struct pf_scale){.num = measure->num, .den = measure->den, .parts = 1, .shown = unit};
    scale->name = quantity->events ? PF_BYTES("events") : pf_dict_string(dict, measure->unit);
    scale->time = pf_bytes_equal(scale->name, PF_BYTES("nanoseconds"));
    scale->bytes = pf_bytes_equal(scale->name, PF_BYTES("bytes"));
    if (unit == PF_UNIT_EVENTS)
        return events_scale(quantity, dict, scale, error);
    if (unit == PF_UNIT_TICKS) {
        if (quantity->mixed)
            return refuse(quantity, dict, error,
                          "has ticks of different lengths: there is no common tick");
        raw_scale(measure, parts, raw, scale);
    } else if (!scale->time) {
        split_scale(scale);
    } else if (den != 1 && !decimal(den) && !(rounded && measure->num >= measure->den)) {
        raw_scale(measure, parts, raw, scale);
    }
    if (unit >= PF_UNIT_NS && unit <= PF_UNIT_S && !scale->time)
        return refuse(quantity, dict, error, "is not a time");
    if (unit == PF_UNIT_BYTES && !scale->bytes)
        return refuse(quantity, dict, error, "does not count bytes");
    if (unit == PF_UNIT_AUTO && !scale->time && !scale->bytes)
        scale->shown = PF_UNIT_COUNT;
    return PF_OK;
}

int pf_quantity_scale(const struct pf_quantity *quantity, const struct pf_dict *dict,
                      enum pf_unit unit, struct pf_scale *scale, struct pf_error *error)
{
    return find_scale(quantity, dict, unit, true, scale, error);
}

int pf_quantity_record_scale(const struct pf_quantity *quantity, const struct pf_dict *dict,
                             struct pf_scale *scale, struct pf_error *error)
{
    return find_scale(quantity, dict, PF_UNIT_AUTO, false, scale, error);
}

int pf_scale_amount(const struct pf_scale *scale, int64_t sum, int64_t *amount,
                    struct pf_error *error)
{
    if (scale->num == 1 && scale->den == 1)
        *amount = sum;
    else if (!pf_scale64(sum, scale->num, scale->den, amount))
        return pf_error_set(error, PF_OVERFLOW, "a sum of %lld overflows 64 bits in %s",
                            (long long)sum, pf_clip(scale->name).text);
    return PF_OK;
}

pf_int128 pf_scale_total(const struct pf_scale *scale, pf_int128 sum)
{
    pf_uint128 size = sum < 0 ? -(pf_uint128)sum : (pf_uint128)sum,
               part = size % scale->den * scale->num, amount, left = part % scale->den;
    bool fits = !__builtin_mul_overflow(size / scale->den, (pf_uint128)scale->num, &amount) &&
                !__builtin_add_overflow(amount, part / scale->den, &amount);

    if (left > scale->den - left || (left == scale->den - left && amount % 2 != 0))
        amount++;
    if (!fits || amount > (pf_uint128)PF_INT128_MAX)
        return sum < 0 ? -PF_INT128_MAX : PF_INT128_MAX;
    return sum < 0 ? -(pf_int128)amount : (pf_int128)amount;
}

bool pf_scale_join(struct pf_scale *a, struct pf_scale *b)
{
    uint64_t own_a = a->parts > 0 ? a->parts : 1, own_b = b->parts > 0 ? b->parts : 1, common;

    if (!pf_parts_join(own_a, own_b, &common) || !multiply(a->num, common / own_a, &a->num) ||
        !multiply(b->num, common / own_b, &b->num))
        return false;
    a->parts = b->parts = common;
    return true;
}

static const char *print_step(double amount, const struct pf_unit_step *step,
                              char text[PF_AMOUNT_TEXT])
{
    int size = snprintf(text, PF_AMOUNT_TEXT, "%.2f", amount / step->size);
    char *zeros = text + size - 3;

    for (char *p = text; *p != '\0'; p++)
        if (*p == ',')
            *p = '.';
    if (strcmp(zeros, ".00") == 0)
        *zeros = '\0';
    if (strcmp(text, "-0") == 0)
        memcpy(text, "0", 2);
    if (strcmp(text, "0") != 0 && (size_t)size + strlen(step->name) < PF_AMOUNT_TEXT)
        memcpy(text + strlen(text), step->name, strlen(step->name) + 1);
    return text;
}

/* Prints at least two digits of a small amount. */
static void print_short(pf_int128 amount, uint64_t parts, char text[PF_AMOUNT_TEXT])
{
    pf_uint128 size = amount < 0 ? -(pf_uint128)amount : (pf_uint128)amount;
    unsigned places = 2;

    for (; size > 0 && 10 * size < parts; size *= 10)
        places++;
    pf_print_parts(amount, parts, places, text);
}

void pf_group_digits(char text[PF_AMOUNT_TEXT])
{
    size_t start = text[0] == '-', digits = strspn(text + start, "0123456789"), size = strlen(text);
    size_t commas = digits > 0 ? (digits - 1) / 3 : 0;

    if (size + commas >= PF_AMOUNT_TEXT)
        return;
    memmove(text + start + digits + commas, text + start + digits, size - start - digits + 1);
    for (size_t i = digits, to = start + digits + commas; commas > 0; i--) {
        text[--to] = text[start + i - 1];
        if ((digits - i) % 3 == 2 && i > 1) {
            text[--to] = ',';
            commas--;
        }
    }
}

static const char *print_amount(const struct pf_scale *scale, pf_int128 amount,
                                char text[PF_AMOUNT_TEXT])
{
    double value = (double)amount / (double)(scale->parts > 0 ? scale->parts : 1),
           size = value < 0 ? -value : value;
    /* finds the largest unit that the amount reaches */
    const struct pf_unit_step *step = scale->time ? pf_time_steps : pf_byte_steps;

    if (scale->shown == PF_UNIT_COUNT || !(scale->time || scale->bytes)) {
        print_short(amount, scale->parts, text);
        return text;
    }
    if (scale->shown >= PF_UNIT_NS && scale->shown <= PF_UNIT_S)
        return print_step(value, &pf_time_steps[PF_UNIT_S - scale->shown], text);
    if (scale->shown == PF_UNIT_BYTES)
        step = &pf_byte_steps[4];
    /* 999.995ms would print as 1000ms */
    while (step[1].name && size < step->size * (1 - 5e-6))
        step++;
    if (scale->parts > 1 && step->size <= 1) {
        print_short(amount, scale->parts, text);
        memcpy(text + strlen(text), "B", 2);
        return text;
    }
    return print_step(value, step, text);
}

const char *pf_scale_print(const struct pf_scale *scale, pf_int128 amount,
                           char text[PF_AMOUNT_TEXT])
{
    print_amount(scale, amount, text);
    if (scale->group && (scale->shown == PF_UNIT_COUNT || !(scale->time || scale->bytes)))
        pf_group_digits(text);
    return text;
}
