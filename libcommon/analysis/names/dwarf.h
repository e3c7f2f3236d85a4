/* Debugging information: the functions, inlined calls and lines of an address. Compiled only if
 * there is elfutils. A compilation unit is read when the first of its addresses is asked for. */
#ifndef PF_ANALYSIS_NAMES_DWARF_H
#define PF_ANALYSIS_NAMES_DWARF_H

#include "base/bytes.h"

#include <stddef.h>
#include <stdint.h>

struct Dwarf; /* of elfutils */
struct pf_dwarf;

/* A function, or an inlined call, that contains an address. The texts are valid as long as the
 * struct pf_dwarf. */
struct pf_frame {
    struct pf_bytes name, system_name; /* system_name: the linker's name, if it differs */
    struct pf_bytes file;
    int64_t start_line, line; /* 0: not known */
    uint32_t column;
};

enum { PF_ADDRESS_FRAMES = 64 }; /* of one address; the outer calls of deeper inlining are cut */

/* `debug` must outlive the result. NULL: out of memory. */
struct pf_dwarf *pf_dwarf_open(struct Dwarf *);
void pf_dwarf_close(struct pf_dwarf *); /* NULL is allowed */

/* Finds the frames of an address, innermost first, and returns their number. If only the line is
 * known, there is one frame without a name. If memory runs out, errno is ENOMEM. */
size_t pf_dwarf_frames(struct pf_dwarf *, uint64_t address,
                       struct pf_frame frames[PF_ADDRESS_FRAMES]);

#endif
