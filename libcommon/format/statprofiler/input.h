/* The stream of record bytes in a StatProfiler file: snappy blocks put end to end, or the file's own bytes. Block borders mean
 * nothing to records. */
#ifndef PF_FORMAT_STATPROFILER_INPUT_H
#define PF_FORMAT_STATPROFILER_INPUT_H

#include "base/error.h"
#include "io/layer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_sp_input {
    struct pf_source *source; /* of the records: the file, or layers on it */
    struct pf_source *file;   /* borrowed */
    struct pf_source *look;   /* NULL, or what leaves the file as it is */
    bool blocks;
    bool returned;            /* line feeds were turned into CR LF, it seems */
};

/* Starts behind the version byte, where `file` must stand when not peeking (at offset 0 otherwise). PF_OK or PF_NOMEM; close
 * in any case. */
int pf_sp_input_open(struct pf_sp_input *, struct pf_source *file, bool blocks, bool peeking, struct pf_error *);
void pf_sp_input_close(struct pf_sp_input *);

/* Brings at least `need` bytes ahead. PF_OK; PF_EOF when the data end before (what is there stays); PF_FAILED for a damaged or
 * cut block, or what the source says. The bytes, and everything parsed from them, move. */
int pf_sp_input_fill(struct pf_sp_input *, size_t need, struct pf_error *);
/* Passes over `size` bytes without keeping them; results as above. */
int pf_sp_input_skip(struct pf_sp_input *, uint64_t size, struct pf_error *);

/* Passes over a byte 0 if there is one; results as above, but PF_OK at the end. */
int pf_sp_input_skip_zero(struct pf_sp_input *, struct pf_error *);

static inline size_t pf_sp_input_have(const struct pf_sp_input *input)
{
    return (size_t)(input->source->limit - input->source->cursor);
}

/* Where the bytes ahead stand: an offset in the uncompressed records (blocks) or in the file (plain). */
static inline uint64_t pf_sp_input_offset(const struct pf_sp_input *input)
{
    return pf_source_offset(input->source);
}

/* Sends a warning about the bytes ahead. */
void pf_sp_input_warn(const struct pf_sp_input *, const struct pf_report *, const char *text);
/* Sets an error about the record that begins at `at`. */
int pf_sp_input_fail(const struct pf_sp_input *, struct pf_error *, int code, uint64_t at, const char *format, ...)
    PF_PRINTF(5, 6);

/* True when the bytes behind offset 14 begin with a block whose data begin like a header. `file` stands at 0. */
bool pf_sp_input_block_first(struct pf_source *file);

#endif
