/* s/RE/TEXT/FLAGS as sed has it: any byte may stand for '/', in TEXT & is what matched and \1 to \9
 * are the groups; flags g (all matches) and i (as PF_PATTERN_IGNORE_CASE). */
#ifndef PF_ANALYSIS_FILTER_SUBSTITUTE_H
#define PF_ANALYSIS_FILTER_SUBSTITUTE_H

#include "analysis/filter/pattern.h"
#include "base/memory.h"

#include <stdbool.h>

struct pf_substitution {
    struct pf_pattern pattern;
    char *expression;  /* RE without the escapes of the delimiter */
    char *replacement; /* TEXT likewise, & and backslashes as they were */
    bool all;
};

/* PF_OK, PF_USAGE with the reason, PF_NOMEM. Free only after PF_OK. */
int pf_substitution_parse(struct pf_substitution *, const char *text, unsigned flags,
                          struct pf_error *);
void pf_substitution_free(struct pf_substitution *);

/* Writes `name` (a NUL stands behind it) with the replacements made to `out`, which is emptied
 * first and ends with a NUL that is not counted. False: nothing matched, `out` means nothing; or
 * memory ran out: out->failed, or the pattern's status. */
bool pf_substitution_apply(struct pf_substitution *, struct pf_bytes name, struct pf_buffer *out);

#endif
