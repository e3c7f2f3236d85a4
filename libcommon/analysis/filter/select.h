/* Which records: the expressions of a filter, and batches cut down to the records they choose.
 * Different kinds of expression must all hold; of several of one kind any one. An expression on
 * frames is answered once per node of the calling-context tree, one on labels once per set of
 * labels, when the first record with it comes.
 *
 * A SAMPLE is its stack. An EDGE counts as a stack of caller and callee, a FLAT record as one of
 * its place alone. */
#ifndef PF_ANALYSIS_FILTER_SELECT_H
#define PF_ANALYSIS_FILTER_SELECT_H

#include "analysis/sum/removed.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_select;

enum pf_select_frame {
    PF_SELECT_FOCUS = 1,  /* some frame matches */
    PF_SELECT_IGNORE = 2, /* no frame does */
    PF_SELECT_LEAF = 4,
    PF_SELECT_ROOT = 8
};

/* `dict` is the dictionary of all batches; `dict` and all texts must outlive the result. NULL:
 * out of memory. */
struct pf_select *pf_select_new(const struct pf_dict *dict);
void pf_select_free(struct pf_select *); /* NULL is allowed */

/* These give PF_OK, PF_USAGE with the reason, or PF_NOMEM. `flags` are enum pf_pattern_flag. */
int pf_select_section(struct pf_select *, const char *glob, unsigned flags, struct pf_error *);
/* KEY, KEY=RE or KEY=LOW:HIGH */
int pf_select_label(struct pf_select *, const char *text, bool ignore, unsigned flags,
                    struct pf_error *);
int pf_select_frame(struct pf_select *, enum pf_select_frame, const char *text, unsigned flags,
                    struct pf_error *);
int pf_select_kind(struct pf_select *, const char *name, struct pf_error *);
/* FROM,TO in nanoseconds or with a suffix (ns us ms s); one may be left out; TO itself is
 * outside. */
int pf_select_time(struct pf_select *, const char *text, struct pf_error *);
/* Records whose value is at least V (base units of the measure, or with a suffix), or V % of the
 * total of their kind; a negative value counts by its size. `measure`: a name (or KIND:NAME); NULL:
 * the main measure of each kind. */
int pf_select_min_value(struct pf_select *, const char *text, const char *measure,
                        struct pf_error *);
void pf_select_no_section(struct pf_select *);
/* The records that would have gone, instead. */
void pf_select_invert(struct pf_select *);

/* True if every record is chosen: the caller may skip pf_select_batch. */
bool pf_select_takes_all(const struct pf_select *);
/* True when the totals must be known first: give all batches to pf_select_total before the first
 * pf_select_batch. */
bool pf_select_needs_total(const struct pf_select *);
/* PF_OK or PF_NOMEM. */
int pf_select_total(struct pf_select *, const struct pf_batch *, struct pf_error *);

/* Chooses records of *from, a batch of records. *to has the chosen ones, perhaps 0 rows, and is
 * valid until the next call. `removed` counts the others. PF_OK, PF_NOMEM, or
 * PF_USAGE when the measure counts something else than what was asked for. */
int pf_select_batch(struct pf_select *, const struct pf_batch *from, struct pf_batch *to,
                    struct pf_removed *removed, struct pf_error *);

/* At the end: says which expressions matched nothing, and what fell below the least value. `format`
 * as in pf_label_tests_report. PF_OK or PF_NOMEM. */
int pf_select_report(const struct pf_select *, const char *format, const struct pf_report *);

#endif
