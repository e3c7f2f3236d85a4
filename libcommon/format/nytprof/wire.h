/* NYTProf streams as bytes (FORMAT.md). A record is a tag and the fields that belong to the tag; a
 * record does not store its length. Also the names of the metadata that stand for records. */
#ifndef PF_FORMAT_NYTPROF_WIRE_H
#define PF_FORMAT_NYTPROF_WIRE_H

#include "base/bytes.h"
#include "base/error.h"
#include "io/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- metadata --------------------------------------------------------------------------------- */

#define PF_NYT_ATTRIBUTE_ORIGIN "nytprof"
#define PF_NYT_OPTION_ORIGIN    "nytprof.option"
#define PF_NYT_COMMENT_ORIGIN   "nytprof.comment" /* key `comment` */
/* Private rows, for the writer. The key is a word and numbers, the value a string:
 *   fid FID EVAL_FID EVAL_LINE FLAGS SIZE MTIME   the name of the file
 *   renamed fid ...                               the name, edited: files of one name become one
 *   sub FID FIRST LAST                            the name of the sub
 *   xsub                                          the name of a sub that is written in C
 *   start PID PPID TIME, end PID TIME             ""; TIME: the 16 hexadecimal digits of a double
 *   source FID                                    ""; the next source texts belong to this file
 *   discounts COUNT                               ""; statements that count with their time only
 *   deflate                                       ""; the stream is deflated from here on */
#define PF_NYT_PRIVATE_ORIGIN ".nytprof"
#define PF_NYT_RENAMED        "renamed "

/* --- records ---------------------------------------------------------------------------------- */

enum pf_nyt_tag {
    PF_NYT_ATTRIBUTE = ':',
    PF_NYT_OPTION = '!',
    PF_NYT_COMMENT = '#',
    PF_NYT_DEFLATE = 'z',
    PF_NYT_PID_START = 'P',
    PF_NYT_PID_END = 'p',
    PF_NYT_NEW_FID = '@',
    PF_NYT_TIME_LINE = '+',
    PF_NYT_TIME_BLOCK = '*',
    PF_NYT_DISCOUNT = '-',
    PF_NYT_SUB_ENTRY = '>',
    PF_NYT_SUB_RETURN = '<',
    PF_NYT_SRC_LINE = 'S',
    PF_NYT_SUB_INFO = 's',
    PF_NYT_SUB_CALLERS = 'c',
    PF_NYT_STRING = '\'',
    PF_NYT_STRING_UTF8 = '"'
};

/* The greatest sizes of a varint, a statement (`*` with five varints) and an NV. */
enum { PF_NYT_VARINT_MAX = 5, PF_NYT_STATEMENT_MAX = 26, PF_NYT_NV_MAX = 16 };

/* Reads a varint of 32 bits (FORMAT.md, section 3): the first byte says how many bytes follow. Like
 * the profiler's own reader it accepts longer forms than needed, and uses the low four bits of
 * F0..FE. PF_NYT_VARINT_MAX bytes must be readable at `p`. Returns the end of the varint. */
static inline const unsigned char *pf_nyt_varint(const unsigned char *p, uint32_t *value)
{
    uint32_t first = *p;
    if (first < 0x80) {
        *value = first;
        return p + 1;
    }
    if (first < 0xc0) {
        *value = (first & 0x3f) << 8 | p[1];
        return p + 2;
    }
    if (first < 0xe0) {
        *value = (first & 0x1f) << 16 | (uint32_t)p[1] << 8 | p[2];
        return p + 3;
    }
    *value = (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    if (first < 0xff) {
        *value |= (first & 0x0f) << 24;
        return p + 4;
    }
    *value = *value << 8 | p[4];
    return p + 5;
}

/* The same without a branch between one byte and two bytes: faster for values such as times, whose
 * size no branch predictor guesses. */
static inline const unsigned char *pf_nyt_random_varint(const unsigned char *p, uint32_t *value)
{
    unsigned more = *p >> 7;
    if (*p >= 0xc0)
        return pf_nyt_varint(p, value);
    *value = (uint32_t)(pf_load16be(p) & 0x7fff) >> (8 - 8 * more);
    return p + 1 + more;
}

/* The type in which the perl that wrote the file holds numbers (NV; FORMAT.md, section 4). The
 * attribute `nv_size` gives the size; the first time of day decides byte order and form. */
struct pf_nyt_nv {
    unsigned size;
    bool decided, big_endian;
    double (*load)(const unsigned char *); /* reads a little-endian NV */
};

/* Sets the size in bytes and forgets byte order and form. False: no perl has NVs of this size. */
bool pf_nyt_nv_size(struct pf_nyt_nv *, int64_t size);
/* Decides byte order and form by a time of day: the right ones give a time between 1973 and
 * 2603. */
void pf_nyt_nv_probe(struct pf_nyt_nv *, const unsigned char *time_of_day);
/* Reads an NV; little-endian before any probe. */
double pf_nyt_nv_load(const struct pf_nyt_nv *, const unsigned char *);

/* A string as stored; `flags` has PF_UTF8 if the tag of the string says so. */
struct pf_nyt_text {
    struct pf_bytes bytes;
    unsigned flags;
};

/* A parsed record; its strings point into the parsed bytes. `number`, `nv` and `text` hold the
 * fields of each kind in their order. */
struct pf_nyt_record {
    unsigned tag;
    size_t size; /* of the whole record, with its tag */
    uint32_t number[6];
    const unsigned char *nv[3];
    struct pf_nyt_text text[2];
    size_t missing; /* PF_NYT_MISSING: at least so many more bytes are needed */
    uint32_t bad;   /* the tag in place of a string, or the length of a string */
};

enum pf_nyt_parse {
    PF_NYT_WHOLE,
    PF_NYT_MISSING,
    PF_NYT_NO_TAG,     /* the byte is not a tag */
    PF_NYT_NO_STRING,  /* `bad` is the byte in place of a string's tag */
    PF_NYT_LONG_STRING /* of `bad` bytes: longer than PF_STRING_MAX */
};

/* Parses the record at `p`, where `have` (at least 1) bytes are available. For attributes, options
 * and comments text[0] is the line. */
enum pf_nyt_parse pf_nyt_record_parse(struct pf_nyt_record *, const unsigned char *p, size_t have,
                                      unsigned nv_size);

/* --- output ----------------------------------------------------------------------------------- */

/* Writes a varint to memory, in its shortest form, and returns its end. PF_NYT_VARINT_MAX bytes
 * must be writable at `p`. */
static inline unsigned char *pf_nyt_put_varint(unsigned char *p, uint32_t value)
{
    if (value < 0x80) {
        *p++ = (unsigned char)value;
        return p;
    }
    if (value < 0x4000) {
        *p++ = (unsigned char)(value >> 8 | 0x80);
    } else {
        if (value < 0x200000) {
            *p++ = (unsigned char)(value >> 16 | 0xc0);
        } else {
            if (value < 0x10000000) {
                *p++ = (unsigned char)(value >> 24 | 0xe0);
            } else {
                *p++ = 0xff;
                *p++ = (unsigned char)(value >> 24);
            }
            *p++ = (unsigned char)(value >> 16);
        }
        *p++ = (unsigned char)(value >> 8);
    }
    *p++ = (unsigned char)value;
    return p;
}

/* Writes a double of 8 bytes, little-endian, to memory. */
static inline void pf_nyt_put_nv(unsigned char *p, double value)
{
    pf_store64le(p, pf_bits_of(value));
}

/* The bytes of an output stream: plain, then deflated from pf_nyt_out_deflate on. Failures stay in
 * `status` and in the sink, so that the writer looks at the end of a batch only. */
struct pf_nyt_out {
    struct pf_sink *sink;     /* borrowed */
    struct pf_sink *deflated; /* a layer on `sink`; NULL: plain so far */
    unsigned char *buffer;
    size_t used;
    uint64_t start; /* offset of the deflated bytes */
    int status;     /* PF_OK, PF_NOMEM; failures of the sink stay there */
};

/* PF_OK or PF_NOMEM; close in any case. */
int pf_nyt_out_open(struct pf_nyt_out *, struct pf_sink *);
void pf_nyt_out_close(struct pf_nyt_out *);

void pf_nyt_out_bytes(struct pf_nyt_out *, const void *bytes, size_t size);
/* Writes the same bytes `count` times. */
void pf_nyt_out_repeat(struct pf_nyt_out *, const void *bytes, size_t size, uint64_t count);

/* Writes a tag and varints. */
void pf_nyt_out_numbers(struct pf_nyt_out *, enum pf_nyt_tag, const uint32_t *numbers,
                        size_t count);
void pf_nyt_out_number(struct pf_nyt_out *, uint32_t number);
/* Writes a double, little-endian: an NV of 8 bytes. */
void pf_nyt_out_nv(struct pf_nyt_out *, double);
void pf_nyt_out_string(struct pf_nyt_out *, struct pf_bytes, bool utf8);

/* Writes the tag `z` and deflates all bytes after it at `level` 1..9. */
void pf_nyt_out_deflate(struct pf_nyt_out *, int level);
/* Ends the deflated bytes, adds the comment about their size that the profiler writes, and hands
 * all bytes to the sink. */
void pf_nyt_out_finish(struct pf_nyt_out *);

#endif
