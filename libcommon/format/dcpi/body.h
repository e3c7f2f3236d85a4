/* The binary part of a DCPI profile 0.06/0.07: chunks of counts, then a footer, all in little-endian words of 32 bits. Where the last
 * chunk ends only the end of the input tells: exactly eight bytes left are the footer. */
#ifndef PF_FORMAT_DCPI_BODY_H
#define PF_FORMAT_DCPI_BODY_H

#include "base/error.h"
#include "io/source.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise; `stride` and `start` are then to be set. */
struct pf_dcpi_body {
    uint64_t stride;   /* bytes from one count's address to the next one's: for the order of addresses only */
    uint64_t start;    /* address of the text */
    uint64_t end;      /* one past the range of the chunks before, at a step of 1 as the page has it */
    uint64_t place;    /* offset of the next count, at `stride` */
    uint32_t left;     /* counts of the chunk at hand that are still to come */
    bool begun;        /* there was a chunk; its offset: */
    uint32_t last;
    uint64_t nonzero, total;
};

enum pf_dcpi_piece_kind { PF_DCPI_HEAD, PF_DCPI_COUNTS, PF_DCPI_FOOTER };

/* Bytes that are ahead in the source, to be taken by the caller. */
struct pf_dcpi_piece {
    enum pf_dcpi_piece_kind kind;
    const unsigned char *bytes;
    size_t size;
    uint32_t number; /* HEAD, COUNTS: how many counts follow, or are here */
    uint64_t place;  /* HEAD: offset; COUNTS: offset of the first one */
    uint64_t gap;    /* HEAD: distance from the range before, at a step of 1 */
};

/* The next piece: PF_OK; PF_EOF behind the footer, which is checked against what passed; PF_FAILED with the class of the error first in
 * the text; the source's own failure. COUNTS come in pieces of at most `most` and at least one count; the caller hands each of
 * them to pf_dcpi_body_count (or counts itself) and takes its bytes before the next call. */
int pf_dcpi_body_next(struct pf_dcpi_body *, struct pf_source *, uint32_t most, struct pf_dcpi_piece *, struct pf_error *);

/* Adds counts to the sums. */
void pf_dcpi_body_count(struct pf_dcpi_body *, const unsigned char *counts, uint32_t number);

#endif
