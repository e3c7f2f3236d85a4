/* Source texts: from the profile, else from files. */
#ifndef PF_ANALYSIS_NAMES_SOURCES_H
#define PF_ANALYSIS_NAMES_SOURCES_H

#include "base/error.h"
#include "base/memory.h"
#include "model/notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lines of one file. Zero-initialise; free with pf_lines_free. */
struct pf_lines {
    struct pf_bytes *lines; /* line n is lines[n - 1]; missing lines have no data */
    size_t count, capacity;
    struct pf_buffer file; /* contents of the file, if the text is not in the profile */
};

/* Finds the lines of source file `name` (NUL-terminated) in the texts of the profile, else in the
 * regular file `name` (up to 64 MiB). PF_OK; PF_EOF if neither exists, if the file
 * is empty (as those of /proc are by their size) or if the user may not read it: then `lines` is
 * empty. PF_IO or PF_NOMEM with the error set. The lines are valid as long as both structs are. */
int pf_sources_lines(const struct pf_notes *, struct pf_bytes name, struct pf_lines *,
                     struct pf_error *);
void pf_lines_free(struct pf_lines *);

#endif
