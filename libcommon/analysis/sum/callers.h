/* Calls made to agree with what is told of functions (pf_subject_told), for formats that know
 * functions by the calls of them alone. Calls from outside, of which there is no record, get one
 * whose caller is location 0. What calls of a function took by themselves is brought to what it
 * cost itself, and what they took in all, but for its calls of itself, to what it cost in all:
 * where functions call each other in a circle inner calls are in the time of outer ones as well,
 * and what is too much is recursive time. Where a profile counts calls only, times go by these. */
#ifndef PF_ANALYSIS_SUM_CALLERS_H
#define PF_ANALYSIS_SUM_CALLERS_H

#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>

struct pf_callers;

void pf_callers_free(struct pf_callers *); /* NULL is allowed */

/* Takes a FLAT or EDGE batch; *callers is NULL before the first that matters, and *held is true
 * when the EDGE records are kept here, to be written at the end. Labels and values without a place
 * below are not kept. As pf_accumulator_add. */
int pf_callers_take(struct pf_callers **callers, struct pf_dict *, const struct pf_batch *,
                    bool *held, struct pf_error *);

/* Whether the values of a FLAT measure are in the calls that are given. */
/* callers: NULL is allowed */
bool pf_callers_told(const struct pf_callers *, const struct pf_measure *);

/* All was taken. Then EDGE batches with the measure `calls`, the own and the inclusive time, and,
 * if `recursion`, `reci` (inclusive time of recursive calls) and `depth` (1 where there is such
 * time): PF_OK, PF_EOF (at once where nothing is kept), PF_OVERFLOW, PF_NOMEM. */
int pf_callers_next(struct pf_callers *, bool recursion, struct pf_batch *, struct pf_error *);

#endif
