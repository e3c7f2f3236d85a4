/* The sides of a difference. A difference has three measures for each compared measure:
 * NAME.before, NAME.after and NAME.delta; folded stacks of a difference have two columns, `before`
 * and `after`. The side is a field of a measure (model/measure.h). The name has the side too, for
 * those who see only names: people, other formats, and readers of native streams of version 0.1.
 * Only this file knows these endings of names. */
#ifndef PF_MODEL_SIDE_H
#define PF_MODEL_SIDE_H

#include "base/bytes.h"

enum pf_side { PF_NO_SIDE, PF_BEFORE, PF_AFTER, PF_DELTA, PF_SIDES };

/* "before", "after", "delta". */
const char *pf_side_word(enum pf_side);
/* The side that the name of a measure tells; PF_NO_SIDE if none. */
enum pf_side pf_side_of_name(struct pf_bytes name);
/* The name of a measure of this side without the word of the side, but with the point before it,
 * so that the measures of one difference have the same stem. A name without the word is its own
 * stem. */
struct pf_bytes pf_side_stem(struct pf_bytes name, enum pf_side);

#endif
