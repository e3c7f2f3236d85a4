/* A program or library: which addresses of a profile belong to it, and the names of these
 * addresses. Uses elfutils. */
#ifndef PF_ANALYSIS_NAMES_BINARY_H
#define PF_ANALYSIS_NAMES_BINARY_H

#include "analysis/names/dwarf.h"
#include "analysis/names/symbol_dirs.h"
#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_binary;

/* PF_OK, or PF_USAGE with a message if this build lacks elfutils: then no binary can be opened. */
int pf_binary_supported(struct pf_error *);

/* Opens an ELF file with its debugging information, even if this is in a separate file (build id,
 * debug link). PF_OK; PF_USAGE if this build lacks elfutils; PF_IO or PF_FAILED if the file does
 * not exist, cannot be read, or has no names; PF_NOMEM. On failure *binary is NULL. elfutils calls
 * `no_memory` if it cannot go on without memory; this function must end the program. */
int pf_binary_open(struct pf_binary **binary, const char *path, PF_NORETURN void (*no_memory)(void),
                   struct pf_error *);
/* Opens the program with this build id (in lower case) from directories, else its debugging
 * information alone. Separate debugging information comes from these directories too, else from
 * where elfutils finds it. A file of another build id is never used; `report` gets a warning for
 * each file that has a fitting name and cannot be used. PF_OK; PF_EOF if no file has the build id;
 * PF_IO if the system fails, not a file; PF_NOMEM. Several threads may open binaries at once. */
int pf_binary_open_id(struct pf_binary **binary, struct pf_symbol_dirs *, const char *build_id,
                      PF_NORETURN void (*no_memory)(void), const struct pf_report *report,
                      struct pf_error *);
void pf_binary_close(struct pf_binary *); /* NULL is allowed */

/* Copies an image's identifier in lower case, if the identifier is a build id: hexadecimal digits,
 * as many as linkers write. False for other identifiers, such as DCPI's, which have another length.
 */
bool pf_binary_id_of(struct pf_bytes identifier, char build_id[PF_BUILD_ID_SIZE]);

enum pf_binary_match { PF_BINARY_OTHER, PF_BINARY_SAME, PF_BINARY_CHANGED };
/* PF_BINARY_SAME if an image of a profile is this file: the build ids are equal or, if one of them
 * is unknown, the last parts of the names are; an image without a name may be any file.
 * PF_BINARY_CHANGED: the same name, but another build id. */
enum pf_binary_match pf_binary_match(const struct pf_binary *, const struct pf_dict *,
                                     const struct pf_image *);

/* Finds the frames of an address of an image that matches, innermost first. Returns their number;
 * 0: the file does not have the address, or no name for it; SIZE_MAX: out of memory. The texts are
 * valid as long as the binary. One thread at a time may use a binary. */
size_t pf_binary_frames(struct pf_binary *, const struct pf_image *, uint64_t address,
                        struct pf_frame frames[PF_ADDRESS_FRAMES]);

/* The build id in hexadecimal; "" if the file has no build id. */
const char *pf_binary_build_id(const struct pf_binary *);

#endif
