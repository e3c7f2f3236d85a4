/* Records of StatProfiler files on their way out: fields into records, records into snappy blocks. */
#ifndef PF_FORMAT_STATPROFILER_OUTPUT_H
#define PF_FORMAT_STATPROFILER_OUTPUT_H

#include "base/memory.h"
#include "format/statprofiler/wire.h"
#include "io/sink.h"
#include "model/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Uncompressed bytes in a block: the profiler's reader refuses more. */
enum { PF_SP_BLOCK_MAX = 32000 };

struct pf_sp_output {
    struct pf_sink *sink;
    bool packed;               /* into snappy blocks */
    struct pf_buffer *capture; /* where pieces go instead, when set */
    size_t used;
    unsigned char data[PF_SP_BLOCK_MAX];
    char block[40000]; /* snappy's worst case for PF_SP_BLOCK_MAX is 37365 (formats page, section 2) */
};

/* A number or a string of a record. */
struct pf_sp_field {
    bool is_string;
    uint32_t number;
    struct pf_sp_string string;
};

/* How the length of a record is counted. */
enum pf_sp_length {
    PF_SP_LENGTH_NONE,     /* there is none: header records */
    PF_SP_LENGTH_PROFILER, /* as the profiler counts it, short by a byte for each string (formats page, section 5) */
    PF_SP_LENGTH_TRUE      /* of the payload: the plan's */
};

/* Writes magic and version. Failures stay in the sink. */
void pf_sp_output_open(struct pf_sp_output *, struct pf_sink *, bool packed);
/* A piece that is not cut in two blocks unless it alone is longer than one. */
void pf_sp_output_put(struct pf_sp_output *, const void *bytes, size_t size);
void pf_sp_output_record(struct pf_sp_output *, unsigned tag, const struct pf_sp_field *, size_t count,
                         enum pf_sp_length);
/* Ends the block. */
void pf_sp_output_flush(struct pf_sp_output *);

static inline struct pf_sp_field pf_sp_number(uint32_t number)
{
    return (struct pf_sp_field){false, number, {{NULL, 0}, 0}};
}

static inline struct pf_sp_field pf_sp_text(struct pf_bytes bytes, unsigned flags)
{
    return (struct pf_sp_field){true, 0, {bytes, flags}};
}

#endif
