/* Subs of which a NYTProf stream that is written has to say where they are: those that no row of the input names. */
#ifndef PF_FORMAT_NYTPROF_WRITER_SUBS_H
#define PF_FORMAT_NYTPROF_WRITER_SUBS_H

#include "base/table.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_nyt_subs {
    struct pf_table said;   /* name and file */
    struct pf_table rows;   /* name, file, file number, first and last line as said by the input */
    struct pf_nyt_seen {
        uint32_t location;  /* one of its places; 0: not seen */
        bool guess;         /* where it is may be told from what ran */
        int64_t first, last; /* lines that ran */
    } *seen;                /* by function */
    size_t count, capacity;
    bool failed;            /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_subs_init(struct pf_nyt_subs *);
void pf_nyt_subs_free(struct pf_nyt_subs *);

/* The input names a sub; false: it did so before, with the same file number. Lines 0 to 0: it is in C. */
bool pf_nyt_subs_say(struct pf_nyt_subs *, uint32_t name, uint32_t file, uint32_t fid, uint32_t first, uint32_t last);
void pf_nyt_subs_say_xsub(struct pf_nyt_subs *, uint32_t name);
/* A record has this place; `guess`: nothing else tells where the sub is, and so what ran of it does. */
void pf_nyt_subs_see(struct pf_nyt_subs *, const struct pf_dict *, uint32_t location, bool guess);
/* The name of a sub as the format has it: 0 for one that nobody named; subs that stand for a file's own code are in package main. */
uint32_t pf_nyt_sub_name(struct pf_dict *, uint32_t location);

/* A sub that was seen and not said, by id of its function (from 1). False: there is nothing to say of it. `last` 0: it is in C. */
struct pf_nyt_sub_place {
    uint32_t name, file;
    int64_t first, last;
};
bool pf_nyt_subs_place(const struct pf_nyt_subs *, struct pf_dict *, size_t function, struct pf_nyt_sub_place *);

#endif
