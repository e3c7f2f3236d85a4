/* Finds the outermost label of one key in each label set: the group or part that a record belongs
 * to. A set is a chain of nodes; each node is looked at once, however many sets extend it. */
#ifndef PF_ANALYSIS_SUM_OUTERMOST_H
#define PF_ANALYSIS_SUM_OUTERMOST_H

#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with pf_outermost_free. */
struct pf_outermost {
    uint32_t *nodes; /* by label set: the set that ends with the label; 0: no label has the key */
    size_t count, capacity;
};

void pf_outermost_free(struct pf_outermost *);

/* Looks at the label sets that the dictionary got since the last call. Pass the same key each time.
 * False: out of memory. */
bool pf_outermost_extend(struct pf_outermost *, const struct pf_dict *, struct pf_bytes key);

/* The set that ends with the outermost label; 0 if no label has the key. */
static inline uint32_t pf_outermost_of(const struct pf_outermost *outermost, uint32_t labels)
{
    return outermost->nodes[labels];
}

#endif
