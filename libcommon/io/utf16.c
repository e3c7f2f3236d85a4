#include "io/utf16.h"

enum { REPLACEMENT = 0xfffd };

bool pf_utf16_mark(const unsigned char *bytes, size_t size, bool *big_endian)
{
    *big_endian = size >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff;
    return *big_endian || (size >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe);
}

static size_t put(unsigned character, unsigned char *out)
{
    if (character < 0x80) {
        out[0] = (unsigned char)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (unsigned char)(0xc0 | character >> 6);
        out[1] = (unsigned char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (unsigned char)(0xe0 | character >> 12);
        out[1] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
        out[2] = (unsigned char)(0x80 | (character & 0x3f));
        return 3;
    }
    out[0] = (unsigned char)(0xf0 | character >> 18);
    out[1] = (unsigned char)(0x80 | (character >> 12 & 0x3f));
    out[2] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
    out[3] = (unsigned char)(0x80 | (character & 0x3f));
    return 4;
}

size_t pf_utf16_finish(struct pf_utf16 *utf16, unsigned char *out)
{
    bool half = utf16->high != 0;

    utf16->high = 0;
    return half ? put(REPLACEMENT, out) : 0;
}

size_t pf_utf16_convert(struct pf_utf16 *utf16, const unsigned char *bytes, size_t size,
                        unsigned char *out)
{
    size_t written = 0;

    for (size_t at = 0; size - at >= 2; at += 2) {
        unsigned first = bytes[at], second = bytes[at + 1],
                 unit = utf16->big_endian ? first << 8 | second : second << 8 | first;
        bool low = unit >= 0xdc00 && unit < 0xe000;

        if (low && utf16->high) {
            written +=
                put(0x10000 + ((utf16->high - 0xd800) << 10) + (unit - 0xdc00), out + written);
            utf16->high = 0;
            continue;
        }
        written += pf_utf16_finish(utf16, out + written);
        if (unit >= 0xd800 && unit < 0xdc00)
            utf16->high = unit;
        else
            written += put(low ? REPLACEMENT : unit, out + written);
    }
    return written;
}
