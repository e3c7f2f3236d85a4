/* Compressed names: `(id) name` defines, `(id)` refers. Objects, files and functions have ids of their own. */
#ifndef PF_FORMAT_CALLGRIND_NAMES_H
#define PF_FORMAT_CALLGRIND_NAMES_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

struct pf_cg_names {
    struct pf_table ids; /* uint64_t: id + 1 */
    uint32_t *strings;   /* by row of `ids` */
    size_t count, capacity;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_cg_names_init(struct pf_cg_names *);
void pf_cg_names_free(struct pf_cg_names *);

/* The string that the text behind `fn=` means. PF_FAILED with *what set (constant) for an id nobody defined or that leaves 64 bits, and
 * for a name over PF_STRING_MAX; PF_NOMEM. */
int pf_cg_names_read(struct pf_cg_names *, struct pf_dict *, struct pf_bytes text, uint32_t *string, const char **what);

#endif
