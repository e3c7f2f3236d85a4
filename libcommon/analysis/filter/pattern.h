/* Expressions that names are matched against. Names may hold any byte; matching is byte by byte, so
 * an expression means the same in every locale (and -i knows the letters of ASCII). No expression
 * matches a NUL byte: what stands before and after one is looked at by itself, and ^ and $ keep
 * meaning the ends of the whole name. Names that are no UTF-8 are shown in other bytes
 * (analysis/names/shown.h): an expression in UTF-8 that is not ASCII is to be held against those
 * too. */
#ifndef PF_ANALYSIS_FILTER_PATTERN_H
#define PF_ANALYSIS_FILTER_PATTERN_H

#include "base/bytes.h"
#include "base/error.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

enum pf_pattern_flag { PF_PATTERN_IGNORE_CASE = 1, PF_PATTERN_FIXED = 2 };

/* A POSIX extended regular expression, unanchored; with PF_PATTERN_FIXED a string to be found. */
struct pf_pattern {
    const char *text; /* as it was given; borrowed */
    regex_t regex;
    bool typed; /* holds more than ASCII: it is what somebody saw and typed */
    int status; /* PF_OK or PF_NOMEM, which stays: matching ran out of memory */
};

/* PF_OK, PF_USAGE with the reason for a bad expression, PF_NOMEM. `text` must outlive the pattern.
 * Free only after PF_OK. */
int pf_pattern_compile(struct pf_pattern *, const char *text, unsigned flags, struct pf_error *);
void pf_pattern_free(struct pf_pattern *);

/* A NUL must stand behind the bytes of `name`, as it does behind every string of a dictionary. */
bool pf_pattern_match(struct pf_pattern *, struct pf_bytes name);
/* The first match at or after `from`: offsets in `name` of it and of its groups. A bracketed group
 * that took no part is -1. */
enum { PF_PATTERN_GROUPS = 10 };
bool pf_pattern_find(struct pf_pattern *, struct pf_bytes name, size_t from,
                     regmatch_t groups[PF_PATTERN_GROUPS]);

/* Whether an expression is UTF-8 and not ASCII. */
bool pf_pattern_typed(const char *text);

/* Whether the whole name is one that a shell's pattern allows: '*' any bytes, '?' one character (a
 * byte where the bytes are not UTF-8), [a-z] and [!a-z] one byte, backslash takes a special
 * character for itself. With PF_PATTERN_FIXED: is that string. */
bool pf_glob_match(const char *glob, unsigned flags, struct pf_bytes name);

#endif
