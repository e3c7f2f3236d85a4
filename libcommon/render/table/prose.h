/* Lines of text between tables: heads, notes, lists. On a terminal no line is wider than the
 * terminal. */
#ifndef PF_RENDER_TABLE_PROSE_H
#define PF_RENDER_TABLE_PROSE_H

#include "base/bytes.h"
#include "base/memory.h"
#include "io/sink.h"

#include <stddef.h>

/* Writes lines of clean UTF-8, the last one with or without its line end. A line wider than
 * `columns` (0: never) is continued on further lines, broken at blanks and indented; in a word
 * that is still too wide `mark` (one column wide) replaces the middle. PF_OK or PF_NOMEM. */
int pf_prose_write(struct pf_sink *, struct pf_bytes text, size_t columns, const char *mark);

/* For writers that do not limit the width of lines: a sink in memory if `out` goes to a
 * terminal, else `out` itself; NULL: out of memory. pf_prose_release writes the held lines to
 * `out` and shortens the middle of lines that are too wide: PF_OK or PF_NOMEM. */
struct pf_sink *pf_prose_hold(struct pf_sink *out);
int pf_prose_release(struct pf_sink *held, struct pf_sink *out);

#endif
