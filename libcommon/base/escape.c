#include "base/escape.h"

#include <stdio.h>

uint32_t pf_utf8_decode(const unsigned char *p, size_t size)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = p[0] & lead[size];

    for (size_t i = 1; i < size; i++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

bool pf_text_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t pf_text_escape(uint32_t c, char escape[PF_TEXT_ESCAPE])
{
    return (size_t)snprintf(escape, PF_TEXT_ESCAPE, c < 0x100 ? "\\x%02x" : "\\u{%x}", c);
}

size_t pf_text_next(struct pf_bytes text, char escape[PF_TEXT_ESCAPE])
{
    const unsigned char *p = (const unsigned char *)text.data;
    size_t n = pf_utf8_char(p, text.size);
    uint32_t c = n > 0 ? pf_utf8_decode(p, n) : p[0];

    escape[0] = '\0';
    if (n == 0 || pf_text_control(c))
        pf_text_escape(c, escape);
    return n > 0 ? n : 1;
}
