/* The amounts that filters removed from the inputs of a merge (analysis/sum/removed.h). They are
 * weighted like the records, so that the total before all filters is still the sum of the records
 * and of the amounts removed. */
#ifndef PF_ANALYSIS_MERGE_REMOVED_H
#define PF_ANALYSIS_MERGE_REMOVED_H

#include "analysis/sum/removed.h"

/* Zero-initialise; free with pf_merge_removed_free. */
struct pf_merge_removed {
    struct pf_before input, all; /* of the current input; of the inputs before, in pieces */
};

void pf_merge_removed_free(struct pf_merge_removed *);
/* Begins an input. The amounts of the input before are forgotten unless pf_merge_removed_input
 * added them. */
void pf_merge_removed_begin(struct pf_merge_removed *);
/* Reads the rows `removed` of a META batch. PF_OK or PF_NOMEM. */
int pf_merge_removed_add(struct pf_merge_removed *, struct pf_dict *, const struct pf_batch *);
/* Ends the input: adds its amounts, multiplied by `times`. A sum that overflows 128 bits is
 * dropped. PF_OK or PF_NOMEM. */
int pf_merge_removed_input(struct pf_merge_removed *, const struct pf_dict *, pf_int128 times);
/* Call after the last input: converts the amounts to raw units of `pieces` pieces, rounded half to
 * even. */
void pf_merge_removed_end(struct pf_merge_removed *, const struct pf_dict *, pf_int128 pieces);

#endif
