/* Selects records by expressions. A record must satisfy every kind of expression. If there are
 * several expressions of one kind, one must match; of the two kinds that ignore, none may match. An
 * expression on frames is evaluated once for each stack, an expression on labels once for each
 * label set, when the first record needs it.
 *
 * An EDGE counts as a stack of caller and callee, a FLAT record as a stack of one frame. */
#ifndef PF_ANALYSIS_FILTER_SELECT_H
#define PF_ANALYSIS_FILTER_SELECT_H

#include "analysis/sum/removed.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_select;

enum pf_select_rule {
    /* expressions for frames; their values are marks of frames, a bit each */
    PF_SELECT_FOCUS = 1,  /* a frame must match */
    PF_SELECT_IGNORE = 2, /* no frame may match */
    PF_SELECT_LEAF = 4,   /* the leaf frame must match */
    PF_SELECT_ROOT = 8,   /* the root frame must match */
    /* KEY, KEY=RE or KEY=LOW:HIGH (pf_label_tests_add) */
    PF_SELECT_LABEL,        /* a label must match */
    PF_SELECT_IGNORE_LABEL, /* no label may match */
    PF_SELECT_SECTION,      /* glob: a section must match */
    PF_SELECT_KIND,         /* sample, flat or edge */
    /* FROM,TO in nanoseconds or with a suffix (ns us ms s). One of them may be omitted. Records at
     * TO are not selected, records at FROM are. Of several ranges the last counts. */
    PF_SELECT_TIME
};

/* `dict` is the dictionary of all batches. It must outlive the result, and so must the texts given
 * to the functions below. NULL: out of memory. */
struct pf_select *pf_select_new(const struct pf_dict *dict);
void pf_select_free(struct pf_select *); /* NULL is allowed */

/* Adds an expression. `flags`: enum pf_pattern_flag. PF_OK, PF_USAGE with the reason, or
 * PF_NOMEM. */
int pf_select_add(struct pf_select *, enum pf_select_rule, const char *text, unsigned flags,
                  struct pf_error *);
/* Selects records whose value is at least V (in base units of the measure, or with a suffix), or V
 * % of the total of their kind; a negative value counts by its magnitude. `measure`: NAME or
 * KIND:NAME; NULL: the main measure of each kind. As pf_select_add. */
int pf_select_min_value(struct pf_select *, const char *text, const char *measure,
                        struct pf_error *);
/* Selects records outside of all sections. */
void pf_select_no_section(struct pf_select *);
/* Selects the records that do not satisfy the expressions, instead. */
void pf_select_invert(struct pf_select *);

/* True if every record is selected: the caller may skip pf_select_batch. */
bool pf_select_takes_all(const struct pf_select *);
/* True if totals are needed: give all batches to pf_select_total before the first
 * pf_select_batch. */
bool pf_select_needs_total(const struct pf_select *);
/* Adds a batch to the totals. PF_OK or PF_NOMEM. */
int pf_select_total(struct pf_select *, const struct pf_batch *, struct pf_error *);

/* Selects records of *from, a batch of records. *to has the selected records, possibly 0 rows, and
 * is valid until the next call. `removed` counts the others. PF_OK; PF_NOMEM; PF_USAGE if the least
 * value is a time and the measure is not. */
int pf_select_batch(struct pf_select *, const struct pf_batch *from, struct pf_batch *to,
                    struct pf_removed *removed, struct pf_error *);

/* Call at the end: warns of expressions that matched nothing, and of records below the least value.
 * `format` as in pf_label_tests_report. PF_OK or PF_NOMEM. */
int pf_select_report(const struct pf_select *, const char *format, const struct pf_report *);

#endif
