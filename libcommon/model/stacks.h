/* Interns whole stacks, several times faster than node by node: every node has a hash of its whole
 * stack, so the last known node of a new stack is found in a few steps. Each search waits for
 * memory; stacks are therefore queued, so that the waits of several searches overlap. */
#ifndef PF_MODEL_STACKS_H
#define PF_MODEL_STACKS_H

#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

struct pf_stack_memo; /* one for a reader, or for several readers of one dictionary */

struct pf_stack_memo *pf_stack_memo_new(void); /* NULL: out of memory */
void pf_stack_memo_free(struct pf_stack_memo *);

/* Interns the stack of these locations and stores its id in *stack, now or in pf_stack_memo_flush.
 * Locations are leaf first (as in most formats), not 0, and are copied; without locations the id is
 * 0. The caller checks that there are at most PF_STACK_DEPTH_MAX. After a failure, which
 * pf_dict_status reports, *stack is 0. */
void pf_stack_memo_queue(struct pf_stack_memo *, struct pf_dict *, const uint32_t *leaf_first,
                         size_t depth, uint32_t *stack);
/* Interns all queued stacks. */
void pf_stack_memo_flush(struct pf_stack_memo *, struct pf_dict *);

/* The same for one stack, immediately. */
uint32_t pf_stack_memo_intern(struct pf_stack_memo *, struct pf_dict *, const uint32_t *leaf_first,
                              size_t depth);

/* Number of frames of a stack. */
uint32_t pf_stack_depth(const struct pf_dict *, uint32_t stack);

#endif
