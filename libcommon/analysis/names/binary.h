/* A program or library: which addresses of a profile are its, and what they are called. Through
 * elfutils. */
#ifndef PF_ANALYSIS_NAMES_BINARY_H
#define PF_ANALYSIS_NAMES_BINARY_H

#include "analysis/names/dwarf.h"
#include "base/error.h"
#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

struct pf_binary;

/* Opens an ELF file with its debugging information, also where that is kept apart (build id, debug
 * link). PF_USAGE when this build lacks elfutils; PF_IO, PF_FAILED: no such file, none that can be
 * read, or one without names; PF_NOMEM; *binary is NULL then. `no_memory` must end the program:
 * elfutils calls it where it cannot go on without memory. */
int pf_binary_open(struct pf_binary **binary, const char *path, PF_NORETURN void (*no_memory)(void),
                   struct pf_error *);
void pf_binary_close(struct pf_binary *); /* NULL is allowed */

enum pf_binary_match { PF_BINARY_OTHER, PF_BINARY_SAME, PF_BINARY_CHANGED };
/* Whether an image of a profile is this file: by build id where both are known, else by the last
 * part of its name; an image without a name may be any. CHANGED: it has the name, but another build
 * id. */
enum pf_binary_match pf_binary_match(const struct pf_binary *, const struct pf_dict *,
                                     const struct pf_image *);

/* The frames of an address of an image that matches, innermost first; their texts live as long as
 * the binary. Returns the number of frames; 0: the file does not have the address, or no name for
 * it; SIZE_MAX: out of memory. */
size_t pf_binary_frames(struct pf_binary *, const struct pf_image *, uint64_t address,
                        struct pf_frame frames[PF_ADDRESS_FRAMES]);

/* In hexadecimal; empty: none. */
const char *pf_binary_build_id(const struct pf_binary *);

#endif
