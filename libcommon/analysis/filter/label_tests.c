#include "analysis/filter/label_tests.h"

#include "analysis/names/name_list.h"
#include "base/number.h"
#include "model/units.h"
#include "model/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pf_label_test {
    enum pf_label_mark mark;
    enum label_rule { ANY_VALUE, GLOB, EXPRESSION, RANGE } rule;
    struct pf_bytes key;
    const char *text; /* the glob or the expression */
    unsigned flags;
    struct pf_pattern pattern;
    int64_t low, high;
    bool typed; /* as in struct pf_pattern */
    bool matched, key_seen;
};

void pf_label_tests_free(struct pf_label_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++)
        if (tests->tests[i].rule == EXPRESSION)
            pf_pattern_free(&tests->tests[i].pattern);
    free(tests->tests);
    free(tests->sets);
    pf_buffer_free(&tests->shown);
    *tests = (struct pf_label_tests){0};
}

/* Parses LOW:HIGH; one of them may be omitted. */
static bool parse_range(const char *text, int64_t *low, int64_t *high)
{
    static const char suffixes[] = PF_COUNT_SUFFIXES;
    const char *colon = strchr(text, ':');

    *low = INT64_MIN;
    *high = INT64_MAX;
    if (!colon || (colon == text && colon[1] == '\0'))
        return false;
    if (colon > text &&
        !pf_parse_scaled((struct pf_bytes){text, (size_t)(colon - text)}, suffixes, low))
        return false;
    return colon[1] == '\0' || pf_parse_scaled(pf_bytes_of(colon + 1), suffixes, high);
}

static int parse_label(struct pf_label_test *test, const char *text, unsigned flags,
                       struct pf_error *error)
{
    const char *equals = strchr(text, '=');

    test->key = (struct pf_bytes){text, equals ? (size_t)(equals - text) : strlen(text)};
    if (test->key.size == 0)
        return pf_error_set(error, PF_USAGE, "'%s' is not of the form KEY, KEY=RE or KEY=LOW:HIGH",
                            text);
    if (!equals)
        return PF_OK;
    test->text = equals + 1;
    if (!(flags & PF_PATTERN_FIXED) && parse_range(test->text, &test->low, &test->high)) {
        test->rule = RANGE;
        return PF_OK;
    }
    test->rule = EXPRESSION;
    return pf_pattern_compile(&test->pattern, test->text, flags, error);
}

int pf_label_tests_add(struct pf_label_tests *tests, enum pf_label_mark mark, const char *text,
                       unsigned flags, struct pf_error *error)
{
    struct pf_label_test test = {.mark = mark, .flags = flags};
    int status = PF_OK;

    if (!pf_grow(&tests->tests, &tests->test_capacity, tests->count + 1, sizeof test))
        return pf_error_nomem(error);
    if (mark == PF_LABEL_SECTION) {
        test.rule = GLOB;
        test.key = PF_BYTES("section");
        test.text = text;
    } else {
        status = parse_label(&test, text, flags, error);
    }
    test.typed = test.text && pf_pattern_typed(test.text);
    if (status == PF_OK)
        tests->tests[tests->count++] = test;
    return status;
}

int pf_label_tests_prepare(struct pf_label_tests *tests, const struct pf_dict *dict)
{
    return pf_grow_clear(&tests->sets, &tests->set_capacity, dict->labels.count, 1) ? PF_OK
                                                                                    : PF_NOMEM;
}

/* The value as text; a number is printed into `scratch`. */
static struct pf_bytes value_text(const struct pf_dict *dict, const struct pf_label *label,
                                  char scratch[32])
{
    if (!label->numeric)
        return pf_dict_string(dict, label->text);
    return (struct pf_bytes){scratch,
                             (size_t)snprintf(scratch, 32, "%lld", (long long)label->number)};
}

static bool in_range(const struct pf_label_test *test, const struct pf_label *label,
                     struct pf_bytes value)
{
    int64_t number = label->number;

    if (!label->numeric && !pf_parse_int(value, INT64_MIN, INT64_MAX, &number))
        return false;
    return number >= test->low && number <= test->high;
}

static bool shown_string(const struct pf_dict *dict, uint32_t string, struct pf_buffer *scratch,
                         struct pf_bytes *shown)
{
    return pf_shown_name(pf_dict_string(dict, string), dict->strings.rows[string].flags, scratch,
                         shown);
}

/* True if a label fits the test; `value` is its value, as stored or as shown. */
static bool matches(struct pf_label_test *test, const struct pf_label *label, struct pf_bytes value)
{
    if (test->rule == GLOB)
        return pf_glob_match(test->text, test->flags, value);
    return test->rule == ANY_VALUE || (test->rule == RANGE && in_range(test, label, value)) ||
           (test->rule == EXPRESSION && pf_pattern_match(&test->pattern, value));
}

static bool test_label(struct pf_label_tests *tests, struct pf_label_test *test,
                       const struct pf_dict *dict, const struct pf_label *label)
{
    char scratch[32];
    struct pf_bytes shown;

    if (!pf_bytes_equal(pf_dict_string(dict, label->key), test->key))
        return false;
    test->key_seen = true;
    return matches(test, label, value_text(dict, label, scratch)) ||
           (test->typed && !label->numeric &&
            shown_string(dict, label->text, &tests->shown, &shown) && matches(test, label, shown));
}

static uint8_t marks_of_label(struct pf_label_tests *tests, const struct pf_dict *dict,
                              const struct pf_label *label)
{
    uint8_t marks = label->key == dict->section_key ? PF_LABEL_IN_SECTION : 0;

    for (size_t i = 0; i < tests->count; i++)
        if (test_label(tests, &tests->tests[i], dict, label)) {
            tests->tests[i].matched = true;
            marks |= (uint8_t)tests->tests[i].mark;
        }
    return marks;
}

uint8_t pf_label_tests_look(struct pf_label_tests *tests, const struct pf_dict *dict,
                            uint32_t labels)
{
    uint8_t marks = PF_LABEL_KNOWN;

    for (uint32_t at = labels; at != 0; at = pf_dict_label(dict, at)->parent) {
        if (tests->sets[at] != 0) {
            marks |= tests->sets[at];
            break;
        }
        marks |= marks_of_label(tests, dict, pf_dict_label(dict, at));
    }
    tests->sets[labels] = marks;
    tests->seen |= marks;
    if (!(marks & PF_LABEL_IN_SECTION))
        tests->seen_outside = true;
    return marks;
}

int pf_label_tests_status(const struct pf_label_tests *tests)
{
    if (tests->shown.failed)
        return PF_NOMEM;
    for (size_t i = 0; i < tests->count; i++)
        if (tests->tests[i].rule == EXPRESSION && tests->tests[i].pattern.status != PF_OK)
            return tests->tests[i].pattern.status;
    return PF_OK;
}

/* --- names for messages ----------------------------------------------------------------------- */

/* Adds a label's key, or its value, as shown. */
static int add_label_name(struct pf_name_list *list, const struct pf_dict *dict,
                          const struct pf_label *label, bool key)
{
    char scratch[32];

    if (!key && label->numeric)
        return pf_name_list_add(list, value_text(dict, label, scratch), true);
    return pf_name_list_add_string(list, dict, key ? label->key : label->text);
}

/* Lists the keys of all tested sets, or the values of one key. */
static int list_names(const struct pf_label_tests *tests, const struct pf_dict *dict,
                      const struct pf_bytes *key, struct pf_name_list *list)
{
    uint8_t *seen = calloc(dict->labels.count, 1);
    int status = seen ? PF_OK : PF_NOMEM;

    for (uint32_t set = 1; set < dict->labels.count && set < tests->set_capacity; set++) {
        if (tests->sets[set] == 0)
            continue;
        for (uint32_t at = set; at != 0 && status == PF_OK && !seen[at];) {
            const struct pf_label *label = pf_dict_label(dict, at);

            seen[at] = 1;
            if (!key || pf_bytes_equal(pf_dict_string(dict, label->key), *key))
                status = add_label_name(list, dict, label, !key);
            at = label->parent;
        }
    }
    free(seen);
    pf_name_list_sort(list);
    return status;
}

static void report_section(const struct pf_label_test *test, const char *format, const char *names,
                           const struct pf_report *report)
{
    if (names[0] != '\0')
        pf_report_send(report, PF_WARNING, "no record is in section '%s'; sections here: %s",
                       test->text, names);
    else if (format)
        pf_report_send(report, PF_WARNING,
                       "no record is in section '%s'; this %s profile has no sections", test->text,
                       format);
    else
        pf_report_send(report, PF_WARNING,
                       "no record is in section '%s'; the inputs have no sections", test->text);
}

static void report_label(const struct pf_label_test *test, const char *names,
                         const struct pf_report *report)
{
    if (test->key_seen)
        pf_report_send(report, PF_WARNING, "no label '%s' %s '%s'; values here: %s",
                       pf_clip(test->key).text, test->rule == RANGE ? "lies in" : "matches",
                       test->text, names);
    else
        pf_report_send(report, PF_WARNING, "no record has a label '%s'; %s%s",
                       pf_clip(test->key).text,
                       names[0] != '\0' ? "labels here: " : "the inputs have no labels", names);
}

int pf_label_tests_report(const struct pf_label_tests *tests, const struct pf_dict *dict,
                          const char *format, const struct pf_report *report)
{
    int status = PF_OK;

    for (size_t i = 0; i < tests->count && status == PF_OK; i++) {
        const struct pf_label_test *test = &tests->tests[i];
        struct pf_name_list list = {0};
        char names[600] = "";

        if (test->matched)
            continue;
        status = list_names(tests, dict, test->rule == GLOB || test->key_seen ? &test->key : NULL,
                            &list);
        pf_name_list_join(&list, names, sizeof names);
        if (test->rule == GLOB)
            report_section(test, format, names, report);
        else
            report_label(test, names, report);
        pf_name_list_free(&list);
    }
    return status;
}
