/* The sides of a difference. A difference has three measures for each measure that it compares:
 * NAME.before, NAME.after and NAME.delta. Two columns of folded stacks are called `before` and
 * `after`. Only this file knows these names. */
#ifndef PF_MODEL_SIDE_H
#define PF_MODEL_SIDE_H

#include "base/bytes.h"

enum pf_side { PF_BEFORE, PF_AFTER, PF_DELTA, PF_SIDES };

/* before, after, delta. */
const char *pf_side_word(enum pf_side);
/* The side that the name of a measure tells; PF_SIDES: none. *stem is the part of the name before
 * the word, with its point: the measures of one difference have the same stem. */
enum pf_side pf_side_of(struct pf_bytes name, struct pf_bytes *stem);

#endif
