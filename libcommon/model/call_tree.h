/* A tree of calls from V8's files and traces. Nodes have numbers and come in any order; a parent
 * lists its children, or a child names its parent. */
#ifndef PF_MODEL_CALL_TREE_H
#define PF_MODEL_CALL_TREE_H

#include "base/decimal.h"
#include "model/dict.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_call_node {
    uint32_t parent;        /* a node; 0 = unknown, or only its number is known: */
    uint32_t parent_number; /* an id of `numbers`, like: */
    uint32_t number;
    uint32_t location;     /* 0 = no location: the root itself */
    uint32_t stack, depth; /* valid once resolved; depth = number of frames + 1 */
    int64_t count;         /* hits, or bytes */
};

struct pf_call_tree {
    struct pf_table numbers; /* of nodes, read or only referred to */
    struct pf_call_number {
        uint32_t node, parent; /* 0 = unknown */
    } * rows;                  /* indexed by id of a number */
    size_t row_capacity;
    struct pf_call_node *nodes; /* from 1 */
    uint32_t count;             /* of them */
    size_t capacity;
};

int pf_call_tree_init(struct pf_call_tree *); /* PF_OK or PF_NOMEM; free in any case */
void pf_call_tree_free(struct pf_call_tree *);
/* Id of a number, and the number of an id; 0: out of memory. */
uint32_t pf_call_tree_number(struct pf_call_tree *, int64_t number);
int64_t pf_call_tree_named(const struct pf_call_tree *, uint32_t id);
/* A new node; 0: out of memory. */
uint32_t pf_call_tree_add(struct pf_call_tree *);

/* Finds the stacks of all nodes, except nodes to which the caller gave depth and stack
 * UINT32_MAX. PF_OK; PF_NOMEM; PF_FAILED with *node: a node that is its own ancestor or has more
 * than 1048575 frames. Its stack and the stacks of the nodes below become UINT32_MAX. */
int pf_call_tree_resolve(struct pf_call_tree *, struct pf_dict *, uint32_t *node);

/* The function of a node; lines and columns from 1, 0 = unknown. pf_call_frame_location returns
 * the location, 0 for a root. */
struct pf_call_frame {
    uint32_t name, file; /* strings */
    int64_t line, column;
};
uint32_t pf_call_frame_location(struct pf_dict *, const struct pf_call_frame *, bool outermost);
/* Reads V8's callFrame, whose lines and columns count from 0. */
struct pf_call_frame pf_call_frame_json(struct pf_dict *, const json_t *);

/* Samples of nodes (ids of their numbers), each with the time since the sample before; the first
 * delta counts from the start of the profile. Zero-initialise all fields except deltas.most. */
struct pf_call_samples {
    uint32_t *numbers;
    size_t count, capacity;
    struct pf_decimals deltas;
    bool has_span;
    pf_int128 span; /* from the start of the profile to its end, in 10^-deltas.most */
};

void pf_call_samples_free(struct pf_call_samples *);
int pf_call_samples_add(struct pf_call_samples *, uint32_t number); /* PF_OK or PF_NOMEM */
/* Gives every sample a delta (0 if missing), and sorts the samples by time. `next`: each delta
 * becomes the time from its sample to the next sample; the last sample ends at the end of the
 * profile if that is known and not earlier, else its delta is the mean of the others; the time
 * before the first sample is dropped. PF_OK, PF_NOMEM, PF_OVERFLOW. *sorted: the order has
 * changed. */
int pf_call_samples_order(struct pf_call_samples *, bool next, bool *sorted);

#endif
