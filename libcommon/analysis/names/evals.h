/* Joins string evals of Perl that have the same text at the same place under different numbers:
 * `(eval 3)[x.pl:9]` of one run may be `(eval 5)[x.pl:9]` of another. Equal evals get the least of
 * their names. */
#ifndef PF_ANALYSIS_NAMES_EVALS_H
#define PF_ANALYSIS_NAMES_EVALS_H

#include "analysis/names/id_map.h"
#include "analysis/names/texts.h"
#include "model/dict.h"

struct pf_merge_evals {
    /* from the name of an eval to the least name of the equal evals; strings */
    struct pf_id_map names;
    /* number of names replaced */
    size_t count;
};

/* Adds the texts of evals of a TEXT batch; ignores other texts and other kinds. PF_OK or
 * PF_NOMEM. */
int pf_merge_evals_take(struct pf_merge_texts *, const struct pf_batch *);
/* Finds equal evals by their texts. PF_OK or PF_NOMEM; free in any case. */
int pf_merge_evals_find(struct pf_merge_evals *, struct pf_dict *, const struct pf_merge_texts *);
void pf_merge_evals_free(struct pf_merge_evals *);

/* The new name of a file or function whose name may contain the name of an eval (`__ANON__[(eval
 * 5)[x.pl:9]:1]`). Strings. If memory runs out, the dictionary's status is set. */
uint32_t pf_merge_evals_name(const struct pf_merge_evals *, struct pf_dict *, uint32_t name);
/* Renames the texts likewise; equal texts are kept once. PF_OK or PF_NOMEM. */
int pf_merge_evals_texts(const struct pf_merge_evals *, struct pf_dict *, struct pf_merge_texts *);

#endif
