/* s/RE/TEXT/FLAGS as in sed: any byte may take the place of '/'; in TEXT & is the match, \1 to \9
 * are the groups, \n is a newline. Flags: g (all matches), i or I (as PF_PATTERN_IGNORE_CASE). */
#ifndef PF_ANALYSIS_FILTER_SUBSTITUTE_H
#define PF_ANALYSIS_FILTER_SUBSTITUTE_H

#include "analysis/filter/pattern.h"
#include "base/memory.h"

#include <stdbool.h>

struct pf_substitution {
    struct pf_pattern pattern;
    char *expression;  /* RE without the escapes of the delimiter */
    char *replacement; /* TEXT without the escapes of the delimiter; & and other escapes are kept */
    bool all;
};

/* Parses a command. `flags`: enum pf_pattern_flag. PF_OK, PF_USAGE with the reason, PF_NOMEM. Free
 * only after PF_OK. */
int pf_substitution_parse(struct pf_substitution *, const char *text, unsigned flags,
                          struct pf_error *);
void pf_substitution_free(struct pf_substitution *);

/* Replaces matches in `name`, which a NUL must follow. The result is in `out`, which is emptied
 * first; a NUL that is not counted follows it. False: nothing matched, or memory ran out
 * (out->failed, or the pattern's status); then `out` is undefined. */
bool pf_substitution_apply(struct pf_substitution *, struct pf_bytes name, struct pf_buffer *out);

#endif
