#include "model/utf8.h"

#include "base/escape.h"
#include "model/strings.h"

#include <stdint.h>
#include <stdio.h>

enum { KEPT_CHARACTERS = 12 }; /* characters kept at the end of a shortened name */

static void append_code(struct pf_buffer *out, uint32_t c)
{
    unsigned char bytes[PF_UTF8_MAX];

    pf_buffer_append(out, bytes, pf_utf8_put(c, bytes));
}

bool pf_latin_append(struct pf_buffer *out, struct pf_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        append_code(out, (unsigned char)text.data[i]);
    return !out->failed;
}

static struct pf_bytes finished(struct pf_buffer *scratch)
{
    if (!pf_buffer_byte(scratch, '\0'))
        return PF_BYTES("");
    return (struct pf_bytes){scratch->data, --scratch->size};
}

struct pf_bytes pf_text_utf8(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch)
{
    const unsigned char *p = (const unsigned char *)bytes.data;
    size_t i = 0;

    if (pf_utf8_valid(bytes))
        return bytes;
    scratch->size = 0;
    while (i < bytes.size) {
        size_t n = flags & PF_UTF8 ? pf_utf8_char(p + i, bytes.size - i) : 0;
        if (n > 0)
            pf_buffer_append(scratch, p + i, n);
        else
            append_code(scratch, flags & PF_UTF8 ? 0xfffd : p[i]);
        i += n > 0 ? n : 1;
    }
    return finished(scratch);
}

bool pf_shown_name(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch,
                   struct pf_bytes *name)
{
    *name = flags & PF_UTF8 ? bytes : pf_text_utf8(bytes, flags, scratch);
    return name->data != bytes.data;
}

/* Size of the next character; 1 for a byte that is not part of one. */
static size_t char_size(const unsigned char *p, size_t size)
{
    size_t n = p[0] < 0x80 ? 1 : pf_utf8_char(p, size);

    return n > 0 ? n : 1;
}

static bool has_control(struct pf_bytes text)
{
    const unsigned char *p = (const unsigned char *)text.data;

    for (size_t i = 0; i < text.size;) {
        size_t n = char_size(p + i, text.size - i);
        if (pf_text_control(pf_utf8_decode(p + i, n)))
            return true;
        i += n;
    }
    return false;
}

struct pf_bytes pf_text_line(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch)
{
    struct pf_buffer line = {0};
    struct pf_bytes text = pf_text_utf8(bytes, flags, scratch);
    const unsigned char *p = (const unsigned char *)text.data;

    if (!has_control(text))
        return text;
    for (size_t i = 0; i < text.size;) {
        size_t n = char_size(p + i, text.size - i);
        uint32_t c = pf_utf8_decode(p + i, n);
        char escape[PF_TEXT_ESCAPE];
        if (pf_text_control(c))
            pf_buffer_append(&line, escape, pf_text_escape(c, escape));
        else
            pf_buffer_append(&line, p + i, n);
        i += n;
    }
    line.failed |= scratch->failed;
    pf_buffer_free(scratch);
    *scratch = line;
    return finished(scratch);
}

/* Columns of a character: 2 for East_Asian_Width W and F and emoji, 0 for combining marks that
 * occur in names; Unicode 15, joined to ranges. */
static unsigned width_of(uint32_t c)
{
    static const struct {
        uint32_t first, last;
        unsigned width;
    } ranges[] = {
        {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05bd, 0},   {0x064b, 0x065f, 0},
        {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},   {0x200b, 0x200d, 0},
        {0x20d0, 0x20ff, 0},   {0x231a, 0x231b, 2},   {0x23e9, 0x23ec, 2},   {0x2614, 0x2615, 2},
        {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},   {0xa960, 0xa97f, 2},   {0xac00, 0xd7a3, 2},
        {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x16fe0, 0x18cff, 2}, {0x1b000, 0x1b2ff, 2},
        {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
        {0xe0100, 0xe01ef, 0},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && c >= ranges[i].first; i++)
        if (c <= ranges[i].last)
            return ranges[i].width;
    return 1;
}

size_t pf_text_width(struct pf_bytes text)
{
    const unsigned char *p = (const unsigned char *)text.data;
    size_t width = 0;

    for (size_t i = 0; i < text.size;) {
        size_t n = char_size(p + i, text.size - i);
        width += width_of(pf_utf8_decode(p + i, n));
        i += n;
    }
    return width;
}

size_t pf_text_prefix(struct pf_bytes text, size_t columns)
{
    const unsigned char *p = (const unsigned char *)text.data;
    size_t i = 0;

    while (i < text.size) {
        size_t n = char_size(p + i, text.size - i);
        unsigned width = width_of(pf_utf8_decode(p + i, n));
        if (width > columns)
            break;
        columns -= width;
        i += n;
    }
    return i;
}

/* The offset of the last `count` characters; combining marks belong to the character before
 * them. */
static size_t last_characters(struct pf_bytes text, unsigned count)
{
    const unsigned char *p = (const unsigned char *)text.data;
    size_t at = text.size;

    while (at > 0 && count > 0) {
        do
            at--;
        while (at > 0 && (p[at] & 0xc0) == 0x80);
        count -= width_of(pf_utf8_decode(p + at, char_size(p + at, text.size - at))) > 0;
    }
    return at;
}

struct pf_bytes pf_text_elide(struct pf_bytes text, size_t columns, const char *mark,
                              struct pf_buffer *scratch)
{
    size_t width = pf_text_width(text), head, tail, kept;

    if (width <= columns)
        return text;
    if (columns < 3)
        return (struct pf_bytes){text.data, pf_text_prefix(text, columns)};
    kept = pf_text_width(pf_bytes_skip(text, last_characters(text, KEPT_CHARACTERS)));
    kept = kept < columns / 2 ? columns / 2 : kept;
    kept = kept > columns - 2 ? columns - 2 : kept;
    /* drop one character more if a wide character is at the cut */
    tail = pf_text_prefix(text, width - kept);
    while (pf_text_width(pf_bytes_skip(text, tail)) > kept)
        tail += char_size((const unsigned char *)text.data + tail, text.size - tail);
    head = pf_text_prefix(text, columns - 1 - kept);
    scratch->size = 0;
    pf_buffer_append(scratch, text.data, head);
    pf_buffer_append(scratch, mark, strlen(mark));
    pf_buffer_append(scratch, text.data + tail, text.size - tail);
    return finished(scratch);
}
