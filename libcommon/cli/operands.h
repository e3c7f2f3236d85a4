/* The names of the inputs: expands @LIST, --files0-from and directories, and sorts files of a
 * series. */
#ifndef PF_CLI_OPERANDS_H
#define PF_CLI_OPERANDS_H

#include "cli/common.h"

#include <stdint.h>

struct pf_operands {
    char **names;     /* NULL-terminated, owned */
    uint32_t *groups; /* the group of each name */
    /* position of the first name of each name's series, of the name itself if it has no series; set
     * by pf_operands_order */
    size_t *first;
    size_t count, capacity, group_capacity;
    uint32_t group; /* group of the names added next; set by the caller */
};

/* A failure is printed and ends the program, or with --keep-going raises the exit status. */
void pf_operands_expand(struct pf_operands *, struct pf_common *);
void pf_operands_free(struct pf_operands *);

/* The same step by step, for a zeroed list. These functions add: a name; an operand, which may
 * be @LIST or a directory; the names in a file, separated by NUL; the lines of a file; the
 * sorted entries of a directory; all files in a directory and below. */
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

/* A file and its series. */
struct pf_series_file {
    /* key "": the file has no series, or is not a regular file (a pipe cannot be read twice) */
    struct pf_series series;
    size_t position; /* among the names */
    size_t first;    /* position of the first file of the series; its own without a series */
};
/* The files with these names, sorted by series, then by position. Exits 4 if out of memory; the
 * caller frees the list. */
struct pf_series_file *pf_operands_series(struct pf_common *, char *const *names, size_t count);
/* Ends the program if there is no name, or if standard input is a terminal. Moves the files of a
 * series to the first of them, in order. */
void pf_operands_finish(struct pf_operands *, struct pf_common *);
/* Only sorts the files of series. */
void pf_operands_order(struct pf_operands *, struct pf_common *);

#endif
