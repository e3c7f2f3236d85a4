/* Views of bytes that another object owns, and integers in wire order. */
#ifndef PF_BASE_BYTES_H
#define PF_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A view: `size` bytes at `data`. A NUL need not follow. */
struct pf_bytes {
    const char *data;
    size_t size;
};

#define PF_BYTES(literal) ((struct pf_bytes){"" literal, sizeof(literal) - 1})

/* The view of a string, without its NUL. */
static inline struct pf_bytes pf_bytes_of(const char *string)
{
    return (struct pf_bytes){string, strlen(string)};
}

/* True if the bytes are equal; data of empty views may be NULL. */
static inline bool pf_bytes_equal(struct pf_bytes a, struct pf_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* True if the text begins with the bytes `with`; pf_bytes_ends: if the text ends with them. */
static inline bool pf_bytes_starts(struct pf_bytes text, struct pf_bytes with)
{
    return text.size >= with.size && memcmp(text.data, with.data, with.size) == 0;
}

static inline bool pf_bytes_ends(struct pf_bytes text, struct pf_bytes with)
{
    return text.size >= with.size &&
           memcmp(text.data + text.size - with.size, with.data, with.size) == 0;
}

/* The text without its first `size` bytes; size <= text.size. */
static inline struct pf_bytes pf_bytes_skip(struct pf_bytes text, size_t size)
{
    return (struct pf_bytes){text.data + size, text.size - size};
}

/* The first `size` bytes of the text; size <= text.size. */
static inline struct pf_bytes pf_bytes_first(struct pf_bytes text, size_t size)
{
    return (struct pf_bytes){text.data, size};
}

/* True when the character is in the set. A NUL is in no set. */
static inline bool pf_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

/* A blank, a tab or a CR. The first comparison decides for most bytes. */
static inline bool pf_blank(char c)
{
    return (unsigned char)c <= ' ' && (c == ' ' || c == '\t' || c == '\r');
}

/* White space of JSON: a blank, or the end of a line. */
static inline bool pf_white(char c)
{
    return pf_blank(c) || c == '\n';
}

/* The text without blanks at both ends. */
static inline struct pf_bytes pf_bytes_trim(struct pf_bytes text)
{
    for (; text.size > 0 && pf_blank(text.data[0]); text.size--)
        text.data++;
    while (text.size > 0 && pf_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* The order of memcmp; a prefix comes before longer texts. */
int pf_bytes_compare(struct pf_bytes, struct pf_bytes);

/* The last component of a path; the whole path if it ends in a slash. */
struct pf_bytes pf_base_name(struct pf_bytes path);

/* The first occurrence of `what` in the text; NULL if there is none. */
const char *pf_bytes_find(struct pf_bytes text, struct pf_bytes what);

/* Removes the first line from the text, which must not be empty; returns the line without its
 * LF. */
struct pf_bytes pf_bytes_line(struct pf_bytes *text);

/* True when the bytes are well-formed UTF-8 (no surrogates, no overlong forms, at most
 * U+10FFFF). */
bool pf_utf8_valid(struct pf_bytes);
/* Length of the well-formed UTF-8 character at `p` (1..4), or 0 if no such character is there. */
size_t pf_utf8_char(const unsigned char *p, size_t size);
/* Writes the UTF-8 of a character up to U+10FFFF; returns its size (1..4). */
enum { PF_UTF8_MAX = 4 };
size_t pf_utf8_put(uint32_t character, unsigned char to[PF_UTF8_MAX]);
/* True if all bytes are below 0x80. */
bool pf_ascii(struct pf_bytes);

/* The number in `size` bytes, at most 8, of either byte order. */
static inline uint64_t pf_load_number(const unsigned char *bytes, unsigned size, bool big)
{
    uint64_t number = 0;

    for (unsigned k = 0; k < size; k++)
        number = number << 8 | bytes[big ? k : size - 1 - k];
    return number;
}

/* Load and store integers in wire order: le little-endian, be big-endian. Any alignment. The
 * compiler can vectorise loops over the little-endian ones. */
enum { PF_SWAPS = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ };

static inline uint16_t pf_load16le(const void *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof v);
    return PF_SWAPS ? __builtin_bswap16(v) : v;
}

static inline uint16_t pf_load16be(const void *p)
{
    const unsigned char *b = p;
    return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t pf_load32le(const void *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return PF_SWAPS ? __builtin_bswap32(v) : v;
}

static inline uint64_t pf_load64le(const void *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return PF_SWAPS ? __builtin_bswap64(v) : v;
}

static inline void pf_store16le(void *p, uint16_t v)
{
    v = PF_SWAPS ? __builtin_bswap16(v) : v;
    memcpy(p, &v, sizeof v);
}

static inline void pf_store32le(void *p, uint32_t v)
{
    v = PF_SWAPS ? __builtin_bswap32(v) : v;
    memcpy(p, &v, sizeof v);
}

static inline void pf_store64le(void *p, uint64_t v)
{
    v = PF_SWAPS ? __builtin_bswap64(v) : v;
    memcpy(p, &v, sizeof v);
}

/* The double with these bits (IEEE 754, 64 bits); the bits of a double. */
static inline double pf_double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t pf_bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
