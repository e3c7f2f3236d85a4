/* Computes the self times of functions if a profile has only inclusive times of calls, as
 * Pynytprof's has. The self time of a function is the time of calls by other functions minus the
 * time of its calls of other functions; calls of itself count in neither time. If a function's
 * calls took more time than calls of it (it may have no caller in the profile), it gets a call
 * without a caller for the missing time, and its self time is 0. */
#ifndef PF_ANALYSIS_SUM_OWN_TIME_H
#define PF_ANALYSIS_SUM_OWN_TIME_H

#include "analysis/sum/accumulate.h"

/* Call after the last record. Adds nothing if calls have self times; if FLAT records name
 * functions, or have self values in the measure of the calls; and to sums by labels. PF_OK,
 * PF_NOMEM, PF_OVERFLOW. */
int pf_own_time_add(struct pf_accumulator *, struct pf_error *);

#endif
