/* The names of the inputs: operands with @LIST, --files0-from and directories expanded, files of a
 * series in order. */
#ifndef PF_CLI_OPERANDS_H
#define PF_CLI_OPERANDS_H

#include "cli/common.h"

#include <stdint.h>

struct pf_operands {
    char **names;     /* NULL-terminated, owned */
    uint32_t *groups; /* which group each name was added to */
    size_t count, capacity, group_capacity;
    uint32_t group; /* the caller sets it before names are added */
};

/* Never fails softly: what cannot be expanded is printed and ends the program, or with --keep-going
 * raises the status. */
void pf_operands_expand(struct pf_operands *, struct pf_common *);
void pf_operands_free(struct pf_operands *);

/* The same piece by piece, into a list that was zeroed: a name as it is; an operand, which may be
 * @LIST or a directory; the names in a file, NUL separated; the lines of a file; what stands in a
 * directory, files and directories, sorted; all files in it and below. */
void pf_operands_add(struct pf_operands *, struct pf_common *, struct pf_bytes name);
void pf_operands_add_operand(struct pf_operands *, struct pf_common *, const char *operand);
void pf_operands_add_files0(struct pf_operands *, struct pf_common *, const char *path);
void pf_operands_add_list(struct pf_operands *, struct pf_common *, const char *path);
void pf_operands_add_entries(struct pf_operands *, struct pf_common *, const char *path);
/* `inside` (may be NULL): a directory that contains this one. Links back to it, or to a directory
 * on the way, are skipped with a warning. */
void pf_operands_add_directory(struct pf_operands *, struct pf_common *, const char *path,
                               const char *inside);
bool pf_operands_directory(const char *path);

/* Which series a file is one of; all zero for none, and for what is no regular file: a pipe cannot
 * be read twice. */
void pf_operands_series(const char *name, const struct pf_common *, struct pf_series *);
/* Ends the program where there is no name, or a terminal to be read; puts files of a series at the
 * place of the first of them, in order. */
void pf_operands_finish(struct pf_operands *, struct pf_common *);
/* The last of these alone. */
void pf_operands_order(struct pf_operands *, struct pf_common *);

#endif
