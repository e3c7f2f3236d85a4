/* Names as they are shown to people. */
#ifndef PF_ANALYSIS_NAMES_SHOWN_H
#define PF_ANALYSIS_NAMES_SHOWN_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdbool.h>

/* True if a name with these flags (PF_UTF8) is shown with other bytes than it has: a name without
 * the flag that is not valid UTF-8 is shown as Latin-1. *name is then the shown text in UTF-8, in
 * `scratch` (emptied first), followed by a NUL. If memory runs out, *name is "" and scratch->failed
 * is set. */
bool pf_shown_name(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch,
                   struct pf_bytes *name);

#endif
