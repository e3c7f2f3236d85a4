/* stackprof's JSON: what its reader holds. */
#ifndef PF_FORMAT_STACKPROF_H
#define PF_FORMAT_STACKPROF_H

#include "codec/json_reader.h"
#include "model/metadata.h"
#include "model/pending.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_stackprof_reader {
    struct pf_json_cut cut;
    struct pf_table ids;        /* of frames: addresses */
    struct pf_stackprof_frame { /* by row of `ids` */
        uint32_t name, file;    /* strings */
        int64_t line, samples;
        bool told, has_lines;
    } *frames;
    size_t frame_capacity;
    uint32_t frame;             /* the frame that is being read */
    struct pf_stackprof_link {  /* a call, or the samples of a line */
        uint32_t from, to;
        int64_t line, samples;
    } *calls, *lines;
    size_t call_count, call_capacity, line_count, line_capacity;
    struct pf_stackprof_numbers {
        int64_t *numbers;
        size_t count, capacity;
    } raw, raw_lines;
    uint64_t raw_offset;
    uint32_t mode;              /* string */
    int64_t interval;
    struct pf_metadata metadata;
    struct pf_pending rows, line_records, call_records;
    struct pf_stack_memo *memo;
    bool read;
    int status;
};

#endif
