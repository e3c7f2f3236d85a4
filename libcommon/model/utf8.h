/* Converts bytes of a profile to text for people and notebooks: always well-formed UTF-8. */
#ifndef PF_MODEL_UTF8_H
#define PF_MODEL_UTF8_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>

/* Well-formed bytes are returned unchanged. Other bytes are read as Latin-1 (flags without
 * PF_UTF8); if the producer claimed UTF-8 (flags with PF_UTF8), every invalid byte becomes
 * U+FFFD. The result is the input or is in `scratch`, which is emptied first, with a NUL after it.
 * Out of memory: "" and scratch->failed. */
struct pf_bytes pf_text_utf8(struct pf_bytes, unsigned flags, struct pf_buffer *scratch);

/* The same for a name that people search and compare: a name whose producer claimed UTF-8 keeps its
 * bytes. True if *name is not the input. */
bool pf_shown_name(struct pf_bytes, unsigned flags, struct pf_buffer *scratch,
                   struct pf_bytes *name);

/* The same for one line of a terminal or a table: C0 and C1 controls, DEL and the marks that
 * reverse the direction of text become \xHH or \u{HHHH}, so that a name cannot break a table or
 * control a terminal. */
struct pf_bytes pf_text_line(struct pf_bytes, unsigned flags, struct pf_buffer *scratch);

/* The number of columns that well-formed UTF-8 without controls takes on a terminal: 2 for East
 * Asian wide characters and emoji, 0 for combining marks, else 1. */
size_t pf_text_width(struct pf_bytes);
/* The size of the longest prefix of whole characters that takes at most `columns`. */
size_t pf_text_prefix(struct pf_bytes, size_t columns);

/* Shortens a text to at most `columns` by replacing its middle by `mark` (one column wide). The
 * last 12 characters stay if there is room. The result is the input, a part of the input, or is
 * in `scratch`, which is emptied first. */
struct pf_bytes pf_text_elide(struct pf_bytes, size_t columns, const char *mark,
                              struct pf_buffer *scratch);

/* Appends Latin-1 text as UTF-8. False: out of memory (out->failed). */
bool pf_latin_append(struct pf_buffer *out, struct pf_bytes);

#endif
