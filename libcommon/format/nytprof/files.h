/* File numbers and the names they stand for. A name may have several numbers (evals in merged files): the first that has it owns
 * it, and records of the others need the number said. */
#ifndef PF_FORMAT_NYTPROF_FILES_H
#define PF_FORMAT_NYTPROF_FILES_H

#include "format/nytprof/map.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_nyt_files {
    struct pf_nyt_map names;  /* fid / 2, fid % 2: string of the last definition + 1 */
    struct pf_nyt_map owners; /* string, 0: fid + 1 */
    bool failed;              /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_files_init(struct pf_nyt_files *);
void pf_nyt_files_free(struct pf_nyt_files *);

/* `name` is a string of the dictionary. The last definition counts. */
void pf_nyt_files_define(struct pf_nyt_files *, uint32_t fid, uint32_t name);
/* False when the number was never defined; *name is 0 then. */
bool pf_nyt_files_name(const struct pf_nyt_files *, uint32_t fid, uint32_t *name);
/* False when no number has the name. */
bool pf_nyt_files_owner(const struct pf_nyt_files *, uint32_t name, uint32_t *fid);

#endif
