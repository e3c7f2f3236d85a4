/* V8's profiles, of the processor and of the heap: what their parts share. */
#ifndef PF_FORMAT_V8_H
#define PF_FORMAT_V8_H

#include "codec/format.h"
#include "io/json_cut.h"
#include "model/call_tree.h"
#include "model/metadata.h"
#include "model/pending.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_v8_reader {
    struct pf_json_cut cut;
    struct pf_call_tree tree;
    struct pf_call_samples samples;
    bool heap, sampled, own; /* own: our writer's, whose samples stand for as many hits as their node has */
    bool absolute;           /* what was read as deltas were times */
    bool next, lines, heap_samples; /* options */
    bool old;                /* a head in place of nodes: times of the document are seconds */
    uint32_t start, end;     /* texts */
    struct pf_v8_open {      /* a node whose members are being read */
        uint32_t node;
        struct pf_call_frame frame;
        bool framed;
    } *open;
    size_t open_count, open_capacity;
    struct pf_v8_line {      /* hits of a line */
        uint32_t node;
        int64_t line, ticks;
    } *line_rows;
    size_t line_count, line_capacity;
    struct pf_pending rows, line_records;
    struct pf_metadata metadata;
    bool read;
    int status;
};

int pf_v8_open_reader(struct pf_reader *);
int pf_v8_read(struct pf_reader *, struct pf_batch *);
void pf_v8_close_reader(struct pf_reader *);

/* A node object, with all those nested in it. */
int pf_v8_read_node(struct pf_reader *);
/* After a failure of that: what is open has no more members. */
void pf_v8_end_nodes(struct pf_reader *);

#endif
