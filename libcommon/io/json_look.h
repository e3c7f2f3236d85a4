/* A look at JSON without taking it: which keys stand in the first 64 KiB. What formats bid by. */
#ifndef PF_IO_JSON_LOOK_H
#define PF_IO_JSON_LOOK_H

#include "io/source.h"

#include <stdint.h>

enum { PF_JSON_PATHS_MAX = 32 };

/* Bit k: paths[k] is there. A path is the keys from the outside on, with a point between, `[]` for
 * any element of an array: "nodes[].id"; "[].ph" where the outermost is an array. `=TEXT` behind
 * it: its value is a string that has TEXT in it. The list ends with NULL; what stands behind
 * PF_JSON_PATHS_MAX of them is not looked for. 0 for what does not begin as JSON does; a pipe is
 * not waited for until that is known. */
uint32_t pf_json_look(struct pf_source *, const char *const *paths);
/* The same of the first line, of up to 16 MiB, where it is longer than 64 KiB and has any of the
 * paths in them. */
uint32_t pf_json_look_line(struct pf_source *, const char *const *paths);

#endif
