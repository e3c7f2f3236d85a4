/* main::RUNTIME: the time that a Perl program spends outside of all subs.
 *
 * NYTProf times every statement, and adds up for every sub what its calls took. The difference is
 * the time of statements outside of all subs, which no record of a call or a stack has. NYTProf
 * names the caller main::RUNTIME there. For tables, trees and pictures this time becomes a call of
 * main::RUNTIME that nobody made, and a stack of one frame; the stacks that main::RUNTIME calls
 * stand below that frame. Only the sums change, never the records. */
#ifndef PF_ANALYSIS_SUM_FILE_SCOPE_H
#define PF_ANALYSIS_SUM_FILE_SCOPE_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"

/* Where main::RUNTIME was added. Zero-initialise; free `moved`. */
struct pf_file_scope {
    uint32_t edge;     /* of the sums of `calls`: nobody calls main::RUNTIME; 0: not added */
    uint32_t location; /* its callee */
    uint32_t stack;    /* main::RUNTIME alone; 0: not added to `stacks` */
    uint32_t *moved;   /* by stack: the stack it became; NULL: all are as they were */
    uint32_t moved_count;
};

/* Adds main::RUNTIME to the EDGE sums of `calls`, which also has the FLAT ones, and to the SAMPLE
 * sums of `stacks` (which may be `calls`), after the last record. Its flat value is the time of all
 * statements less the sum of the exclusive times; its cumulative value is flat plus the inclusive
 * times of its calls. It is not added where flat is not above 0, where there are no statements,
 * where a filter removed records, to profiles of another format than NYTProf, to differences, and
 * to sums by labels. PF_BY_FUNCTION: calls that main::RUNTIME makes in several files become calls
 * of one function. `added` (NULL: nobody asks) says where. PF_OK; PF_NOMEM; PF_OVERFLOW when a sum
 * overflows 64 bits. */
int pf_file_scope_add(struct pf_accumulator *calls, struct pf_accumulator *stacks, struct pf_dict *,
                      const struct pf_facts *, enum pf_by, struct pf_file_scope *added,
                      struct pf_error *);

/* Whether the profile is one that pf_file_scope_add looks at, as far as the metadata of its inputs
 * tell. */
bool pf_file_scope_possible(const struct pf_dict *, const struct pf_facts *);

#endif
