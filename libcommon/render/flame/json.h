/* A flame graph as nested JSON, for d3-flame-graph. */
#ifndef PF_RENDER_FLAME_JSON_H
#define PF_RENDER_FLAME_JSON_H

#include "analysis/table/flame.h"
#include "codec/left_out.h"
#include "io/sink.h"

/* Writes objects of name, value, self and children, siblings by magnitude of their values. For a
 * difference, value and self are the amounts after, and `before` and `delta` follow the
 * children. Writes the main measure and adds it to `held`. Call after the last batch. Results as
 * pf_flame_make; the sink keeps failed writes. */
int pf_flame_json(struct pf_flame *, struct pf_sink *, struct pf_held_measures *held,
                  struct pf_error *);

#endif
