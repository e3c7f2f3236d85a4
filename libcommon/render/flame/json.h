/* A flame graph as nested JSON, for d3-flame-graph. */
#ifndef PF_RENDER_FLAME_JSON_H
#define PF_RENDER_FLAME_JSON_H

#include "analysis/table/flame.h"
#include "codec/left_out.h"
#include "io/sink.h"

/* Objects of name, value, self and children, siblings by magnitude of their values; of a
 * difference, value and self are those after, and behind the children stand `before` and `delta`,
 * of the values. The main measure, which is added to `held`; after the last batch. As
 * pf_flame_make; failed writes stay with the sink. */
int pf_flame_json(struct pf_flame *, struct pf_sink *, struct pf_held_measures *held,
                  struct pf_error *);

#endif
