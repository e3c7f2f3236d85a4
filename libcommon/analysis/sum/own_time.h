/* What functions cost themselves where a profile tells only what calls took with everything below.
 *
 * Pynytprof's calls have such times alone. A function then costs itself what the calls into it took
 * less what its calls of others took; calls of itself are in neither. A function that called for
 * more than its callers know of, as one nobody calls, took at least that: it gets a call that
 * nobody made, so that it has a row, and costs nothing itself. */
#ifndef PF_ANALYSIS_SUM_OWN_TIME_H
#define PF_ANALYSIS_SUM_OWN_TIME_H

#include "analysis/sum/accumulate.h"

/* After the last record. Adds nothing where calls have times of their own, where FLAT records tell
 * of functions by name or have own costs in the measure of the calls, and to sums by labels. PF_OK,
 * PF_NOMEM, PF_OVERFLOW. */
int pf_own_time_add(struct pf_accumulator *, struct pf_error *);

#endif
