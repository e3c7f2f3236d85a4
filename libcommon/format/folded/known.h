/* Stacks that earlier lines of a run had, by their text: two inputs that are compared have most of them in common, and a line that was met
 * before need not be cut into frames. Holds 8 bytes a stack and no text. */
#ifndef PF_FORMAT_FOLDED_KNOWN_H
#define PF_FORMAT_FOLDED_KNOWN_H

#include "base/bytes.h"
#include "codec/shared.h"
#include "model/dict.h"

struct pf_folded_known;

/* The one of the run; NULL when there is none, it is of another dictionary, or memory ran out: then nothing is known. */
struct pf_folded_known *pf_folded_known_get(struct pf_shared *, const struct pf_dict *);
/* The stack of this text, whose tag is told; 0 when it is not known. NULL is allowed. */
uint32_t pf_folded_known_find(const struct pf_folded_known *, struct pf_bytes text, uint32_t *tag);
/* Its text has this tag. */
void pf_folded_known_add(struct pf_folded_known *, uint32_t tag, uint32_t stack);

#endif
