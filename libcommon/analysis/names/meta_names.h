/* Names of files and functions in a format's own metadata, which follow those of the records. */
#ifndef PF_ANALYSIS_NAMES_META_NAMES_H
#define PF_ANALYSIS_NAMES_META_NAMES_H

#include "codec/format.h"
#include "model/dict.h"

#include <stdint.h>

/* The format an origin belongs to: its name stands before the first dot, or behind that of a
 * private one. NULL: none. */
const struct pf_format *pf_meta_owner(struct pf_bytes origin);

/* How names change. Strings; 0 and the dictionary's status when out of memory. */
struct pf_meta_edit {
    uint32_t (*file)(void *context, uint32_t name);
    uint32_t (*function)(void *context, uint32_t name);
    void *context;
};

/* Edits a row of metadata, if it has a name. What fails is the dictionary's status. */
void pf_meta_rename(struct pf_dict *, const struct pf_meta_edit *, uint32_t origin, uint32_t *key,
                    uint32_t *value);

#endif
