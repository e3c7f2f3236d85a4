/* Names of Perl's string evals: `(eval N)`, `(eval N)[FILE:LINE]`, where FILE may be the name of
 * another eval, and either of them with ` #K` at its end, as pf_evals_find writes them. Names of
 * functions may contain such names: `main::__ANON__[(eval 5)[x.pl:9]:1]`. */
#ifndef PF_ANALYSIS_NAMES_EVAL_NAME_H
#define PF_ANALYSIS_NAMES_EVAL_NAME_H

#include "base/bytes.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets in the text that was searched: of `(`, of the digits and after them, of the place and
 * after it (without brackets, both after `)`), after the brackets, after ` #K`. */
struct pf_eval_name {
    size_t start, number, number_end, place, place_end, bare_end, end;
};

/* Finds the first outermost name of an eval at or after `from`. Brackets in the place must match.
 * False: the text has no such name. */
bool pf_eval_name_find(struct pf_bytes, size_t from, struct pf_eval_name *);
/* True if the whole text is the name of an eval. */
bool pf_eval_name_is(struct pf_bytes, struct pf_eval_name *);
/* How deep evals are nested in the first outermost eval of a text: 1 if its place has no eval; 0:
 * the text has no eval. At most 64. */
unsigned pf_eval_name_nesting(struct pf_bytes);

/* A part of a string, up to offset `end`, in which evals lie between `from` and `to`. */
struct pf_eval_part {
    size_t from, to, end;
};

/* Appends the bytes of a string up to part.end. `now(arg, eval)` replaces each outermost name of an
 * eval between part.from and part.to; both names are strings of the dictionary. False: out of
 * memory. */
bool pf_eval_name_replace(struct pf_dict *, uint32_t name, struct pf_eval_part,
                          uint32_t (*now)(void *arg, uint32_t eval), void *arg, struct pf_buffer *);

#endif
