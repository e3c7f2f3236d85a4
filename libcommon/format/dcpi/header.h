/* The ASCII header of a DCPI profile, dcpiformat(4): lines of a word and a value, then `samples`. The lines of versions 0.06 and 0.07
 * are known by name, all others are kept. */
#ifndef PF_FORMAT_DCPI_HEADER_H
#define PF_FORMAT_DCPI_HEADER_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/source.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of ours: so that a stream without a line end ends. */
enum { PF_DCPI_LINE_MAX = 64 * 1024, PF_DCPI_HEADER_MAX = 1024 * 1024 };

enum pf_dcpi_word {
    PF_DCPI_IMAGE,
    PF_DCPI_EPOCH,
    PF_DCPI_PLATFORM,
    PF_DCPI_EVENT,
    PF_DCPI_PERIOD,
    PF_DCPI_TSIZE,
    PF_DCPI_CPUSPEED,
    PF_DCPI_REQUIRED, /* of the words before exactly one line each */
    PF_DCPI_VERSION = PF_DCPI_REQUIRED,
    PF_DCPI_TSTART,
    PF_DCPI_SINGLE,   /* of the words before at most one */
    PF_DCPI_CPUAMASK = PF_DCPI_SINGLE,
    PF_DCPI_CPUIMPLV,
    PF_DCPI_CPUCOUNT,
    PF_DCPI_PATH,
    PF_DCPI_OTHER
};

/* Parts of a line, in header->raw. */
struct pf_dcpi_line {
    size_t start;
    size_t word_size, separator_size, value_size;
    enum pf_dcpi_word known;
};

/* Zero-initialise, fill by _read, or by _line and _end; free with _free. */
struct pf_dcpi_header {
    struct pf_buffer raw;        /* as in the file, the terminator with it */
    struct pf_dcpi_line *lines;  /* without the terminator */
    size_t count, capacity;
    size_t first[PF_DCPI_OTHER]; /* number of the first line of a word + 1; 0 = there is none */
    uint64_t number[PF_DCPI_OTHER]; /* values of lines that are one 64-bit number */
    char epoch[16];              /* YYYYMMDDHHMMSS */
    struct pf_bytes pad;         /* between `samples` and the line feed */
};

/* Reads a header whose first byte is ahead and checks it. PF_FAILED or PF_UNSUPPORTED with the offset, the class of the error first
 * in the text (`missing-line: ...`); PF_NOMEM; the source's own failure. What is odd but legal is reported. */
int pf_dcpi_header_read(struct pf_dcpi_header *, struct pf_source *, const struct pf_report *, struct pf_error *);

/* Adds one line, given without its line feed; `offset` is for messages. */
int pf_dcpi_header_line(struct pf_dcpi_header *, struct pf_bytes line, uint64_t offset, struct pf_error *);
/* Adds the terminator with these blanks behind it, and checks the header as a whole. */
int pf_dcpi_header_end(struct pf_dcpi_header *, struct pf_bytes pad, uint64_t offset, const struct pf_report *, struct pf_error *);
void pf_dcpi_header_free(struct pf_dcpi_header *);

/* The known word, or PF_DCPI_OTHER. */
enum pf_dcpi_word pf_dcpi_word_find(struct pf_bytes word);
const char *pf_dcpi_word_name(enum pf_dcpi_word); /* not of PF_DCPI_OTHER */

struct pf_bytes pf_dcpi_line_word(const struct pf_dcpi_header *, const struct pf_dcpi_line *);
struct pf_bytes pf_dcpi_line_separator(const struct pf_dcpi_header *, const struct pf_dcpi_line *);
struct pf_bytes pf_dcpi_line_value(const struct pf_dcpi_header *, const struct pf_dcpi_line *);
/* Value of the first line of a known word; empty when there is none. */
struct pf_bytes pf_dcpi_header_value(const struct pf_dcpi_header *, enum pf_dcpi_word);

/* 10 digits YYMMDDHHMM, 12 YYYYMMDDHHMM or 14 YYYYMMDDHHMMSS as the latter; years of two digits from 70 on are 19... False: no time. */
bool pf_dcpi_epoch(struct pf_bytes, char normal[16]);
/* Image identifiers are told apart without regard to letter case. */
bool pf_dcpi_same_image(struct pf_bytes, struct pf_bytes);
bool pf_dcpi_is_image(struct pf_bytes); /* hexadecimal digits, at least one */
/* The identifier in small letters, as images have it, so that whoever compares it finds one image; files keep their spelling in the
 * metadata. 0: out of memory. */
uint32_t pf_dcpi_identifier(struct pf_dict *, struct pf_bytes);

#endif
