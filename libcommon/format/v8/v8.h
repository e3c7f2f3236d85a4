/* Private to the formats cpuprofile and heapprofile, V8's profiles of the processor and of the
 * heap: the nodes that the reader reads, and the writer. FORMAT.md has the facts. */
#ifndef PF_FORMAT_V8_V8_H
#define PF_FORMAT_V8_V8_H

#include "analysis/sum/frame_sums.h"
#include "analysis/sum/walk.h"
#include "codec/file_urls.h"
#include "codec/format.h"
#include "io/json.h"
#include "model/call_tree.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- nodes.c ---------------------------------------------------------------------------------- */

/* The nodes of a document. Zero-initialise; set count_key and keep_lines before reading. */
struct pf_v8_nodes {
    struct pf_bytes count_key; /* the member with a node's count: hitCount or selfSize */
    bool keep_lines;           /* read the hits of lines */
    struct pf_file_urls urls;  /* of the files of the nodes */
    struct pf_call_tree tree;  /* the count of a node is its hits or its bytes */
    struct pf_v8_line {        /* the hits of a line; lines count from 1 */
        uint32_t node;
        int64_t line, hits;
    } * lines;
    size_t line_count, line_capacity;
    /* private to nodes.c */
    struct pf_json_cut *cut;
    struct pf_dict *dict;
    struct pf_v8_open_node *open; /* nodes whose members are being read, outermost first */
    size_t open_count, open_capacity;
};

/* The cutter, whose owner is the reader, and the dictionary are borrowed until pf_v8_nodes_free.
 * PF_OK or PF_NOMEM; free in any case. */
int pf_v8_nodes_init(struct pf_v8_nodes *, struct pf_json_cut *, struct pf_dict *);
void pf_v8_nodes_free(struct pf_v8_nodes *);
/* Reads the next object, which is a node, and all nodes nested in the node. PF_OK, or a failure
 * with its message in the cutter's error. */
int pf_v8_nodes_read(struct pf_v8_nodes *);
/* Call at the end of the document, also after a failure, before pf_call_tree_resolve: closes the
 * nodes that a failure left open. Such a node gets no stack if its name was not read yet. */
void pf_v8_nodes_end(struct pf_v8_nodes *);

/* --- writer.c --------------------------------------------------------------------------------- */

struct pf_v8_writer {
    struct pf_frame_sums sums;
    struct pf_file_urls urls; /* of files, from metadata */
    struct pf_buffer scratch;
    pf_int128 start;     /* of the profile, in nanoseconds */
    uint32_t *order;     /* nodes in preorder, without the root */
    struct pf_walk walk; /* over the nodes */
    uint32_t *row_of;    /* by node: the row of its sums; 0 = no sums */
    bool cut;            /* digits of an amount were left out */
};

int pf_v8_open_writer(struct pf_writer *);
int pf_v8_write(struct pf_writer *, const struct pf_batch *);
int pf_v8_finish_cpu(struct pf_writer *);
int pf_v8_finish_heap(struct pf_writer *);
void pf_v8_close_writer(struct pf_writer *);

#endif
