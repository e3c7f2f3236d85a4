/* The writer: the layout of the note of July 2025, whatever came in. Lines and edges are summed: one record each. */
#ifndef PF_FORMAT_PYNYTPROF_WRITER_H
#define PF_FORMAT_PYNYTPROF_WRITER_H

#include "analysis/sum/callers.h"
#include "analysis/sum/units.h"
#include "format/pynytprof/register.h"

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

/* What a measure is written as. */
enum pf_pyn_slot { PF_PYN_CALLS, PF_PYN_INCL, PF_PYN_EXCL, PF_PYN_SLOTS };

/* Records of one chunk. */
struct pf_pyn_sums {
    struct pf_table keys; /* uint32_t[3]: fid, line or caller, callee; and 1. Id k is record k - 1 */
    struct pf_pyn_sum {
        pf_int128 slots[PF_PYN_SLOTS];
    } *rows;
    size_t count, capacity;
    struct pf_quantity quantities[PF_PYN_SLOTS];
    bool told[PF_PYN_SLOTS];       /* a measure of its own was declared: a batch without its column has 0 in every row */
    uint32_t chosen[PF_PYN_SLOTS]; /* a measure whose name says nothing and which is taken for the slot, + 1; 0 = none */
};

struct pf_pyn_writer {
    struct pf_pyn_banner banner;
    struct pf_pyn_register files, subs;
    struct pf_pyn_sums lines, calls;
    struct pf_callers *callers; /* calls of functions of which more is told, to be added at the end */
    uint32_t private_origin, version_key, file_key, sub_key;
    bool rounded[2]; /* it was said of times, of calls */
};

int pf_pyn_writer_open(struct pf_writer *);
int pf_pyn_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_pyn_writer_finish(struct pf_writer *);
void pf_pyn_writer_close(struct pf_writer *);

#endif
