/* What the numbers of files and subs stand for in the model. */
#ifndef PF_FORMAT_PYNYTPROF_NAMES_H
#define PF_FORMAT_PYNYTPROF_NAMES_H

#include "format/pynytprof/pynytprof.h"

/* A name of the model. Numbers without a name, or with an empty one, are called `(file 7)`, `(sub 7)`; where several have the same
 * name, all but the first have that as an alias, which keeps them apart (it becomes a function's system name). */
struct pf_pyn_name {
    uint32_t id;
    uint32_t text, alias; /* strings */
    uint32_t function;    /* of the dictionary: the sub, or the file's lines; 0 = not made yet */
    size_t place;         /* of its entry in the list */
};

/* By id, ascending. */
struct pf_pyn_names {
    struct pf_pyn_name *rows;
    size_t count;
};

/* The name and the alias an entry gets, `seen` being a table of the names given so far (rows of one uint32_t). `kind` is "file" or "sub". */
void pf_pyn_name_make(struct pf_dict *, struct pf_table *seen, const char *kind, const struct pf_pyn_entry *, uint32_t *text,
                      uint32_t *alias);

/* Names of all entries; of several with one id the last counts. False: out of memory. */
bool pf_pyn_names_make(struct pf_pyn_names *, struct pf_dict *, const char *kind, const struct pf_pyn_list *);
void pf_pyn_names_free(struct pf_pyn_names *);
/* NULL: not defined. */
struct pf_pyn_name *pf_pyn_names_find(const struct pf_pyn_names *, uint32_t id);

#endif
