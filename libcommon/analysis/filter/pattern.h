/* Expressions for names. Names may contain any byte; matching is byte by byte, so an expression
 * means the same in every locale (and -i knows the letters of ASCII). No expression matches a
 * NUL byte: the parts before and after a NUL are matched separately, and ^ and $ still mean the
 * ends of the whole name. Names that are not UTF-8 are shown with other bytes
 * (analysis/names/shown.h): match expressions in UTF-8 beyond ASCII against the shown name too. */
#ifndef PF_ANALYSIS_FILTER_PATTERN_H
#define PF_ANALYSIS_FILTER_PATTERN_H

#include "base/bytes.h"
#include "base/error.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

enum pf_pattern_flag { PF_PATTERN_IGNORE_CASE = 1, PF_PATTERN_FIXED = 2 };

/* A POSIX extended regular expression, unanchored; with PF_PATTERN_FIXED a plain string. */
struct pf_pattern {
    const char *text; /* as it was given; borrowed */
    regex_t regex;
    bool typed; /* the expression is UTF-8 beyond ASCII */
    int status; /* PF_OK, or PF_NOMEM after matching ran out of memory; stays */
};

/* PF_OK, PF_USAGE with the reason for a bad expression, PF_NOMEM. `text` must outlive the pattern.
 * Free only after PF_OK. */
int pf_pattern_compile(struct pf_pattern *, const char *text, unsigned flags, struct pf_error *);
void pf_pattern_free(struct pf_pattern *);

/* The bytes of `name` must be followed by a NUL, as every string of a dictionary is. */
bool pf_pattern_match(struct pf_pattern *, struct pf_bytes name);
/* The first match at or after `from`: the offsets of the match and of its groups in `name`. An
 * unused group is -1. */
enum { PF_PATTERN_GROUPS = 10 };
bool pf_pattern_find(struct pf_pattern *, struct pf_bytes name, size_t from,
                     regmatch_t groups[PF_PATTERN_GROUPS]);

/* Whether an expression is UTF-8 and not ASCII. */
bool pf_pattern_typed(const char *text);

/* Whether the whole name matches a shell pattern: '*' any bytes, '?' one character (one byte if
 * the bytes are not UTF-8), [a-z] and [!a-z] one byte; a backslash escapes a special character.
 * With PF_PATTERN_FIXED: whether the name is that string. */
bool pf_glob_match(const char *glob, unsigned flags, struct pf_bytes name);

#endif
