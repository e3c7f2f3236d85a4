/* The subject of a table: which measure it shows, the kind of records, and which sums give the flat
 * and the cumulative amounts. */
#ifndef PF_ANALYSIS_SUM_SUBJECT_H
#define PF_ANALYSIS_SUM_SUBJECT_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"

#include <stdbool.h>

struct pf_subject {
    enum pf_kind kind;
    struct pf_sums *shown; /* gives the table's name and unit; equal to `self` or `inclusive` */
    /* flat amounts; NULL: not known. For EDGE these may be sums of FLAT records. SAMPLE: also
     * cumulative */
    struct pf_sums *self;
    /* cumulative amounts of FLAT and EDGE; NULL: as flat. FLAT by line and address: may be sums of
     * EDGE records */
    struct pf_sums *inclusive;
    /* EDGE: inclusive totals of functions that FLAT records give (pf_subject_told); NULL: none */
    struct pf_sums *told;
    /* numbers of calls, of this kind or as FLAT totals; NULL: not known */
    struct pf_sums *calls;
    struct pf_sums *whole; /* the sums whose total is 100 % */
    struct pf_scale scale, self_scale, inclusive_scale, whole_scale; /* these have equal `parts` */
    struct pf_scale calls_scale;
    pf_int128 total; /* 100 % as an amount */
    /* EDGE: `self` was computed (analysis/sum/own_time.h); single calls have no self values */
    bool derived;
    /* set by the caller after pf_subject_choose: compute no cum for SAMPLE, which saves a walk over
     * all stacks */
    bool flat_only;
};

/* The kind of records that a table shows: SAMPLE, else EDGE, else FLAT. Exceptions: lines and
 * addresses show FLAT if there are FLAT records; EDGE comes first if the format's calls tell the
 * costs of functions (pf_facts_calls_tell); FLAT comes before EDGE if calls are only counted.
 * PF_RECORD_KINDS if there is no measure. */
enum pf_kind pf_subject_kind(const struct pf_accumulator *, enum pf_by, const struct pf_facts *);

/* True if the flat amounts are those of lines: then the calls out of a function give the rest of
 * its cumulative amount. */
static inline bool pf_subject_lines_have_self(const struct pf_subject *subject)
{
    return subject->self && subject->self->quantity.measure.kind == PF_FLAT;
}

/* The measures of the flat and the cumulative column. Without flat amounts both are the shown
 * measure; without inclusive ones the cumulative column has the measure of the flat column. */
static inline const struct pf_measure *pf_subject_flat(const struct pf_subject *subject)
{
    return &(subject->self ? subject->self : subject->shown)->quantity.measure;
}
static inline const struct pf_measure *pf_subject_cum(const struct pf_subject *subject)
{
    return subject->inclusive ? &subject->inclusive->quantity.measure : pf_subject_flat(subject);
}

/* The FLAT sums that have the inclusive totals of functions, not of lines (pstats), for an
 * inclusive EDGE measure: the same name, unit and scale. NULL: there are none. Such totals include
 * calls from outside, which have no caller, and are right for recursion, where the sum of the calls
 * is too great. */
struct pf_sums *pf_subject_told(const struct pf_accumulator *, const struct pf_measure *);
/* True if a location has a function with a name. */
bool pf_subject_names(const struct pf_dict *, uint32_t location);
/* True if FLAT sums have a value at a location that has a function with a name. */
bool pf_subject_has_functions(const struct pf_dict *, const struct pf_sums *);
/* The FLAT sums with the name, role, unit and scale of an EDGE measure; NULL: there are none. */
struct pf_sums *pf_subject_beside(const struct pf_accumulator *, const struct pf_measure *);

/* Fills the subject for one measure, in the unit asked for. PF_OK; PF_USAGE and PF_OVERFLOW as
 * pf_quantity_scale. */
int pf_subject_choose(struct pf_subject *, const struct pf_accumulator *, uint32_t measure,
                      enum pf_unit, struct pf_error *);

#endif
