/* UTF-16 with a byte order mark becomes UTF-8: some shells write a program's output as UTF-16. */
#include "base/bytes.h"
#include "io/source.h"

#include <stdlib.h>

enum { REPLACEMENT = 0xfffd, MARK_SIZE = 2 };

struct utf16_layer {
    struct pf_layer layer;
    bool big_endian;
};

static bool begins(const unsigned char *bytes, size_t size)
{
    return size >= MARK_SIZE &&
           ((bytes[0] == 0xfe && bytes[1] == 0xff) || (bytes[0] == 0xff && bytes[1] == 0xfe));
}

static unsigned load(const struct utf16_layer *utf16, const unsigned char *pair)
{
    return utf16->big_endian ? pf_load16be(pair) : pf_load16le(pair);
}

/* Reads the character at `text`, of `have` bytes, at least 2; returns its size. A half of a
 * character without its other half is replaced. 0: the other half may follow. */
static size_t read_character(const struct utf16_layer *utf16, const unsigned char *text,
                             size_t have, bool last, uint32_t *character)
{
    unsigned unit = load(utf16, text), low;

    *character = unit;
    if (unit < 0xd800 || unit >= 0xe000)
        return 2;
    *character = REPLACEMENT;
    if (unit >= 0xdc00)
        return 2;
    if (have < 4)
        return last ? 2 : 0;
    low = load(utf16, text + 2);
    if (low < 0xdc00 || low >= 0xe000)
        return 2;
    *character = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    return 4;
}

/* Converts characters until the room or the bytes end. `last`: no more bytes follow. */
static size_t convert(struct utf16_layer *utf16, const unsigned char *text, size_t have, bool last,
                      unsigned char *bytes, size_t room)
{
    size_t at = 0, size = 0, step = 2;

    for (; step > 0 && have - at >= 2 && room - size >= PF_UTF8_MAX; at += step) {
        uint32_t character = load(utf16, text + at);

        if (character < 0x80) {
            bytes[size++] = (unsigned char)character;
            step = 2;
        } else if ((step = read_character(utf16, text + at, have - at, last, &character)) > 0) {
            size += pf_utf8_put(character, bytes + size);
        }
    }
    pf_source_take(utf16->layer.below, at);
    utf16->layer.offset = pf_source_raw_offset(utf16->layer.below);
    return size;
}

static size_t read_held(struct pf_layer *layer, unsigned char *bytes, size_t room,
                        struct pf_error *error)
{
    size_t have;
    const unsigned char *text = pf_source_peek(layer->below, 0, &have);

    (void)error;
    return convert((struct utf16_layer *)layer, text, have, false, bytes, room);
}

static size_t read_utf16(struct pf_layer *layer, unsigned char *bytes, size_t room,
                         struct pf_error *error)
{
    struct pf_source *below = layer->below;
    size_t size = 0, have, want = 1;
    bool last = false;

    /* without a result, the bytes in memory are a part of a character */
    for (; size == 0 && !last; want = have + 1) {
        const unsigned char *text = pf_source_peek(below, want, &have);

        last = have < want;
        size = convert((struct utf16_layer *)layer, text, have, last, bytes, room);
    }
    if (size == 0 && pf_source_status(below, error) == PF_OK && have == 1)
        pf_error_at(
            error, PF_FAILED, pf_source_offset(below),
            "the UTF-16 text ends within a character (the offset counts bytes of the file)");
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
    utf16->layer = (struct pf_layer){.read = read_utf16, .read_held = read_held, .below = below};
    utf16->big_endian = *pf_source_peek(below, MARK_SIZE, &have) == 0xfe;
    pf_source_take(below, MARK_SIZE);
    return &utf16->layer;
}

const struct pf_coding pf_coding_utf16 = {.begins = begins, .open = open_layer};
