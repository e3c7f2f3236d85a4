/* Tests of base/scan.h: what each function removes and returns. Expected values are written by
 * hand. */
#include "base/error.h"
#include "base/scan.h"

#include "tap.h"

/* Prints a word and the rest of the text as "WORD|REST". */
static const char *both(char *out, struct pf_bytes word, struct pf_bytes rest)
{
    snprintf(out, 200, "%.*s|%.*s", (int)word.size, word.data, (int)rest.size, rest.data);
    return out;
}

static void test_classes(void)
{
    unsigned digits = 0, hex = 0, letters = 0, words = 0;
    int sum = 0;

    for (int c = 0; c < 256; c++) {
        digits += pf_digit((char)c);
        letters += pf_letter((char)c);
        words += pf_word_char((char)c);
        if (pf_hex_digit((char)c) >= 0) {
            hex++;
            sum += pf_hex_digit((char)c);
        }
    }
    tap_int(digits, 10, "10 of 256 bytes are digits");
    tap_int(letters, 52, "52 of 256 bytes are letters");
    tap_int(words, 63, "63 of 256 bytes are letters, digits or _");
    tap_int(hex, 22, "22 of 256 bytes are hexadecimal digits");
    tap_int(sum, 45 + 2 * 75, "hexadecimal digits of both cases count 10 to 15");
    tap_ok(pf_digit('0') && pf_digit('9') && !pf_digit('/') && !pf_digit(':'), "digits: 0 to 9");
    tap_ok(pf_letter('a') && pf_letter('Z') && !pf_letter('@') && !pf_letter('[') &&
               !pf_letter('`') && !pf_letter('{'),
           "letters: A to Z, a to z");
    tap_ok(pf_hex_digit('F') == 15 && pf_hex_digit('a') == 10 && pf_hex_digit('g') == -1 &&
               pf_hex_digit('@') == -1 && pf_hex_digit('\x10') == -1,
           "hexadecimal digits have their values, and characters next to them are refused");
}

static void test_runs(void)
{
    tap_int((int64_t)pf_scan_digits(PF_BYTES("12a3")), 2, "digits at the beginning are counted");
    tap_int((int64_t)pf_scan_digits(PF_BYTES("a12")), 0, "no digit at the beginning");
    tap_int((int64_t)pf_without_digits(PF_BYTES("f.12")).size, 2, "digits at the end are left out");
    tap_int((int64_t)pf_without_digits(PF_BYTES("12")).size, 0,
            "removing digits from digits leaves nothing");
    tap_ok(pf_all_digits(PF_BYTES("007")) && !pf_all_digits(PF_BYTES("")) &&
               !pf_all_digits(PF_BYTES("-7")) && !pf_all_digits(PF_BYTES("7 ")),
           "all digits: at least one, and nothing else");
    tap_ok(pf_is_whole(PF_BYTES("-7")) && pf_is_whole(PF_BYTES("99999999999999999999")) &&
               !pf_is_whole(PF_BYTES("-")) && !pf_is_whole(PF_BYTES("7.0")),
           "whole numbers of any size");
    tap_ok(pf_all_of(PF_BYTES("r-xp"), "-rwxps") && !pf_all_of(PF_BYTES("r-x\0"), "-rwxps") &&
               pf_all_of(PF_BYTES(""), "a"),
           "all of a set: a NUL is in no set");
}

static void test_words(void)
{
    static const struct {
        struct pf_bytes text;
        const char *first, *last;
    } cases[] = {
        {PF_BYTES("one two three"), "one| two three", "three|one two "},
        {PF_BYTES("  one\t two \r"), "one|\t two \r", "two|  one\t "},
        {PF_BYTES("one"), "one|", "one|"},
        {PF_BYTES(" \t "), "|", "|"},
        {PF_BYTES(""), "|", "|"},
    };
    char out[200];

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pf_bytes rest = cases[k].text, word = pf_scan_word(&rest);

        tap_text(both(out, word, rest), cases[k].first, "first word, and the rest");
        rest = cases[k].text;
        word = pf_scan_last_word(&rest);
        tap_text(both(out, word, rest), cases[k].last, "last word, and the rest");
    }
}

static void test_fields(void)
{
    struct pf_bytes text = PF_BYTES("a;;b"), field;
    char out[200];

    tap_ok(pf_scan_field(&text, ';', &field), "a field before a separator");
    tap_text(both(out, field, text), "a|;b", "the separator is removed");
    tap_ok(pf_scan_field(&text, ';', &field), "an empty field before a separator");
    tap_text(both(out, field, text), "|b", "the empty field leaves the rest");
    tap_ok(!pf_scan_field(&text, ';', &field), "no separator is left");
    tap_text(both(out, field, text), "b|", "the last field is all of the text");
    tap_ok(!pf_scan_field(&text, ';', &field) && field.size == 0, "nothing is left");
    text = PF_BYTES("0x1f");
    tap_ok(!pf_scan_past(&text, PF_BYTES("0X")) && text.size == 4,
           "a text with another beginning is unchanged");
    tap_ok(pf_scan_past(&text, PF_BYTES("0x")) && text.size == 2,
           "the expected beginning is removed");
    tap_ok(!pf_scan_0x(&text), "1f does not begin with 0x");
    tap_ok(!pf_scan_past(&text, PF_BYTES("1f2")) && text.size == 2,
           "a text shorter than the beginning is unchanged");
    text = PF_BYTES("0X");
    tap_ok(!pf_scan_0x(&text) && text.size == 2, "0X alone stays: its 0 is the number");
    text = PF_BYTES("0X1f");
    tap_ok(pf_scan_0x(&text) && text.size == 2, "0X before more text is removed");
    text = PF_BYTES("a \t b c");
    field = pf_scan_column(&text);
    tap_text(both(out, field, text), "a|b c", "the first column, and the rest without its blanks");
    text = PF_BYTES(" b");
    field = pf_scan_column(&text);
    tap_text(both(out, field, text), "|b", "an empty column");
    text = PF_BYTES(" \t x ");
    pf_scan_blanks(&text);
    tap_text(both(out, text, PF_BYTES("")), "x |", "blanks at the beginning are removed");
}

/* 2^64 - 1 is 18446744073709551615. */
static void test_numbers(void)
{
    static const struct {
        struct pf_bytes text;
        uint64_t most;
        bool good;
        uint64_t number;
        const char *rest;
    } cases[] = {
        {PF_BYTES("42"), UINT64_MAX, true, 42, ""},
        {PF_BYTES("42 43"), UINT64_MAX, true, 42, " 43"},
        {PF_BYTES("0"), 0, true, 0, ""},
        {PF_BYTES("1"), 0, false, 0, "1"},
        {PF_BYTES(""), UINT64_MAX, false, 0, ""},
        {PF_BYTES("+1"), UINT64_MAX, false, 0, "+1"},
        {PF_BYTES("-1"), UINT64_MAX, false, 0, "-1"},
        {PF_BYTES("18446744073709551615;"), UINT64_MAX, true, UINT64_MAX, ";"},
        {PF_BYTES("18446744073709551616"), UINT64_MAX, false, 0, "18446744073709551616"},
        {PF_BYTES("99999999999999999999"), UINT64_MAX, false, 0, "99999999999999999999"},
        {PF_BYTES("184467440737095516150"), UINT64_MAX, false, 0, "184467440737095516150"},
        {PF_BYTES("000000000000000000000000000007"), UINT64_MAX, true, 7, ""},
        {PF_BYTES("4294967295"), UINT32_MAX, true, UINT32_MAX, ""},
        {PF_BYTES("4294967296"), UINT32_MAX, false, 0, "4294967296"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pf_bytes text = cases[k].text;
        uint64_t number = 0, all = 0;
        bool good = pf_scan_number(&text, cases[k].most, &number);

        tap_ok(good == cases[k].good && number == cases[k].number &&
                   pf_bytes_equal(text, pf_bytes_of(cases[k].rest)),
               "the decimal number in '%.*s'", (int)cases[k].text.size, cases[k].text.data);
        good = pf_parse_digits(cases[k].text, cases[k].most, &all);
        tap_ok(good == (cases[k].good && *cases[k].rest == '\0') && all == (good ? number : 0),
               "'%.*s' as one decimal number", (int)cases[k].text.size, cases[k].text.data);
    }
    int64_t value = 5;

    tap_ok(pf_parse_whole(PF_BYTES("-1"), -1, 9, &value) && value == -1 &&
               pf_parse_whole(PF_BYTES("9"), -1, 9, &value) && value == 9,
           "whole numbers from -1 to 9");
    tap_ok(!pf_parse_whole(PF_BYTES("+1"), -1, 9, &value) &&
               !pf_parse_whole(PF_BYTES("-2"), -1, 9, &value) &&
               !pf_parse_whole(PF_BYTES("10"), -1, 9, &value) &&
               !pf_parse_whole(PF_BYTES(""), -1, 9, &value) && value == 9,
           "a sign +, numbers outside the range and nothing are refused");
}

static void test_hex(void)
{
    static const struct {
        struct pf_bytes text;
        bool good;
        uint64_t number;
        const char *rest;
    } cases[] = {
        {PF_BYTES("1f"), true, 31, ""},
        {PF_BYTES("1F-"), true, 31, "-"},
        {PF_BYTES("ffffffffffffffff"), true, UINT64_MAX, ""},
        {PF_BYTES("0ffffffffffffffff"), true, UINT64_MAX, ""},
        {PF_BYTES("10000000000000000"), false, 0, "10000000000000000"},
        {PF_BYTES("0x1f"), true, 0, "x1f"},
        {PF_BYTES("g"), false, 0, "g"},
        {PF_BYTES(""), false, 0, ""},
    };
    uint64_t number = 7;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pf_bytes text = cases[k].text;
        bool good = pf_scan_hex(&text, &number);

        tap_ok(good == cases[k].good && (!good || number == cases[k].number) &&
                   pf_bytes_equal(text, pf_bytes_of(cases[k].rest)),
               "the hexadecimal number in '%.*s'", (int)cases[k].text.size, cases[k].text.data);
    }
    number = 7;
    tap_ok(!pf_parse_hex(PF_BYTES("1f "), &number) && !pf_parse_address(PF_BYTES("1f"), &number) &&
               !pf_parse_address(PF_BYTES("0x"), &number) &&
               !pf_parse_address(PF_BYTES("0x1g"), &number) &&
               !pf_parse_address(PF_BYTES("0x10000000000000000"), &number) && number == 7,
           "texts that are not an address leave the number unchanged");
    tap_ok(pf_parse_address(PF_BYTES("0xFFFFffff81000000"), &number) &&
               number == 0xffffffff81000000u,
           "an address of 64 bits");
    tap_int(pf_percent_byte(PF_BYTES("%2fx")), '/', "a byte in hexadecimal after a percent sign");
    tap_int(pf_percent_byte(PF_BYTES("%Fe")), 0xfe, "a byte in hexadecimal digits of both cases");
    tap_ok(pf_percent_byte(PF_BYTES("%2")) < 0 && pf_percent_byte(PF_BYTES("%2g")) < 0 &&
               pf_percent_byte(PF_BYTES("2f0")) < 0,
           "one digit, another letter and no percent sign are refused");
}

/* A clipped text has 100 bytes and three dots. */
static void test_clip(void)
{
    char text[300], expected[300];
    struct pf_error error = {0}, bare = {0};

    memset(text, 'x', sizeof text);
    snprintf(expected, sizeof expected, "%.100s...", text);
    tap_text(pf_clip(PF_BYTES("short")).text, "short", "a short name stays");
    tap_text(pf_clip((struct pf_bytes){NULL, 0}).text, "", "an empty name is not clipped");
    tap_ok(strlen(pf_clip((struct pf_bytes){text, 100}).text) == 100, "100 bytes stay");
    tap_text(pf_clip((struct pf_bytes){text, 101}).text, expected, "101 bytes are clipped");
    memcpy(text + 98, "\xe2\x89\xa2", 3);
    snprintf(expected, sizeof expected, "%.98s...", text);
    tap_text(pf_clip((struct pf_bytes){text, 200}).text, expected,
             "a clipped name has no part of a UTF-8 character");
    pf_error_line(&error, 99, 7, PF_BYTES("a b"), "expected a number");
    tap_text(error.text, "line 7: expected a number: 'a b'",
             "the error of a bad line says where, what, and how the line begins");
    tap_ok(error.code == PF_FAILED && error.has_offset && error.offset == 99, "and its offset");
    pf_error_line(&bare, 99, 7, (struct pf_bytes){NULL, 0}, "the file ends inside it");
    tap_text(bare.text, "line 7: the file ends inside it",
             "the error of a cut line does not show the line");
}

int main(void)
{
    test_classes();
    test_runs();
    test_words();
    test_fields();
    test_numbers();
    test_hex();
    test_clip();
    return tap_done();
}
