/* The change of a row of a difference in words, the same in tables and pictures. */
#ifndef PF_RENDER_DIFF_WORDS_H
#define PF_RENDER_DIFF_WORDS_H

#include "analysis/diff/rows.h"

/* Size of a text, with its NUL. */
enum { PF_DIFF_WORD = 48 };

/* Prints the change of the means: "+9.9%", from ten times the amount before on "14x"; "-" if the
 * amount before or after is 0. */
void pf_diff_print_change(const struct pf_diff_row *, const struct pf_diff_means *,
                          char text[PF_DIFF_WORD]);
/* Prints the 95 % interval of the change in the same form: "+2.7 .. +17.7%", "11.2x .. 17x". Empty
 * if the row was not tested, the amount before or after is 0, or the interval is unbounded. */
void pf_diff_print_interval(const struct pf_diff_row *, const struct pf_diff_means *,
                            char text[PF_DIFF_WORD]);
/* Prints q: "0.0183", "1e-09". Empty if the row was not tested. */
void pf_diff_print_q(const struct pf_diff_row *, char text[PF_DIFF_WORD]);

#endif
