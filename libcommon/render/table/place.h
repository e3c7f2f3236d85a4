/* The last column of a text table: the name of a row and its place, in parts that a narrow
 * terminal shortens one after the other. */
#ifndef PF_RENDER_TABLE_PLACE_H
#define PF_RENDER_TABLE_PLACE_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stddef.h>

/* All parts are clean lines of UTF-8 (pf_text_line), borrowed. They are shown one after the
 * other. */
struct pf_place {
    struct pf_bytes lead; /* never shortened: indentation, an address */
    struct pf_bytes name;
    struct pf_bytes mark;              /* never shortened: " (inline)" */
    struct pf_bytes open, file, close; /* "  " "lib/My/Render.pm" ":31", or "  [" "libc.so" "]" */
    size_t tail;                       /* bytes at the end of the file: pf_place_tails */
};

/* How much of the file is shown: the path, its tail, its last component, or nothing. */
enum pf_place_form { PF_PLACE_PATH, PF_PLACE_TAIL, PF_PLACE_BASENAME, PF_PLACE_BARE };

/* Sets the tails of places that have a file, and sorts the pointers. A tail is the last component,
 * with as many of the directories before as tell the file from the other files. */
void pf_place_tails(struct pf_place **places, size_t count);

/* The width of `count` places, with " -> " between two places. */
size_t pf_place_width(const struct pf_place *, size_t count, enum pf_place_form);

/* Appends places that fit `columns` (SIZE_MAX: no limit): with the path, else its tail, else its
 * last component, else a part of that, else only the names; names that do not fit lose their
 * middle. Paths that do not fit `paths` columns become tails, too. The buffer keeps failures. */
void pf_place_append(struct pf_buffer *, const struct pf_place *, size_t count, size_t columns,
                     size_t paths, const char *mark);

#endif
