/* Writer of StatProfiler files: the profiler's own form, that of its plan, or the text form. */
#ifndef PF_FORMAT_STATPROFILER_WRITER_H
#define PF_FORMAT_STATPROFILER_WRITER_H

#include "codec/format.h"
#include "format/statprofiler/events.h"
#include "format/statprofiler/header.h"
#include "format/statprofiler/output.h"
#include "format/statprofiler/weight.h"

struct pf_sp_encoded {
    uint32_t size; /* 0: not encoded yet, or too long to keep */
    uint32_t start;
};

struct pf_sp_writer {
    struct pf_sp_output output;
    bool plan, text;  /* the dialect; neither: the profiler's own */
    bool whole_names; /* plan: a function's name is one string */
    struct pf_buffer line;
    struct pf_sp_weight weight;

    struct pf_sp_header header;  /* collected until the first record */
    struct pf_sp_events custom;  /* metadata for the header */
    bool header_written, in_body;

    struct pf_sp_events pending; /* since the last sample */
    struct pf_sp_open open;      /* in what is written */
    struct pf_sp_open target;    /* of the next sample */
    struct pf_sp_open trial;
    uint32_t finish;             /* string: how the input ended, where it said so; 0 = as usual */
    uint32_t labels, op, op_key; /* labels of the last sample, and the op in them */
    uint64_t records;

    struct pf_sp_encoded *frames; /* by location */
    size_t frame_capacity, frame_count;
    struct pf_buffer encoded;

    bool lost_counts, lost_texts, lost_metadata;
};

int pf_sp_writer_open(struct pf_writer *);
int pf_sp_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_sp_writer_finish(struct pf_writer *);
void pf_sp_writer_close(struct pf_writer *);

#endif
