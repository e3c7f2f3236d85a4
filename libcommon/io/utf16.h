/* Converts UTF-16 to UTF-8, because some shells write a program's output as UTF-16. */
#ifndef PF_IO_UTF16_H
#define PF_IO_UTF16_H

#include <stdbool.h>
#include <stddef.h>

struct pf_utf16 {
    bool big_endian;
    /* first half (high surrogate) of a character whose second half must follow; 0: none */
    unsigned high;
};

/* True if the bytes begin with the byte order mark of UTF-16 (2 bytes); *big_endian is its byte
 * order. */
bool pf_utf16_mark(const unsigned char *bytes, size_t size, bool *big_endian);

/* the most bytes that two bytes, with a half before them, can become */
enum { PF_UTF16_GROWTH = 3 };

/* Converts whole units of two bytes from `bytes` to `out`, which has room for PF_UTF16_GROWTH *
 * (size / 2 + 1). Halves without their other half become U+FFFD. Returns the number of bytes
 * written; an odd byte at the end is not converted. */
size_t pf_utf16_convert(struct pf_utf16 *, const unsigned char *bytes, size_t size,
                        unsigned char *out);
/* Writes the replacement of a half at the end of the text. */
size_t pf_utf16_finish(struct pf_utf16 *, unsigned char *out);

#endif
