/* Expressions for names. Names may contain any byte. Matching is byte by byte, so an expression
 * means the same in every locale, and -i knows only the letters of ASCII. No expression matches a
 * NUL byte: the parts before and after a NUL are matched separately, and ^ and $ still mean the
 * ends of the whole name. Names that are not UTF-8 are shown with other bytes than they have
 * (model/utf8.h), so match an expression that is UTF-8 but not ASCII against the shown name too. */
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
    const char *text; /* as given; borrowed */
    regex_t regex;
    bool typed; /* the expression is UTF-8 but not ASCII */
    int status; /* PF_OK, or PF_NOMEM after matching ran out of memory; stays */
};

/* Compiles an expression. `text` must outlive the pattern. PF_OK; PF_USAGE with the reason if the
 * expression is invalid, or too large for regcomp; PF_NOMEM. Free the pattern only after PF_OK. */
int pf_pattern_compile(struct pf_pattern *, const char *text, unsigned flags, struct pf_error *);
void pf_pattern_free(struct pf_pattern *);

/* True if the expression matches a part of `name`. A NUL must follow the bytes of `name`, as in
 * every string of a dictionary. False also if memory runs out; then pattern->status is PF_NOMEM. */
bool pf_pattern_match(struct pf_pattern *, struct pf_bytes name);
/* Finds the first match at or after `from`. groups[] has the offsets in `name` of the match and of
 * its groups; -1 for a group that took no part. A NUL must follow `name`. *end receives the end of
 * the searched part of the name (the parts are separated by NUL). Search a name from 0 first; pass
 * the same *end with each later `from`, so that many matches in a long name take linear time. False
 * as pf_pattern_match. */
enum { PF_PATTERN_GROUPS = 10 };
bool pf_pattern_find(struct pf_pattern *, struct pf_bytes name, size_t from, size_t *end,
                     regmatch_t groups[PF_PATTERN_GROUPS]);

/* True if an expression is UTF-8 but not ASCII. */
bool pf_pattern_typed(const char *text);

/* True if the whole name matches a shell pattern: '*' matches any bytes, '?' one character (one
 * byte if the bytes are not UTF-8), [a-z] and [!a-z] one byte; a backslash escapes a special
 * character. With PF_PATTERN_FIXED: whether the name equals the string. */
bool pf_glob_match(const char *glob, unsigned flags, struct pf_bytes name);

#endif
