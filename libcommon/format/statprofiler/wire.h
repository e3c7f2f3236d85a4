/* Records of StatProfiler files as bytes: fields of numbers and strings, found by a layout and never by the length that
 * stands before them, which the profiler gets wrong (formats page, section 5). */
#ifndef PF_FORMAT_STATPROFILER_WIRE_H
#define PF_FORMAT_STATPROFILER_WIRE_H

#include "base/bytes.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_sp_tag {
    PF_SP_SAMPLE_START = 1,
    PF_SP_SAMPLE_END = 2,
    PF_SP_SUB = 3,
    PF_SP_EVAL = 4,
    PF_SP_XSUB = 5,
    PF_SP_MAIN = 6,
    PF_SP_EVAL_STRING = 7, /* releases 0.01 to 0.23 */
    PF_SP_EVAL_NUMBER = 8, /* since 0.24 */
    PF_SP_FILE_END = 196,
    PF_SP_STREAM_END = 197,
    PF_SP_SECTION_START = 198,
    PF_SP_SECTION_END = 199,
    PF_SP_METADATA = 200,
    PF_SP_PERL_VERSION = 201,
    PF_SP_TICK = 202,
    PF_SP_DEPTH = 203,
    PF_SP_LIBRARY_VERSION = 204,
    PF_SP_GENEALOGY = 205,
    PF_SP_HEADER_END = 254,
    PF_SP_CONTINUATION = 255
};

enum { PF_SP_MAGIC_SIZE = 13, PF_SP_START = 14, PF_SP_ID_WORDS = 6, PF_SP_ID_SIZE = 4 * PF_SP_ID_WORDS };
#define PF_SP_MAGIC "=statprofiler"

/* A varint of the profiler never has more than 5 bytes; up to 10 are read, as long as the value fits 32 bits. */
enum { PF_SP_VARINT_MAX = 10 };

/* A string as stored: flag bit 0 says that its bytes are characters (PF_UTF8). */
struct pf_sp_string {
    struct pf_bytes bytes;
    unsigned flags;
};

enum pf_sp_parse {
    PF_SP_WHOLE,
    PF_SP_MISSING,    /* `missing` bytes more, at least, are needed */
    PF_SP_LONG_VARINT, /* more than PF_SP_VARINT_MAX bytes, or more than 32 bits */
    PF_SP_LONG_STRING  /* `number[0]` bytes: longer than PF_STRING_MAX */
};

/* A parsed record. Strings point into the bytes that were parsed. */
struct pf_sp_record {
    unsigned tag;
    uint32_t length; /* as stored; 0 when the layout has none */
    size_t payload;  /* offset of the payload in the record */
    size_t size;     /* of the whole record: tag, length, fields */
    size_t missing;
    uint32_t number[3];
    struct pf_sp_string text[3];
    const unsigned char *words; /* 48 bytes of ids */
};

/* Parses the record at `p`. `layout` names what follows the tag: l the length, v a number, s a string, w the 48 bytes of
 * ids, p payload to be passed over, `length` bytes of it. At most three v and three s. `lsb`: varints are least
 * significant group first. */
enum pf_sp_parse pf_sp_record_parse(struct pf_sp_record *, const unsigned char *p, size_t have, const char *layout,
                                    bool lsb);

/* The text for a result of the parser that is neither whole nor missing bytes. */
const char *pf_sp_parse_text(enum pf_sp_parse, const struct pf_sp_record *, char scratch[96]);

/* Varint, most significant group first, shortest form; returns its size, 1..5. */
size_t pf_sp_varint_put(uint32_t value, unsigned char out[5]);

#endif
