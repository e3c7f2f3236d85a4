/* The `meta` object of JSON documents. */
#ifndef PF_RENDER_TABLE_META_H
#define PF_RENDER_TABLE_META_H

#include "analysis/sum/facts.h"

#include <jansson.h>
#include <stdbool.h>

/* Tool, inputs (as the profiles name them, else the operands, a NULL-terminated list), source
 * format, complete, metadata. NULL: out of memory. */
json_t *pf_meta_json(const struct pf_dict *, const struct pf_facts *, const char *tool,
                     const char *const *operands, bool complete);

/* Appends the formats that the records came from: "statprofiler", or "folded,statprofiler" for two
 * formats. */
void pf_meta_formats(const struct pf_dict *, const struct pf_facts *, struct pf_buffer *text);

#endif
