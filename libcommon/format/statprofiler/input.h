/* The stream of record bytes in a StatProfiler file: snappy blocks put end to end, or the file's own bytes. Block borders mean
 * nothing to records, so what is not used up yet stays in front of the block that comes next. */
#ifndef PF_FORMAT_STATPROFILER_INPUT_H
#define PF_FORMAT_STATPROFILER_INPUT_H

#include "base/error.h"
#include "io/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_sp_input {
    const unsigned char *p, *end; /* bytes at hand; whoever uses them moves p */
    struct pf_source *source;     /* borrowed */
    bool blocks;
    bool peeking;                 /* nothing is taken from the source */
    const unsigned char *start;   /* plain: where p stood after the last fill */
    unsigned char *buffer;        /* blocks: what p and end point into */
    size_t capacity;
    size_t ahead;                 /* peeking: bytes of the source passed over */
    uint64_t end_offset;          /* of `end`: in the uncompressed records (blocks) or in the file (plain) */
    uint64_t block_offset;        /* of the last block in the file, or where the file ends */
    bool returned;                /* line feeds were turned into CR LF, it seems */
};

/* Starts behind the version byte, where `source` must stand when not peeking (at offset 0 otherwise). */
void pf_sp_input_open(struct pf_sp_input *, struct pf_source *, bool blocks, bool peeking);
void pf_sp_input_close(struct pf_sp_input *);

/* Brings at least `need` bytes behind p. PF_OK; PF_EOF when the data end before (what is there stays); PF_FAILED for a
 * damaged or cut block, or what the source says. p and everything parsed from it move. */
int pf_sp_input_fill(struct pf_sp_input *, size_t need, struct pf_error *);
/* Passes over `size` bytes without keeping them; results as above. */
int pf_sp_input_skip(struct pf_sp_input *, uint64_t size, struct pf_error *);

/* Passes over a byte 0 if there is one; results as above, but PF_OK at the end. */
int pf_sp_input_skip_zero(struct pf_sp_input *, struct pf_error *);

static inline size_t pf_sp_input_have(const struct pf_sp_input *input)
{
    return (size_t)(input->end - input->p);
}

/* Where p stands: an offset in the uncompressed records (blocks) or in the file (plain). */
static inline uint64_t pf_sp_input_offset(const struct pf_sp_input *input)
{
    return input->end_offset - pf_sp_input_have(input);
}

/* Sends a warning about what stands at p, or about the record that begins at `at`. */
void pf_sp_input_warn(const struct pf_sp_input *, const struct pf_report *, const char *text);
void pf_sp_input_warn_at(const struct pf_sp_input *, const struct pf_report *, uint64_t at, const char *text);
/* Sets an error about the record that begins at `at`. */
int pf_sp_input_fail(const struct pf_sp_input *, struct pf_error *, int code, uint64_t at, const char *format, ...)
    PF_PRINTF(5, 6);

/* True when the bytes behind offset 14 begin with a block whose data begin like a header. `source` stands at 0. */
bool pf_sp_input_block_first(struct pf_source *);

#endif
