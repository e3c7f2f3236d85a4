/* Finds measures by the names that users type: NAME, or KIND:NAME as in "edge:calls". */
#ifndef PF_MODEL_NAMED_H
#define PF_MODEL_NAMED_H

#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

/* True if measure number `measure` has the name NAME or KIND:NAME. */
bool pf_named_measure(const struct pf_dict *, uint32_t measure, const char *name);
/* Sets the error PF_USAGE: no record has a measure `name`. The text lists the measures of the
 * dictionary. Returns PF_USAGE, or PF_NOMEM. */
int pf_named_unknown(const struct pf_dict *, const char *name, struct pf_error *);

#endif
