/* What a picture of a difference says of its functions: whether the change of a function is more
 * than chance. */
#ifndef PF_RENDER_FLAME_VERDICT_H
#define PF_RENDER_FLAME_VERDICT_H

#include "analysis/diff/verdicts.h"
#include "analysis/table/flame.h"

#include <stdbool.h>
#include <stdint.h>

/* The verdicts of one subject. Zero-initialise; free with pf_verdict_marks_free. */
struct pf_verdict_marks {
    const struct pf_diff_table *table; /* NULL: nothing is known */
    /* by function of the flame graph, the total for 0; NULL: the table has no such row */
    const struct pf_diff_row **rows;
    /* a change may be certain: the runs were tested, or the amounts are exact */
    bool judged;
};

/* Finds the verdicts of the functions, call after pf_flame_make. `verdicts` is borrowed; NULL:
 * nothing is known. PF_OK or PF_NOMEM. */
int pf_verdict_marks_find(struct pf_verdict_marks *, const struct pf_verdicts *verdicts,
                          const struct pf_flame *, const struct pf_flame_subject *);
void pf_verdict_marks_free(struct pf_verdict_marks *);

/* The verdict of a function, 0: the total: '+', '-', '=', '~' or '.' (struct pf_diff_row); ' ' if
 * it is not known, or if nothing was judged. */
char pf_verdict_mark(const struct pf_verdict_marks *, uint32_t function);
/* True if a verdict says that the change is not significant. */
bool pf_verdict_pale(char verdict);

/* Prints the verdict with its numbers: "function: +9.9%, 95% interval +2.7 .. +17.7%, q = 0.0183,
 * + more". Empty if nothing is known; without "(", `<` and `&`. */
enum { PF_VERDICT_TEXT = 240 };
void pf_verdict_text(const struct pf_verdict_marks *, uint32_t function,
                     char text[PF_VERDICT_TEXT]);

#endif
