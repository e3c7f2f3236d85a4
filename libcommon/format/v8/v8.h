/* Private to the formats cpuprofile and heapprofile: V8's profiles of the processor and of the
 * heap. */
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
    /* written by our writer: the samples of a node stand for as many hits as the node has, and
     * these are the names and units of the measures: */
    bool own;
    uint32_t own_time[2], own_count[2];
    bool absolute;                  /* `deltas` holds times of samples, not times between samples */
    bool next, lines, heap_samples; /* options */
    bool old;            /* the document has a head instead of nodes: its times are seconds */
    uint32_t start, end; /* strings: startTime and endTime */
    struct pf_v8_open {  /* nodes whose members are being read, outermost first */
        uint32_t node;
        struct pf_call_frame frame;
        bool framed;
    } * open;
    size_t open_count, open_capacity;
    struct pf_v8_line { /* the hits of a line */
        uint32_t node;
        int64_t line, ticks;
    } * line_rows;
    size_t line_count, line_capacity;
    bool read;  /* the document is read */
    int result; /* the result of reading the document */
    /* samples that become records: samples before `given` did; `unknown` samples have nodes that
     * the profile does not define; column 0 counts hits, `column` has the amounts of `deltas` */
    bool giving, hits, timed, with_lines;
    size_t given, unknown;
    uint32_t column;
};

int pf_v8_open_reader(struct pf_reader *);
int pf_v8_step(struct pf_reader *);
void pf_v8_close_reader(struct pf_reader *);

struct pf_v8_writer {
    struct pf_frame_sums sums;
    struct pf_buffer scratch;
    pf_int128 start;     /* nanoseconds */
    uint32_t *order;     /* nodes in preorder, without the root */
    struct pf_walk walk; /* over the nodes */
    uint32_t *row_of;    /* by node: the row of its sums; 0 = no sums */
    bool cut;            /* an amount has more digits than the file got */
};

int pf_v8_open_writer(struct pf_writer *);
int pf_v8_write(struct pf_writer *, const struct pf_batch *);
int pf_v8_finish_cpu(struct pf_writer *);
int pf_v8_finish_heap(struct pf_writer *);
void pf_v8_close_writer(struct pf_writer *);

/* Reads a node object and all nodes that are nested in it. PF_OK or a failure. */
int pf_v8_read_node(struct pf_reader *);
/* After a failure of pf_v8_read_node: ends the open nodes. A node without a name gets no stack. */
void pf_v8_end_nodes(struct pf_reader *);

#endif
