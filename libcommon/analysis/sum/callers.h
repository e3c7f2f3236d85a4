/* Adjusts calls (EDGE) to the totals of functions that FLAT records give (pf_subject_told), for
 * output formats that have functions only as callers and callees.
 *
 * - Calls from outside the profile have no EDGE record. They become an edge whose caller is
 *   location 0.
 * - The self values of all calls of a function then add up to the function's self value, and the
 *   inclusive values of calls by other functions to its inclusive value.
 * - If functions call each other in a circle, the time of inner calls is also part of the time of
 *   outer calls: the excess is recursive time.
 * - If a profile has only numbers of calls, times are divided by these numbers. */
#ifndef PF_ANALYSIS_SUM_CALLERS_H
#define PF_ANALYSIS_SUM_CALLERS_H

#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>

struct pf_callers;

void pf_callers_free(struct pf_callers *); /* NULL is allowed */

/* Adds a FLAT or EDGE batch. *callers is NULL at first, and is made for the first FLAT batch with
 * inclusive totals of functions; the caller frees it. *held is true if the EDGE records are kept
 * here and pf_callers_next will give them. Labels, and values of measures that are not mentioned
 * below, are dropped. As pf_accumulator_add. */
int pf_callers_take(struct pf_callers **callers, struct pf_dict *, const struct pf_batch *,
                    bool *held, struct pf_error *);

/* True if the calls from pf_callers_next contain the values of this FLAT measure. `callers` may be
 * NULL. */
bool pf_callers_told(const struct pf_callers *, const struct pf_measure *);

/* Call after the last pf_callers_take. Gives EDGE batches with `calls`, the self and the inclusive
 * measure and, if `recursion`, `reci` (inclusive time of recursive calls) and `depth` (1 if there
 * is such time, else 0). PF_OK; PF_EOF (at once if nothing was kept); PF_OVERFLOW; PF_NOMEM. */
int pf_callers_next(struct pf_callers *, bool recursion, struct pf_batch *, struct pf_error *);

#endif
