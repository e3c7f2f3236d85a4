/* The subject of a table: the measure, the kind of records, and the sources of the flat and
 * cumulative values. */
#ifndef PF_ANALYSIS_SUM_SUBJECT_H
#define PF_ANALYSIS_SUM_SUBJECT_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"

#include <stdbool.h>

struct pf_subject {
    enum pf_kind kind;
    struct pf_sums *shown; /* its name and unit head the table; one of the two below */
    /* flat; NULL: not known. For EDGE it may be of kind FLAT. SAMPLE: cumulative as well */
    struct pf_sums *self;
    /* cumulative, FLAT and EDGE; NULL: as flat. For FLAT it may be of kind EDGE: for lines and
     * addresses */
    struct pf_sums *inclusive;
    /* EDGE: cumulative as FLAT records tell it of functions themselves; NULL: they do not */
    struct pf_sums *told;
    /* of this kind, or as FLAT records tell them of functions; NULL: not counted */
    struct pf_sums *calls;
    struct pf_sums *whole; /* of which the total is 100 % */
    struct pf_scale scale, self_scale, inclusive_scale, whole_scale; /* all with the same parts */
    struct pf_scale calls_scale;
    pf_int128 total; /* amount */
    /* EDGE: flat is what calls leave over (analysis/sum/own_time.h), single calls have no own
     * values */
    bool derived;
    /* set by the caller: SAMPLE rows have no cum, for that takes a walk over all stacks */
    bool flat_only;
};

/* The kind tables show: SAMPLE, else EDGE, else FLAT; lines and addresses FLAT where there is some;
 * EDGE for functions if the calls tell better what they cost (pf_facts_calls_tell); FLAT where
 * calls are only counted. PF_RECORD_KINDS if no measure was read. */
enum pf_kind pf_subject_kind(const struct pf_accumulator *, enum pf_by, const struct pf_facts *);

/* True when the flat values stand with the lines, so that edges tell what the calls out of a
 * function cost. */
static inline bool pf_subject_lines_have_self(const struct pf_subject *subject)
{
    return subject->self && subject->self->quantity.measure.kind == PF_FLAT;
}

/* The measures of the two columns: of the flat values, else the one shown; of the cumulative
 * values, the same where they are of no other. */
static inline const struct pf_measure *pf_subject_flat(const struct pf_subject *subject)
{
    return &(subject->self ? subject->self : subject->shown)->quantity.measure;
}
static inline const struct pf_measure *pf_subject_cum(const struct pf_subject *subject)
{
    return subject->inclusive ? &subject->inclusive->quantity.measure : pf_subject_flat(subject);
}

/* Where FLAT records tell of functions, not of lines, what all calls of them took together
 * (pstats): of an inclusive EDGE measure the FLAT sums of the same name, unit and scale; NULL:
 * there are none. They know of calls from outside, which have no caller, and of recursion, where
 * the sum of the calls is too much. */
struct pf_sums *pf_subject_told(const struct pf_accumulator *, const struct pf_measure *);
/* Whether a place is in a function that has a name. */
bool pf_subject_names(const struct pf_dict *, uint32_t location);
/* FLAT sums that count the same as an EDGE measure does: name, role, unit and scale; NULL: there
 * are none. */
struct pf_sums *pf_subject_beside(const struct pf_accumulator *, const struct pf_measure *);

/* The table of one measure, in the unit asked for. PF_OK, or as pf_quantity_scale. */
int pf_subject_choose(struct pf_subject *, const struct pf_accumulator *, uint32_t measure,
                      enum pf_unit, struct pf_error *);

#endif
