/* What filters took away from the inputs of a merge (analysis/sum/removed.h), weighted as their
 * records are, so that the total before all filters stays the total at hand and what was
 * removed. */
#ifndef PF_ANALYSIS_MERGE_REMOVED_H
#define PF_ANALYSIS_MERGE_REMOVED_H

#include "analysis/sum/removed.h"

/* Zero-initialise; free with pf_merge_removed_free. */
struct pf_merge_removed {
    struct pf_before input, all; /* of the input at hand; of those before, in pieces */
};

void pf_merge_removed_free(struct pf_merge_removed *);
/* An input begins: what the last input said counts only if pf_merge_removed_input added it. */
void pf_merge_removed_begin(struct pf_merge_removed *);
/* Takes what a META batch says of it. PF_OK or PF_NOMEM. */
int pf_merge_removed_add(struct pf_merge_removed *, struct pf_dict *, const struct pf_batch *);
/* The input at hand has ended; its amounts count `times` pieces. What leaves 128 bits is forgotten.
 * PF_OK or PF_NOMEM. */
int pf_merge_removed_input(struct pf_merge_removed *, const struct pf_dict *, pf_int128 times);
/* All were given: amounts become whole numbers of raw units, of `pieces` each. */
void pf_merge_removed_end(struct pf_merge_removed *, const struct pf_dict *, pf_int128 pieces);

#endif
