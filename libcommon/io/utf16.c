/* UTF-16 with a byte order mark becomes UTF-8: some shells write a program's output as UTF-16. */
#include "base/bytes.h"
#include "io/source.h"

#include <stdlib.h>

enum { REPLACEMENT = 0xfffd, MARK_SIZE = 2 };

/* The most bytes that a unit of two bytes, with a half before it, becomes. */
enum { UNIT_MOST = 6 };

struct utf16_layer {
    struct pf_layer layer;
    bool big_endian;
    /* first half (high surrogate) of a character whose second half must follow; 0: none */
    unsigned high;
    bool odd; /* `first` is the first byte of a unit whose second byte must follow */
    unsigned char first;
};

static bool begins(const unsigned char *bytes, size_t size)
{
    return size >= MARK_SIZE &&
           ((bytes[0] == 0xfe && bytes[1] == 0xff) || (bytes[0] == 0xff && bytes[1] == 0xfe));
}

static inline size_t put(unsigned character, unsigned char *out)
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

static unsigned load(const unsigned char *pair, bool big_endian)
{
    return big_endian ? pf_load16be(pair) : pf_load16le(pair);
}

/* Writes the replacement of a half whose other half is missing. */
static size_t put_half(struct utf16_layer *utf16, unsigned char *out)
{
    bool half = utf16->high != 0;

    utf16->high = 0;
    return half ? put(REPLACEMENT, out) : 0;
}

static size_t put_unit(struct utf16_layer *utf16, unsigned unit, unsigned char *out)
{
    bool low = unit >= 0xdc00 && unit < 0xe000;
    size_t written;

    if (low && utf16->high) {
        written = put(0x10000 + ((utf16->high - 0xd800) << 10) + (unit - 0xdc00), out);
        utf16->high = 0;
        return written;
    }
    written = put_half(utf16, out);
    if (unit >= 0xd800 && unit < 0xdc00)
        utf16->high = unit;
    else
        written += put(low ? REPLACEMENT : unit, out + written);
    return written;
}

/* Converts units until the room or the bytes end. Keeps an odd byte at the end. */
static size_t convert(struct utf16_layer *utf16, const unsigned char *text, size_t have,
                      unsigned char *bytes, size_t room)
{
    bool big_endian = utf16->big_endian;
    size_t at = 0, size = 0;

    if (utf16->odd) {
        const unsigned char pair[] = {utf16->first, text[at++]};

        size = put_unit(utf16, load(pair, big_endian), bytes);
        utf16->odd = false;
    }
    for (; have - at >= 2 && room - size >= UNIT_MOST; at += 2) {
        unsigned unit = load(text + at, big_endian);

        if (unit < 0x80 && utf16->high == 0)
            bytes[size++] = (unsigned char)unit;
        else if (utf16->high == 0 && (unit < 0xd800 || unit >= 0xe000))
            size += put(unit, bytes + size);
        else
            size += put_unit(utf16, unit, bytes + size);
    }
    if (have - at == 1) {
        utf16->odd = true;
        utf16->first = text[at++];
    }
    pf_source_take(utf16->layer.below, at);
    return size;
}

static size_t finish(struct utf16_layer *utf16, unsigned char *bytes, struct pf_error *error)
{
    const struct pf_source *below = utf16->layer.below;

    if (pf_source_status(below, error) == PF_OK && utf16->odd)
        pf_error_at(
            error, PF_FAILED, pf_source_offset(below) - 1,
            "the UTF-16 text ends within a character (the offset counts bytes of the file)");
    return put_half(utf16, bytes);
}

static size_t read_utf16(struct pf_layer *layer, unsigned char *bytes, size_t room,
                         struct pf_error *error)
{
    struct utf16_layer *utf16 = (struct utf16_layer *)layer;
    size_t size = 0, have = 1;

    while (size == 0 && have > 0) {
        const unsigned char *text = pf_source_peek(layer->below, 1, &have);

        size = have > 0 ? convert(utf16, text, have, bytes, room) : finish(utf16, bytes, error);
    }
    layer->offset = pf_source_raw_offset(layer->below);
    return size;
}

/* The mark is not part of the text. */
static struct pf_layer *open_layer(struct pf_source *below, bool thread)
{
    struct utf16_layer *utf16 = calloc(1, sizeof *utf16);
    size_t have;

    (void)thread;
    if (!utf16)
        return NULL;
    utf16->layer = (struct pf_layer){.read = read_utf16, .below = below};
    utf16->big_endian = *pf_source_peek(below, MARK_SIZE, &have) == 0xfe;
    pf_source_take(below, MARK_SIZE);
    return &utf16->layer;
}

const struct pf_coding pf_coding_utf16 = {.begins = begins, .open = open_layer};
