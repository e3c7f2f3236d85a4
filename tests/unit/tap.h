/* Test results as TAP lines on standard output. One program includes it once. */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failures;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
/* Prints the result of one test. Its name is a sentence that is true if `good`. */
static inline bool
tap_ok(bool good, const char *format, ...)
{
    va_list args;

    tap_count++;
    tap_failures += !good;
    printf("%s %d - ", good ? "ok" : "not ok", tap_count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    return good;
}

static inline bool tap_int(int64_t got, int64_t expected, const char *sentence)
{
    if (tap_ok(got == expected, "%s", sentence))
        return true;
    printf("# expected %" PRId64 ", got %" PRId64 "\n", expected, got);
    return false;
}

static inline bool tap_text(const char *got, const char *expected, const char *sentence)
{
    if (tap_ok(strcmp(got, expected) == 0, "%s", sentence))
        return true;
    printf("# expected \"%s\"\n#      got \"%s\"\n", expected, got);
    return false;
}

/* Prints the plan. Returns the exit status of main. */
static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failures == 0 ? 0 : 1;
}

#endif
