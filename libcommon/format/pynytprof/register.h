/* The writer's numbers: which fid a file gets and which sid a sub. Those a file of the format had stay, where they are free. */
#ifndef PF_FORMAT_PYNYTPROF_REGISTER_H
#define PF_FORMAT_PYNYTPROF_REGISTER_H

#include "format/pynytprof/pynytprof.h"

#include "base/table.h"

/* What makes two of them different. Strings; padding there is none. */
struct pf_pyn_key {
    uint32_t text, alias, file; /* path or name, system name, file of a sub */
    uint32_t used;              /* 1 */
};

struct pf_pyn_register {
    const char *kind;         /* "file" or "sub" */
    struct pf_table keys;     /* id k is entry k - 1 */
    struct pf_table taken;    /* id + 1 in 64 bits */
    struct pf_table seen;     /* names of the file at hand (pf_pyn_name_make) */
    uint32_t next;            /* no id below is free */
    bool differ;              /* inputs told different numbers of one of them */
    struct pf_pyn_list list;  /* in the order in which they are written */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pyn_register_init(struct pf_pyn_register *, const char *kind);
void pf_pyn_register_free(struct pf_pyn_register *);

/* The metadata of another file begin. */
int pf_pyn_register_restart(struct pf_pyn_register *);
/* A private row, "ID NUMBER... TEXT" or "ID", with as many numbers as told. Others than the reader's are ignored. Of
 * what several inputs tell of one file the newest time counts. False: out of memory. */
bool pf_pyn_register_keep(struct pf_pyn_register *, struct pf_dict *, struct pf_bytes row, size_t numbers);
/* Id of the key; a new one gets the first free number, and `flags` if that is 0. False: out of memory or of numbers. */
bool pf_pyn_register_find(struct pf_pyn_register *, const struct pf_pyn_key *, uint32_t flags, uint32_t *id);

#endif
