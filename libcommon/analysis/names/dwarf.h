/* Debugging information: the functions, inlined calls and lines that an address is in. Made only
 * where there is elfutils. A compilation unit is read when the first address in it is asked for. */
#ifndef PF_ANALYSIS_NAMES_DWARF_H
#define PF_ANALYSIS_NAMES_DWARF_H

#include "base/bytes.h"

#include <stddef.h>
#include <stdint.h>

struct Dwarf; /* of elfutils */
struct pf_dwarf;

/* A call that an address is in; texts live as long as the struct pf_dwarf. */
struct pf_frame {
    struct pf_bytes name, system_name; /* system_name: the linker's, where it differs */
    struct pf_bytes file;
    int64_t start_line, line; /* 0 = not known */
    uint32_t column;
};

enum { PF_ADDRESS_FRAMES = 64 }; /* of one address; deeper inlining is cut */

/* NULL: out of memory. The Dwarf must outlive it. */
struct pf_dwarf *pf_dwarf_open(struct Dwarf *);
void pf_dwarf_close(struct pf_dwarf *); /* NULL is allowed */

/* The frames of an address, innermost first; returns their number. Where the line of an address is
 * known and its function is not, one frame without a name. */
size_t pf_dwarf_frames(struct pf_dwarf *, uint64_t address,
                       struct pf_frame frames[PF_ADDRESS_FRAMES]);

#endif
