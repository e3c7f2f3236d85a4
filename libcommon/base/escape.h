/* Characters that a terminal must not get as they are, because they control the terminal or change
 * the direction of text, and what is shown instead. */
#ifndef PF_BASE_ESCAPE_H
#define PF_BASE_ESCAPE_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code point of the well-formed character at `p` of `size` bytes. */
uint32_t pf_utf8_decode(const unsigned char *p, size_t size);
/* Controls, and Unicode's bidirectional controls (UAX 9) and line separators. */
bool pf_text_control(uint32_t code);
/* Sets `escape` to \xHH or \u{HHHH}; returns its length. */
enum { PF_TEXT_ESCAPE = 16 };
size_t pf_text_escape(uint32_t code, char escape[PF_TEXT_ESCAPE]);

/* Returns the size of the first character of the text, which must not be empty; `escape` is the
 * text to show instead of the character, or "". A byte that is not well-formed UTF-8 becomes \xHH
 * too. */
size_t pf_text_next(struct pf_bytes text, char escape[PF_TEXT_ESCAPE]);

#endif
