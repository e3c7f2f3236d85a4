/* Records of NYTProf streams as bytes: a tag, then fields as the tag's layout says; there is no length. */
#ifndef PF_FORMAT_NYTPROF_WIRE_H
#define PF_FORMAT_NYTPROF_WIRE_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Most bytes of a varint, of a statement (`*` with five varints), and of an NV. */
enum { PF_NYT_VARINT_MAX = 5, PF_NYT_STATEMENT_MAX = 26, PF_NYT_NV_MAX = 16 };

/* A varint of 32 bits: the first byte tells how many follow. Overlong forms are taken, and of F0..FE the low four bits, as the
 * profiler's own reader does. PF_NYT_VARINT_MAX bytes must be there. */
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

/* The same, for values of which nobody can foretell whether they have one byte or two, as of times: without a branch there. */
static inline const unsigned char *pf_nyt_random_varint(const unsigned char *p, uint32_t *value)
{
    unsigned more = *p >> 7;
    if (*p >= 0xc0)
        return pf_nyt_varint(p, value);
    *value = (uint32_t)(pf_load16be(p) & 0x7fff) >> (8 - 8 * more);
    return p + 1 + more;
}

/* What a perl of the writer's kind holds numbers in. `nv_size` gives the size; order and form are told from the first time of day. */
struct pf_nyt_nv {
    unsigned size;
    bool settled;
    double (*load)(const unsigned char *); /* NULL: not decided */
};

/* False when there is no perl with NVs of this size. Starts anew: order and form are to be told again. */
bool pf_nyt_nv_size(struct pf_nyt_nv *, int64_t size);
/* Decides by a time of day, which lies between 1973 and 2603 when read rightly. */
void pf_nyt_nv_probe(struct pf_nyt_nv *, const unsigned char *time_of_day);
/* Little-endian, where nothing was probed. */
double pf_nyt_nv_load(struct pf_nyt_nv *, const unsigned char *);

/* A string as stored: flag PF_UTF8 where the tag says so. */
struct pf_nyt_text {
    struct pf_bytes bytes;
    unsigned flags;
};

/* Parsed fields point into the bytes that were parsed. */
struct pf_nyt_record {
    unsigned tag;
    size_t size;               /* of the whole record */
    uint32_t number[6];
    const unsigned char *nv[3];
    struct pf_nyt_text text[2];
    size_t missing;            /* PF_NYT_MISSING: bytes more, at least */
    uint32_t bad;              /* the tag found for a string, the length of one */
};

enum pf_nyt_parse {
    PF_NYT_WHOLE,
    PF_NYT_MISSING,
    PF_NYT_NO_TAG,      /* no record begins with this byte */
    PF_NYT_NO_STRING,   /* `bad` stands where the tag of a string should */
    PF_NYT_LONG_STRING  /* of `bad` bytes: longer than PF_STRING_MAX */
};

/* The record at `p`, of which `have` (at least 1) bytes are there. Of attributes, options and comments text[0] is the line. */
enum pf_nyt_parse pf_nyt_record_parse(struct pf_nyt_record *, const unsigned char *p, size_t have, unsigned nv_size);

#endif
