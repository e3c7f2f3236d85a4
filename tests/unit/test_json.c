/* Tests of io/json_cut.h, io/json_look.h and base/decimal.h: cutting JSON into values, finding keys
 * without parsing everything, numbers with decimals. */
#include "base/decimal.h"
#include "io/json_cut.h"
#include "io/json_look.h"

#include "tap.h"

#include <stdlib.h>

static void test_decimal_scale(void)
{
    static const struct {
        const char *text;
        int shift;
        bool fits, exact;
        int64_t value;
    } rows[] = {
        {"0", 0, true, true, 0},
        {"-0.000e5", 3, true, true, 0},
        {"12.50", 1, true, true, 125},
        {"12.50", 0, true, false, 12}, /* half to even */
        {"13.5", 0, true, false, 14},
        {"2.500001", 0, true, false, 3},
        {"-0.5", 0, true, false, 0},
        {"-1.5", 0, true, false, -2},
        {"1e3", -3, true, true, 1},
        {"4e-3", 6, true, true, 4000},
        {"0.00000000000000000001", 20, true, true, 1},
        {"100000000000000000000", -2, true, true, 1000000000000000000},
        {"9223372036854775807", 0, true, true, INT64_MAX},
        {"-9223372036854775808", 0, true, true, INT64_MIN},
        {"9223372036854775808", 0, false, false, 0},
        {"9223372036854775807.5", 0, false, false, 0},
        {"0.9223372036854775807", 19, true, true, INT64_MAX},
        {"1e400", 0, false, false, 0},
        {"1e-400", 0, true, false, 0},
        {"", 0, false, false, 0},
        {"-", 0, false, false, 0},
        {".", 0, false, false, 0},
        {"1x", 0, false, false, 0},
        {"1e", 0, false, false, 0},
        {"0x10", 0, false, false, 0},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int64_t value = 0;
        bool exact = false;
        bool fits = pf_decimal_scale(pf_bytes_of(rows[k].text), rows[k].shift, &value, &exact);

        tap_ok(fits == rows[k].fits &&
                   (!fits || (value == rows[k].value && exact == rows[k].exact)),
               "%s times 10^%d", rows[k].text, rows[k].shift);
    }
}

static int64_t take(struct pf_decimals *column, const char *text)
{
    int64_t value = -1;

    if (pf_decimals_take(column, pf_bytes_of(text), &value) != PF_OK ||
        pf_decimals_add(column, value) != PF_OK)
        return INT64_MIN;
    return value;
}

static void test_decimals(void)
{
    struct pf_decimals column = {.most = 6, .carried = 7};
    int64_t value;

    take(&column, "3");
    take(&column, "0.25");
    tap_int(column.values[0], 300, "a finer number rescales the numbers before it");
    tap_int(column.carried, 700, "a finer number rescales the carried number too");
    take(&column, "0.1234567");
    tap_int(column.values[2], 123457, "a number with more decimals than allowed is rounded");
    tap_ok(column.rounded, "the column says that a number was rounded");
    take(&column, "9000000000000000000");
    tap_int(column.places, 0, "a large number leaves less room for decimals");
    tap_int(column.values[0], 3, "of those before it");
    tap_int(pf_decimals_take(&column, PF_BYTES("9300000000000000000"), &value), PF_OVERFLOW,
            "a number that needs more than 64 bits is refused");
    tap_int(pf_decimals_take(&column, PF_BYTES("1e308"), &value), PF_OVERFLOW,
            "a large exponent is too large");
    tap_int(pf_decimals_take(&column, PF_BYTES("-1e99999999999999999999"), &value), PF_OVERFLOW,
            "an exponent that is too large itself too");
    tap_int(pf_decimals_take(&column, PF_BYTES("0e99999999999999999999"), &value), PF_OK,
            "0 is 0 with every exponent");
    tap_int(pf_decimals_take(&column, PF_BYTES("true"), &value), PF_FAILED,
            "a text that is not a number is refused");
    tap_int(pf_decimals_take(&column, PF_BYTES("1e"), &value), PF_FAILED,
            "so is a number without its exponent");
    free(column.values);
}

/* Seven times 1/7 of 20 units is 20. In the finest scale the values differ by one, but their sum is
 * exact. */
static void test_parts(void)
{
    struct pf_decimals column = {.most = 1};
    int64_t value, sum = 0;
    bool good = true;

    for (int k = 0; k < 7; k++) {
        good = pf_decimals_take_part(&column, PF_BYTES("2.857142857142857142857"), &value) ==
                   PF_OK &&
               (value == 28 || value == 29) && good;
        sum += value;
    }
    tap_ok(good, "a part that is rounded is one of its two neighbours");
    tap_int(sum, 200, "the sum of the parts is the whole, rounded once");
    good = true;
    for (int k = 0; k < 20; k++) {
        good = pf_decimals_take_part(&column, k % 2 ? PF_BYTES("0.07") : PF_BYTES("-0.04"),
                                     &value) == PF_OK &&
               good;
        sum += value;
    }
    tap_ok(good && sum == 203, "the sum of parts of both signs is the whole, rounded once");
}

struct text {
    struct pf_source *source;
    struct pf_error error;
    struct pf_json_cut cut;
};

static void open_text(struct text *text, const char *json)
{
    struct pf_error error = {0};

    memset(text, 0, sizeof *text);
    pf_source_open_memory(&text->source, json, strlen(json), &error);
    pf_json_cut_open(&text->cut, text->source, &text->error);
}

static void close_text(struct text *text)
{
    pf_json_cut_close(&text->cut);
    pf_source_close(text->source);
}

static void test_structure(void)
{
    struct text text;
    struct pf_bytes bytes;
    const json_t *value;
    int64_t number;

    open_text(&text, " {\"a\":[1, 2.0,-3 ],\"\\u0062\":\"x\\ny\",\"c\":{\"d\":[[]]},\"e\":1e2, "
                     "\"f\" : {\"k\":[null]}} ");
    tap_int(pf_json_cut_enter(&text.cut, '{'), PF_OK, "an object is entered");
    tap_ok(pf_json_cut_key(&text.cut, &bytes) == PF_OK && pf_bytes_equal(bytes, PF_BYTES("a")),
           "its first key");
    pf_json_cut_enter(&text.cut, '[');
    tap_ok(pf_json_cut_next_int(&text.cut, &number) == PF_OK && number == 1,
           "a number of an array");
    tap_ok(pf_json_cut_next_int(&text.cut, &number) == PF_OK && number == 2,
           "a whole number with decimals");
    tap_ok(pf_json_cut_next_int(&text.cut, &number) == PF_OK && number == -3, "one below 0");
    tap_int(pf_json_cut_next_int(&text.cut, &number), PF_EOF, "the end of the array");
    tap_ok(pf_json_cut_key(&text.cut, &bytes) == PF_OK && pf_bytes_equal(bytes, PF_BYTES("b")),
           "a key with an escape");
    tap_ok(pf_json_cut_string(&text.cut, &bytes) == PF_OK &&
               pf_bytes_equal(bytes, PF_BYTES("x\ny")),
           "a string with one");
    pf_json_cut_key(&text.cut, &bytes);
    tap_int(pf_json_cut_skip(&text.cut), PF_OK, "an unwanted member is skipped");
    pf_json_cut_key(&text.cut, &bytes);
    tap_ok(pf_json_cut_int(&text.cut, &number) == PF_OK && number == 100,
           "a number with an exponent");
    pf_json_cut_key(&text.cut, &bytes);
    tap_ok(pf_json_cut_value(&text.cut, &value) == PF_OK &&
               json_array_size(json_object_get(value, "k")) == 1,
           "a value for jansson");
    tap_int(pf_json_cut_key(&text.cut, &bytes), PF_EOF, "the end of the object");
    tap_int(pf_json_cut_end(&text.cut), PF_OK, "the end of the text");
    close_text(&text);
}

/* Walks over the whole document. */
static int walk(struct pf_json_cut *cut)
{
    int status = pf_json_cut_enter(cut, '[');

    while (status == PF_OK && (status = pf_json_cut_next(cut)) == PF_OK)
        status = pf_json_cut_skip(cut);
    return status == PF_EOF ? pf_json_cut_end(cut) : status;
}

static void test_bad(void)
{
    static const struct {
        const char *json;
        bool lenient, good;
        uint64_t offset;
    } rows[] = {
        {"[1,[2,\"]\"],{\"a\":\"\\\"\"}]", false, true, 0},
        {"[]", false, true, 0},
        {"[1,]", false, false, 3},
        {"[1,]", true, true, 0},
        {"[1,\n", true, true, 0},
        {"[1", true, true, 0},
        {"[1,\n", false, false, 4},
        {"[1,[2", true, false, 5},
        {"[1 2]", false, false, 3},
        {"[,1]", false, false, 1},
        {"[1]]", false, false, 3},
        {"[}", false, false, 1},
        {"{}", false, false, 0},
        {"", false, false, 0},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct text text;

        open_text(&text, rows[k].json);
        text.cut.lenient = rows[k].lenient;
        bool good = walk(&text.cut) == PF_OK;
        tap_ok(good == rows[k].good &&
                   (good || (text.error.has_offset && text.error.offset == rows[k].offset)),
               "%s%s", rows[k].lenient ? "leniently, " : "", rows[k].json);
        close_text(&text);
    }
}

static void test_look(void)
{
    static const char *const paths[] = {
        "a.b", "list[].key", "list[].other", "schema=own", "schema=other", "deep.er.and.deeper",
        "c",   NULL};
    static const char json[] = "\n{\"c\":\"a.b\",\"a\":{\"b\":1},\"list\":[3,{\"key\":[{\"other\":"
                               "1}]}],\"schema\":\"my own/1\"}";
    struct text text;

    open_text(&text, json);
    tap_int(pf_json_look(text.source, paths), 1 | 2 | 8 | 64,
            "keys are found by their paths, and by the beginning of their strings");
    tap_int((int64_t)pf_source_offset(text.source), 0, "looking at keys takes no bytes");
    close_text(&text);
    open_text(&text, "frame;a.b 5");
    tap_int(pf_json_look(text.source, paths), 0, "a text that is not JSON has no keys");
    close_text(&text);
}

int main(void)
{
    test_decimal_scale();
    test_decimals();
    test_parts();
    test_structure();
    test_bad();
    test_look();
    return tap_done();
}
