/* The amounts that filters removed from the inputs of a merge (analysis/sum/removed.h). They are
 * weighted like the records, so that the total before all filters is still the sum of the records
 * and of the amounts removed. */
#ifndef PF_ANALYSIS_MERGE_REMOVED_H
#define PF_ANALYSIS_MERGE_REMOVED_H

#include "analysis/sum/removed.h"

/* Adds what the rows `removed` in the metadata of an input say, multiplied by `times`. A sum that
 * overflows 128 bits is dropped. PF_OK or PF_NOMEM. */
int pf_merge_removed_add(struct pf_before *all, struct pf_dict *, const struct pf_batch *,
                         pf_int128 times);
/* Call after the last input: converts the amounts to raw units of `pieces` pieces, rounded half to
 * even. */
void pf_merge_removed_end(struct pf_before *all, const struct pf_dict *, pf_int128 pieces);

#endif
