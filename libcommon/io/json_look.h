/* Looks for keys in the first 64 KiB of JSON without consuming the input, so that formats can
 * bid. */
#ifndef PF_IO_JSON_LOOK_H
#define PF_IO_JSON_LOOK_H

#include "io/source.h"

#include <stdint.h>

enum { PF_JSON_PATHS_MAX = 32 };

/* Returns bits: bit k is set if paths[k] exists. A path is the keys from the outside on, separated
 * by points, with `[]` for any element of an array: "nodes[].id"; "[].ph" if the outermost value is
 * an array. `=TEXT` after a path: its value is a string that contains TEXT. NULL ends the list;
 * only the first PF_JSON_PATHS_MAX paths are searched. Returns 0 if the input does not begin like
 * JSON, and in this case does not wait for more of a pipe. */
uint32_t pf_json_look(struct pf_source *, const char *const *paths);
/* The same for the first line, up to 16 MiB, if the line is longer than 64 KiB and has any of
 * the paths in its first 64 KiB. */
uint32_t pf_json_look_line(struct pf_source *, const char *const *paths);

#endif
