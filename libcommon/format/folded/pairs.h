/* Lines of folded stacks that end in two counts, held until it is known whether all lines of the input do. */
#ifndef PF_FORMAT_FOLDED_PAIRS_H
#define PF_FORMAT_FOLDED_PAIRS_H

#include "base/memory.h"
#include "format/folded/folded.h"

struct pf_folded_pair {
    uint32_t stack;
    uint32_t tail_size;
    size_t tail; /* where the first count stands in the tails, with the blanks before it */
    struct pf_folded_count before, after;
};

/* Zero-initialise. */
struct pf_folded_pairs {
    struct pf_folded_pair *rows;
    size_t count, capacity;
    struct pf_buffer tails;
    unsigned decimals; /* most of any count */
};

/* False: out of memory. */
bool pf_folded_pairs_add(struct pf_folded_pairs *, uint32_t stack, struct pf_bytes tail, struct pf_folded_count before,
                         struct pf_folded_count after);
void pf_folded_pairs_free(struct pf_folded_pairs *);

#endif
