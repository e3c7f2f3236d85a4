/* UTF-16 made UTF-8: what some shells make of a program's output. */
#ifndef PF_IO_UTF16_H
#define PF_IO_UTF16_H

#include <stdbool.h>
#include <stddef.h>

struct pf_utf16 {
    bool big_endian;
    unsigned high; /* half of a character whose other half is to come; 0 = none */
};

/* Whether the bytes begin with the mark of UTF-16 (2 bytes); *big_endian says of which. */
bool pf_utf16_mark(const unsigned char *bytes, size_t size, bool *big_endian);

enum { PF_UTF16_GROWTH = 3 }; /* bytes that two may become, and a half before them */

/* Converts whole units of two bytes from `bytes` to `out`, which has room for PF_UTF16_GROWTH *
 * (size / 2 + 1). Halves without their other half become U+FFFD. Returns how many bytes were
 * written; an odd byte at the end stays with the caller. */
size_t pf_utf16_convert(struct pf_utf16 *, const unsigned char *bytes, size_t size,
                        unsigned char *out);
/* What a half at the end of the text becomes. */
size_t pf_utf16_finish(struct pf_utf16 *, unsigned char *out);

#endif
