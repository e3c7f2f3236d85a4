/* String evals of Perl that have the same text at the same place, under other numbers: `(eval
 * 3)[x.pl:9]` of one run is `(eval 5)[x.pl:9]` of another. They are told by the least of their
 * names. */
#ifndef PF_ANALYSIS_NAMES_EVALS_H
#define PF_ANALYSIS_NAMES_EVALS_H

#include "analysis/names/id_map.h"
#include "analysis/names/texts.h"
#include "model/dict.h"

struct pf_merge_evals {
    struct pf_id_map names; /* string of an eval that goes: the string it is told by */
    size_t count;
};

/* Takes from a TEXT batch the texts of evals; of other kinds nothing. PF_OK or PF_NOMEM. */
int pf_merge_evals_take(struct pf_merge_texts *, const struct pf_batch *);
/* Finds them by their texts. PF_OK or PF_NOMEM; free in any case. */
int pf_merge_evals_find(struct pf_merge_evals *, struct pf_dict *, const struct pf_merge_texts *);
void pf_merge_evals_free(struct pf_merge_evals *);

/* What a file is called, or a function, whose name may have that of an eval in it (`__ANON__[(eval
 * 5)[x.pl:9]:1]`). Strings; 0 and the dictionary's status when out of memory. */
uint32_t pf_merge_evals_name(const struct pf_merge_evals *, struct pf_dict *, uint32_t name);
/* Puts texts under their final names, each once. PF_OK or PF_NOMEM. */
int pf_merge_evals_texts(const struct pf_merge_evals *, struct pf_dict *, struct pf_merge_texts *);

#endif
