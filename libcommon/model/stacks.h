/* Whole stacks at once. Interning node by node is several times slower where stacks repeat; this keeps a memo keyed by the
 * list of locations, and shares the path of the stack before. */
#ifndef PF_MODEL_STACKS_H
#define PF_MODEL_STACKS_H

#include "model/dict.h"

#include <stddef.h>
#include <stdint.h>

struct pf_stack_memo; /* one per reader */

struct pf_stack_memo *pf_stack_memo_new(void); /* NULL: out of memory */
void pf_stack_memo_free(struct pf_stack_memo *);

/* Id of the stack of these locations, leaf first (as most formats have them), none of them 0; 0 for depth 0. At most PF_STACK_DEPTH_MAX frames:
 * the caller checks. Failures stand in pf_dict_status. */
uint32_t pf_stack_memo_intern(struct pf_stack_memo *, struct pf_dict *, const uint32_t *leaf_first, size_t depth);

/* Number of frames of a stack. */
uint32_t pf_stack_depth(const struct pf_dict *, uint32_t stack);

#endif
