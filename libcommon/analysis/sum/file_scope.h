/* main::RUNTIME: the time that a Perl program spends outside of all subs.
 *
 * NYTProf times every statement, and sums up the time of the calls of each sub. The difference is
 * the time of statements outside of all subs. No record of a call or a stack has this time. In
 * calls from there NYTProf names the caller main::RUNTIME. For tables, trees and flame graphs this
 * time becomes a call of main::RUNTIME without a caller, and a stack of one frame; stacks whose
 * first function is called by main::RUNTIME are moved below this frame. Only the sums change, never
 * the records. */
#ifndef PF_ANALYSIS_SUM_FILE_SCOPE_H
#define PF_ANALYSIS_SUM_FILE_SCOPE_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"

/* Where main::RUNTIME was added. Zero-initialise; free `moved`. */
struct pf_file_scope {
    uint32_t edge; /* row of the EDGE sums of `calls`: the call of main::RUNTIME; 0: not added */
    uint32_t location; /* the callee of this call */
    uint32_t stack;    /* the stack of main::RUNTIME alone; 0: not added to `stacks` */
    uint32_t *moved; /* by stack: the stack it was moved to, or itself; NULL: no stack was moved */
    uint32_t moved_count;
};

/* Call after the last record. Adds main::RUNTIME to the EDGE sums of `calls`, which must also have
 * the FLAT sums, and to the SAMPLE sums of `stacks`, which may be the same accumulator. The flat
 * value is the time of all statements minus the sum of the exclusive times; the cumulative value is
 * the flat value plus the inclusive times of the calls of main::RUNTIME.
 *
 * Nothing is added if the flat value is not above 0; if there are no statements; if a filter
 * removed records; to profiles of other formats than NYTProf; to differences; to sums by labels.
 * With PF_BY_FUNCTION the calls that main::RUNTIME makes in several files become calls of one
 * function. *added (may be NULL) says what was added. PF_OK; PF_NOMEM; PF_OVERFLOW if a sum
 * overflows 64 bits. */
int pf_file_scope_add(struct pf_accumulator *calls, struct pf_accumulator *stacks, struct pf_dict *,
                      const struct pf_facts *, enum pf_by, struct pf_file_scope *added,
                      struct pf_error *);

/* False if the metadata of the inputs rule out that pf_file_scope_add adds anything. */
bool pf_file_scope_possible(const struct pf_dict *, const struct pf_facts *);

#endif
