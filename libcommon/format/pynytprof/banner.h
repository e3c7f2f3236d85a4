/* The banner as it is written. */
#ifndef PF_FORMAT_PYNYTPROF_BANNER_H
#define PF_FORMAT_PYNYTPROF_BANNER_H

#include "format/pynytprof/pynytprof.h"

#include "base/table.h"

/* Lines of files of the format, in their order, and what others' metadata say of the same. */
struct pf_pyn_banner {
    struct pf_pyn_banner_line {
        char type; /* # : ! or 0: key is "", value is the line */
        uint32_t key, value;
    } *lines;
    size_t count, capacity;
    struct pf_table known; /* types and keys of the lines; of lines without a key their text */
    bool titled;           /* there is the line that says who generated the file */
    unsigned files;        /* begun so far */
    uint32_t facts[8];     /* by the attributes of the note: strings; 0 = not known */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pyn_banner_init(struct pf_pyn_banner *);
void pf_pyn_banner_free(struct pf_pyn_banner *);
/* A row of metadata. Of later files only lines whose keys are new are kept. False: out of memory. */
bool pf_pyn_banner_keep(struct pf_pyn_banner *, const struct pf_dict *, uint32_t origin, uint32_t key, uint32_t value);
/* The lines kept, those the note asks for where they are missing, and the blank line. */
void pf_pyn_banner_write(const struct pf_pyn_banner *, const struct pf_dict *, struct pf_sink *);

#endif
