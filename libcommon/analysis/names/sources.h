/* Source texts: from the profile, else from files. */
#ifndef PF_ANALYSIS_NAMES_SOURCES_H
#define PF_ANALYSIS_NAMES_SOURCES_H

#include "base/error.h"
#include "base/memory.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with pf_sources_free. */
struct pf_sources {
    struct pf_arena bytes;
    struct pf_source_text {
        struct pf_bytes name, text;
        uint64_t line; /* number of the line; 0: the whole text */
    } * texts;
    size_t count, capacity;
};

void pf_sources_free(struct pf_sources *);

/* Copies the texts of a TEXT batch; ignores other kinds. PF_OK or PF_NOMEM. */
int pf_sources_add(struct pf_sources *, const struct pf_batch *);

/* The lines of one file. Zero-initialise; free with pf_lines_free. */
struct pf_lines {
    struct pf_bytes *lines; /* line n is lines[n - 1]; missing lines have no data */
    size_t count, capacity;
    char *file; /* contents of the file, if the text is not in the profile */
};

/* Finds the lines of `name`: from the profile, else from a regular file of this name (up to 64
 * MiB). PF_OK; PF_EOF if there is no text or the user may not read the file (`lines` is empty);
 * PF_IO or PF_NOMEM with the error set. The lines are valid as long as both structs are. */
int pf_sources_lines(const struct pf_sources *, struct pf_bytes name, struct pf_lines *,
                     struct pf_error *);
void pf_lines_free(struct pf_lines *);

#endif
