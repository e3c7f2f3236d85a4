/* Whole stacks at once. Interning node by node is several times slower: every node is found by a
 * hash of its whole stack, so that the node where a new stack leaves those that are there is found
 * in a few steps. A search waits for memory: so stacks are queued, and the searches of all of them
 * go on side by side. */
#ifndef PF_MODEL_STACKS_H
#define PF_MODEL_STACKS_H

#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

struct pf_stack_memo; /* one per reader, for one dictionary */

struct pf_stack_memo *pf_stack_memo_new(void); /* NULL: out of memory */
void pf_stack_memo_free(struct pf_stack_memo *);

/* Puts the id of the stack of these locations into *stack, at the latest when pf_stack_memo_flush
 * is called: leaf first (as most formats have them), none of them 0; no locations are stack 0. The
 * locations are copied. At most PF_STACK_DEPTH_MAX frames: the caller checks. Failures stand in
 * pf_dict_status; *stack is 0 then. */
void pf_stack_memo_queue(struct pf_stack_memo *, struct pf_dict *, const uint32_t *leaf_first,
                         size_t depth, uint32_t *stack);
void pf_stack_memo_flush(struct pf_stack_memo *, struct pf_dict *);

/* The same for one stack, now. */
uint32_t pf_stack_memo_intern(struct pf_stack_memo *, struct pf_dict *, const uint32_t *leaf_first,
                              size_t depth);

/* Number of frames of a stack. */
uint32_t pf_stack_depth(const struct pf_dict *, uint32_t stack);

#endif
