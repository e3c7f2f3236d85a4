/* Debugging information: the functions, inlined calls and lines that an address is in. Made only
 * where there is elfutils. A compilation unit is read when the first address in it is asked for. */
#ifndef PF_ANALYSIS_NAMES_DWARF_H
#define PF_ANALYSIS_NAMES_DWARF_H

#include "analysis/names/binary.h"

#include <stddef.h>
#include <stdint.h>

struct Dwarf; /* of elfutils */
struct pf_dwarf;

/* NULL: out of memory. The Dwarf must outlive it. */
struct pf_dwarf *pf_dwarf_open(struct Dwarf *);
void pf_dwarf_close(struct pf_dwarf *); /* NULL is allowed */

/* As pf_binary_frames. Where the line of an address is known and its function is not, one frame
 * without a name. */
size_t pf_dwarf_frames(struct pf_dwarf *, uint64_t address,
                       struct pf_frame frames[PF_BINARY_FRAMES]);

#endif
