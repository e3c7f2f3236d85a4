/* A tree of calls, from V8's profiles and from traces. Nodes have numbers and come in any order.
 * Either a parent lists its children, or a child names its parent. */
#ifndef PF_MODEL_CALL_TREE_H
#define PF_MODEL_CALL_TREE_H

#include "base/decimal.h"
#include "model/dict.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_call_node {
    uint32_t parent;        /* a node; 0: none, or only parent_number is known */
    uint32_t parent_number; /* id in tree->numbers; 0: none */
    uint32_t number;        /* id in tree->numbers */
    uint32_t location;      /* 0: no location: the root itself */
    uint32_t stack, depth;  /* valid once resolved; depth = number of frames + 1 */
    int64_t count;          /* hits, or bytes */
};

struct pf_call_tree {
    struct pf_table numbers; /* the numbers of nodes, of those read and of those only referred to */
    struct pf_call_number {
        uint32_t node, parent; /* nodes; 0: not known */
    } * rows;                  /* indexed by id of a number */
    size_t row_capacity;
    struct pf_call_node *nodes; /* node 1 is nodes[1] */
    uint32_t count;             /* number of nodes */
    size_t capacity;
};

int pf_call_tree_init(struct pf_call_tree *); /* PF_OK or PF_NOMEM; free in any case */
void pf_call_tree_free(struct pf_call_tree *);
/* The id of a number (0: out of memory); the number with an id. */
uint32_t pf_call_tree_number(struct pf_call_tree *, int64_t number);
int64_t pf_call_tree_named(const struct pf_call_tree *, uint32_t id);
/* Adds a zeroed node and returns it; 0: out of memory. */
uint32_t pf_call_tree_add(struct pf_call_tree *);

/* Finds the stacks of all nodes, except nodes whose depth and stack the caller set to UINT32_MAX.
 * PF_OK; PF_NOMEM; PF_FAILED with *node set if a node is its own ancestor or has more than 1048575
 * frames: its stack and the stacks of the nodes below it become UINT32_MAX. */
int pf_call_tree_resolve(struct pf_call_tree *, struct pf_dict *, uint32_t *node);

/* The function of a node. Lines and columns count from 1; 0: not known. pf_call_frame_location
 * returns its location; 0 if the frame is the root (`outermost` and "(root)"). */
struct pf_call_frame {
    uint32_t name, file; /* strings */
    int64_t line, column;
};
uint32_t pf_call_frame_location(struct pf_dict *, const struct pf_call_frame *, bool outermost);
/* Reads V8's callFrame, whose lines and columns count from 0. */
struct pf_call_frame pf_call_frame_json(struct pf_dict *, const json_t *);

/* Samples of nodes (ids of their numbers), each with the time since the sample before it; the first
 * delta counts from the start of the profile. Zero-initialise, set deltas.most; free with
 * pf_call_samples_free. */
struct pf_call_samples {
    uint32_t *numbers;
    size_t count, capacity;
    struct pf_decimals deltas;
    bool has_span;
    pf_int128 span; /* from the start to the end of the profile, in 10^-deltas.most units of time */
};

void pf_call_samples_free(struct pf_call_samples *);
int pf_call_samples_add(struct pf_call_samples *, uint32_t number); /* PF_OK or PF_NOMEM */
/* Gives every sample a delta (0 if missing), and sorts the samples by time. With `next`, each delta
 * becomes the time from its sample to the next. The last sample then lasts to the end of the
 * profile; if the end is not known, or is before the last sample, it lasts as long as the mean of
 * the others. The time before the first sample is dropped. *sorted: the order has changed. PF_OK,
 * PF_NOMEM, PF_OVERFLOW. */
int pf_call_samples_order(struct pf_call_samples *, bool next, bool *sorted);

#endif
