#include "base/bytes.h"

static const uint64_t HIGH_BITS = 0x8080808080808080u;

int pf_bytes_compare(struct pf_bytes a, struct pf_bytes b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);

    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

/* Number of leading bytes, a multiple of 8, that are ASCII. */
static size_t ascii_words(const char *data, size_t size)
{
    size_t at = 0;

    for (; size - at >= 8; at += 8) {
        uint64_t word;

        memcpy(&word, data + at, sizeof word);
        if ((word & HIGH_BITS) != 0)
            break;
    }
    return at;
}

bool pf_ascii(struct pf_bytes bytes)
{
    for (size_t at = ascii_words(bytes.data, bytes.size); at < bytes.size; at++) {
        if ((unsigned char)bytes.data[at] >= 0x80)
            return false;
    }
    return true;
}

/* Follows the table of RFC 3629, section 4: only the range of the second byte depends on the first
 * byte. */
size_t pf_utf8_char(const unsigned char *p, size_t size)
{
    unsigned char low = 0x80, high = 0xbf;
    size_t length;

    if (size == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (size < length)
        return 0;
    switch (p[0]) {
    case 0xe0: low = 0xa0; break;
    case 0xed: high = 0x9f; break;
    case 0xf0: low = 0x90; break;
    case 0xf4: high = 0x8f; break;
    default: break;
    }
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t k = 2; k < length; k++) {
        if ((p[k] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

size_t pf_utf8_put(uint32_t character, unsigned char to[PF_UTF8_MAX])
{
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t k = size - 1; k > 0; k--, character >>= 6)
        to[k] = (unsigned char)(0x80 | (character & 0x3f));
    to[0] = (unsigned char)(firsts[size] | character);
    return size;
}

struct pf_bytes pf_base_name(struct pf_bytes path)
{
    size_t at = path.size;

    while (at > 0 && path.data[at - 1] != '/')
        at--;
    return at < path.size ? pf_bytes_skip(path, at) : path;
}

const char *pf_bytes_find(struct pf_bytes text, struct pf_bytes what)
{
    const char *first = text.data;

    while (what.size > 0 && text.size >= what.size) {
        first = memchr(text.data, what.data[0], text.size - what.size + 1);
        if (!first || memcmp(first, what.data, what.size) == 0)
            return first;
        text = pf_bytes_skip(text, (size_t)(first + 1 - text.data));
    }
    return what.size > 0 ? NULL : first;
}

struct pf_bytes pf_bytes_line(struct pf_bytes *text)
{
    const char *end = memchr(text->data, '\n', text->size);
    struct pf_bytes line = {text->data, end ? (size_t)(end - text->data) : text->size};
    size_t step = line.size + (end != NULL);

    text->data += step;
    text->size -= step;
    return line;
}

bool pf_utf8_valid(struct pf_bytes bytes)
{
    size_t at = 0;

    while (at < bytes.size) {
        size_t step = ascii_words(bytes.data + at, bytes.size - at);

        if (step == 0)
            step = pf_utf8_char((const unsigned char *)bytes.data + at, bytes.size - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}
