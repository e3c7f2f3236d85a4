/* Tests of base/: expected values are published vectors or worked out by hand. */
#include "base/bytes.h"
#include "base/calendar.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/line_memo.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/table.h"

#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

static void test_compare(void)
{
    static const struct {
        struct pf_bytes a, b;
        int order;
    } cases[] = {
        {PF_BYTES(""), PF_BYTES(""), 0},      {{NULL, 0}, PF_BYTES(""), 0},
        {{NULL, 0}, PF_BYTES("a"), -1},       {PF_BYTES("a"), PF_BYTES("ab"), -1},
        {PF_BYTES("b"), PF_BYTES("ab"), 1},   {PF_BYTES("a\0b"), PF_BYTES("a\0a"), 1},
        {PF_BYTES("\xff"), PF_BYTES("z"), 1},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tap_ok(sign(pf_bytes_compare(cases[k].a, cases[k].b)) == cases[k].order &&
                   sign(pf_bytes_compare(cases[k].b, cases[k].a)) == -cases[k].order,
               "bytes compare in the order of memcmp, prefix first (case %zu)", k);
    }
}

/* Cases of RFC 3629, section 4 (the limits of its table), and RFC 3629, section 10 (attacks). */
static void test_utf8(void)
{
    static const struct {
        struct pf_bytes bytes;
        bool valid;
        const char *about;
    } cases[] = {
        {PF_BYTES(""), true, "nothing"},
        {PF_BYTES("plain text of more than one word"), true, "ASCII"},
        {PF_BYTES("\0"), true, "NUL"},
        {PF_BYTES("\x7f"), true, "U+007F"},
        {PF_BYTES("\xc2\x80"), true, "U+0080"},
        {PF_BYTES("\xdf\xbf"), true, "U+07FF"},
        {PF_BYTES("\xe0\xa0\x80"), true, "U+0800"},
        {PF_BYTES("\xed\x9f\xbf"), true, "U+D7FF"},
        {PF_BYTES("\xee\x80\x80"), true, "U+E000"},
        {PF_BYTES("\xef\xbf\xbf"), true, "U+FFFF"},
        {PF_BYTES("\xf0\x90\x80\x80"), true, "U+10000"},
        {PF_BYTES("\xf4\x8f\xbf\xbf"), true, "U+10FFFF"},
        {PF_BYTES("A\xe2\x89\xa2\xce\x91."), true,
         "the RFC's example A, not identical to, Alpha, stop"},
        {PF_BYTES("12345678\xe2\x82\xac"
                  "12345678"),
         true, "a character between two words of ASCII"},
        {PF_BYTES("\x80"), false, "a lone continuation byte"},
        {PF_BYTES("\xbf"), false, "the last continuation byte alone"},
        {PF_BYTES("\xc0\x80"), false, "an overlong NUL"},
        {PF_BYTES("\xc1\xbf"), false, "an overlong U+007F"},
        {PF_BYTES("\xe0\x9f\xbf"), false, "an overlong U+07FF"},
        {PF_BYTES("\xf0\x8f\xbf\xbf"), false, "an overlong U+FFFF"},
        {PF_BYTES("\xed\xa0\x80"), false, "the first surrogate"},
        {PF_BYTES("\xed\xbf\xbf"), false, "the last surrogate"},
        {PF_BYTES("\xf4\x90\x80\x80"), false, "U+110000"},
        {PF_BYTES("\xf5\x80\x80\x80"), false, "byte F5"},
        {PF_BYTES("\xff"), false, "byte FF"},
        {PF_BYTES("\xc2"), false, "a cut character of two bytes"},
        {PF_BYTES("\xe2\x82"), false, "a cut character of three bytes"},
        {PF_BYTES("\xf0\x90\x80"), false, "a cut character of four bytes"},
        {PF_BYTES("\xc2\x41"), false, "ASCII in place of a continuation byte"},
        {PF_BYTES("\xe2\x82\x41"), false, "ASCII in third place"},
        {PF_BYTES("\xf0\x90\x80\xc0"), false, "a start byte in fourth place"},
        {PF_BYTES("12345678123456781234567\xff"), false, "a bad byte at the end of words"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tap_ok(pf_utf8_valid(cases[k].bytes) == cases[k].valid, "%s is %s UTF-8", cases[k].about,
               cases[k].valid ? "good" : "no");
    }
    tap_int((int64_t)pf_utf8_char((const unsigned char *)"\xf4\x8f\xbf\xbf", 4), 4,
            "U+10FFFF takes four bytes");
    tap_int((int64_t)pf_utf8_char((const unsigned char *)"\xf4\x8f\xbf\xbf", 3), 0,
            "a cut character has no length");
    tap_int((int64_t)pf_utf8_char((const unsigned char *)"", 0), 0, "no bytes are no character");
}

static void test_ascii(void)
{
    char text[20];
    bool good = true;

    memset(text, 'x', sizeof text);
    for (size_t size = 0; size <= sizeof text; size++) {
        good = good && pf_ascii((struct pf_bytes){text, size});
        for (size_t at = 0; at < size; at++) {
            text[at] = (char)0x80;
            good = good && !pf_ascii((struct pf_bytes){text, size});
            text[at] = 'x';
        }
    }
    tap_ok(good, "pf_ascii finds a high byte at any place");
}

static void test_wire(void)
{
    static const unsigned char bytes[] = {0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97, 0x88};
    unsigned char copy[8];

    tap_ok(pf_load16le(bytes) == 0xe2f1 && pf_load16be(bytes) == 0xf1e2 &&
               pf_load32le(bytes) == 0xc4d3e2f1 && pf_load64le(bytes) == 0x8897a6b5c4d3e2f1,
           "loads take the byte order of their names");
    pf_store64le(copy, 0x8897a6b5c4d3e2f1);
    tap_ok(memcmp(copy, bytes, 8) == 0, "a 64-bit store writes the low byte first");
    pf_store32le(copy, 0xc4d3e2f1);
    pf_store16le(copy + 4, 0xa6b5);
    tap_ok(memcmp(copy, bytes, 6) == 0, "shorter stores write the low byte first too");
}

static void test_hash(void)
{
    uint64_t sum = 0;

    /* xxHash's own documentation and sanity checks. */
    tap_ok(pf_xxh64("", 0) == 0xef46db3751d8e999, "XXH64 of nothing is ef46db3751d8e999");
    tap_ok(pf_xxh64("abc", 3) == 0x44bc2cf5ad770999, "XXH64 of abc is 44bc2cf5ad770999");
    tap_ok(pf_hash("", 0, 0) == 0x2d06800538d394c2, "XXH3 of nothing is 2d06800538d394c2");
    /* SplitMix64 seeded with 0 returns e220a8397b1dcdaf first: its finalizer of the golden
     * gamma. */
    tap_ok(pf_hash_mix(0x9e3779b97f4a7c15) == 0xe220a8397b1dcdaf,
           "the mixer gives the numbers of SplitMix64");
    for (uint64_t key = 0; key < 64; key++)
        sum |= pf_hash_mix((uint64_t)1 << key) & 0xff;
    tap_ok(sum == 0xff, "every input bit can reach the low bits");
}

static void test_parse_int(void)
{
    static const struct {
        struct pf_bytes text;
        int64_t low, high;
        bool good;
        int64_t value;
    } cases[] = {
        {PF_BYTES("0"), INT64_MIN, INT64_MAX, true, 0},
        {PF_BYTES("+7"), INT64_MIN, INT64_MAX, true, 7},
        {PF_BYTES("-0"), 0, 0, true, 0},
        {PF_BYTES("0000000000000000000000000000012"), 0, 100, true, 12},
        {PF_BYTES("9223372036854775807"), INT64_MIN, INT64_MAX, true, INT64_MAX},
        {PF_BYTES("9223372036854775808"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("-9223372036854775808"), INT64_MIN, INT64_MAX, true, INT64_MIN},
        {PF_BYTES("-9223372036854775809"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("18446744073709551616"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("99999999999999999999999999999999999999999999"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("10"), 1, 9, false, 0},
        {PF_BYTES("0"), 1, 9, false, 0},
        {PF_BYTES(""), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("-"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("+-1"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES(" 1"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("1 "), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("1\0"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("0x1"), INT64_MIN, INT64_MAX, false, 0},
        {PF_BYTES("1e3"), INT64_MIN, INT64_MAX, false, 0},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int64_t value = 4711;
        bool good = pf_parse_int(cases[k].text, cases[k].low, cases[k].high, &value);

        tap_ok(good == cases[k].good && value == (good ? cases[k].value : 4711),
               "\"%.*s\" is %s whole number in range", (int)cases[k].text.size, cases[k].text.data,
               cases[k].good ? "a" : "no");
    }
}

static void test_parse_scaled(void)
{
    static const char sizes[] =
        "k=1000,M=1000000,G=1000000000,Ki=1024,Gi=1073741824,Ti=1099511627776";
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"1.5k", true, 1500},
        {"-1.5k", true, -1500},
        {"+2M", true, 2000000},
        {".5k", true, 500},
        {"0.001k", true, 1},
        {"0.0001k", false, 0},
        {"1.0005k", false, 0},
        {"1.000", true, 1},
        {"1.5", false, 0},
        {"0.5Ki", true, 512},
        {"0.0009765625Ki", true, 1},
        {"0.00048828125Ki", false, 0},
        {"0.3Ki", false, 0},
        {"0.000000000931322574615478515625Gi", true, 1},
        {"0.0000000000009094947017729282379150390625Ti", true, 1},
        {"1.50000000000000000000000000000000000000000000000000k", true, 1500},
        {"0.00000000000000000000000000000000000000000000000000", true, 0},
        {"0.00000000000000000000000000000000000000000000000001k", false, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775.807k", true, INT64_MAX},
        {"9223372036854775.808k", false, 0},
        {"-9223372036854775.808k", true, INT64_MIN},
        {"-9223372036.854775809G", false, 0},
        {"99999999999999999999999999999999999999999999", false, 0},
        {"340282366920938463463374607431768211455Ti", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {".", false, 0},
        {"k", false, 0},
        {"1.", false, 0},
        {"1.k", false, 0},
        {"1K", false, 0},
        {"1kk", false, 0},
        {"1k=", false, 0},
        {"1 k", false, 0},
        {"1.2.3", false, 0},
        {"nan", false, 0},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int64_t value = 4711;
        bool good = pf_parse_scaled(pf_bytes_of(cases[k].text), sizes, &value);

        tap_ok(good == cases[k].good && value == (good ? cases[k].value : 4711),
               "\"%s\" is %s scaled number", cases[k].text, cases[k].good ? "a" : "no");
    }
    tap_ok(!pf_parse_scaled(PF_BYTES("1k"), NULL, &(int64_t){0}),
           "without a list no suffix matches");
}

static void test_scale(void)
{
    static const struct {
        int64_t value;
        uint64_t num, den;
        bool good;
        int64_t result;
    } cases[] = {
        {1, 1, 2, true, 0}, /* 0.5 rounds to the even 0 */
        {3, 1, 2, true, 2}, /* 1.5 rounds to the even 2 */
        {5, 1, 2, true, 2}, /* 2.5 rounds to the even 2 */
        {-1, 1, 2, true, 0},
        {-3, 1, 2, true, -2},
        {-5, 1, 2, true, -2},
        {2, 1, 3, true, 1}, /* 0.67 */
        {1, 1, 3, true, 0},
        {-2, 1, 3, true, -1},
        {7, 0, 5, true, 0},
        {0, 9, 5, true, 0},
        {10, 3, 4, true, 8}, /* 7.5 rounds to the even 8 */
        {INT64_MAX, 1, 1, true, INT64_MAX},
        {INT64_MIN, 1, 1, true, INT64_MIN},
        {INT64_MAX, 2, 2, true, INT64_MAX},
        {INT64_MIN, UINT64_MAX, UINT64_MAX, true, INT64_MIN},
        {INT64_MAX, 3, 2, false, 0},
        {INT64_MIN, 2, 1, false, 0},
        {INT64_MAX, UINT64_MAX, 1, false, 0},
        {1, 1, UINT64_MAX, true, 0},
        /* 2^63 / (2^64 - 1), slightly above one half */
        {1, UINT64_MAX / 2 + 1, UINT64_MAX, true, 1},
        {1, UINT64_MAX / 2, UINT64_MAX, true, 0}, /* slightly below one half */
    };
    pf_int128 large = (pf_int128)1 << 100;
    int64_t result = 0;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool good = pf_scale64(cases[k].value, cases[k].num, cases[k].den, &result);

        tap_ok(good == cases[k].good && (!good || result == cases[k].result),
               "%" PRId64 " * %" PRIu64 " / %" PRIu64 " is rounded once, half to even",
               cases[k].value, cases[k].num, cases[k].den);
    }
    tap_ok(pf_scale64(large, 1, (uint64_t)1 << 60, &result) && result == (int64_t)1 << 40,
           "2^100 / 2^60 is 2^40");
    tap_ok(pf_scale64(-large - ((pf_int128)1 << 59), 1, (uint64_t)1 << 60, &result) &&
               result == -((int64_t)1 << 40),
           "-(2^40 + 1/2) rounds to the even -2^40");
    tap_ok(!pf_scale64(large, 1, 1, &result), "2^100 does not fit 64 bits");
    tap_ok(!pf_scale64(large, UINT64_MAX, UINT64_MAX, &result),
           "a product over 128 bits is refused");
}

static void test_gcd(void)
{
    tap_ok(pf_gcd(12, 18) == 6 && pf_gcd(0, 5) == 5 && pf_gcd(5, 0) == 5 && pf_gcd(0, 0) == 0 &&
               pf_gcd(17, 4) == 1 && pf_gcd(UINT64_MAX, UINT64_MAX / 5) == UINT64_MAX / 5,
           "greatest common divisors");
}

static void test_int128(void)
{
    static const char *const good[] = {
        "0",
        "7",
        "-7",
        "10",
        "9999999999999999999",
        "10000000000000000000",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "100000000000000000000000000000000000000",
        "170141183460469231731687303715884105727",
        "-170141183460469231731687303715884105728",
    };
    static const char *const bad[] = {
        "",
        "-",
        "1x",
        " 1",
        "170141183460469231731687303715884105728",
        "-170141183460469231731687303715884105729",
        "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456",
        "9999999999999999999999999999999999999999999",
    };
    pf_int128 limit = (pf_int128)(~(pf_uint128)0 >> 1), value;
    char text[PF_INT128_TEXT];

    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        bool parsed = pf_parse_int128(pf_bytes_of(good[k]), &value);
        size_t length = parsed ? pf_print_int128(value, text) : 0;

        tap_ok(parsed && length == strlen(good[k]) && strcmp(text, good[k]) == 0,
               "%s is read and printed the same", good[k]);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        tap_ok(!pf_parse_int128(pf_bytes_of(bad[k]), &value), "\"%s\" is no 128-bit number",
               bad[k]);
    pf_print_int128(limit, text);
    tap_text(text, "170141183460469231731687303715884105727", "2^127 - 1 prints");
    pf_print_int128(-limit - 1, text);
    tap_text(text, "-170141183460469231731687303715884105728", "-2^127 prints");
}

static void test_print_int(void)
{
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {7, "7"},
        {-1, "-1"},
        {10, "10"},
        {-1000, "-1000"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    char text[PF_INT_TEXT], *end = text + sizeof text, *at = pf_print_before(end, UINT64_MAX);

    tap_ok(
        pf_bytes_equal((struct pf_bytes){at, (size_t)(end - at)}, PF_BYTES("18446744073709551615")),
        "2^64 - 1 prints before an end");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pf_bytes printed = {text, pf_print_int(cases[k].value, text)};

        tap_ok(pf_bytes_equal(printed, pf_bytes_of(cases[k].text)), "%s prints", cases[k].text);
    }
}

/* Expected decimals are from Python: round(Fraction(amount, parts), places). */
static void test_parts(void)
{
    const pf_int128 limit = (pf_int128)(~(pf_uint128)0 >> 1);
    const struct {
        pf_int128 amount;
        uint64_t parts;
        unsigned places;
        const char *text;
    } cases[] = {
        {0, 7, 6, "0"},
        {5, 0, 6, "5"},
        {5, 1, 6, "5"},
        {25, 10, 6, "2.5"},
        {-5, 10, 6, "-0.5"},
        {700, 7, 6, "100"},
        {1, 3, 6, "0.333333"},
        {-2, 3, 6, "-0.666667"},
        {1, 2000000, 6, "0"}, /* half to even */
        {-1, 2000000, 6, "0"},
        {3, 2000000, 6, "0.000002"},
        {5, 2000000, 6, "0.000002"},
        {7, 2000000, 6, "0.000004"},
        {1, 1999999, 6, "0.000001"},
        {1, 2000001, 6, "0"},
        {19999999, 20000000, 6, "1"}, /* 0.99999995 */
        {39999999, 20000000, 6, "2"},
        {1, 2, 0, "0"},
        {3, 2, 0, "2"},
        {125, 1000, 2, "0.12"},
        {135, 1000, 2, "0.14"},
        {1, UINT64_MAX, 20, "0.00000000000000000005"},
        {1, UINT64_MAX, 22, "0.0000000000000000000542"},
        {UINT64_MAX, (uint64_t)1 << 63, 6, "2"},
        {limit, 10, 6, "17014118346046923173168730371588410572.7"},
        {-limit - 1, 10, 6, "-17014118346046923173168730371588410572.8"},
        {-limit - 1, 1, 6, "-170141183460469231731687303715884105728"},
    };
    char text[PF_DECIMAL_TEXT];
    uint64_t common;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        tap_ok(pf_print_parts(cases[k].amount, cases[k].parts, cases[k].places, text) ==
                       strlen(cases[k].text) &&
                   strcmp(text, cases[k].text) == 0,
               "case %zu of parts is %s", k, cases[k].text);
    tap_ok(pf_parts_join(4, 6, &common) && common == 12 && pf_parts_join(1, UINT64_MAX, &common) &&
               common == UINT64_MAX && !pf_parts_join((uint64_t)1 << 63, 3, &common),
           "parts are joined in the least number that both divide");
}

static void test_checked(void)
{
    int64_t sum = 1;
    size_t size = 1;

    tap_ok(!pf_add64(INT64_MAX, 1, &sum) && pf_add64(INT64_MAX, INT64_MIN, &sum) && sum == -1,
           "an addition that overflows 64 bits is refused");
    tap_ok(!pf_mul64(INT64_MIN, -1, &sum) && pf_mul64(INT64_MIN, 1, &sum) && sum == INT64_MIN,
           "so is a product");
    tap_ok(!pf_add_size(SIZE_MAX, 1, &size) && pf_add_size(3, 4, &size) && size == 7,
           "an addition of sizes that overflows is refused");
}

static void test_memory(void)
{
    uint32_t *array = NULL, *before;
    size_t capacity = 0;
    struct pf_buffer buffer = {0};
    bool good = true;

    tap_ok(pf_grow(&array, &capacity, 3, sizeof *array) && capacity >= 3,
           "an array grows from nothing");
    array[2] = 5;
    tap_ok(pf_grow(&array, &capacity, 1000, sizeof *array) && capacity >= 1000 && array[2] == 5,
           "a grown array keeps its elements");
    before = array;
    capacity = 1000;
    tap_ok(!pf_grow(&array, &capacity, SIZE_MAX, sizeof *array) &&
               !pf_grow(&array, &capacity, SIZE_MAX / 4, sizeof *array) && array == before &&
               capacity == 1000,
           "a size that overflows leaves the array unchanged");
    free(array);

    for (unsigned k = 0; k < 1000; k++)
        good = good && pf_buffer_byte(&buffer, (unsigned char)k) &&
               pf_buffer_append(&buffer, "xyz", k % 4);
    tap_ok(good && buffer.size == 1000 + 250 * 6 &&
               (unsigned char)buffer.data[buffer.size - 4] == (999 & 0xff),
           "a buffer holds what was appended");
    tap_ok(!pf_buffer_extend(&buffer, SIZE_MAX - 5) && buffer.failed && !pf_buffer_byte(&buffer, 1),
           "a failed append stays failed");
    pf_buffer_free(&buffer);
    tap_ok(pf_buffer_extend(&buffer, 0) && pf_buffer_append(&buffer, NULL, 0),
           "appending nothing succeeds");
    pf_buffer_free(&buffer);
}

static void test_arena(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 100, 16384, 16385, 65536, 65537, 1000000};
    struct pf_arena arena = {0};
    char *copies[2000];
    char pattern[1000];
    bool aligned = true, kept = true;

    for (size_t k = 0; k < 200; k++) {
        size_t size = sizes[k % (sizeof sizes / sizeof *sizes)];
        char *block = pf_arena_alloc(&arena, size);

        aligned = aligned && block && (uintptr_t)block % 8 == 0;
        if (block)
            memset(block, 0x55, size);
    }
    tap_ok(aligned, "blocks of an arena are aligned to 8 bytes");
    for (size_t k = 0; k < sizeof copies / sizeof *copies; k++) {
        memset(pattern, (int)(k & 0x7f), sizeof pattern);
        copies[k] = pf_arena_copy(&arena, pattern, k % sizeof pattern);
    }
    for (size_t k = 0; k < sizeof copies / sizeof *copies; k++) {
        size_t size = k % sizeof pattern;

        for (size_t j = 0; j < size; j++)
            kept = kept && copies[k][j] == (char)(k & 0x7f);
        kept = kept && copies[k][size] == '\0';
    }
    tap_ok(kept, "copies in an arena do not touch each other and end with NUL");
    tap_ok(!pf_arena_alloc(&arena, SIZE_MAX) && !pf_arena_alloc(&arena, SIZE_MAX - 8) &&
               !pf_arena_copy(&arena, "", SIZE_MAX),
           "sizes that overflow give NULL");
    pf_arena_free(&arena);
    tap_ok(!arena.chunk, "a freed arena is empty");
}

/* Makes row k of a sequence in which no row repeats or is all zero. */
static void make_row(unsigned char *row, size_t size, uint32_t k)
{
    memset(row, 0, size);
    pf_store32le(row + (k % 2 == 0 ? 0 : size - 4), k + 1);
    if (size > 4)
        row[4] = (unsigned char)(row[4] ^ (k % 2));
}

static void test_table_of(size_t row_size)
{
    enum { ROWS = 5000 };
    struct pf_table table;
    unsigned char row[64] = {0};
    bool fresh = true, again = true, kept = true;

    tap_ok(pf_table_init(&table, row_size) == PF_OK && table.count == 1,
           "a table of %zu-byte rows starts with row 0", row_size);
    tap_ok(pf_table_intern(&table, row) == 0 && memcmp(pf_table_row(&table, 0), row, row_size) == 0,
           "the zero row of %zu bytes is id 0", row_size);
    for (uint32_t k = 0; k < ROWS; k++) {
        make_row(row, row_size, k);
        fresh = fresh && pf_table_intern(&table, row) == k + 1;
        make_row(row, row_size, k / 2);
        again = again && pf_table_intern(&table, row) == k / 2 + 1;
    }
    for (uint32_t k = 0; k < ROWS; k++) {
        make_row(row, row_size, k);
        kept = kept && memcmp(pf_table_row(&table, k + 1), row, row_size) == 0;
        again = again && pf_table_intern(&table, pf_table_row(&table, k + 1)) == k + 1;
    }
    tap_ok(fresh && table.count == ROWS + 1, "new rows of %zu bytes are numbered from 1", row_size);
    tap_ok(again, "rows of %zu bytes are found again", row_size);
    tap_ok(kept, "rows of %zu bytes survive growth", row_size);
    tap_ok(table.count * 5.0 <= (double)(table.slot_mask + 1) * 3 + 5,
           "the load stays at 0.6 with %zu bytes", row_size);
    pf_table_free(&table);
    tap_ok(pf_table_intern(&table, row) == 0, "a freed table of %zu-byte rows gives id 0",
           row_size);
}

/* The table keeps rows of 8 bytes, which begin with another row's id, near that row. A parent with
 * very many children and long branches must not slow each other down. */
static void test_table_tree(void)
{
    enum { CHILDREN = 20000, DEPTH = 10 };
    struct pf_table table;
    bool good = true;

    pf_table_init(&table, 2 * sizeof(uint32_t));
    for (int again = 0; again < 2; again++) {
        uint32_t expected = 1;

        for (uint32_t k = 0; k < CHILDREN; k++) {
            uint32_t node = 0;

            for (uint32_t depth = 0; depth < DEPTH; depth++) {
                uint32_t row[2] = {node, depth == 0 ? k + 1 : depth};

                node = pf_table_intern(&table, row);
                good = good && node == expected++;
            }
        }
    }
    tap_ok(good && table.count == CHILDREN * DEPTH + 1, "branches of a wide tree are found again");
    pf_table_free(&table);
}

static void test_table(void)
{
    static const size_t sizes[] = {4, 8, 12, 16, 24, 32, 40, 48, 64};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        test_table_of(sizes[k]);
    test_table_tree();
}

static void keep_text(void *arg, enum pf_severity severity, const char *text)
{
    snprintf(arg, 64, "%s%s", severity == PF_WARNING ? "warning " : "note ", text);
}

static void test_error(void)
{
    struct pf_error error = {0}, system = {0}, long_one = {0};
    char text[2000], sent[64] = "";
    struct pf_report report = {keep_text, sent}, silent = {NULL, NULL};

    tap_int(pf_error_at(&error, PF_FAILED, 4711, "string of %d bytes", 90000), PF_FAILED,
            "setting an error returns its code");
    tap_int(pf_error_set(&error, PF_NOMEM, "later"), PF_FAILED,
            "a later error returns the first code");
    tap_text(error.text, "string of 90000 bytes", "the text of the first error stays");
    tap_ok(error.has_offset && error.offset == 4711, "and its offset");
    errno = ENOENT;
    tap_int(pf_error_system(&system, "cannot open '%s'", "a\nb\033"), PF_IO,
            "a system error is PF_IO");
    tap_text(system.text, "cannot open 'a\nb\033': No such file or directory",
             "a system error says what failed, then why; names keep their bytes, the printer "
             "escapes them");
    tap_ok(!system.has_offset, "and has no offset");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    pf_error_set(&long_one, PF_FAILED, "%s", text);
    tap_ok(strlen(long_one.text) == sizeof long_one.text - 1 &&
               strcmp(long_one.text + 500, "xxxxxxxx...") == 0,
           "a long text ends in dots");
    tap_int(pf_error_nomem(NULL), PF_NOMEM, "without an error struct the code is returned");
    pf_report_send(&report, PF_WARNING, "%s", "one\ntwo");
    tap_text(sent, "warning one\ntwo", "a report arrives unchanged");
    pf_report_send(&silent, PF_NOTE, "nobody");
    pf_report_send(NULL, PF_NOTE, "nobody");
    tap_text(sent, "warning one\ntwo", "a report without a receiver is dropped");
}

static void test_table_append(void)
{
    struct pf_table table;
    uint32_t rows[3000][2];
    bool known = true;

    pf_table_init(&table, sizeof rows[0]);
    tap_ok(pf_table_intern(&table, (uint32_t[2]){0, 7}) == 1,
           "a row before appended rows has id 1");
    for (uint32_t k = 0; k < 3000; k++)
        memcpy(rows[k], (uint32_t[2]){k + 1, 5}, sizeof rows[k]);
    tap_ok(pf_table_append(&table, rows, 3000) == 2 && table.count == 3002,
           "appended rows follow it");
    for (uint32_t k = 0; k < 3000; k++)
        known = known && pf_table_intern(&table, rows[k]) == k + 2;
    tap_ok(known && table.count == 3002, "appended rows are found again");
    tap_ok(pf_table_append(&table, rows, 0) == 3002 && table.count == 3002,
           "appending nothing changes nothing");
    for (uint32_t k = 0; k < 3000; k++)
        rows[k][1] = 6;
    tap_ok(pf_table_append_unindexed(&table, rows, 3000) == 3002 &&
               pf_table_find(&table, rows[0]) == 0,
           "rows appended without an index are not found");
    known = pf_table_intern(&table, rows[2999]) == 6001;
    for (uint32_t k = 0; k < 3000; k++)
        known = known && pf_table_find(&table, rows[k]) == k + 3002;
    tap_ok(known && table.count == 6002,
           "rows appended without an index are found after the next intern");
    alarm(20); /* a search in a table without a free slot would never end */
    for (int times = 0; times < 4; times++)
        pf_table_append_unindexed(&table, rows, 3000);
    pf_table_truncate(&table, 18000);
    tap_ok(table.count == 18000 && pf_table_find(&table, (uint32_t[2]){0, 7}) == 1,
           "a table whose last rows have no slots is truncated");
    alarm(0);
    pf_table_free(&table);
}

static void test_zeroed(void)
{
    static const size_t counts[] = {0, 1, 1000, 262143, 262144, 1000000};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        unsigned char *bytes = pf_zeroed(counts[k], 8);
        bool zero = bytes || counts[k] == 0;

        for (size_t i = 0; zero && i < counts[k] * 8; i++)
            zero = bytes[i] == 0;
        if (bytes)
            memset(bytes, 0xff, counts[k] * 8); /* the next array may get the same address */
        free(bytes);
        tap_ok(zero, "%zu elements of 8 bytes are zero", counts[k]);
    }
    tap_ok(!pf_zeroed(SIZE_MAX / 8 + 2, 8), "a size that overflows is out of memory");
}

/* An empty line, which has no bytes to point to, is remembered like other lines. */
static void test_line_memo(void)
{
    struct pf_line_memo memo;
    const struct pf_bytes empty = {NULL, 0};

    tap_ok(pf_line_memo_init(&memo), "a memo of lines");
    tap_int(pf_line_memo_find(&memo, 0, empty), 0, "an empty line is not found before it is added");
    uint32_t id = pf_line_memo_intern(&memo, 0, empty);
    tap_int(pf_line_memo_find(&memo, 0, empty), id, "an empty line is found after it was added");
    pf_line_memo_free(&memo);
}

/* Tags 3, 7, 15 and 0 fill slots 3, 0, 1 and 2 of four. Of eight slots they want slots 3, 7, 7 and
 * 0: tag 15 goes around the end to slot 0, and tag 0 to slot 1. */
static void test_slots(void)
{
    static const uint32_t tags[8] = {15, 0, 0, 3, 0, 0, 0, 7}, ids[8] = {3, 4, 0, 1, 0, 0, 0, 2};

    for (size_t words = 2; words <= 3; words++) {
        uint32_t *slots = calloc(4 * words, sizeof *slots);
        size_t mask = 3, wrong = 0;

        for (size_t k = 0; slots && k < 8; k++)
            if (ids[k] != 0) {
                uint32_t *slot = slots + words * ((ids[k] + 2) % 4);
                slot[0] = tags[k];
                slot[1] = ids[k];
                slot[words - 1] = words == 2 ? ids[k] : 100 + ids[k];
            }
        tap_ok(slots && pf_slots_double(&slots, &mask, words * sizeof *slots) && mask == 7,
               "4 slots of %zu bytes become 8", words * sizeof *slots);
        for (size_t k = 0; slots && mask == 7 && k < 8; k++) {
            const uint32_t *slot = slots + words * k;
            uint32_t rest = words == 2 ? ids[k] : ids[k] ? 100 + ids[k] : 0;
            wrong += slot[0] != tags[k] || slot[1] != ids[k] || slot[words - 1] != rest;
        }
        tap_int((int64_t)wrong, 0,
                "each slot is at the place of its tag or after it, with all its bytes");
        free(slots);
    }
}

/* Expected values are worked out by hand. */
static void test_shortest(void)
{
    static const struct {
        const char *text;
        int status;
        int64_t value;
        unsigned places;
    } cases[] = {
        {"12.50", PF_OK, 125, 1},
        {"3e2", PF_OK, 300, 0},
        {"-0.00", PF_OK, 0, 0},
        {"0e-99", PF_OK, 0, 0},
        {"-9223372036854775808", PF_OK, INT64_MIN, 0},
        {"9223372036854775808", PF_OVERFLOW, 0, 0},
        {"0.000000000000000001", PF_OK, 1, 18},
        {"1e-19", PF_OVERFLOW, 0, 0},
        {"1e99999", PF_OVERFLOW, 0, 0},
        {"1.x", PF_FAILED, 0, 0},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int64_t value = 0;
        unsigned places = 0;
        int status = pf_decimal_shortest(pf_bytes_of(cases[k].text), &value, &places);

        tap_ok(status == cases[k].status &&
                   (status != PF_OK || (value == cases[k].value && places == cases[k].places)),
               "\"%s\" gives status %d, and without a failure %lld / 10^%u", cases[k].text,
               cases[k].status, (long long)cases[k].value, cases[k].places);
    }
}

/* The dates of 600 years, compared with those of libc. */
static void test_dates(void)
{
    unsigned wrong = 0;

    for (int64_t seconds = -9223372036; seconds <= 9223372036; seconds += 86399 * 7 + 13) {
        time_t moment = (time_t)seconds;
        struct tm parts;
        char text[PF_TIME_TEXT], expected[PF_TIME_TEXT];
        int64_t again, time;

        gmtime_r(&moment, &parts);
        snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
                 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
        wrong += !pf_time_of_seconds(seconds, &time);
        pf_time_print(time, text);
        wrong += strcmp(text, expected) != 0;
        wrong += !pf_time_parse(pf_bytes_of(text), &again) || again != time;
    }
    tap_ok(wrong == 0, "dates from 1677 to 2262 are those of gmtime_r, and are read back");
}

/* A zone whose clock counts leap seconds: 27 from 1972 to 2017. */
static void test_leap_seconds(void)
{
    char text[PF_TIME_TEXT];
    int64_t time;

    setenv("TZ", "right/UTC", 1);
    tzset();
    pf_time_print(INT64_C(1795208432) * 1000000000, text);
    tap_ok(strcmp(text, "2026-11-20T21:00:32Z") == 0, "times do not depend on TZ: %s", text);
    tap_ok(pf_time_parse(pf_bytes_of(text), &time) && time / 1000000000 == 1795208432,
           "the time is read back");
    unsetenv("TZ");
    tzset();
}

/* Expected values are those of date -u. */
static void test_times(void)
{
    static const struct {
        const char *text, *time; /* NULL: bad */
    } cases[] = {
        {"2026-11-23", "2026-11-23T00:00:00Z"},
        {"2026-11-23Z", "2026-11-23T00:00:00Z"},
        {"2026-11-23T14:05", "2026-11-23T14:05:00Z"},
        {"2026-11-23 14:05:06.25+01:30", "2026-11-23T12:35:06.25Z"},
        {"2024-02-29T23:59:60-0100", "2024-03-01T01:00:00Z"},
        {"@1795208304", "2026-11-20T20:58:24Z"},
        {"@-1.5", "1969-12-31T23:59:58.5Z"},
        {"@9223372036.854775807", "2262-04-11T23:47:16.854775807Z"},
        {"@9223372037", NULL},
        {"@", NULL},
        {"@1.", NULL},
        {"@1.0000000001", NULL},
        {"2026-02-29", NULL},
        {"2026-13-01", NULL},
        {"2026-1-1", NULL},
        {"2026-11-23T", NULL},
        {"2026-11-23T24:00", NULL},
        {"2026-11-23T14:05+24:00", NULL},
        {"2026-11-23T14:05 ", NULL},
        {"2263-01-01", NULL},
        {"1600-01-01", NULL},
        {"", NULL},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[PF_TIME_TEXT] = "";
        int64_t time;
        bool good = pf_time_parse(pf_bytes_of(cases[k].text), &time);

        if (good)
            pf_time_print(time, text);
        tap_ok(good == (cases[k].time != NULL) && (!good || strcmp(text, cases[k].time) == 0),
               "\"%s\" is %s", cases[k].text, cases[k].time ? cases[k].time : "no time");
    }
}

int main(void)
{
    test_zeroed();
    test_compare();
    test_utf8();
    test_ascii();
    test_wire();
    test_hash();
    test_parse_int();
    test_parse_scaled();
    test_scale();
    test_gcd();
    test_int128();
    test_print_int();
    test_parts();
    test_checked();
    test_memory();
    test_arena();
    test_table();
    test_error();
    test_table_append();
    test_line_memo();
    test_slots();
    test_dates();
    test_shortest();
    test_times();
    test_leap_seconds();
    return tap_done();
}
