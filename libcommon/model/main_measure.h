/* The main measure: which of several measures a table, a picture or a file with room for a single
 * measure shows. All programs and writers choose by this one rule: the measure that is marked as
 * the main one, else the first delta of a difference, else the first time, else the first. A
 * measure that counts runs is never the main one. */
#ifndef PF_MODEL_MAIN_MEASURE_H
#define PF_MODEL_MAIN_MEASURE_H

#include "model/dict.h"

#include <stdbool.h>

/* The choice so far. Zero-initialise, then offer each measure in its order. */
struct pf_main_choice {
    int rank; /* rank of the best measure so far; 0 = no measure was offered */
};

/* True if this measure is better than all measures that were offered before: then this measure is
 * the choice. */
bool pf_main_offer(struct pf_main_choice *, const struct pf_dict *, const struct pf_measure *);

#endif
