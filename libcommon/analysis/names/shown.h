/* Names as people see them. */
#ifndef PF_ANALYSIS_NAMES_SHOWN_H
#define PF_ANALYSIS_NAMES_SHOWN_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdbool.h>

/* True when bytes with these flags (PF_UTF8) are shown as other ones: what is no UTF-8, and nobody
 * called so, is shown as Latin-1. *name is then that text in UTF-8, in `scratch` (emptied first),
 * with a NUL behind it; "" when memory ran out, which scratch->failed tells. */
bool pf_shown_name(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch,
                   struct pf_bytes *name);

#endif
