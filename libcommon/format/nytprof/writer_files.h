/* File numbers of a NYTProf stream that is written. Inputs number their files each in its own way; here is one numbering: that of the
 * first input as it is, then what others add. Files of one name are one, evals only where all that is said of them is the same. */
#ifndef PF_FORMAT_NYTPROF_WRITER_FILES_H
#define PF_FORMAT_NYTPROF_WRITER_FILES_H

#include "base/table.h"
#include "format/nytprof/files.h"
#include "format/nytprof/map.h"

#include <stdbool.h>
#include <stdint.h>

/* What a NEW_FID record says. */
struct pf_nyt_file {
    uint32_t name, eval_fid, eval_line, flags, size, mtime;
};

struct pf_nyt_numbers {
    struct pf_nyt_files input;  /* the numbers of the input at hand */
    struct pf_nyt_map ours;     /* input, its number: ours + 1 */
    struct pf_nyt_map known;    /* name, number in the last input that had both: ours + 1 */
    struct pf_nyt_map names;    /* name, 0: ours + 1 */
    struct pf_nyt_map used;     /* ours / 2, ours % 2: the last input, from 1, whose source texts it has; 1 at least */
    struct pf_table rows;       /* struct pf_nyt_file in our numbers */
    struct pf_nyt_map row_ids;  /* id of a row, 0: ours + 1 */
    uint32_t at, next;          /* the input, from 1; the least number above all that are used */
    bool renamed;               /* names were edited: files of one name are one, evals too, and the first input's numbers move */
    int status;                 /* PF_OK, PF_NOMEM, or PF_USAGE: no numbers left */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_numbers_init(struct pf_nyt_numbers *);
void pf_nyt_numbers_free(struct pf_nyt_numbers *);

/* Another input begins. */
void pf_nyt_numbers_restart(struct pf_nyt_numbers *);

/* The input defines number `fid`, under a name that was edited if `renamed`. Brings *file to our numbers and gives ours; *write: a record
 * is needed. */
uint32_t pf_nyt_numbers_define(struct pf_nyt_numbers *, uint32_t fid, struct pf_nyt_file *file, bool renamed,
                               bool *write);
/* Our number for one of the input, defined or not. */
uint32_t pf_nyt_numbers_of(struct pf_nyt_numbers *, uint32_t fid);
/* Our number for a file of this name, with the number that a label says, or 0. *write: it is new, a record is needed. */
uint32_t pf_nyt_numbers_find(struct pf_nyt_numbers *, uint32_t name, uint32_t label, bool *write);
/* Whether source texts of the input at hand are wanted: no earlier input gave some for that file. */
bool pf_nyt_numbers_text(struct pf_nyt_numbers *, uint32_t fid);

#endif
