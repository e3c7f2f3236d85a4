/* V8's profiles, of the processor and of the heap: what their parts share. */
#ifndef PF_FORMAT_V8_V8_H
#define PF_FORMAT_V8_V8_H

#include "analysis/sum/frame_sums.h"
#include "analysis/sum/walk.h"
#include "codec/json_reader.h"
#include "codec/text_reader.h"
#include "model/call_tree.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_v8_reader {
    struct pf_json_cut cut;
    struct pf_call_tree tree;
    struct pf_call_samples samples;
    bool heap, sampled;
    /* our writer's, whose samples stand for as many hits as their node has, of measures with these
     * names and units: */
    bool own;
    uint32_t own_time[2], own_count[2];
    bool absolute;                  /* what was read as deltas were times */
    bool next, lines, heap_samples; /* options */
    bool old;            /* a head in place of nodes: times of the document are seconds */
    uint32_t start, end; /* texts */
    struct pf_v8_open {  /* a node whose members are being read */
        uint32_t node;
        struct pf_call_frame frame;
        bool framed;
    } * open;
    size_t open_count, open_capacity;
    struct pf_v8_line { /* hits of a line */
        uint32_t node;
        int64_t line, ticks;
    } * line_rows;
    size_t line_count, line_capacity;
    bool read;  /* the document */
    int result; /* of that */
    /* samples that become records: those before `given` are, `unknown` are of nodes that the
     * profile does not have; column 0 counts hits, `column` has what the deltas count */
    bool giving, hits, timed, with_lines;
    size_t given, unknown;
    uint32_t column;
    struct pf_rows rows;
    int status;
};

int pf_v8_open_reader(struct pf_reader *);
int pf_v8_read(struct pf_reader *, struct pf_batch *);
void pf_v8_close_reader(struct pf_reader *);

struct pf_v8_writer {
    struct pf_frame_sums sums;
    struct pf_buffer scratch;
    pf_int128 start;     /* nanoseconds */
    uint32_t *order;     /* nodes in preorder, the root apart */
    struct pf_walk walk; /* over the nodes */
    uint32_t *row_of;    /* by node: its sums; 0 = none */
    bool cut;            /* an amount has more digits than were written */
};

int pf_v8_open_writer(struct pf_writer *);
int pf_v8_write(struct pf_writer *, const struct pf_batch *);
int pf_v8_finish_cpu(struct pf_writer *);
int pf_v8_finish_heap(struct pf_writer *);
void pf_v8_close_writer(struct pf_writer *);

/* A node object, with all those nested in it. */
int pf_v8_read_node(struct pf_reader *);
/* After a failure of that: what is open has no more members. */
void pf_v8_end_nodes(struct pf_reader *);

#endif
