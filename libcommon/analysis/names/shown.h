/* Names as shown to people. */
#ifndef PF_ANALYSIS_NAMES_SHOWN_H
#define PF_ANALYSIS_NAMES_SHOWN_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdbool.h>

/* True if bytes with these flags (PF_UTF8) are shown differently: bytes that are not UTF-8,
 * without the flag, are shown as Latin-1. *name is then that text in UTF-8, in `scratch`
 * (emptied first), followed by a NUL. Out of memory: "" and scratch->failed. */
bool pf_shown_name(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch,
                   struct pf_bytes *name);

#endif
